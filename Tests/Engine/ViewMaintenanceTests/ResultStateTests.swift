import QuerySyntax
import EmbeddedStore
import Foundation
import LiveTesting
import ObjectModel
import QueryOperators
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

@testable import ViewMaintenance
import TestBasics

/// Results advanced from version to version, forwards and backwards, whatever their steps.
struct ResultStateTests {
    enum Kind: String, CaseIterable {
        case model, embedded
    }

    /// One query's result, and the data needed to advance it.
    private struct Followed {
        let query: BoundQuery
        let route: QueryDependencies
        let reach: DeepChangeChecker
        let quick: ValuePredicate
        var state: ResultState
        /// The result as live queries keep theirs: changed in place, and with cached places.
        var kept: ResultState

        init(_ query: BoundQuery, _ snapshot: any Snapshot) throws {
            self.query = query
            route = try QueryDependencies(query, schema: snapshot.schema)
            reach = DeepChangeChecker(from: query.classID, schema: snapshot.schema)
            quick = ValuePredicate(query.predicate)
            state = try ResultState(query.resolved(snapshot), isOrdered: route.maintenance == .incremental, snapshot)
            kept = state
        }

        func advanced(_ state: ResultState, by step: VersionDelta) throws -> (ResultState, IndexChanges) {
            try state.advanced(
                by: step, of: query, along: route, classCount: .max / 2,
                affectedKeys: { try route.affectedKeys(in: step) }
            ) {
                try reach.modifiedRoots(by: step)
            }
        }
    }

    private static let rounds = TestRun.length

    @Test(
        "a result taken over a step is what a fresh query gives, and taken back is what it was",
        arguments: Kind.allCases, 0..<rounds)
    func forwardsAndBackwards(_ kind: Kind, _ round: Int) throws {
        let seed = TestSeed.of("\(kind) \(round)")
        var random = SeededRandom(seed: seed)
        let schema = RandomSchemas.schema(&random, kinds: .all)
        try Self.withStore(kind, schema) { store in
            var history = RandomHistory(schema)
            for _ in 0..<10 { try commit(&history, to: store, target: 60, &random) }
            let queries = RandomQueries(schema, forms: .all)
            let start = try store.snapshot()
            var all = try (0..<40).map { _ in try Followed(Self.query(queries, &random), start) }
            var before = start
            for number in 0..<25 {
                for _ in 0..<1 + random.below(3) { try commit(&history, to: store, target: 60, &random) }
                let after = try store.snapshot()
                let step = VersionDelta(try Self.changes(store, from: before), from: before, to: after)
                for index in all.indices {
                    try check(&all[index], step, "seed \(seed), step \(number), \(all[index].query)")
                }
                before = after
            }
        }
    }

    @Test("for a limit only the beginning of a long result is kept, and read again if needed", arguments: Kind.allCases)
    func windows(_ kind: Kind) throws {
        let seed = TestSeed.of(kind)
        var random = SeededRandom(seed: seed)
        try Self.withStore(kind, TaskStore.schema) { store in
            let size = 400
            let first = (0..<size).map { _ in Int64(random.below(50)) }
            try store.write { for (id, score) in first.enumerated() { try $0.task(Int64(id), score) } }
            let score = TaskStore.path(TaskStore.score, .int)
            let positive = BoundPredicate.comparison(
                BoundComparison(.path(score), .greater, .constant(.int(2))))
            var before = try store.snapshot()
            let steps: [[ResultStep]] = [
                [.limit(5)], [.sort([SortKey(score)]), .limit(3)],
                [.sort([SortKey(score, ascending: false)]), .limit(0)],
                [.sort([SortKey(score)]), .limit(20), .sort([SortKey(score, ascending: false)]), .limit(7)],
                [.limit(40), .distinct([score])], [.distinct([score]), .sort([SortKey(score)]), .limit(10)],
                [.sort([SortKey(score)]), .limit(150)], [.limit(.max)],
            ]
            var all = try steps.map {
                try Followed(BoundQuery(classID: TaskStore.task, predicate: positive, steps: $0), before)
            }
            var next = Int64(size)
            for number in 0..<30 {
                // Sometimes the beginning is removed all at once.
                let falls = number % 10 == 9
                let edits = (0..<(falls ? 60 : 1 + random.below(6))).map { _ in
                    (id: Int64(random.below(Int(next))), score: Int64(random.below(falls ? 3 : 50)))
                }
                let created = next
                if random.oneIn(2) { next += 1 }
                let grows = next > created
                try store.write { transaction in
                    if grows { try transaction.task(created, edits[0].score) }
                    for (index, edit) in edits.enumerated() {
                        guard let key = try transaction.key(of: TaskStore.task, primaryKey: .int(edit.id)) else {
                            continue
                        }
                        if index % 4 == 3 {
                            try transaction.delete(TaskStore.task, key)
                        } else {
                            try transaction.set(TaskStore.task, key, [TaskStore.score: .int(edit.score)])
                        }
                    }
                }
                let after = try store.snapshot()
                let step = VersionDelta(try Self.changes(store, from: before), from: before, to: after)
                for index in all.indices {
                    try check(&all[index], step, "seed \(seed), step \(number), \(all[index].query.steps)")
                }
                before = after
            }
        }
    }

    /// Advances the result over the step, back, and over it again.
    private func check(_ followed: inout Followed, _ step: VersionDelta, _ context: Comment) throws {
        let old = followed.state
        let (new, changes) = try followed.advanced(old, by: step)
        try #require(try Array(new.keys) == step.after.select(followed.query, .all), context)
        try #require(changes.faults(from: Array(old.keys), to: Array(new.keys)) == [], context)
        let (again, back) = try followed.advanced(new, by: step.reversed)
        try #require(again.keys == old.keys, context)
        try #require(back.faults(from: Array(new.keys), to: Array(old.keys)) == [], context)
        #expect(back.deletions.count == changes.insertions.count, context)
        #expect(back.insertions.count == changes.deletions.count, context)
        // The cached data was reversed too.
        let (forth, _) = try followed.advanced(again, by: step)
        try #require(forth.keys == new.keys, context)
        followed.state = forth
        let outcome = try followed.kept.advance(
            by: step, of: followed.query, along: followed.route, classCount: .max / 2, quick: followed.quick,
            learns: true, affectedKeys: { try followed.route.affectedKeys(in: step) }
        ) { try followed.reach.modifiedRoots(by: step) }
        try #require(followed.kept.keys == new.keys, context)
        #expect(outcome.indices == changes, context)
    }

    /// A random query with up to five steps in any order.
    private static func query(_ queries: RandomQueries, _ random: inout SeededRandom) -> BoundQuery {
        var query = queries.query(&random)
        query.steps = (0..<random.below(6)).map { _ in
            switch random.below(3) {
            case 0: .limit(random.below(15))
            case 1: .distinct(queries.singlePaths(from: query.classID, &random))
            default: .sort(queries.sortKeys(from: query.classID, &random))
            }
        }
        return query
    }

    private static func changes(_ store: any Store, from before: any Snapshot) throws -> ChangeSet {
        let all = try #require(try store.changes(after: before.version))
        var merged = ChangeSet(version: before.version)
        for changes in all { merged.merge(changes) }
        return merged
    }

    private func commit(
        _ history: inout RandomHistory, to store: any Store, target: Int, _ random: inout SeededRandom
    ) throws {
        let snapshot = try store.snapshot()
        let count = snapshot.schema.classes.reduce(0) { $0 + snapshot.count(of: $1.id) }
        let operations = history.commit(count: count, target: target, &random)
        try store.write { transaction in
            for operation in operations { try transaction.perform(operation) }
        }
    }

    private static func withStore(_ kind: Kind, _ schema: Schema, _ body: (any Store) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store: any Store =
            switch kind {
            case .model: try ModelStore(schema)
            case .embedded: try EmbeddedStore.open(path: directory.path + "/store", schema: schema)
            }
        defer { store.close() }
        try body(store)
    }
}
