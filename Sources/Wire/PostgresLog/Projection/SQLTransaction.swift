import StoreContract

/// A transaction of statements that the caller writes, in the database of a log. Used by one thread at a time.
package final class SQLTransaction {
    package enum Parameter: Sendable {
        case text(String)
        case int64(Int64)
        case int64s([Int64])
        /// JSON text, for a parameter of type `text`.
        case json([UInt8])
    }

    private let connection: PostgresConnection
    private let address: PostgresAddress

    /// How long one statement may take: it may make an index of a large table.
    private static let patience = Duration.seconds(600)

    fileprivate init(_ connection: PostgresConnection, _ address: PostgresAddress) {
        self.connection = connection
        self.address = address
    }

    /// Runs one statement in one round trip, and returns its rows. Throws `SQLRefusal` when PostgreSQL refuses it, and
    /// then the transaction is over.
    ///
    /// - Parameter text: without values: those are parameters. Names in it are quoted.
    @discardableResult
    package func run(_ text: String, _ parameters: Parameter...) throws -> SQLRows {
        let statement = Statement(name: "projection", text: text, scope: .installation)
        let values = parameters.map { parameter in
            switch parameter {
            case .text(let value): PostgresParameter.text(value)
            case .int64(let value): PostgresParameter.int64(value)
            case .int64s(let values): PostgresParameter.int64Array(values)
            case .json(let bytes): PostgresParameter.json(bytes)
            }
        }
        do throws(PostgresError) {
            let reply = try connection.run(
                [StatementCall(statement, values)], by: Deadline(after: Self.patience))
            return SQLRows(reply.rows[0], address)
        } catch .refused(let state, let text) {
            throw SQLRefusal(state: state.code, text: text)
        } catch {
            throw error.storeError(address)
        }
    }
}

/// PostgreSQL refused a statement of an `SQLTransaction`, and undid the transaction.
package struct SQLRefusal: Error, Sendable {
    /// The five characters of the SQL standard.
    package let state: String
    /// PostgreSQL's message, without passwords.
    package let text: String

    /// The object that the statement should create exists.
    package var isOfExisting: Bool { SQLState(state).isOfExisting }
}

/// The rows of a statement of an `SQLTransaction`.
package struct SQLRows {
    private let rows: PostgresRows
    private let address: PostgresAddress

    fileprivate init(_ rows: PostgresRows, _ address: PostgresAddress) {
        self.rows = rows
        self.address = address
    }

    package var count: Int { rows.count }

    package func isNull(_ row: Int, _ column: Int) -> Bool { rows.isNull(row, column) }

    package func text(_ row: Int, _ column: Int) throws -> String {
        do { return try rows.text(row, column) } catch { throw error.storeError(address) }
    }

    package func int64(_ row: Int, _ column: Int) throws -> Int64 {
        do { return try rows.int64(row, column) } catch { throw error.storeError(address) }
    }
}

extension PostgresLog {
    /// Runs a transaction in the database of this log, on a connection of its own, and commits it.
    ///
    /// Throws what the body throws, then nothing was done; `SQLRefusal` when PostgreSQL refuses the commit;
    /// `logUnavailable` without a connection, or when it is lost: then the transaction may have been committed.
    package func transaction<Result>(_ body: (SQLTransaction) throws -> Result) throws -> Result {
        let connection = try storeErrors { () throws(PostgresError) in
            try pool.retrying(for: options.patience) { deadline throws(PostgresError) in try pool.acquire(by: deadline)
            }
        }
        let transaction = SQLTransaction(connection, address)
        do {
            try transaction.run(Statement.begin.text)
            let result = try body(transaction)
            try transaction.run(Statement.commit.text)
            pool.put(connection)
            return result
        } catch {
            // The connection is closed, which undoes the transaction.
            connection.abandon()
            throw error
        }
    }
}
