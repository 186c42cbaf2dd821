import EmbeddedStore
import Foundation
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Random queries of every form that can be bound, over every kind of data, kept current through random histories.
struct LiveFormHistoryTests {
    private struct Observed {
        let query: BoundQuery
        let recorder: Recorder
        let token: LiveToken
    }

    enum Kind: String, CaseIterable {
        case model, embedded
    }

    private static let rounds = TestRun.length

    @Test("a live result of any query equals that of a fresh one", arguments: Kind.allCases, 0..<rounds)
    func staysCurrent(_ kind: Kind, _ round: Int) throws {
        let seed = TestSeed.of("\(kind) \(round)")
        var random = SeededRandom(seed: seed)
        let schema = RandomSchemas.schema(&random, kinds: .all)
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("live-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store: any Store =
            switch kind {
            case .model: try ModelStore(schema)
            case .embedded: try EmbeddedStore.open(path: directory.path + "/store", schema: schema)
            }
        defer { store.close() }
        let live = try LiveQueries(store)
        let queries = RandomQueries(schema, forms: .all)
        var history = RandomHistory(schema)
        // Some are observed from the beginning, others join later.
        var observed = (0..<30).map { _ in observe(queries.query(&random), live) }
        for step in 0..<30 {
            for _ in 0..<1 + random.below(2) {
                try commit(&history, to: store, &random)
            }
            if step % 8 == 7 { observed += (0..<10).map { _ in observe(queries.query(&random), live) } }
            live.settle()
            let snapshot = try store.snapshot()
            for entry in observed {
                let context: Comment = "seed \(seed), step \(step), \(entry.query)"
                try #require(entry.recorder.failureCode == nil, context)
                let expected = try snapshot.select(entry.query, .all)
                try #require(entry.recorder.keys == expected, context)
                try #require(entry.recorder.faults == [], context)
            }
        }
        let changed = observed.filter { !$0.recorder.changes.isEmpty }
        // Otherwise the histories would prove little.
        if TestRun.hasFixedSeeds { #expect(changed.count * 10 > observed.count, "seed \(seed)") }
        for entry in observed { entry.token.cancel() }
    }

    private func observe(_ query: BoundQuery, _ live: LiveQueries) -> Observed {
        let recorder = Recorder()
        return Observed(query: query, recorder: recorder, token: live.observe(query, deliver: recorder.receive))
    }

    private func commit(
        _ history: inout RandomHistory, to store: any Store, _ random: inout SeededRandom
    ) throws {
        let before = try store.snapshot()
        let count = before.schema.classes.reduce(0) { $0 + before.count(of: $1.id) }
        let operations = history.commit(count: count, target: 40, &random)
        try store.write { transaction in
            for operation in operations { try transaction.perform(operation) }
        }
    }
}
