import CSQLite

/// The same table in SQLite: WAL, synchronous FULL, so that an acknowledged commit is on disk as it is in Realmgate.
final class SQLitePeer {
    private var database: OpaquePointer?

    struct Failure: Error { let message: String }

    init(path: String, isLoaded: Bool) throws {
        guard sqlite3_open(path, &database) == SQLITE_OK else { throw failure() }
        try run(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-262144; PRAGMA mmap_size=1073741824")
        if isLoaded { return }
        try run(
            "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL, weight REAL NOT NULL, adopted INTEGER NOT NULL, breed TEXT NOT NULL)"
        )
        try run("CREATE TABLE owner(id INTEGER PRIMARY KEY, city TEXT NOT NULL)")
        try run("CREATE TABLE entry(id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, price INTEGER NOT NULL)")
        try run("CREATE TABLE num(entry INTEGER NOT NULL, value INTEGER NOT NULL)")
    }

    deinit { sqlite3_close(database) }

    func run(_ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    func prepare(_ sql: String) throws -> SQLiteStatement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw failure()
        }
        return SQLiteStatement(statement)
    }

    private func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(database))) }
}

final class SQLiteStatement {
    private let statement: OpaquePointer
    /// SQLITE_TRANSIENT, which the importer cannot see: SQLite copies the text.
    private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ statement: OpaquePointer) { self.statement = statement }

    deinit { sqlite3_finalize(statement) }

    func insert(_ item: Item) {
        sqlite3_bind_int64(statement, 1, item.id)
        sqlite3_bind_text(statement, 2, item.name, -1, transient)
        sqlite3_bind_int64(statement, 3, item.age)
        sqlite3_bind_double(statement, 4, item.weight)
        sqlite3_bind_int(statement, 5, item.adopted ? 1 : 0)
        sqlite3_bind_text(statement, 6, item.breed, -1, transient)
        sqlite3_step(statement)
        sqlite3_reset(statement)
    }

    func insert(_ integers: [Int64], _ text: String? = nil) {
        for (index, integer) in integers.enumerated() { sqlite3_bind_int64(statement, Int32(index + 1), integer) }
        if let text { sqlite3_bind_text(statement, Int32(integers.count + 1), text, -1, transient) }
        sqlite3_step(statement)
        sqlite3_reset(statement)
    }

    func bind(_ value: Int64) { sqlite3_bind_int64(statement, 1, value) }

    /// Steps through all rows and gives the number of them and the first column of the last one.
    @discardableResult
    func all() -> (rows: Int, last: Double) {
        var rows = 0
        var last = 0.0
        while sqlite3_step(statement) == SQLITE_ROW {
            rows += 1
            last = sqlite3_column_double(statement, 0)
        }
        sqlite3_reset(statement)
        return (rows, last)
    }
}
