// The question: how long after a commit does a live query's observer know what became different, and does that time
// depend on how many objects there are?
//
//   REALMGATE_BENCHMARKS=1 swift run -c release LiveBenchmark [SIZE... | SCENARIO...]
//
// With a URL of PostgreSQL in REALMGATE_STORE, the store is a replica of a log there.

import EmbeddedStore
import Glibc
import ViewMaintenance
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract

func thousandQueries(_ catalogue: Catalogue, _ binder: QueryBinder, _ item: ClassSchema) throws {
    let queries = try (0..<1_000).map {
        try binder.bind(
            "age == \($0 % 20) AND score > \($0 * (Catalogue.scores / 1_000)) SORT(score DESC)", class: item)
    }
    let probe = try Probe(catalogue, queries)
    var times = Times()
    for index in 0..<Scenario.repetitions {
        try probe.time(&times) {
            try catalogue.set(
                Scenario.key(index, catalogue),
                [Catalogue.age: .int(Int64(index % 20)), Catalogue.score: Scenario.score(index)])
        }
    }
    print("| 1,000 queries | one commit, reported to \(probe.eventCount / Scenario.repetitions) | \(times.cells) |")
}

/// What a commit costs that matters to one query of very many, and what each of the others takes of memory. No two of
/// them are equal, and their results are so small that what is measured is the query.
func otherQueries(_ catalogue: Catalogue, _ binder: QueryBinder, _ item: ClassSchema) throws {
    let one = try binder.bind("age >= 0", class: item)
    for number in [0, 1_000, 10_000] {
        let step = Catalogue.scores / max(number, 1)
        let others = try (0..<number).map {
            try binder.bind(
                "age == \($0 % 20) AND score BETWEEN {\($0 * step), \($0 * step + 99)} SORT(score DESC)", class: item)
        }
        let start = memory().bytes
        // The last one that joined is the last one to be told.
        let probe = try Probe(catalogue, others + [one])
        let used = memory().bytes - start
        let keys = (0..<100).map { Scenario.key($0, catalogue) }
        for key in keys { try catalogue.set(key, [Catalogue.age: .int(50)]) }
        var times = Times()
        for index in 0..<Scenario.repetitions {
            try probe.time(&times) {
                try catalogue.set(
                    keys[index % keys.count],
                    [Catalogue.age: .int(Int64(51 + index)), Catalogue.score: Scenario.score(index)])
            }
        }
        print("| one query and \(number) others | matters to the one | \(times.cells) |")
        if number > 0 { print("|  | \(used / number) bytes for each | | | | |") }
    }
}

func run(_ count: Int) throws {
    var template = Array("/var/tmp/realmgate-benchmark-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("No temporary directory can be made.") }
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
        for name in ["store", "store-lock"] { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }
    let catalogue = try Catalogue(path: "\(directory)/store", count: count)
    defer { catalogue.store.close() }
    let schema = try catalogue.store.snapshot().schema
    guard let item = schema["Item"] else { fatalError("The schema was not stored.") }
    let binder = QueryBinder(schema: schema)
    print("\n## \(count) objects, microseconds (medians)\n")
    print("| query | change | commit | advance | of that busy | p99 of advance |")
    print("| --- | --- | --- | --- | --- | --- |")
    for scenario in Scenario.all where names.isEmpty || names.contains(scenario.name) {
        let keyPaths = try scenario.keyPath.map { [try LiveKeyPath($0, in: Catalogue.item, of: schema)] } ?? []
        let start = memory().now
        let query = try binder.bind(scenario.query, class: item)
        let aggregate = try scenario.aggregate(query, binder, item)
        let histogram = try scenario.histogram(query, binder, item)
        let probe =
            try aggregate.map { try Probe(catalogue, [], [$0]) }
            ?? histogram.map { try Probe(catalogue, [], [], [try $0.answer(schema)]) }
            ?? Probe(catalogue, [query], keyPaths: keyPaths)
        let used = memory().now - start
        for change in scenario.changes {
            var times = Times()
            for index in 0..<Scenario.repetitions { try probe.time(&times) { try change.commit(catalogue, index) } }
            print("| \(scenario.name) | \(change.name) (\(times.advance.count)) | \(times.cells) |")
        }
        print("|  | initial: \(text(probe.initialMilliseconds)) ms, \(used) MB | | | | |")
        // What somebody pays for who asks again after each commit.
        let snapshot = try catalogue.store.snapshot()
        let reading =
            try aggregate.map { aggregate in try milliseconds { _ = try aggregate.result(snapshot) } }
            ?? histogram.map { histogram in try milliseconds { _ = try histogram.read(snapshot) } }
        if let reading { print("|  | the read: \(text(reading * 1000)) µs | | | | |") }
    }
    if names.isEmpty {
        try thousandQueries(catalogue, binder, item)
        try otherQueries(catalogue, binder, item)
    }
    print("\nPeak memory: \(memory().peak) MB.")
}

/// Of scenarios; without any, all.
let names = CommandLine.arguments.dropFirst().filter { Int($0) == nil }
let sizes = CommandLine.arguments.dropFirst().compactMap { Int($0) }
for size in sizes.isEmpty ? [10_000, 100_000, 1_000_000] : sizes { try run(size) }
