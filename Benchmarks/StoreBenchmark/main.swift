// The question: how does the embedded store compare with SQLite on the same rows, in the same process, with the
// same durability, and with a prototype of the column scans?
//
//   REALMGATE_BENCHMARKS=1 swift run -c release StoreBenchmark [ROWS [WORDS OF A QUESTION [TIMES]]]
//
// With a URL of PostgreSQL in REALMGATE_STORE, the store is a replica of a log there.

import EmbeddedStore
import Glibc
import ObjectModel
import StoreContract

/// Where the stores lie: in a new directory that is taken away at the end, or in the one that the environment names, which
/// stays, so that what is asked next need not load them again.
func benchmarkDirectory() -> (path: String, isKept: Bool) {
    if let path = getenv("REALMGATE_BENCHMARK_DIRECTORY") {
        let directory = String(cString: path)
        mkdir(directory, 0o700)
        return (directory, true)
    }
    var template = Array("/var/tmp/realmgate-benchmark-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("No temporary directory can be made.") }
    return (String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self), false)
}

func run() throws {
    let rowCount = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
    let (directory, isKept) = benchmarkDirectory()
    defer {
        if !isKept {
            for name in ["store", "store-lock", "sqlite", "sqlite-wal", "sqlite-shm"] { unlink("\(directory)/\(name)") }
            rmdir(directory)
        }
    }
    let isLoaded = isKept && access("\(directory)/sqlite", F_OK) == 0

    // The realm of a log is a new one each time.
    if isLoaded, getenv("REALMGATE_STORE") != nil {
        fatalError("REALMGATE_STORE needs a new directory: unset REALMGATE_BENCHMARK_DIRECTORY.")
    }
    let store =
        isLoaded ? try EmbeddedStore.open(path: "\(directory)/store") : try newStore("\(directory)/store", .empty)
    if !isLoaded { try store.replaceSchema(with: Item.schema) }
    let sqlite = try SQLitePeer(path: "\(directory)/sqlite", isLoaded: isLoaded)
    let schema = try store.snapshot().schema
    guard let itemClass = schema["Item"] else { fatalError("The schema was not stored.") }
    let classID = itemClass.id
    let ids = itemClass.properties.map(\.id)
    let insertSQL = "INSERT INTO item VALUES(?,?,?,?,?,?)"

    func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        var start = timespec()
        clock_gettime(CLOCK_MONOTONIC, &start)
        try body()
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        return Double(end.tv_sec - start.tv_sec) * 1000 + Double(end.tv_nsec - start.tv_nsec) / 1e6
    }

    // Load, one transaction.
    let items = (0..<(isLoaded ? 0 : rowCount)).map { Item($0) }
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
    print("| question | warm | first | SQLite | times faster | prototype (× of it) | Realm's core (times faster) |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    func add(_ row: Row) {
        print(row.markdown)
        fflush(nil)
    }
    if !isLoaded {
        add(
            Row(
                question: "load \(rowCount) rows, one transaction", realmgate: load * 1000, sqlite: sqliteLoad * 1000,
                prototype: 193_000, realm: 2_800_000))
    }

    if !isLoaded { try loadEntries(into: store, sqlite, schema, rowCount: rowCount) }

    var commits = 0
    /// Asks both stores and checks that they agree. The first answer is that of a snapshot that was just made, after a
    /// commit that changed one object.
    func ask(_ question: Question) throws {
        let statement = try sqlite.prepare(question.sql)
        let theirs = statement.all().last
        var first: [Double] = []
        var wrong: Double?
        for number in 0..<5 {
            let touched = ObjectKey(Int64(number &* 7919 % rowCount))
            commits += 1
            let flag = Value.bool(commits & 1 == 0)
            try store.write { try $0.set(classID, touched, [ids[4]: flag]) }
            let snapshot = try store.snapshot()
            first.append(
                try milliseconds {
                    let mine = try question.answer(snapshot)
                    if !(abs(mine - theirs) <= abs(theirs) * 1e-9) { wrong = mine }
                } * 1000)
        }
        if let wrong {
            return print("\(question.words): \(wrong) is not \(theirs).")
        }
        let snapshot = try store.snapshot()
        let ours = try medianMicroseconds(runs: question.runs) { _ = try question.answer(snapshot) }
        let sqliteTime = medianMicroseconds(runs: 3) { statement.all() }
        add(
            Row(
                question: question.words, realmgate: ours, first: first.sorted()[2], sqlite: sqliteTime,
                prototype: question.prototype, realm: question.realm))
    }

    let wantedWords = CommandLine.arguments.dropFirst(2).first
    let questions = Questions(schema, rowCount: rowCount)
    for question in questions.prototypes + questions.more where wantedWords.map(question.words.contains) ?? true {
        try ask(question)
    }
    if let wantedWords {
        if CommandLine.arguments.count > 3 {
            // For a profiler: nothing but one question for some seconds.
            let all = questions.prototypes + questions.more
            guard let question = all.first(where: { $0.words.contains(wantedWords) })
            else { return }
            let snapshot = try store.snapshot()
            for _ in 0..<(Int(CommandLine.arguments[3]) ?? 1) { _ = try question.answer(snapshot) }
        }
        return
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
    add(
        Row(
            question: "key look-up", realmgate: lookUp / 10_000, sqlite: sqliteLookUp / 10_000, prototype: 0.55,
            realm: 0.85
        ))

    // Inserts of one row, each durable. They would change the answers of another run.
    if isKept { return }
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
    add(Row(question: "insert one row, synced", realmgate: insert, sqlite: sqliteInsert, prototype: 584))

    var status = stat()
    stat("\(directory)/store", &status)
    print("\n\(rowCount) rows; medians in microseconds; file \(status.st_size >> 20) MiB")
    store.close()
}

try run()
