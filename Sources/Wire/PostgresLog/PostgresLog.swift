package import ObjectModel
package import StoreContract

/// The log of a realm in PostgreSQL.
///
/// The realm's row has the newest position. An append advances it, under the condition that it is still where the store
/// expects it, and inserts the entries in the same transaction; so the row's lock puts the appends of all stores in one
/// order. Any thread may use a log; calls of several threads use several connections.
package final class PostgresLog: CommitLog {
    package struct Options: Sendable {
        /// How long a call keeps trying to reach the server, and waits for another store's turn.
        package var patience = Duration.seconds(10)
        /// How long a turn lasts before the server ends it.
        package var turnLength = Duration.seconds(30)
        /// Whether stores announce new entries to each other by NOTIFY. Without it they only look by themselves.
        package var usesHints = true

        package init() {}
    }

    let address: PostgresAddress
    package let realm: RealmName
    package let id: Int64
    let options: Options
    let pool: ConnectionPool
    let reader: EntryReader
    let hints: HintChannel?
    /// Whether the connections are closed with the log.
    private let ownsConnections: Bool

    /// Connects, and finds the realm.
    ///
    /// Throws `LogConfigurationError` for what somebody has to change first, `logUnavailable` when the server cannot be
    /// reached within the patience.
    package convenience init(
        _ address: PostgresAddress, realm: RealmName, options: Options = Options()
    ) throws {
        try self.init(try LogDirectory(address, options: options), realm)
    }

    /// Finds the realm in a directory, whose connections the log shares.
    ///
    /// Throws as the other initializer does.
    package init(_ directory: LogDirectory, _ realm: RealmName) throws {
        let id = try directory.find(realm)
        self.id = id
        address = directory.address
        options = directory.options
        pool = directory.pool
        self.realm = realm
        ownsConnections = true
        reader = EntryReader(realm: realm, id: id)
        hints = try directory.startErrors { () throws(PostgresError) in
            directory.options.usesHints ? try HintChannel(directory.pool, realm: id) : nil
        }
    }

    /// The log of a realm that is not there yet, to upload its first image. The directory keeps its connections.
    init(_ directory: LogDirectory, _ realm: RealmName, id: Int64) {
        self.id = id
        address = directory.address
        options = directory.options
        pool = directory.pool
        self.realm = realm
        reader = EntryReader(realm: realm, id: id)
        hints = nil
        ownsConnections = false
    }

    deinit { close() }

    package func newest() throws -> LogPosition {
        try storeErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                let rows = try connection.run([StatementCall(.readRealm, .int64(id))], by: deadline).rows[0]
                return rows.count == 0 ? nil : try LogPosition(rows, row: 0)
            }
        } ?? { throw StoreError.missingRealm(realm.text) }()
    }

    package func append(_ bodies: [[UInt8]], after position: LogPosition, tag: HistoryTag) throws -> AppendOutcome {
        try settle(PreparedAppend(realm: id, bodies, after: position, tag: tag))
    }

    package func takeTurn(after version: Version?) throws -> any LogTurn { try PostgresTurn(self, after: version) }

    package func entries(after version: Version) throws -> [LogEntry] {
        try storeErrors { () throws(PostgresError) in
            try pool.repeating(for: options.patience) { connection, deadline throws(PostgresError) in
                try reader.read(connection, after: version, by: deadline)
            }
        }.get()
    }

    package func onHint(_ listener: @escaping @Sendable () -> Void) { hints?.add(listener) }

    /// Announces new entries to other stores, soon.
    func announce(_ version: Version) { hints?.announce(version) }

    package func close() { if ownsConnections { pool.close() } }

    /// Runs a call that is known to have done nothing, or to be done, when it fails.
    func storeErrors<Result>(_ body: () throws(PostgresError) -> Result) throws(StoreError) -> Result {
        do throws(PostgresError) {
            return try body()
        } catch {
            throw error.storeError(address)
        }
    }
}

extension LogPosition {
    /// From the columns `version` and `tag`.
    init(_ rows: PostgresRows, row: Int) throws(PostgresError) {
        self.init(Version(column: try rows.int64(row, 0)), HistoryTag(column: try rows.int64(row, 1)))
    }
}

extension PostgresLog {
    /// Makes a realm that begins with an image. The realm is there when all of the image is.
    ///
    /// Throws `LogConfigurationError` when it exists, and the errors of `LogDirectory.create` and `uploadImage`.
    ///
    /// - Parameter upload: uploads the image to the log that it is given.
    package static func publish(
        _ realm: RealmName, in directory: LogDirectory, _ upload: (PostgresLog) throws -> LogImage
    ) throws -> LogImage {
        guard try !directory.has(realm) else { throw directory.exists(realm) }
        let id = LogDirectory.newID()
        let log = PostgresLog(directory, realm, id: id)
        var version: Version?
        do {
            let image = try upload(log)
            version = image.position.version
            try directory.create(realm, at: image.position, id: id)
            return image
        } catch {
            // Without its realm nobody would ever delete it.
            if let version = try version ?? log.images().first?.position.version { try? log.deleteImage(version) }
            throw error
        }
    }

    /// Uploads an image at a version that the log does not have yet, and makes the log begin again there: all its
    /// entries and other images are of a history that has ended, and are deleted. Stores of the realm find that their
    /// version is gone.
    ///
    /// Throws `busy`, with nothing changed, when the log has reached that version meanwhile.
    package func restart(
        at position: LogPosition, fileFormat: Int32, _ read: (_ most: Int) throws -> [UInt8]
    ) throws -> LogImage {
        let image = try send(at: position, fileFormat: fileFormat, read)
        try call { connection, deadline throws(PostgresError) in
            _ = try connection.run(
                [
                    StatementCall(
                        .restartRealm, .int64(id), .int64(position.version.column), .int64(position.tag.column)),
                    StatementCall(.completeFirstImage, image.completion(of: id) + [.int64(position.tag.column)]),
                ], by: deadline)
        }
        guard try images().contains(image) else {
            try deleteImage(position.version)
            throw StoreError(
                .busy,
                "The realm '\(realm)' was written to so much that it has version \(position.version) already. Nothing was restored. Stop the gateways, and try again."
            )
        }
        for other in try images() where other.position != position { try deleteImage(other.position.version) }
        try trim(keepingSeconds: 0)
        return image
    }
}
