import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("Values and collections that do not fit into a leaf")
struct LargeValueTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Note", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.int)),
                    PropertySchema("text", PropertyType(.string, isOptional: true)),
                    PropertySchema("body", PropertyType(.data)),
                    PropertySchema("any", PropertyType(.mixed)),
                    PropertySchema("numbers", PropertyType(.int, isOptional: true, collection: .list)),
                    PropertySchema("words", PropertyType(.string, collection: .set)),
                    PropertySchema("rates", PropertyType(.mixed, collection: .map)),
                    PropertySchema("next", PropertyType(.link("Note"), collection: .list)),
                ])
        ])
    private static let note = ClassID(1)
    private static let id = PropertyID(1)
    private static let text = PropertyID(2)
    private static let body = PropertyID(3)
    private static let any = PropertyID(4)
    private static let numbers = PropertyID(5)
    private static let words = PropertyID(6)
    private static let rates = PropertyID(7)
    private static let next = PropertyID(8)

    private func open(_ name: String = "store") throws -> EmbeddedStore {
        try EmbeddedStore.open(path: directory.path + "/" + name, schema: Self.schema, options: smallClusters())
    }

    /// Closes the store and opens its file again.
    private func reopen(_ store: inout EmbeddedStore?) throws {
        store?.close()
        // The file is released with the last reference.
        store = nil
        store = try open()
    }

    @Test(
        "a value of any length is read back, inside the transaction, after it and after reopening",
        arguments: [0, 1, 1023, 1024, 1025, 4096, 70_000, 3_000_000])
    func lengths(_ length: Int) throws {
        let text = String(repeating: "ö", count: length / 2) + String(repeating: "x", count: length % 2)
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let values: [PropertyID: Value] = [
            Self.id: .int(1), Self.text: .string(text), Self.body: .data(bytes),
            Self.any: .list([.string(text), .data(bytes)]),
        ]
        var open: EmbeddedStore? = try self.open()
        let key = try #require(open).write { transaction in
            _ = try transaction.create(Self.note, [Self.id: .int(0)])
            let key = try transaction.create(Self.note, values)
            for (property, value) in values { #expect(try transaction.value(Self.note, key, property) == value) }
            return key
        }
        for _ in 0..<2 {
            do {
                let snapshot = try #require(open).snapshot()
                for (property, value) in values { #expect(try snapshot.value(Self.note, key, property) == value) }
                var sink = ValueSink()
                try snapshot.read(Self.note, [key], [Self.body, Self.text, Self.any], into: &sink)
                #expect(
                    sink.rows.first?.values == [.data(bytes), .string(text), .list([.string(text), .data(bytes)])])
            }
            try reopen(&open)
        }
        let store = try #require(open)
        // A shorter value replaces it, then null, and the long one is back when the work is rolled back.
        try store.write { try $0.set(Self.note, key, [Self.text: .string("short"), Self.body: .data([1])]) }
        #expect(try store.snapshot().value(Self.note, key, Self.text) == .string("short"))
        try store.write { try $0.set(Self.note, key, [Self.text: .string(text)]) }
        struct GivenUp: Error {}
        #expect(throws: GivenUp.self) {
            try store.write { transaction in
                try transaction.set(Self.note, key, [Self.text: .null, Self.any: .null])
                try transaction.delete(Self.note, key)
                throw GivenUp()
            }
        }
        #expect(try store.snapshot().value(Self.note, key, Self.text) == .string(text))
        #expect(try store.snapshot().value(Self.note, key, Self.any) == values[Self.any])
        store.close()
    }

    @Test("values above Realm's limits are rejected, and change nothing")
    func limits() throws {
        let store = try open()
        defer { store.close() }
        let key = try store.write { try $0.create(Self.note, [Self.id: .int(1)]) }
        let longest = String(repeating: "a", count: ValueRules.maximumStringBytes)
        try store.write {
            try $0.set(Self.note, key, [Self.text: .string(longest)])
            try $0.set(Self.note, key, [Self.body: .data([UInt8](repeating: 7, count: ValueRules.maximumDataBytes))])
        }
        for value: [PropertyID: Value] in [
            [Self.text: .string(longest + "a")], [Self.any: .string(longest + "a")],
            [Self.words: .set([.string(longest + "a")])],
            [Self.body: .data([UInt8](repeating: 7, count: ValueRules.maximumDataBytes + 1))],
        ] {
            let error = #expect(throws: StoreError.self) { try store.write { try $0.set(Self.note, key, value) } }
            #expect(error?.code == .valueTooLarge)
        }
        let snapshot = try store.snapshot()
        #expect(try snapshot.value(Self.note, key, Self.text) == .string(longest))
        guard case .data(let bytes) = try snapshot.value(Self.note, key, Self.body) else { return #expect(Bool(false)) }
        #expect(bytes.count == ValueRules.maximumDataBytes && bytes.allSatisfy { $0 == 7 })
    }

    @Test("queries read texts inside and outside leaves")
    func queries() throws {
        let store = try open()
        defer { store.close() }
        var random = SeededRandom.ofTest()
        var texts: [String?] = []
        for _ in 0..<400 {
            let length = random.pick([0, 5, 1000, 1024, 1025, 3000]) ?? 0
            texts.append(
                random.oneIn(9) ? nil : "k\(random.below(5))" + String(repeating: "é", count: length / 2) + "z")
        }
        let all = texts
        try store.write { transaction in
            for (index, text) in all.enumerated() {
                _ = try transaction.create(
                    Self.note, [Self.id: .int(Int64(index)), Self.text: text.map { .string($0) } ?? .null])
            }
        }
        let snapshot = try store.snapshot()
        func keys(_ filter: String) throws -> [Int64] {
            let query = try QueryBinder(schema: snapshot.schema).bind(filter, class: Self.schema.classes[0])
            return try snapshot.select(query, Window()).map(\.rawValue)
        }
        func expected(_ test: (String?) -> Bool) -> [Int64] {
            all.indices.filter { test(all[$0]) }.map(Int64.init)
        }
        #expect(try keys("text BEGINSWITH 'k3'") == expected { $0?.hasPrefix("k3") ?? false })
        #expect(try keys("text ENDSWITH 'éz'") == expected { $0?.hasSuffix("éz") ?? false })
        #expect(try keys("text CONTAINS[c] 'Éz'") == expected { $0?.contains("éz") ?? false })
        #expect(try keys("text == null") == expected { $0 == nil })
        let long = try #require(all.compactMap { $0 }.first { $0.utf8.count > 2000 })
        #expect(try keys("text == '\(long)'") == expected { $0 == long })
        let sorted = try keys("text != null SORT(text DESC)")
        #expect(sorted.count == all.count { $0 != nil })
        for (a, b) in zip(sorted, sorted.dropFirst()) {
            #expect(Value.orderBytes(all[Int(a)] ?? "", all[Int(b)] ?? "") >= 0)
        }
    }

    @Test(
        "large lists, sets and maps are edited in place, rolled back and read by position",
        arguments: 0..<TestRun.length)
    func largeCollections(_ run: Int) throws {
        let seed = TestSeed.of(run)
        print("large collections seed \(seed)")
        var random = SeededRandom(seed: seed)
        var open: EmbeddedStore? = try self.open()
        var list: [Value] = []
        var set: Set<String> = []
        var map: [String: Value] = [:]
        let key = try #require(open).write { try $0.create(Self.note, [Self.id: .int(1)]) }
        struct GivenUp: Error {}
        for step in 0..<60 {
            var operations: [(PropertyID, CollectionOperation)] = []
            var (nextList, nextSet, nextMap) = (list, set, map)
            let grows = step < 30
            for _ in 0..<1 + random.below(grows ? 400 : 500) {
                switch random.below(7) {
                case 0, 1:
                    let value: Value = random.oneIn(8) ? .null : .int(Int64(random.below(1 << 20)))
                    let position = random.oneIn(2) ? nextList.count : random.below(nextList.count + 1)
                    guard grows || random.oneIn(4) else { continue }
                    nextList.insert(value, at: position)
                    operations.append((Self.numbers, .insert(value, at: position)))
                case 2 where !nextList.isEmpty:
                    let position = random.below(nextList.count)
                    if grows, random.oneIn(3) {
                        nextList[position] = .int(-1)
                        operations.append((Self.numbers, .replace(.int(-1), at: position)))
                    } else {
                        nextList.remove(at: position)
                        operations.append((Self.numbers, .remove(at: position)))
                    }
                case 3 where !nextList.isEmpty:
                    let from = random.below(nextList.count)
                    let to = random.below(nextList.count)
                    nextList.insert(nextList.remove(at: from), at: to)
                    operations.append((Self.numbers, .move(from: from, to: to)))
                case 4, 5:
                    let word = "word \(random.below(grows ? 3000 : 900))"
                    if grows || random.oneIn(5) {
                        nextSet.insert(word)
                        nextMap[word] = .string(String(repeating: "v", count: random.below(40)))
                        operations.append((Self.words, .add(.string(word))))
                        operations.append((Self.rates, .put(nextMap[word] ?? .null, key: word)))
                    } else {
                        nextSet.remove(word)
                        nextMap[word] = nil
                        operations.append((Self.words, .removeElement(.string(word))))
                        operations.append((Self.rates, .removeKey(word)))
                    }
                case 6 where random.oneIn(150):
                    nextList = []
                    operations.append((Self.numbers, .removeAll))
                default: break
                }
            }
            let all = operations
            let givesUp = random.oneIn(4)
            do {
                try #require(open).write { transaction in
                    for (property, operation) in all { try transaction.edit(Self.note, key, property, operation) }
                    if givesUp { throw GivenUp() }
                }
                (list, set, map) = (nextList, nextSet, nextMap)
            } catch is GivenUp {}
            if random.oneIn(10) { try reopen(&open) }
            let snapshot = try #require(open).snapshot()
            #expect(try snapshot.elementCount(Self.note, key, Self.numbers) == list.count)
            let start = random.below(list.count + 1)
            #expect(
                try snapshot.elements(Self.note, key, Self.numbers, start..<start + 5)
                    == Array(list[start..<min(list.count, start + 5)]))
            guard step % 5 == 0 else { continue }
            #expect(try snapshot.value(Self.note, key, Self.numbers) == .list(list))
            #expect(
                try snapshot.value(Self.note, key, Self.words)
                    == ValueRules.normalised(.set(set.map { .string($0) })))
            #expect(
                try snapshot.value(Self.note, key, Self.rates)
                    == .dictionary(ValueMap(map.map { ($0.key, $0.value) })))
        }
    }

    @Test("a list of links of maximum length keeps its backlinks")
    func links() throws {
        let store = try open()
        defer { store.close() }
        let (holder, targets) = try store.write { transaction in
            let targets = try (0..<5000).map { try transaction.create(Self.note, [Self.id: .int($0)]) }
            let holder = try transaction.create(
                Self.note, [Self.id: .int(-1), Self.next: .list((targets + targets).map { .link($0) })])
            return (holder, targets)
        }
        var snapshot = try store.snapshot()
        #expect(try snapshot.elementCount(Self.note, holder, Self.next) == 10_000)
        #expect(try snapshot.backlinks(to: targets[77], from: Self.note, Self.next) == [holder, holder])
        try store.write { transaction in
            for target in targets.prefix(100) { try transaction.delete(Self.note, target) }
            try transaction.edit(Self.note, holder, Self.next, .remove(at: 0))
        }
        snapshot = try store.snapshot()
        #expect(try snapshot.elementCount(Self.note, holder, Self.next) == 9799)
        #expect(try snapshot.backlinks(to: targets[100], from: Self.note, Self.next) == [holder])
        #expect(try snapshot.elements(Self.note, holder, Self.next, 0..<1) == [.link(targets[101])])
        try store.write { try $0.delete(Self.note, holder) }
        #expect(try store.snapshot().backlinks(to: targets[200], from: Self.note, Self.next).isEmpty)
    }

    @Test("Int primary keys are found in every pattern of blocks", arguments: 0..<TestRun.length)
    func integerKeys(_ run: Int) throws {
        let seed = TestSeed.of(run)
        print("integer keys seed \(seed)")
        var random = SeededRandom(seed: seed)
        var open: EmbeddedStore? = try self.open()
        var known: [Int64: ObjectKey] = [:]
        for _ in 0..<25 {
            let bases: [Int64] = [0, 1 << 40, -300, .max - 600, .min + 2, 255]
            let base = random.pick(bases) ?? 0
            let stride = random.pick([1, 1, 2, 300]) ?? 1
            let wanted = (0..<1 + random.below(600)).compactMap { index -> Int64? in
                let (value, overflow) = base.addingReportingOverflow(Int64(index * stride))
                return overflow || known[value] != nil ? nil : value
            }
            let doomed = known.keys.sorted().filter { _ in random.oneIn(5) }
            let present = known
            known = try #require(open).write { transaction in
                var known = present
                for value in wanted { known[value] = try transaction.create(Self.note, [Self.id: .int(value)]) }
                for value in doomed {
                    guard let key = known.removeValue(forKey: value) else { continue }
                    try transaction.delete(Self.note, key)
                }
                return known
            }
            if random.oneIn(6) { try reopen(&open) }
            let snapshot = try #require(open).snapshot()
            for (value, key) in known {
                #expect(try snapshot.key(of: Self.note, primaryKey: .int(value)) == key)
            }
            for value in doomed { #expect(try snapshot.key(of: Self.note, primaryKey: .int(value)) == nil) }
        }
    }
}
