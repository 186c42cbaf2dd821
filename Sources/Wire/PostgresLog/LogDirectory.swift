import ObjectModel
package import StoreContract

/// A PostgreSQL database with the logs of realms: makes its tables and finds, makes and lists its realms.
package final class LogDirectory: Sendable {
    let address: PostgresAddress
    let options: PostgresLog.Options
    let pool: ConnectionPool

    /// Connects to nothing yet.
    package init(_ address: PostgresAddress, options: PostgresLog.Options = PostgresLog.Options()) throws {
        self.address = address
        self.options = options
        do {
            pool = try ConnectionPool(address, lockTimeout: options.patience)
        } catch {
            throw error.storeError(address)
        }
    }

    /// Makes the tables, or finds them. Throws `LogConfigurationError` when that needs other rights or a newer program.
    package func setUp() throws {
        try startErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                // One transaction each: several programs may do this at once.
                for text in LogSchema.statements {
                    let statement = Statement(name: "setup", text: text, scope: .installation)
                    do throws(PostgresError) {
                        _ = try connection.run([StatementCall(statement)], by: deadline)
                    } catch .refused(let state, _) where state.isOfExisting {
                        // Another program made the same at the same moment: "if not exists" looks before it waits.
                        continue
                    }
                }
            }
        }
        try checkFormat()
    }

    /// Throws `LogConfigurationError` when there are no tables, or those of a newer program.
    package func checkFormat() throws {
        let format = try startErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                let rows = try connection.run([StatementCall(.readFormat)], by: deadline).rows[0]
                return rows.count == 0 ? Int32?.none : try rows.int32(0, 0)
            }
        }
        guard let format else {
            throw LogConfigurationError(
                .noTables,
                "PostgreSQL at \(address) has tables without a format. Complete them with 'realmgate setup --store URL'."
            )
        }
        guard format <= LogSchema.format else {
            throw LogConfigurationError(
                .newerFormat,
                "The tables in PostgreSQL at \(address) have format \(format), and this program knows up to \(LogSchema.format). Install the newer program."
            )
        }
    }

    /// The number of a realm. Throws `LogConfigurationError` when it does not exist, or the database is not ready.
    func find(_ realm: RealmName) throws -> Int64 {
        try checkFormat()
        try checkSession()
        guard let id = try number(of: realm) else { throw unknown(realm) }
        return id
    }

    func unknown(_ realm: RealmName) -> LogConfigurationError {
        LogConfigurationError(
            .unknownRealm,
            "PostgreSQL at \(address) has no realm '\(realm)'. 'realmgate status' lists its realms, 'realmgate publish' makes one of a database file."
        )
    }

    /// Whether the realm exists.
    package func has(_ realm: RealmName) throws -> Bool {
        try checkFormat()
        return try number(of: realm) != nil
    }

    private func number(of realm: RealmName) throws -> Int64? {
        let found: (id: Int64, format: Int32)? = try startErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                let rows = try connection.run([StatementCall(.findRealm, .text(realm.text))], by: deadline).rows[0]
                return rows.count == 0 ? nil : (id: try rows.int64(0, 0), format: try rows.int32(0, 1))
            }
        }
        guard let found else { return nil }
        guard found.format <= Self.newestEntryFormat else {
            throw LogConfigurationError(
                .newerFormat,
                "The log of realm '\(realm)' has entries of format \(found.format), and this program reads those up to \(Self.newestEntryFormat). Use a newer program, as the other gateways of the realm do."
            )
        }
        return found.id
    }

    /// The newest format of entries that this program reads and writes.
    package static let newestEntryFormat: Int32 = 1

    static func newID() -> Int64 { .random(in: 1...Int64.max) }

    func exists(_ realm: RealmName) -> LogConfigurationError {
        LogConfigurationError(
            .realmExists, "PostgreSQL at \(address) already has a realm '\(realm)'. Choose another name.")
    }

    /// Creates a realm. Throws `LogConfigurationError` when it exists.
    ///
    /// - Parameter position: where its log begins; a caller that gives another than the start makes an image of it.
    package func create(_ realm: RealmName, at position: LogPosition = .start, entryFormat: Int32 = 1) throws {
        try create(realm, at: position, entryFormat: entryFormat, id: Self.newID())
    }

    /// - Parameter id: by this number a repetition after a lost connection finds its own row.
    func create(_ realm: RealmName, at position: LogPosition, entryFormat: Int32 = 1, id: Int64) throws {
        try checkFormat()
        let isMade = try startErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                do throws(PostgresError) {
                    _ = try connection.run(
                        [
                            StatementCall(
                                .createRealm, .int64(id), .text(realm.text), .int64(position.version.column),
                                .int64(position.tag.column), .int32(entryFormat))
                        ], by: deadline)
                    return true
                } catch .refused(.uniqueViolation, _) {
                    let rows = try connection.run([StatementCall(.findRealm, .text(realm.text))], by: deadline).rows[0]
                    guard rows.count > 0 else { return false }
                    return try rows.int64(0, 0) == id
                }
            }
        }
        guard isMade else { throw exists(realm) }
    }

    /// Connects to the log of a realm, and creates the realm unless it must exist. Throws as `PostgresLog.init` does.
    package func log(_ realm: RealmName, mustExist: Bool) throws -> PostgresLog {
        do {
            return try PostgresLog(self, realm)
        } catch let fault as LogConfigurationError where fault.reason == .unknownRealm && !mustExist {
            do {
                try create(realm)
            } catch let fault as LogConfigurationError where fault.reason == .realmExists {
                // Another program created it at the same moment.
            }
            return try PostgresLog(self, realm)
        }
    }

    package func close() { pool.close() }

    func startErrors<Result>(_ body: () throws(PostgresError) -> Result) throws -> Result {
        do throws(PostgresError) {
            return try body()
        } catch {
            throw error.startError(address)
        }
    }
}

extension LogDirectory {
    /// Throws `LogConfigurationError` for a pooler that changes the server's session between transactions: hints and
    /// the limits of a session do not work through it.
    ///
    /// A pooler is known by the number of the session, which it makes up. It changes sessions when a second connection
    /// gets the session of the first, which is still open.
    func checkSession() throws {
        let isShared = try startErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { first, deadline throws(PostgresError) in
                let session = try Self.session(first, by: deadline)
                guard session > 0, session != first.serverProcess else { return false }
                let second = try pool.connect(by: deadline)
                return try Self.session(second, by: deadline) == session
            }
        }
        guard isShared else { return }
        throw LogConfigurationError(
            .pooler,
            "Between this program and PostgreSQL at \(address) is a pooler in transaction mode. Connect to PostgreSQL itself, or set the pooler to session mode for this database."
        )
    }

    private static func session(
        _ connection: PostgresConnection, by deadline: Deadline
    ) throws(PostgresError) -> Int32 {
        try connection.run([StatementCall(.sessionProcess)], by: deadline).rows[0].int32(0, 0)
    }
}
