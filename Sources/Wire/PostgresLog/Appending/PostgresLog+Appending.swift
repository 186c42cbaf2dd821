import ObjectModel
import StoreContract

/// How one attempt to append ended.
private enum Attempt {
    case appended
    /// Done here, but the server says that it did not wait for its standby.
    case unconfirmed
    /// The realm's row is not where the append expects it.
    case notNext
    /// The log has an entry where the append has one.
    case doubled
    case failed(PostgresError)
}

extension PostgresLog {
    /// Sends an append until its outcome is known.
    ///
    /// Once an attempt may have arrived, only its tag in the log, or a newest position other than the one it expects,
    /// says what became of it. The repetition has the same condition, so at most one of them is done.
    ///
    /// - Parameter turn: the connection whose transaction has the turn, for the first attempt.
    func settle(_ append: PreparedAppend, inTurn turn: PostgresConnection? = nil) throws(StoreError) -> AppendOutcome {
        guard append.partCount > 0 else { return .appended }
        let deadline = Deadline(after: options.patience)
        var turn = turn
        var mayHaveArrived = false
        var reason = ""
        var backoff = Backoff()
        while true {
            let attempt = send(append, inTurn: turn, by: deadline)
            turn = nil
            switch attempt {
            case .appended:
                announce(append.newest.version)
                return .appended
            case .unconfirmed:
                mayHaveArrived = true
                reason = "The standby did not confirm it."
                if isInLog(append, by: deadline) == true { return .appended }
            case .notNext:
                guard mayHaveArrived else { return .superseded }
                // It is certain now that no earlier attempt will be done later.
                if let isInLog = isInLog(append, by: deadline) { return isInLog ? .appended : .superseded }
            case .doubled:
                switch isInLog(append, by: deadline) {
                case true?: return .appended
                case false?:
                    throw .damaged(realm.text, "it has version \(append.newest.version), which its realm does not.")
                case nil: mayHaveArrived = true
                }
            case .failed(.lost(let text)):
                mayHaveArrived = true
                reason = text
            case .failed(.unreachable(let text)): reason = text
            case .failed(.closed): throw mayHaveArrived ? .outcomeUnknown(address, "The log was closed.") : .closedLog
            case .failed(.refused(let state, _)) where state.isConflict && !mayHaveArrived: return .superseded
            case .failed(let failure):
                let error = failure.storeError(address)
                guard mayHaveArrived else { throw error }
                reason = error.message
            }
            guard !deadline.isOver else {
                throw mayHaveArrived ? .outcomeUnknown(address, reason) : .unavailable(address, reason)
            }
            backoff.pause(by: deadline, pool.interruption)
        }
    }

    private func send(_ append: PreparedAppend, inTurn turn: PostgresConnection?, by deadline: Deadline) -> Attempt {
        do throws(PostgresError) {
            let connection = if let turn { turn } else { try pool.acquire(by: deadline) }
            defer { pool.put(connection) }
            do throws(PostgresError) {
                let reply = try connection.run(
                    turn == nil ? append.calls : append.calls + [StatementCall(.commit)],
                    // The server gives up waiting for a turn first.
                    by: Deadline(after: deadline.remaining + .seconds(1)))
                guard reply.rows[0].affected == 1 else { return .notNext }
                guard reply.rows[1].affected == append.partCount else {
                    return .failed(.unreadable("\(reply.rows[1].affected) of \(append.partCount) rows were inserted."))
                }
                return reply.warnings.isEmpty ? .appended : .unconfirmed
            } catch .refused(let state, let text) {
                // In a turn the transaction is still open. A read-only server has a successor elsewhere.
                if turn != nil || state == .readOnly { connection.abandon() }
                return state == .uniqueViolation ? .doubled : .failed(.refused(state, text))
            }
        } catch {
            return .failed(error)
        }
    }

    /// Whether the append's entries are in the log, for good; nil when the server does not answer.
    private func isInLog(_ append: PreparedAppend, by deadline: Deadline) -> Bool? {
        do throws(PostgresError) {
            let connection = try pool.acquire(by: deadline)
            defer { pool.put(connection) }
            let found = try connection.run(
                [
                    StatementCall(
                        .countEntries, .int64(append.realm), .int64(append.newest.version.column),
                        .int64(append.newest.tag.column))
                ], by: deadline)
            guard try found.rows[0].int64(0, 0) > 0 else { return false }
            // The commit may have been seen by this server alone. That of a later write waits for the standby.
            let confirmation = try connection.run([StatementCall(.confirm, .int64(append.realm))], by: deadline)
            guard confirmation.warnings.isEmpty else { return nil }
            announce(append.newest.version)
            return true
        } catch {
            return nil
        }
    }
}
