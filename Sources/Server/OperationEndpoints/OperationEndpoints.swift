package import FairScheduling
import HTTPMessages
package import HTTPServer
import JSONCoding
package import LiveStreams
import ObjectCoding
package import RequestHandling
package import RequestParameters
package import ServerLog
import StoreContract
package import SyncSubscriptions
import Synchronization
import WireProtocol

/// Health, metrics and the log, for those who run the server.
package final class OperationEndpoints: Sendable {
    let context: GatewayContext
    let sources: MetricSources
    let history = MetricsHistory()
    let plans = SlowQueryPlans()
    /// The newest lines of the log.
    let logs: RecentLog
    let logStreams: LogStreams
    let started = ContinuousClock.now

    package init(_ context: GatewayContext, _ sources: MetricSources, _ logs: RecentLog) {
        self.context = context
        self.sources = sources
        self.logs = logs
        logStreams = LogStreams(logs)
    }

    /// `GET /healthz`: the process answers.
    package func getHealth(_ request: Request, _ path: PathParameters) throws -> Reply { .now(Self.status("ok")) }

    /// `GET /readyz`: the server should get requests.
    package func getReadiness(_ request: Request, _ path: PathParameters) throws -> Reply {
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
        guard !context.isDraining.load(ordering: .relaxed) else {
            var problem = Problem(
                .gatewayDraining, "The server is about to stop. Running requests will finish; do not send more.")
            problem.retryAfter = 5
            throw problem
        }
        _ = try context.store.snapshot()
        let store = context.store.statistics()
        guard !store.hasStopped else {
            throw Problem(
                .storeStopped,
                store.stopReason
                    ?? "A write to the disk failed, and the server accepts no more writes; committed data is safe and can be read. "
                    + "Repair the disk, then restart the server.")
        }
        if let log = store.log, log.contactSeconds > Double(context.settings.now.maximumLogSilence) {
            throw StoreError(
                .logUnavailable,
                "PostgreSQL has not responded for \(Int(log.contactSeconds)) seconds. Reads go on at the last version; writes fail. "
                    + "Check that the database can be reached.")
        }
        guard let free = store.freeDiskBytes, free < context.settings.now.minimumFreeDisk else { return }
        throw Problem(
            .storeDiskNearlyFull,
            "The database's disk has \(free >> 20) MiB left, less than the \(context.settings.now.minimumFreeDisk >> 20) MiB that it "
                + "should have. Free disk space.")
    }
}
