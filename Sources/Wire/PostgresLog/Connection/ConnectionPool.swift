import Synchronization

/// Connections that wait for the next call, and new ones when none does. Any thread may use it.
final class ConnectionPool: Sendable {
    let address: PostgresAddress
    let interruption: Interruption
    /// How long a statement waits for another store's turn before the server refuses it.
    private let lockTimeout: Duration
    private let idle = Mutex<[PostgresConnection]>([])
    /// Rises with each failure to connect: the next attempt begins with another host.
    private let firstHost = Atomic<Int>(0)
    private let uses = UseCount()
    private let threads = OwnThreads()

    /// A store uses two at once, one for its writer and one that follows, and a third for records and images.
    private static let mostIdle = 3
    /// How long one attempt to connect may take. Where there are more hosts to try, one that is silent must not use up
    /// the time of the others; a single one may be slow.
    private var attempt: Duration { address.hostCount > 1 ? .seconds(3) : .seconds(30) }
    /// How long `close` waits for others. Only the system's look-up of a host name takes longer.
    private static let farewell = Duration.seconds(2)

    init(_ address: PostgresAddress, lockTimeout: Duration) throws(PostgresError) {
        self.address = address
        self.lockTimeout = lockTimeout
        interruption = try Interruption()
        OpenPools.add(self)
    }

    /// A connection for the caller alone. Return it with `put` unless it is broken. Throws `unreachable` after one
    /// attempt; `Backoff` says when to make the next.
    func acquire(by deadline: Deadline) throws(PostgresError) -> PostgresConnection {
        if interruption.isRaised { throw .closed }
        while let connection = idle.withLock({ $0.popLast() }) {
            if !connection.hasEnded() { return connection }
        }
        return try connect(by: deadline)
    }

    func put(_ connection: PostgresConnection) {
        guard !connection.isBroken, !interruption.isRaised else { return }
        idle.withLock { if $0.count < Self.mostIdle { $0.append(connection) } }
    }

    /// A connection that the pool does not get back.
    func connect(by deadline: Deadline) throws(PostgresError) -> PostgresConnection {
        defer { OpenPools.closeAtExit() }
        do throws(PostgresError) {
            let connection = try PostgresConnection(
                address, firstHost: firstHost.load(ordering: .relaxed), by: deadline.limited(to: attempt),
                interruption: interruption, use: uses.begin())
            try prepare(connection, by: deadline)
            return connection
        } catch .unreachable(let reason) {
            firstHost.add(1, ordering: .relaxed)
            throw .unreachable(reason)
        }
    }

    /// Sets what the statements rely on, whatever the server, the database and the user are configured for.
    private func prepare(_ connection: PostgresConnection, by deadline: Deadline) throws(PostgresError) {
        func set(_ name: String, _ value: String) -> StatementCall {
            StatementCall(.setForSession, .text(name), .text(value))
        }
        do throws(PostgresError) {
            _ = try connection.run(
                [
                    set("default_transaction_isolation", "read committed"),
                    // A wait for the standby that the server cancels would be reported as success.
                    set("statement_timeout", "0"), set("lock_timeout", "\(max(1, lockTimeout.milliseconds))"),
                ], by: deadline)
        } catch .lost(let reason) {
            // Nothing was done yet.
            throw .unreachable(reason)
        }
    }

    /// Runs `body` on a thread of its own, which must end soon after the interruption is raised. `close` waits for it.
    func startThread(_ body: @escaping @Sendable () -> Void) {
        threads.start { [uses] in
            let use = uses.begin()
            body()
            withExtendedLifetime(use) {}
        }
    }

    /// Ends all waits with `closed`, and returns when no thread uses a connection any more, or after two seconds.
    func close() {
        interruption.raise()
        idle.withLock { $0.removeAll() }
        threads.end(waits: uses.waitForNone(by: Deadline(after: Self.farewell)))
    }
}

extension ConnectionPool {
    /// Runs statements that may be run twice on a connection, again after a failure of the connection, until it is
    /// done or the time is up. Throws the last failure.
    func repeating<Result>(
        for patience: Duration,
        _ body: (PostgresConnection, Deadline) throws(PostgresError) -> Result
    ) throws(PostgresError) -> Result {
        try retrying(for: patience) { deadline throws(PostgresError) in
            let connection = try acquire(by: deadline)
            defer { put(connection) }
            return try body(connection, deadline)
        }
    }

    /// Calls `body` until it does not fail for reasons of the connection, or the time is up.
    func retrying<Result>(
        for patience: Duration, _ body: (Deadline) throws(PostgresError) -> Result
    ) throws(PostgresError) -> Result {
        let deadline = Deadline(after: patience)
        var backoff = Backoff()
        while true {
            let failure: PostgresError
            do throws(PostgresError) {
                return try body(deadline)
            } catch {
                failure = error
            }
            switch failure {
            case .unreachable, .lost: break
            case .refused(let state, _) where state.isConflict: break
            default: throw failure
            }
            guard !deadline.isOver else { throw failure }
            backoff.pause(by: deadline, interruption)
            if interruption.isRaised { throw .closed }
        }
    }
}
