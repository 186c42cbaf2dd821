import ObjectModel
import StoreContract
import Synchronization

/// Reads entries, and checks that the log has them all. Any thread may use it.
struct EntryReader: ~Copyable, Sendable {
    private let realm: RealmName
    private let id: Int64
    /// The rows to ask for, by the size of those before: a row may have a few bytes or a quarter of a megabyte.
    private let rowLimit = Atomic<Int>(256)

    private static let mostRows = 4096
    /// The intended size of an answer, in bytes.
    private static let replySize = 8 << 20

    init(realm: RealmName, id: Int64) {
        self.realm = realm
        self.id = id
    }

    /// The entries after a version, in order; the failure is `versionGone`, `logDamaged` or `logRefused`.
    func read(
        _ connection: PostgresConnection, after version: Version, by deadline: Deadline
    ) throws(PostgresError) -> Result<[LogEntry], StoreError> {
        var (statement, limit) = question(after: version)
        while true {
            let rows = try connection.run([statement], by: deadline).rows[0]
            if let entries = try entries(rows, after: version, limit) { return entries }
            // One entry has more parts than were asked for.
            limit *= 4
            statement = Self.statement(id, version, limit)
        }
    }

    /// The statement that reads entries, and the number of rows that it asks for.
    func question(after version: Version) -> (statement: StatementCall, limit: Int) {
        let limit = rowLimit.load(ordering: .relaxed)
        return (Self.statement(id, version, limit), limit)
    }

    private static func statement(_ id: Int64, _ version: Version, _ limit: Int) -> StatementCall {
        StatementCall(.readEntries, .int64(id), .int64(version.column), .int64(Int64(limit)))
    }

    /// The entries of an answer; nil when it has only the beginning of one.
    func entries(
        _ rows: PostgresRows, after version: Version, _ limit: Int
    ) throws(PostgresError) -> Result<[LogEntry], StoreError>? {
        guard rows.count > 0 else { return .failure(.missingRealm(realm.text)) }
        var page = EntryPage(realm: realm, after: version, isCut: rows.count == limit)
        let newest = try LogPosition(rows, row: 0)
        guard version < newest.version else { return .success([]) }
        guard version >= Version(column: try rows.int64(0, 2)) else {
            return .failure(
                StoreError(
                    .versionGone,
                    "The log of realm '\(realm)' begins after version \(try rows.int64(0, 2)); version \(version) is older."
                ))
        }
        for row in 0..<rows.count where !rows.isNull(row, 3) {
            try page.add(rows, row)
        }
        let entries = page.finish(newest)
        if case .success(let entries) = entries, entries.isEmpty { return nil }
        adapt(rows.count, page.bytes)
        return entries
    }

    private func adapt(_ rows: Int, _ bytes: Int) {
        let size = max(1, bytes / max(1, rows))
        rowLimit.store(min(Self.mostRows, max(64, Self.replySize / size)), ordering: .relaxed)
    }
}
