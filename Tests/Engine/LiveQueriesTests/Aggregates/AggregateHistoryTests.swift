import EmbeddedStore
import Foundation
import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryOperators
import QueryLanguage
import StoreContract
import StoreTesting
import TestBasics
import Testing

/// Random aggregates of random queries, kept current through random histories: after every commit an observer has the
/// answer that a read gives.
struct AggregateHistoryTests {
    private struct Observed {
        let asked: Asked
        let recorder: AggregateRecorder
        let token: LiveToken

        var aggregate: LiveAggregate { asked.aggregate }
    }

    private struct Asked {
        let aggregate: LiveAggregate
        /// What the aggregate's condition means.
        var having: RandomCondition?

        var description: String { "\(aggregate) having \(having.map { "\($0)" } ?? "all")" }

        /// The answer to the aggregate, whose groups the test itself chooses; nil for a sum that does not fit.
        func result(_ snapshot: any Snapshot) throws -> AggregateResult? {
            do {
                guard let having else { return try aggregate.result(snapshot) }
                let all = try snapshot.aggregate(aggregate.query, aggregate.requests, by: aggregate.paths)
                return RandomArrangements.answer(aggregate.arrangement, all.filter(having.holds))
            } catch let error as StoreError where error.code == .sumOverflow {
                return nil
            }
        }
    }

    enum Kind: String, CaseIterable {
        case model, embedded
    }

    private static let rounds = 2 * TestRun.length

    @Test("a live answer equals that of a read", arguments: Kind.allCases, 0..<rounds)
    func staysCurrent(_ kind: Kind, _ round: Int) throws {
        var random = SeededRandom.ofTest("\(kind) \(round)")
        let seed = random.seed
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
        var observed = try (0..<30).map { _ in observe(try Self.asked(queries, store.snapshot(), &random), live) }
        var known: [(version: Version, answers: [AggregateResult?])] = []
        var resumed = 0
        for step in 0..<40 {
            for _ in 0..<1 + random.below(2) { try commit(&history, to: store, &random) }
            if step % 8 == 7 {
                observed += try (0..<10).map { _ in observe(try Self.asked(queries, store.snapshot(), &random), live) }
            }
            live.settle()
            let snapshot = try store.snapshot()
            for entry in observed {
                let context: Comment = "seed \(seed), step \(step), \(entry.asked.description)"
                try #require(entry.recorder.faults == [], context)
                guard let expected = try entry.asked.result(snapshot) else {
                    // The read has no answer either; the observation has ended.
                    try #require(entry.recorder.failureCode == .sumOverflow, context)
                    continue
                }
                if entry.recorder.failureCode == .sumOverflow { continue }
                try #require(entry.recorder.failureCode == nil, context)
                try #require(entry.recorder.answer == expected, context)
            }
            // Others know an earlier state, and come back.
            if step % 3 == 0 {
                known.append(
                    (snapshot.version, observed.map { $0.recorder.failureCode == nil ? $0.recorder.answer : nil }))
            }
            guard let past = random.pick(known) else { continue }
            for (entry, answer) in zip(observed, past.answers) {
                guard let answer, let expected = try entry.asked.result(snapshot) else { continue }
                let recorder = AggregateRecorder(from: answer, at: past.version)
                let token = live.observeAggregate(entry.aggregate, since: past.version, deliver: recorder.receive)
                live.settle()
                let context: Comment = "seed \(seed), step \(step), since \(past.version), \(entry.asked.description)"
                try #require(recorder.faults == [], context)
                try #require(recorder.answer == expected, context)
                if recorder.hasResumed { resumed += 1 }
                token.cancel()
            }
        }
        let changed = observed.filter { $0.recorder.changeCount > 0 }
        // Otherwise the histories would prove little.
        if TestRun.hasFixedSeeds { #expect(changed.count * 4 > observed.count && resumed > 50, "seed \(seed)") }
        for entry in observed { entry.token.cancel() }
    }

    /// A random aggregate; half of them of a whole class, so that objects are in it.
    private static func asked(
        _ queries: RandomQueries, _ snapshot: any Snapshot, _ random: inout SeededRandom
    ) throws -> Asked {
        var query = queries.query(&random)
        if random.oneIn(2) {
            query.scope = .all
            query.predicate = .constant(true)
            query.steps = []
        }
        var requests = queries.aggregates(of: query.classID, &random)
        for index in requests.indices { requests[index].isChecked = random.oneIn(2) }
        let paths = random.oneIn(3) ? [] : queries.singlePaths(from: query.classID, &random)
        let arrangement = paths.isEmpty ? .all : RandomArrangements.choice(paths.count, requests.count, &random)
        var asked = Asked(aggregate: LiveAggregate(query, requests, by: paths, arrangement: arrangement))
        guard !paths.isEmpty, random.oneIn(2) else { return asked }
        let groups = (try? snapshot.aggregate(query, requests, by: paths)) ?? []
        if let having = RandomCondition(paths, requests, groups, &random) {
            #expect(having.condition.isDecidable, "\(having)")
            asked = Asked(
                aggregate: LiveAggregate(
                    query, requests, by: paths, having: having.condition, arrangement: arrangement), having: having)
        }
        return asked
    }

    private func observe(_ asked: Asked, _ live: LiveQueries) -> Observed {
        let recorder = AggregateRecorder()
        return Observed(
            asked: asked, recorder: recorder,
            token: live.observeAggregate(asked.aggregate, deliver: recorder.receive))
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
