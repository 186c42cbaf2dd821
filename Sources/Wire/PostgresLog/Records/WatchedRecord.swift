import Dispatch
package import StoreContract
import Synchronization

/// A record of a log that is read once a second, so that asking for it costs no round trip.
package final class WatchedRecord: Sendable {
    private let log: PostgresLog
    private let recordName: String
    private let record: Mutex<LogRecord?>
    private let queue = DispatchQueue(label: "realmgate.records")
    private let isClosed = Mutex(false)

    private static let interval = DispatchTimeInterval.seconds(1)

    /// Reads the record, and begins to watch it. Closes the log in the end. Throws as `PostgresLog.record` does.
    package init(_ name: String, of log: PostgresLog) throws {
        self.log = log
        recordName = name
        record = Mutex(try log.record(name))
        schedule()
    }

    deinit { close() }

    /// The record as it was read last; nil when there is none.
    package var latest: LogRecord? { record.withLock { $0 } }

    /// Replaces the record by what `change` makes of the present one; calls it again when others were first. Blocks.
    ///
    /// Throws the errors of `change`, and the log's: `logOutcomeUnknown` when the record may have been replaced.
    package func update(_ change: ([UInt8]?) throws -> [UInt8]) throws {
        while true {
            let known = try log.record(recordName)
            adopt(known)
            let body = try change(known?.body)
            if try log.store(body, as: recordName, over: known?.revision) {
                adopt(LogRecord(revision: (known?.revision ?? 0) + 1, body: body))
                return
            }
        }
    }

    package func close() {
        isClosed.withLock { $0 = true }
        log.close()
    }

    private func adopt(_ found: LogRecord?) {
        guard let found else { return }
        record.withLock { if found.revision > ($0?.revision ?? 0) { $0 = found } }
    }

    private func schedule() {
        queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
            guard let self, !isClosed.withLock({ $0 }) else { return }
            // A server that is away has the record that it had.
            if let found = try? log.record(recordName, after: latest?.revision ?? 0) { adopt(found) }
            schedule()
        }
    }
}
