import ObjectModel
import Synchronization

/// Sends hints about new entries to the other stores of a realm, and receives theirs, on a connection and a thread of
/// its own.
///
/// Hints are a convenience: the channel reports no errors, and where the server has no LISTEN it ends.
final class HintChannel: Sendable {
    private struct State {
        var listeners: [@Sendable () -> Void] = []
        /// Listeners for changes of records.
        var recordListeners: [@Sendable () -> Void] = []
        /// The newest version for which no hint was sent yet.
        var pending: Version?
        /// Whether a hint that records have changed is still to be sent.
        var owesRecords = false
        var isRunning = false
    }

    private let pool: ConnectionPool
    private let realm: Int64
    private let state = Mutex(State())
    /// Wakes the thread for `pending`.
    private let wakeUp: WakeUpPipe

    /// The least time between two hints to the others.
    private static let interval = Duration.milliseconds(2)

    init(_ pool: ConnectionPool, realm: Int64) throws(PostgresError) {
        self.pool = pool
        self.realm = realm
        wakeUp = try WakeUpPipe()
    }

    func add(_ listener: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.listeners.append(listener)
            return begin(&state)
        }
        if isFirst { start() }
    }

    func add(ofRecords listener: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.recordListeners.append(listener)
            return begin(&state)
        }
        if isFirst { start() }
    }

    /// Sends a hint soon that records have changed.
    func announceRecords() {
        let isFirst = state.withLock { state in
            state.owesRecords = true
            return begin(&state)
        }
        if isFirst { start() } else { wakeUp.signal() }
    }

    /// Sends a hint soon, one for all versions that come meanwhile.
    func announce(_ version: Version) {
        let isFirst = state.withLock { state in
            state.pending = max(version, state.pending ?? version)
            return begin(&state)
        }
        if isFirst { start() } else { wakeUp.signal() }
    }

    private func begin(_ state: inout State) -> Bool {
        defer { state.isRunning = true }
        return !state.isRunning
    }

    /// The thread keeps the channel until the log is closed.
    private func start() { pool.startThread { [self] in run() } }

    private func run() {
        var backoff = Backoff()
        while !pool.interruption.isRaised {
            do throws(PostgresError) {
                let connection = try connect()
                backoff = Backoff()
                // Hints may have been lost before.
                callListeners(entries: true, records: true)
                try serve(connection)
            } catch .closed, .refused(.unsupported, _) {
                return
            } catch {
                backoff.pause(by: Deadline(after: .seconds(5)), pool.interruption)
            }
        }
    }

    /// A connection that listens. Its commits wait neither for the disk nor for a standby, as far as the server lets them
    /// choose: a hint that is lost costs nothing, and one that waits is late.
    func connect() throws(PostgresError) -> PostgresConnection {
        let deadline = Deadline(after: .seconds(5))
        let connection = try pool.connect(by: deadline)
        do throws(PostgresError) {
            let call = StatementCall(.setForSession, .text("synchronous_commit"), .text("off"))
            _ = try connection.run([call], by: deadline)
        } catch .refused {
            // The server has no such setting.
        }
        _ = try connection.run([StatementCall(.listen)], by: deadline)
        return connection
    }

    private func serve(_ connection: PostgresConnection) throws(PostgresError) {
        var next = ContinuousClock.now
        while true {
            let isPending = state.withLock { $0.pending != nil || $0.owesRecords }
            let pause = ContinuousClock.now.duration(to: next)
            if isPending, pause <= .zero {
                try notify(connection)
                next = .now + Self.interval
            } else {
                try connection.waitForHints(
                    orReadable: isPending ? -1 : wakeUp.descriptor, within: isPending ? pause : nil)
                if !isPending { wakeUp.drain() }
            }
            let subjects = connection.takeNotifications().compactMap(subject)
            callListeners(entries: subjects.contains(.entries), records: subjects.contains(.records))
        }
    }

    private func notify(_ connection: PostgresConnection) throws(PostgresError) {
        let (version, owesRecords) = state.withLock { state in
            defer { (state.pending, state.owesRecords) = (nil, false) }
            return (state.pending, state.owesRecords)
        }
        let words = [version?.description, owesRecords ? Self.records : nil].compactMap { $0 }
        guard !words.isEmpty else { return }
        _ = try connection.run(
            words.map { StatementCall(.notify, .text("\(realm) \($0)")) }, by: Deadline(after: .seconds(5)))
    }

    /// The subject of a hint.
    private enum Subject { case entries, records }

    /// Stands in a hint instead of a version.
    private static let records = "records"

    /// Nil for hints of other realms.
    private func subject(_ payload: String) -> Subject? {
        let words = payload.split(separator: " ")
        guard words.first == "\(realm)" else { return nil }
        return words.last == Self.records[...] ? .records : .entries
    }

    private func callListeners(entries: Bool, records: Bool) {
        let listeners = state.withLock { state in
            (entries ? state.listeners : []) + (records ? state.recordListeners : [])
        }
        for listener in listeners { listener() }
    }
}
