package import HTTPServer
import JSONCoding
import ObjectCoding
import StoreContract
import Synchronization
import WireProtocol

extension Gateway {
    /// The last event of every stream when the server stops: it tells clients to reconnect.
    package static let closingEvent: SharedBytes = {
        let json = JSONWriter(capacity: 64)
        json.closing(code: "gateway.draining")
        return SharedBytes.event(name: EventKind.closing.rawValue, retry: 2000, data: json.bytes)
    }()

    /// Reports the server as not ready from now on, because it is about to stop. Reads that wait for a change are
    /// answered.
    package func beginDraining() {
        isDraining.store(true, ordering: .sequentiallyConsistent)
        heldReads.endAll()
    }

    /// `GET /healthz`: the process answers.
    func getHealth(_ request: Request, _ path: PathParameters) throws -> Reply { .now(Self.status("ok")) }

    /// `GET /readyz`: the server should get requests.
    func getReadiness(_ request: Request, _ path: PathParameters) throws -> Reply {
        try checkReadiness()
        return .now(Self.status("ready"))
    }

    private static func status(_ word: String) -> Response {
        let json = JSONWriter(capacity: 32)
        json.beginObject()
        json.name("status")
        json.string(word)
        json.endObject()
        return .json(json.bytes)
    }

    /// Throws 503 with the reason if the server should get no requests.
    private func checkReadiness() throws {
        guard !isDraining.load(ordering: .relaxed) else {
            var problem = Problem(
                .gatewayDraining, "The server is about to stop. Running requests will finish; do not send more.")
            problem.retryAfter = 5
            throw problem
        }
        _ = try store.snapshot()
        let store = store.statistics()
        guard !store.hasStopped else {
            throw Problem(
                .storeStopped,
                store.stopReason
                    ?? "A write to the disk failed, and the server accepts no more writes; committed data is safe and can be read. "
                    + "Repair the disk, then restart the server.")
        }
        if let log = store.log, log.contactSeconds > Double(configuration.maximumLogSilence) {
            throw StoreError(
                .logUnavailable,
                "PostgreSQL has not responded for \(Int(log.contactSeconds)) seconds. Reads go on at the last version; writes fail. "
                    + "Check that the database can be reached.")
        }
        guard let free = store.freeDiskBytes, free < configuration.minimumFreeDisk else { return }
        throw Problem(
            .storeDiskNearlyFull,
            "The database's disk has \(free >> 20) MiB left, less than the \(configuration.minimumFreeDisk >> 20) MiB that it "
                + "should have. Free disk space.")
    }
}
