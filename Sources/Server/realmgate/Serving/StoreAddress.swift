import EmbeddedStore
import PostgresLog
import StoreContract

/// Where the objects of a server or a command are: in a file of its own, or in a file that is a replica of the log that
/// several programs share in PostgreSQL.
struct StoreAddress: Sendable {
    /// The file: the database, or the replica.
    var path = "data.realmgate"
    /// The URL of the PostgreSQL database; nil for a file of its own.
    var url: String?
    /// The name of the log among those in that database.
    var realm = "main"
    /// Whether the realm must exist in PostgreSQL. Otherwise it is made.
    var realmMustExist = false
    /// In seconds: how long a write waits for PostgreSQL, and how long an open write keeps others waiting.
    var patience = 10
    var turnSeconds = 30

    /// Throws for a URL or a name that cannot be right, or one without the other. Connects to nothing.
    func check() throws(CommandError) {
        guard let url else {
            guard realm == Self().realm, !realmMustExist else {
                throw CommandError(
                    "The realm '\(realm)' is in no database. Give its URL with --store, or leave --realm and --must-exist out.",
                    exitCode: 78)
            }
            return
        }
        do {
            _ = try PostgresAddress(url)
            _ = try RealmName(realm)
        } catch {
            throw CommandError(error.description, exitCode: 78)
        }
    }

    /// Opens the store, and creates its file. A replica returns when it has everything that the log has.
    ///
    /// Throws `StoreError`, and `LogConfigurationError` for what somebody has to change in PostgreSQL first.
    ///
    /// - Parameter notices: gets the notices of the start of a replica.
    func open(
        _ options: EmbeddedStoreOptions, notices: @escaping (ReplicaNotice) -> Void = { _ in }
    ) throws -> EmbeddedStore {
        try check()
        guard let url else { return try EmbeddedStore.open(path: path, options: options) }
        do {
            return try EmbeddedStore.open(path: path, log: try log(url), options: options, notices: notices)
        } catch let error as StoreError where error.code == .unsupportedFormat {
            throw CommandError(error.message, exitCode: 78)
        }
    }

    /// The API keys that the gateways share; nil for a file of its own. Throws as `open` does.
    func sharedKeys() throws -> SharedKeys? {
        try check()
        return try url.map { try SharedKeys(try log($0, usesHints: false)) }
    }

    private func log(_ url: String, usesHints: Bool = true) throws -> PostgresLog {
        var options = PostgresLog.Options()
        options.usesHints = usesHints
        options.patience = .seconds(patience)
        options.turnLength = .seconds(turnSeconds)
        let directory = try LogDirectory(try PostgresAddress(url), options: options)
        return try directory.log(try RealmName(realm), mustExist: realmMustExist)
    }
}
