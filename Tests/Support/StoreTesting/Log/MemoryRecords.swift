package import StoreContract
import Synchronization

/// The records of a log in memory.
package final class MemoryRecords: Sendable {
    private struct State {
        var records: [String: LogRecord] = [:]
        var listeners: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// All records by name.
    package var all: [String: LogRecord] { state.withLock { $0.records } }

    fileprivate func change<R>(_ change: (inout [String: LogRecord]) -> R) -> R {
        state.withLock { change(&$0.records) }
    }

    fileprivate func add(_ listener: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    fileprivate func hint() { for listener in state.withLock({ $0.listeners }) { listener() } }
}

extension MemoryLog.Connection {
    package func record(_ name: String) throws -> LogRecord? {
        try begin(.record)
        return log.records.all[name]
    }

    package func recordRevisions(prefix: String) throws -> [String: Int64] {
        try begin(.record)
        return log.records.all.filter { $0.key.hasPrefix(prefix) }.mapValues(\.revision)
    }

    package func recordRevisions(of names: [String]) throws -> [String: Int64] {
        try begin(.record)
        return log.records.all.filter { names.contains($0.key) }.mapValues(\.revision)
    }

    package func store(_ body: [UInt8], as name: String, over revision: Int64?) throws -> Bool {
        try begin(.record)
        let isStored = log.records.change { records in
            guard records[name]?.revision == revision else { return false }
            records[name] = LogRecord(revision: (revision ?? 0) + 1, body: body)
            return true
        }
        if isStored { log.records.hint() }
        return isStored
    }

    package func deleteRecord(_ name: String, at revision: Int64) throws -> Bool {
        try begin(.record)
        let isGone = log.records.change { records in
            if records[name]?.revision == revision { records[name] = nil }
            return records[name] == nil
        }
        log.records.hint()
        return isGone
    }

    package func onRecordHint(_ listener: @escaping @Sendable () -> Void) { log.records.add(listener) }
}
