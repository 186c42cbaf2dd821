import Foundation
import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Random histories: the events that observers of sectioned results get add up to the result of a fresh query.
struct SectionHistoryTests {
    private struct Observed {
        let query: BoundQuery
        let key: SectionKey
        /// With some, elements may move from section to section unreported until another change is reported.
        let keyPaths: [LiveKeyPath]
        let recorder: SectionRecorder
        let token: LiveToken
    }

    enum Kind: String, CaseIterable {
        case model, embedded
    }

    private static let rounds = TestRun.length

    @Test("observed sections equal those of a fresh query", arguments: Kind.allCases, 0..<rounds)
    func staysCurrent(_ kind: Kind, _ round: Int) throws {
        let seed = TestSeed.of("\(kind) \(round)")
        print("section history seed \(seed)")
        var random = SeededRandom(seed: seed)
        let schema = RandomSchemas.schema(&random, kinds: .all)
        let store = try TestStores(kind == .embedded, schema)
        defer { store.end() }
        let live = try LiveQueries(store.store)
        let queries = RandomQueries(schema, forms: .all)
        var history = RandomHistory(schema)
        var observed = try (0..<24).map { _ in try observe(queries, schema, live, &random) }
        var resumed = 0
        /// Versions, and the sections known then, to resume from.
        var known: [(version: Version, sections: [[SectionRecorder.Section]])] = []
        for step in 0..<30 {
            for _ in 0..<1 + random.below(2) { try commit(&history, to: store.store, &random) }
            if step % 10 == 9 { observed += try (0..<6).map { _ in try observe(queries, schema, live, &random) } }
            live.settle()
            let snapshot = try store.store.snapshot()
            var states: [[SectionRecorder.Section]] = []
            for entry in observed {
                let context: Comment = "seed \(seed), step \(step), \(entry.query) by \(entry.key), \(entry.keyPaths)"
                try #require(entry.recorder.failureCode == nil, context)
                try #require(entry.recorder.faults == [], context)
                let expected = try snapshot.sections(entry.query, by: entry.key).recorded
                let reported = entry.recorder.takeChanges()
                if entry.keyPaths.isEmpty || reported.last?.version == snapshot.version {
                    try #require(Self.areAlike(entry.recorder.sections ?? [], expected), context)
                }
                if let first = reported.first, let last = reported.last, let before = known.last?.sections,
                    reported.count > 1,
                    before.count > states.count
                {
                    // The merged changes lead to the same state.
                    let whole = reported.dropFirst().reduce(first as LiveSectionChange?) { $0?.followed(by: $1) ?? $1 }
                    if let whole, whole.oldSections.recorded == before[states.count] {
                        let faults = whole.changes.faults(
                            from: before[states.count], to: last.newSections.recorded)
                        try #require(faults == [], context)
                    }
                }
                states.append(expected)
            }
            if let start = random.pick(known) {
                resumed += try resume(start, observed, states, live, context: "seed \(seed), step \(step)")
            }
            known.append((snapshot.version, states))
        }
        // Otherwise the histories would prove little.
        if TestRun.hasFixedSeeds { #expect(resumed > 100, "seed \(seed)") }
        for entry in observed { entry.token.cancel() }
    }

    /// Lets observers resume that know an earlier version. Returns how many of them got the difference.
    private func resume(
        _ start: (version: Version, sections: [[SectionRecorder.Section]]), _ observed: [Observed],
        _ now: [[SectionRecorder.Section]], _ live: LiveQueries, context: String
    ) throws -> Int {
        var tokens: [LiveToken] = []
        var resumed: [(Observed, [SectionRecorder.Section], SectionRecorder)] = []
        for ((entry, sections), present) in zip(zip(observed, start.sections), now) {
            let recorder = SectionRecorder(from: sections)
            tokens.append(
                live.observeSections(
                    entry.query, by: entry.key, keyPaths: entry.keyPaths, since: start.version,
                    deliver: recorder.receive))
            resumed.append((entry, present, recorder))
        }
        live.settle()
        for (entry, present, recorder) in resumed {
            let context: Comment = "\(context), since \(start.version), \(entry.query) by \(entry.key)"
            try #require(recorder.faults == [], context)
            try #require(Self.areAlike(recorder.sections ?? [], present), context)
        }
        for token in tokens { token.cancel() }
        return resumed.count { $0.2.isResumed }
    }

    /// Keys that are equal in the order may differ.
    private static func areAlike(_ a: [SectionRecorder.Section], _ b: [SectionRecorder.Section]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { $0.rows == $1.rows && Value.order($0.key, $1.key) == 0 }
    }

    private func observe(
        _ queries: RandomQueries, _ schema: Schema, _ live: LiveQueries, _ random: inout SeededRandom
    ) throws -> Observed {
        let query = queries.query(&random)
        let key = queries.sectionKey(of: query.classID, &random)
        var keyPaths: [LiveKeyPath] = []
        if random.oneIn(3), let property = random.pick(schema[query.classID]?.properties ?? []) {
            keyPaths = [try LiveKeyPath(property.name, in: query.classID, of: schema)]
        }
        let recorder = SectionRecorder()
        let token = live.observeSections(query, by: key, keyPaths: keyPaths, deliver: recorder.receive)
        return Observed(query: query, key: key, keyPaths: keyPaths, recorder: recorder, token: token)
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
