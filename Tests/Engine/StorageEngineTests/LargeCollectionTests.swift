import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("Collections of many blocks")
struct LargeCollectionTests {
    private static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Box",
                properties: [
                    PropertySchema("map", PropertyType(.int, collection: .map)),
                    PropertySchema("set", PropertyType(.string, collection: .set)),
                    PropertySchema("list", PropertyType(.int, collection: .list)),
                ])
        ])
    private static let box = ClassID(1)
    private static let (map, set, list) = (PropertyID(1), PropertyID(2), PropertyID(3))

    @Test("random edits find their position in every block, in any order")
    func randomEdits() throws {
        var random = SeededRandom.ofTest()
        print("LargeCollectionTests seed \(random.seed)")
        let directory = try TestDirectory()
        let store = try EmbeddedStore.open(path: directory.store, schema: Self.schema)
        defer { store.close() }
        let key = try store.write { try $0.create(Self.box, [:]) }
        var (map, set, list): ([String: Int64], Set<String>, [Int64]) = ([:], [], [])
        let rounds = 6 * TestRun.length
        for round in 0..<rounds {
            let start = random.next()
            let before = (map, set, list)
            let wrong: [String]
            (map, set, list, wrong) = try store.write { transaction in
                var wrong: [String] = []
                var seed = SeededRandom(seed: start)
                var (map, set, list) = before
                for step in 0..<1_200 {
                    // Neighbours, the two ends, and anywhere.
                    let number = round % 3 == 0 ? round * 10_000 + step : seed.below(20_000)
                    let text = "name \(number)"
                    // In the end more is removed.
                    let takesOut = seed.below(10) < (round < rounds * 2 / 3 ? 3 : 8)
                    if takesOut {
                        let found = try transaction.edit(Self.box, key, Self.map, .removeKey(text))
                        if found != (map.removeValue(forKey: text) != nil) { wrong.append("key \(text)") }
                        let held = try transaction.edit(Self.box, key, Self.set, .removeElement(.string(text)))
                        if held != (set.remove(text) != nil) { wrong.append("element \(text)") }
                        if !list.isEmpty {
                            let position = seed.below(list.count)
                            _ = try transaction.edit(Self.box, key, Self.list, .remove(at: position))
                            list.remove(at: position)
                        }
                    } else {
                        let value = Int64(seed.below(1_000_000))
                        _ = try transaction.edit(Self.box, key, Self.map, .put(.int(value), key: text))
                        map[text] = value
                        let isNew = try transaction.edit(Self.box, key, Self.set, .add(.string(text)))
                        if isNew != set.insert(text).inserted { wrong.append("new element \(text)") }
                        let position = seed.oneIn(2) ? list.count : seed.below(list.count + 1)
                        _ = try transaction.edit(Self.box, key, Self.list, .insert(.int(value), at: position))
                        list.insert(value, at: position)
                    }
                }
                return (map, set, list, wrong)
            }
            #expect(wrong == [], "seed \(random.seed), \(round)")
            let snapshot = try store.snapshot()
            let stored = ValueMap(map.map { ($0.key, .int($0.value)) })
            #expect(try snapshot.value(Self.box, key, Self.map) == .dictionary(stored), "seed \(random.seed), \(round)")
            let elements = set.map { Value.string($0) }.sorted { Value.order($0, $1) < 0 }
            #expect(try snapshot.value(Self.box, key, Self.set) == .set(elements), "seed \(random.seed), \(round)")
            #expect(
                try snapshot.value(Self.box, key, Self.list) == .list(list.map { .int($0) }),
                "seed \(random.seed), \(round)")
        }
    }

    @Test("very many edits of one map in one transaction are one edit of its change set")
    func manyEdits() throws {
        let directory = try TestDirectory()
        let store = try EmbeddedStore.open(path: directory.store, schema: Self.schema)
        defer { store.close() }
        let key = try store.write { try $0.create(Self.box, [:]) }
        let version = try store.write { transaction in
            for number in 0..<10_000 {
                _ = try transaction.edit(Self.box, key, Self.map, .put(.int(1), key: "name \(number &* 7919 % 10_000)"))
            }
            return transaction.version
        }
        let changes = try #require(try store.changes(after: Version(version.rawValue - 1))?.first)
        guard case .map(let edit)? = changes.classes[Self.box]?.edits[key]?[Self.map] else {
            Issue.record("no edit")
            return
        }
        #expect(edit.insertions.count == 10_000 && edit.deletions.isEmpty && edit.modifications.isEmpty)
    }

    @Test("deleting many objects deletes all their index entries and backlinks")
    func bulkDeletion() throws {
        var random = SeededRandom.ofTest()
        print("LargeCollectionTests bulk deletion seed \(random.seed)")
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Node", primaryKey: "id",
                    properties: [
                        PropertySchema("id", PropertyType(.string)),
                        PropertySchema("text", PropertyType(.string), isIndexed: true, isFullTextIndexed: false),
                        PropertySchema("words", PropertyType(.string), isFullTextIndexed: true),
                        PropertySchema("next", PropertyType(.link("Node"), isOptional: true)),
                        PropertySchema("more", PropertyType(.link("Node"), collection: .list)),
                        PropertySchema("any", PropertyType(.mixed)),
                        PropertySchema("part", PropertyType(.link("Part"), isOptional: true)),
                    ]),
                ClassSchema(
                    "Part", isEmbedded: true,
                    properties: [PropertySchema("of", PropertyType(.link("Node"), isOptional: true))]),
            ])
        let directory = try TestDirectory()
        var options = EmbeddedStoreOptions()
        options.clusterCapacity = 64
        let store = try EmbeddedStore.open(path: directory.store, schema: schema, options: options)
        defer { store.close() }
        let node = ClassID(1)
        @Sendable func property(_ number: UInt16) -> PropertyID { PropertyID(number) }
        let numbers = (0..<400).map { _ in random.below(1_000_000) }
        let start = random.next()
        let keys = try store.write { transaction in
            var random = SeededRandom(seed: start)
            var keys: [ObjectKey] = []
            for (index, number) in numbers.enumerated() {
                var values: [PropertyID: Value] = [
                    property(1): .string("\(number) \(index)"), property(2): .string("\(number % 50)"),
                    property(3): .string("word\(number % 7) and word\(number % 5)"),
                ]
                if let target = keys.randomElement(using: &random) {
                    values[property(4)] = .link(target)
                    values[property(5)] = .list([.link(target), .link(target), .link(keys[0])])
                    values[property(6)] = .reference(ObjectReference(node, target))
                    values[property(7)] = .embedded([PropertyID(1): .link(target)])
                }
                keys.append(try transaction.create(node, values))
            }
            return keys
        }
        let doomed = keys.filter { _ in random.oneIn(2) }
        try store.write { try $0.delete(node, doomed) }
        func check() throws {
            let copy = "\(directory.path)/copy \(random.next())"
            try store.writeCopy(to: copy, progress: nil)
            let faults = try EmbeddedStore.check(path: copy).faults
            #expect(faults.isEmpty, "seed \(random.seed): \(faults)")
        }
        try check()
        // Rolled-back changes leave everything as it was.
        struct Stop: Error {}
        let rest = keys.filter { !Set(doomed).contains($0) }
        #expect(throws: Stop.self) {
            try store.write { transaction in
                try transaction.delete(node, rest)
                throw Stop()
            }
        }
        try check()
        #expect(try store.snapshot().count(of: node) == rest.count)
    }
}
