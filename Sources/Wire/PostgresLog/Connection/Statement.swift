/// An SQL statement that this module sends. All are in `Statement+All.swift`, and a test holds them to a subset of SQL
/// that other engines with PostgreSQL's protocol have.
struct Statement: Sendable {
    /// The data that a statement reads or changes.
    enum Scope: Sendable {
        /// One realm, which it names.
        case realm
        /// The session or a transaction.
        case session
        /// All realms: for the commands that set up and that list.
        case installation
        /// Hints between stores, which a log does without where they are missing.
        case hint
    }

    let name: String
    let text: String
    let scope: Scope
}

/// A statement with its parameters.
struct StatementCall {
    let statement: Statement
    let parameters: [PostgresParameter]

    init(_ statement: Statement, _ parameters: PostgresParameter...) { self.init(statement, parameters) }

    init(_ statement: Statement, _ parameters: [PostgresParameter]) {
        self.statement = statement
        self.parameters = parameters
    }
}

/// The answers to the statements of one round trip.
struct PostgresReply {
    let rows: [PostgresRows]
    /// The codes of the server's warnings during it.
    let warnings: [SQLState]
}
