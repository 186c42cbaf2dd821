import ObjectModel
import StoreContract
import Synchronization

/// A transaction that has locked the realm's row.
final class PostgresTurn: LogTurn {
    let position: LogPosition
    let newEntries: [LogEntry]
    private let log: PostgresLog
    /// Nil once the turn has ended.
    private let connection: Mutex<PostgresConnection?>

    init(_ log: PostgresLog, after version: Version?) throws(StoreError) {
        self.log = log
        let (connection, beginning) = try log.storeErrors { () throws(PostgresError) in
            try log.pool.retrying(for: log.options.patience) { deadline throws(PostgresError) in
                let connection = try log.pool.acquire(by: deadline)
                // A failure leaves the transaction open: the connection is not returned, and so closed.
                return (connection, try Self.begin(log, connection, after: version, by: deadline))
            }
        }
        guard let (position, newEntries) = beginning else { throw .missingRealm(log.realm.text) }
        self.connection = Mutex(connection)
        self.position = position
        self.newEntries = newEntries
    }

    deinit { end() }

    private static func begin(
        _ log: PostgresLog, _ connection: PostgresConnection, after version: Version?, by deadline: Deadline
    ) throws(PostgresError) -> (LogPosition, [LogEntry])? {
        let length = "\(max(1, log.options.turnLength.milliseconds))"
        // Sent with the others, it sees what was committed before the lock was granted.
        let question = version.map { log.reader.question(after: $0) }
        let reply = try connection.run(
            [
                StatementCall(.begin),
                // The server ends a turn whose store does not.
                StatementCall(.setForTransaction, .text("idle_in_transaction_session_timeout"), .text(length)),
                StatementCall(.lockRealm, .int64(log.id)),
            ] + (question.map { [$0.statement] } ?? []),
            // The server gives up waiting for the lock first.
            by: Deadline(after: deadline.remaining + .seconds(1)))
        guard reply.rows[2].count > 0 else { return nil }
        let position = try LogPosition(reply.rows[2], row: 0)
        guard let version, let question else { return (position, []) }
        // What is wrong with entries is found by the store that reads them.
        let entries = try log.reader.entries(reply.rows[3], after: version, question.limit)
        return (position, (try? entries?.get()) ?? [])
    }

    func append(_ bodies: [[UInt8]], tag: HistoryTag) throws -> AppendOutcome {
        guard let connection = takeConnection() else { throw StoreError.closedTurn }
        guard !bodies.isEmpty else {
            roll(back: connection)
            return .appended
        }
        return try log.settle(
            PreparedAppend(realm: log.id, bodies, after: position, tag: tag), inTurn: connection)
    }

    func end() {
        if let connection = takeConnection() { roll(back: connection) }
    }

    private func takeConnection() -> PostgresConnection? {
        connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
    }

    private func roll(back connection: PostgresConnection) {
        // Without an answer the connection is closed, which undoes the transaction as well.
        guard (try? connection.run([StatementCall(.rollback)], by: Deadline(after: .seconds(2)))) != nil else { return }
        log.pool.put(connection)
    }
}

extension StoreError {
    fileprivate static let closedTurn = StoreError(.closed, "The turn to write has ended.")
}
