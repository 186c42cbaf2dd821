/// How a conversation with PostgreSQL fails.
enum PostgresFailure: Error, Sendable {
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
