import Glibc
package import ObjectModel
package import StoreContract
import Synchronization

/// A log in memory. Each store gets a connection of its own, on which faults can be planned.
package final class MemoryLog: Sendable {
    package let id: Int64
    package let images = MemoryImages()
    package let records = MemoryRecords()
    private let state = Mutex(State())

    private struct State {
        var entries: [LogEntry] = []
        /// Entries up to this version are no longer in the log.
        var floor = LogPosition.start.version
        /// The newest position while there are no entries.
        var start = LogPosition.start
        /// The connection that has the turn.
        var turn: ObjectIdentifier?
        /// Appends that were sent and whose connection was lost; they arrive later.
        var underway: [(bodies: [[UInt8]], position: LogPosition, tag: HistoryTag)] = []
        /// Those that have arrived, and wait for the end of a turn as all appends do.
        var arrived: [(bodies: [[UInt8]], position: LogPosition, tag: HistoryTag)] = []
        var listeners: [@Sendable () -> Void] = []

        var newest: LogPosition { entries.last.map { LogPosition($0.version, $0.tag) } ?? start }

        mutating func append(_ bodies: [[UInt8]], after position: LogPosition, tag: HistoryTag) -> AppendOutcome {
            guard position == newest else { return .superseded }
            var version = position.version
            for body in bodies {
                version = version.next
                entries.append(LogEntry(version: version, tag: tag, body: body))
            }
            return .appended
        }

        mutating func deliver() {
            arrived += underway
            underway = []
            if turn == nil { takeArrived() }
        }

        mutating func takeArrived() {
            for lost in arrived { _ = append(lost.bodies, after: lost.position, tag: lost.tag) }
            arrived = []
        }
    }

    private static let given = Atomic<Int64>(0)

    /// - Parameter id: another one for each log, unless it is given.
    package init(id: Int64? = nil) { self.id = id ?? Self.given.add(1, ordering: .relaxed).newValue }

    package func connect(_ faults: LogFaults = LogFaults()) -> Connection { Connection(self, faults) }

    /// The same log as it was at a version.
    package func prefix(upTo version: Version) -> MemoryLog {
        let past = MemoryLog(id: id)
        let entries = entries.filter { $0.version <= version }
        past.state.withLock { $0.entries = entries }
        return past
    }

    /// Makes the log begin, without entries, at a position of which it has an image.
    package func begin(at position: LogPosition) {
        state.withLock { state in
            state.entries = []
            state.floor = position.version
            state.start = position
        }
    }

    /// The entries so far.
    package var entries: [LogEntry] { state.withLock { $0.entries } }

    /// Entries up to this version are no longer in the log.
    package var floor: Version { state.withLock { $0.floor } }

    /// Lets appends arrive whose connection was lost. While a store has the turn, they wait for its end.
    package func deliver() { state.withLock { $0.deliver() } }

    /// Loses the newest entries, as a failover without a synchronous standby does.
    package func lose(_ count: Int) { state.withLock { $0.entries.removeLast(count) } }

    /// Forgets the entries up to a version.
    package func trim(to version: Version) { state.withLock { $0.floor = max($0.floor, version) } }

    /// Changes the bytes of one entry.
    package func damage(_ version: Version, _ change: ([UInt8]) -> [UInt8]) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.version == version }) else { return }
            let entry = state.entries[index]
            state.entries[index] = LogEntry(version: version, tag: entry.tag, body: change(entry.body))
        }
    }

    /// Removes one entry from the middle.
    package func remove(_ version: Version) { state.withLock { $0.entries.removeAll { $0.version == version } } }

    /// Appends as another store does, but does not wait for turns: as after one whose connection was lost.
    package func append(_ body: [UInt8]) {
        state.withLock { state in _ = state.append([body], after: state.newest, tag: .another()) }
    }

    /// Adds an entry as it is.
    package func append(_ entry: LogEntry) { state.withLock { $0.entries.append(entry) } }

    package final class Connection: CommitLog {
        let log: MemoryLog
        private let faults: LogFaults
        private let isClosed = Atomic(false)
        private let readEntries = Atomic(0)

        /// The milliseconds that it waits for the turn of others.
        private static let patience = 10_000

        fileprivate init(_ log: MemoryLog, _ faults: LogFaults) {
            self.log = log
            self.faults = faults
        }

        package var id: Int64 { log.id }

        package func newest() throws -> LogPosition {
            try begin(.read)
            return log.state.withLock { $0.newest }
        }

        package func append(_ bodies: [[UInt8]], after position: LogPosition, tag: HistoryTag) throws -> AppendOutcome {
            try append(bodies, after: position, tag, own: nil)
        }

        fileprivate func append(
            _ bodies: [[UInt8]], after position: LogPosition, _ tag: HistoryTag, own: ObjectIdentifier?
        ) throws -> AppendOutcome {
            let fault = faults.next(.append)
            let outcome = try whenFree(own) { state -> Result<AppendOutcome, StoreError> in
                switch fault {
                case nil, .lost: return .success(state.append(bodies, after: position, tag: tag))
                case .unavailable: return .failure(Self.unavailable)
                case .refused: return .failure(StoreError(.logRefused, "The log refuses the write."))
                case .unknown: break
                case .unknownDone: _ = state.append(bodies, after: position, tag: tag)
                case .unknownLater: state.underway.append((bodies, position, tag))
                }
                return .failure(Self.unknown)
            }.get()
            if outcome == .appended { hint() }
            return outcome
        }

        private func hint() {
            let listeners = log.state.withLock { $0.listeners }
            for listener in listeners {
                switch faults.next(.hint) {
                case nil: listener()
                case .lost: continue
                default:
                    listener()
                    listener()
                }
            }
        }

        package func takeTurn(after version: Version?) throws -> any LogTurn {
            try throwIfClosed()
            let fault = faults.next(.turn)
            guard fault == nil || fault == .lost else { throw Self.unavailable }
            let turn = Turn(self, log)
            let batch = faults.batch
            let (position, newEntries) = try whenFree(nil) { state in
                if fault != .lost { state.turn = ObjectIdentifier(turn) }
                let newEntries = version.flatMap { version in
                    version < state.floor ? nil : state.entries.drop { $0.version <= version }.prefix(batch)
                }
                return (state.newest, Array(newEntries ?? []))
            }
            turn.begin(position, newEntries)
            return turn
        }

        /// Waits for the end of the turn that another store has. Nobody else comes between that and `body`.
        private func whenFree<Value: Sendable>(
            _ own: ObjectIdentifier?, _ body: (inout State) -> Value
        ) throws -> Value {
            var waited = 0
            while true {
                try throwIfClosed()
                let result = log.state.withLock { $0.turn == nil || $0.turn == own ? body(&$0) : nil }
                if let result { return result }
                try wait(&waited)
            }
        }

        private func wait(_ waited: inout Int) throws {
            guard waited < Self.patience else { throw StoreError(.busy, "Another store has the turn.") }
            waited += 1
            usleep(1000)
        }

        /// The number of entries that this connection has read.
        package var entriesRead: Int { readEntries.load(ordering: .relaxed) }

        package func entries(after version: Version) throws -> [LogEntry] {
            try begin(.read)
            let entries = try log.state.withLock { state in
                guard version >= state.floor else { throw StoreError(.versionGone, "The log begins after \(version).") }
                return Array(state.entries.drop { $0.version <= version }.prefix(faults.batch))
            }
            readEntries.add(entries.count, ordering: .relaxed)
            return entries
        }

        package func onHint(_ listener: @escaping @Sendable () -> Void) {
            log.state.withLock { $0.listeners.append(listener) }
        }

        package func close() { isClosed.store(true, ordering: .relaxed) }

        func begin(_ call: LogFaults.Call) throws {
            try throwIfClosed()
            if faults.next(call) != nil { throw Self.unavailable }
        }

        private func throwIfClosed() throws {
            if isClosed.load(ordering: .relaxed) { throw StoreError(.closed, "The log has been closed.") }
        }

        fileprivate func release(_ turn: ObjectIdentifier) {
            log.state.withLock { state in
                guard state.turn == turn else { return }
                state.turn = nil
                state.takeArrived()
            }
        }

        private static let unavailable = StoreError(.logUnavailable, "The log is away.")
        private static let unknown = StoreError(.logOutcomeUnknown, "The connection to the log was lost.")
    }

    private final class Turn: LogTurn {
        private let connection: Connection
        private let log: MemoryLog
        private let start = Mutex((position: LogPosition.start, newEntries: [LogEntry]()))

        init(_ connection: Connection, _ log: MemoryLog) {
            self.connection = connection
            self.log = log
        }

        deinit { end() }

        func begin(_ position: LogPosition, _ newEntries: [LogEntry]) { start.withLock { $0 = (position, newEntries) } }

        private let hasEnded = Atomic(false)

        var position: LogPosition { start.withLock { $0.position } }
        var newEntries: [LogEntry] { start.withLock { $0.newEntries } }

        func append(_ bodies: [[UInt8]], tag: HistoryTag) throws -> AppendOutcome {
            guard !hasEnded.load(ordering: .relaxed) else { throw StoreError(.closed, "The turn has ended.") }
            defer { end() }
            return try connection.append(bodies, after: position, tag, own: ObjectIdentifier(self))
        }

        func end() {
            hasEnded.store(true, ordering: .relaxed)
            connection.release(ObjectIdentifier(self))
        }
    }
}
