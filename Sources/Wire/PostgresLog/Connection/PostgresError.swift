/// How a conversation with PostgreSQL fails.
enum PostgresError: Error, Sendable {
    /// The log was closed meanwhile.
    case closed
    /// No connection could be made, so nothing was sent.
    case unreachable(String)
    /// The server does not accept this user or does not have this database: waiting does not help.
    case rejected(SQLState, String)
    /// The connection broke, or the answer did not come in time, after something was sent: it may have been done.
    case lost(String)
    /// The server refused a statement, and undid the transaction.
    case refused(SQLState, String)
    /// An answer that the protocol does not allow, such as a value of another type.
    case unreadable(String)
}

/// A code of the SQL standard for how a statement ended, as PostgreSQL sends it.
struct SQLState: Hashable, Sendable, CustomStringConvertible {
    let code: String

    init(_ code: String) { self.code = code }

    var description: String { code }

    static let uniqueViolation = SQLState("23505")
    static let readOnly = SQLState("25006")
    static let wrongPassword = SQLState("28P01")
    static let unknownSchema = SQLState("3F000")
    static let lockTimeout = SQLState("55P03")
    static let unknownTable = SQLState("42P01")
    static let unknownColumn = SQLState("42703")
    static let noRights = SQLState("42501")
    static let unsupported = SQLState("0A000")

    /// The transaction was undone because of another one: it may be run again.
    var isConflict: Bool { code == "40001" || code == "40P01" }

    /// The object that the statement should create exists: a row of a table or of the catalogue, a schema, a table, or
    /// its row type.
    var isOfExisting: Bool { self == .uniqueViolation || ["42P06", "42P07", "42710"].contains(code) }

    /// The server ends the connection, is not up yet, or does not say how the transaction ended.
    var isOfConnection: Bool {
        code.hasPrefix("08") || code.hasPrefix("57P") || code == "40003" || code == "25P03"
    }

    /// The server takes connections later: it starts, or has too many.
    var isTemporary: Bool { isOfConnection || code.hasPrefix("53") }
}
