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

/// Random histories: the events that observers of lists, sets and maps of every kind get add up to what is stored.
struct CollectionHistoryTests {
    private struct Observed {
        let object: ObjectReference
        let property: PropertySchema
        let recorder: CollectionRecorder
        let token: LiveToken
    }

    enum Kind: String, CaseIterable {
        case model, embedded
    }

    private static let rounds = TestRun.length

    @Test("observed collections equal freshly read ones", arguments: Kind.allCases, 0..<rounds)
    func staysCurrent(_ kind: Kind, _ round: Int) throws {
        let seed = TestSeed.of("\(kind) \(round)")
        print("collection history seed \(seed)")
        var random = SeededRandom(seed: seed)
        let schema = RandomSchemas.schema(&random, kinds: .all)
        let store = try TestStores(kind == .embedded, schema)
        defer { store.end() }
        let live = try LiveQueries(store.store)
        var history = RandomHistory(schema)
        for _ in 0..<4 { try commit(&history, to: store.store, &random) }
        var observed: [Observed] = []
        var changed = 0
        var resumed = 0
        /// Versions, and the collections known then, to resume from.
        var known: [(version: Version, values: [Value?])] = []
        for step in 0..<50 {
            if step % 10 == 0 { observed += try someCollections(store.store.snapshot(), live, &random) }
            let before = try store.store.snapshot()
            for _ in 0..<1 + random.below(2) { try commit(&history, to: store.store, &random) }
            live.settle()
            let after = try store.store.snapshot()
            for entry in observed {
                let context: Comment = "seed \(seed), step \(step), \(entry.property.name) of \(entry.object)"
                let exists = try after.exists(entry.object.classID, entry.object.key)
                let value =
                    exists ? try after.value(entry.object.classID, entry.object.key, entry.property.id) : nil
                try #require(entry.recorder.faults == [], context)
                if let value {
                    try #require(entry.recorder.value == value, context)
                } else {
                    // The deletion of an empty one is not reported.
                    try #require(entry.recorder.value.map { $0.elements.isEmpty } ?? true, context)
                }
                let reported = entry.recorder.takeChanges()
                changed += reported.count
                guard exists, let first = reported.first else { continue }
                let whole = reported.dropFirst().reduce(first) { $0.followed(by: $1) }
                let old = try before.value(entry.object.classID, entry.object.key, entry.property.id)
                try #require(whole.faults(from: old, to: value ?? .null) == [], context)
            }
            let values = try observed.map { entry in
                try after.exists(entry.object.classID, entry.object.key)
                    ? try after.value(entry.object.classID, entry.object.key, entry.property.id) : nil
            }
            if let start = random.pick(known) {
                resumed += try resume(start, observed, values, live, context: "seed \(seed), step \(step)")
            }
            known.append((after.version, values))
        }
        // Otherwise the histories would prove little.
        if TestRun.hasFixedSeeds { #expect(changed > 20 && resumed > 100, "seed \(seed)") }
    }

    /// Lets observers resume that know an earlier version. Returns how many of them got the difference.
    private func resume(
        _ start: (version: Version, values: [Value?]), _ observed: [Observed], _ now: [Value?], _ live: LiveQueries,
        context: String
    ) throws -> Int {
        var resumed = 0
        for (index, old) in start.values.enumerated() {
            guard let old else { continue }
            let entry = observed[index]
            let recorder = CollectionRecorder(entry.object, entry.property.id, from: old)
            let token = live.observeCollection(
                entry.object, entry.property.id, since: start.version, deliver: recorder.receive)
            live.settle()
            let context: Comment = "\(context), since \(start.version), \(entry.property.name) of \(entry.object)"
            try #require(recorder.faults == [], context)
            if let value = now[index] {
                try #require(recorder.value == value, context)
            } else if recorder.isResumed {
                try #require(recorder.value.map { $0.elements.isEmpty } ?? true, context)
            } else {
                try #require(recorder.failureCode == .notFound, context)
            }
            if recorder.isResumed { resumed += 1 }
            token.cancel()
        }
        return resumed
    }

    private func someCollections(
        _ snapshot: any Snapshot, _ live: LiveQueries, _ random: inout SeededRandom
    ) throws -> [Observed] {
        var observed: [Observed] = []
        for objectClass in snapshot.schema.classes {
            let keys = try snapshot.select(BoundQuery(classID: objectClass.id), .all)
            for property in objectClass.storedProperties where property.type.isCollection {
                guard let key = random.pick(keys) else { continue }
                let object = ObjectReference(objectClass.id, key)
                let recorder = CollectionRecorder(object, property.id)
                let token = live.observeCollection(object, property.id, deliver: recorder.receive)
                observed.append(Observed(object: object, property: property, recorder: recorder, token: token))
            }
        }
        live.settle()
        return observed
    }

    private func commit(
        _ history: inout RandomHistory, to store: any Store, _ random: inout SeededRandom
    ) throws {
        let before = try store.snapshot()
        let count = before.schema.classes.reduce(0) { $0 + before.count(of: $1.id) }
        let operations = history.commit(count: count, target: 30, &random)
        try store.write { transaction in
            for operation in operations { try transaction.perform(operation) }
        }
    }
}

/// A store of either kind in a directory of its own.
struct TestStores {
    let store: any Store
    private let directory: URL

    init(_ isEmbedded: Bool, _ schema: Schema) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("live-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        store =
            isEmbedded
            ? try EmbeddedStore.open(path: directory.path + "/store", schema: schema) : try ModelStore(schema)
    }

    func end() {
        store.close()
        try? FileManager.default.removeItem(at: directory)
    }
}
