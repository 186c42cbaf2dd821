// The question: how does the embedded store compare with SQLite on the same rows, in the same process, with the
// same durability, and how far is it from the spike that the design was made from?
//
//   REALMGATE_BENCHMARKS=1 swift run -c release StoreBenchmark [ROWS]

import EmbeddedStore
import Glibc
import ObjectModel
import QueryLanguage
import StoreContract

func run() throws {
    let rowCount = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
    var template = Array("/var/tmp/realmgate-benchmark-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("No temporary directory can be made.") }
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
        for name in ["store", "store-lock", "sqlite", "sqlite-wal", "sqlite-shm"] { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }

    let store = try EmbeddedStore.open(path: "\(directory)/store")
    try store.replaceSchema(with: Item.schema)
    let sqlite = try SQLitePeer(path: "\(directory)/sqlite")
    let schema = try store.snapshot().schema
    guard let itemClass = schema["Item"] else { fatalError("The schema was not stored.") }
    let ids = itemClass.properties.map(\.id)
    let classID = itemClass.id
    let insertSQL = "INSERT INTO item VALUES(?,?,?,?,?,?)"

    func path(_ index: Int) -> BoundPath { BoundPath(end: .property(ids[index], itemClass.properties[index].type)) }
    func query(_ predicate: BoundPredicate, _ steps: [ResultStep] = []) -> BoundQuery {
        BoundQuery(classID: classID, predicate: predicate, steps: steps)
    }
    func compare(_ index: Int, _ comparison: ComparisonOperator, _ value: Value) -> BoundPredicate {
        .comparison(BoundComparison(.path(path(index)), comparison, .constant(value)))
    }
    func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        var start = timespec()
        clock_gettime(CLOCK_MONOTONIC, &start)
        try body()
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        return Double(end.tv_sec - start.tv_sec) * 1000 + Double(end.tv_nsec - start.tv_nsec) / 1e6
    }

    // Load, one transaction.
    let items = (0..<rowCount).map { Item($0) }
    let load = try milliseconds {
        let classID = classID
        let items = items
        try store.write { transaction in
            for item in items { _ = try transaction.create(classID, row: item.row) }
        }
    }
    let sqliteLoad = try milliseconds {
        try sqlite.run("BEGIN")
        let insert = try sqlite.prepare(insertSQL)
        for item in items { insert.insert(item) }
        try sqlite.run("COMMIT")
    }
    var rows = [
        Row(
            question: "load \(rowCount) rows, one transaction", realmgate: load * 1000, sqlite: sqliteLoad * 1000,
            spike: 193_000)
    ]

    /// Asks both stores and checks that they agree.
    func ask(
        _ question: String, spike: Double? = nil, runs: Int = 21, sql: String, _ body: (any Snapshot) throws -> Double
    ) throws {
        let statement = try sqlite.prepare(sql)
        let snapshot = try store.snapshot()
        let (mine, theirs) = (try body(snapshot), statement.all().last)
        guard abs(mine - theirs) <= abs(theirs) * 1e-9 else { fatalError("\(question): \(mine) is not \(theirs).") }
        let ours = try medianMicroseconds(runs: runs) { _ = try body(snapshot) }
        let sqliteTime = medianMicroseconds(runs: 5) { statement.all() }
        rows.append(Row(question: question, realmgate: ours, sqlite: sqliteTime, spike: spike))
    }

    try ask("count(age > 10)", spike: 51, sql: "SELECT count(*) FROM item WHERE age > 10") {
        Double(try $0.count(query(compare(2, .greater, .int(10)))))
    }
    let range = BoundPredicate.and([compare(3, .greater, .double(20.5)), compare(3, .less, .double(30))])
    try ask(
        "count(20.5 < weight < 30)", spike: 190, sql: "SELECT count(*) FROM item WHERE weight > 20.5 AND weight < 30"
    ) {
        Double(try $0.count(query(range)))
    }
    try ask(
        "both, ANDed", spike: 360, sql: "SELECT count(*) FROM item WHERE age > 10 AND weight > 20.5 AND weight < 30"
    ) { Double(try $0.count(query(.and([compare(2, .greater, .int(10)), range])))) }
    try ask("sum(weight)", spike: 160, sql: "SELECT sum(weight) FROM item") {
        guard case .double(let sum) = try $0.aggregate(query(.constant(true)), [AggregateRequest(.sum, path(3))])[0]
        else {
            return .nan
        }
        return sum
    }
    try ask(
        "name BEGINSWITH 'item99'", spike: 1040,
        sql: "SELECT count(*) FROM item WHERE name >= 'item99' AND name < 'item9:'"
    ) { Double(try $0.count(query(compare(1, .beginsWith, .string("item99"))))) }
    try ask("breed == 'breed7'", spike: 110, sql: "SELECT count(*) FROM item WHERE breed = 'breed7'") {
        Double(try $0.count(query(compare(5, .equal, .string("breed7")))))
    }
    try ask(
        "top 100 by weight", spike: 240, sql: "SELECT weight FROM item ORDER BY weight DESC, id LIMIT 100"
    ) { snapshot in
        let top = query(.constant(true), [.sort([SortKey(path(3), ascending: false)])])
        let keys = try snapshot.select(top, Window(limit: 100))
        guard let last = keys.last, case .double(let weight) = try snapshot.value(classID, last, ids[3]) else {
            return .nan
        }
        return weight
    }

    // Key look-ups, at random.
    let wanted = (0..<10_000).map { Int64(Item($0 &* 7919).id &* 104_729 % Int64(rowCount)) }
    let lookUpSnapshot = try store.snapshot()
    let lookUp = try medianMicroseconds(runs: 5) {
        for id in wanted { _ = try lookUpSnapshot.key(of: classID, primaryKey: .int(id)) }
    }
    let lookUpStatement = try sqlite.prepare("SELECT id FROM item WHERE id = ?")
    let sqliteLookUp = medianMicroseconds(runs: 5) {
        for id in wanted {
            lookUpStatement.bind(id)
            lookUpStatement.all()
        }
    }
    rows.append(Row(question: "key look-up", realmgate: lookUp / 10_000, sqlite: sqliteLookUp / 10_000, spike: 0.55))

    // Inserts of one row, each durable.
    var next = rowCount
    let insert = try medianMicroseconds(runs: 201) {
        let (item, classID) = (Item(next), classID)
        next += 1
        _ = try store.write { try $0.create(classID, row: item.row) }
    }
    let insertStatement = try sqlite.prepare(insertSQL)
    var nextSQLite = rowCount
    let sqliteInsert = medianMicroseconds(runs: 201) {
        insertStatement.insert(Item(nextSQLite))
        nextSQLite += 1
    }
    rows.append(Row(question: "insert one row, synced", realmgate: insert, sqlite: sqliteInsert, spike: 584))

    var status = stat()
    stat("\(directory)/store", &status)
    print("\(rowCount) rows; medians in microseconds; file \(status.st_size >> 20) MiB\n")
    print("| question | Realmgate | SQLite | times faster | spike (× of it) |")
    print("| --- | --- | --- | --- | --- |")
    for row in rows { print(row.markdown) }
    store.close()
}

try run()
