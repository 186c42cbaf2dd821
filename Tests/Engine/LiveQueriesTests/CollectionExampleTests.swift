import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import StoreContract
import Testing

/// Worked examples for lists, sets and maps, with the numbers of their series.
struct CollectionExampleTests {
    typealias Work = @Sendable (any WriteTransaction) throws -> Void
    typealias Difference = LiveCollectionChange.Difference

    struct Example: Sendable, CustomTestStringConvertible {
        let number: Int
        var keyPaths: [String] = []
        let expected: Difference?
        let works: [Work]
        var testDescription: String { "example \(number)" }

        init(
            _ number: Int, d: [Int] = [], i: [Int] = [], m: [Int] = [], at: [Int]? = nil, keyPaths: [String] = [],
            then second: Work? = nil, _ work: @escaping Work
        ) {
            let changes = IndexChanges(
                deletions: d, insertions: i, modifications: m, modificationsNew: at ?? m)
            self.init(
                number, changes.isEmpty ? nil : .positions(changes), keyPaths, [work] + (second.map { [$0] } ?? []))
        }

        init(keys number: Int, d: [String] = [], i: [String] = [], m: [String] = [], _ work: @escaping Work) {
            self.init(number, .keys(deletions: d, insertions: i, modifications: m), [], [work])
        }

        private init(_ number: Int, _ expected: Difference?, _ keyPaths: [String], _ works: [Work]) {
            self.number = number
            self.expected = expected
            self.keyPaths = keyPaths
            self.works = works
        }
    }

    private func check(_ example: Example, _ property: PropertyID, in holders: HolderStore) throws {
        let (recorder, token) = try holders.observe(property, example.keyPaths)
        #expect(recorder.hasBegun)
        if example.works.count == 1 {
            try holders.write(example.works[0])
        } else {
            try holders.writeAtOnce(example.works)
        }
        #expect(recorder.takeChanges() == (example.expected.map { [$0] } ?? []))
        #expect(recorder.faults == [])
        token.cancel()
        holders.store.close()
    }

    private static let numbers = HolderStore.numbers
    private static let members = HolderStore.members
    private static let prices = HolderStore.prices

    static let lists: [Example] = [
        Example(25, i: [4]) { try $0.edit(numbers, .append(.int(9))) },
        Example(26, m: [2]) { try $0.edit(numbers, .replace(.int(7), at: 2)) },
        Example(27, d: [1], i: [0], m: [2], at: [2]) {
            try $0.edit(numbers, .remove(at: 1), .insert(.int(1), at: 0), .replace(.int(70), at: 2))
        },
        Example(28, d: [0], i: [2]) { try $0.edit(numbers, .move(from: 0, to: 2)) },
        Example(29, d: [0, 3], i: [0, 3]) { try $0.edit(numbers, .move(from: 0, to: 3), .move(from: 2, to: 0)) },
        Example(30, d: [0, 1, 2, 3], i: [0]) { try $0.edit(numbers, .removeAll, .append(.int(5))) },
        Example(31) { try $0.edit(numbers, .append(.int(9)), .remove(at: 4)) },
        Example(32, d: [1]) { try $0.edit(numbers, .replace(.int(60), at: 1), .remove(at: 1)) },
        Example(33, i: [0]) { try $0.edit(numbers, .insert(.int(0), at: 0), .replace(.int(3), at: 0)) },
        Example(34, d: [1], i: [3]) { try $0.edit(numbers, .replace(.int(60), at: 1), .move(from: 1, to: 3)) },
        Example(35, d: [0, 1, 2, 3]) { try $0.deleteHolder() },
    ]

    @Test("lists report the positions of edits", arguments: lists)
    func list(_ example: Example) throws {
        let numbers: Value = .list([.int(5), .int(6), .int(7), .int(8)])
        try check(example, Self.numbers, in: HolderStore([Self.numbers: numbers]))
    }

    @Test("an empty list whose owner is deleted reports nothing (36), then or later")
    func emptyList() throws {
        try check(Example(36) { try $0.deleteHolder() }, Self.numbers, in: HolderStore())
    }

    static let links: [Example] = [
        Example(37, m: [0, 2]) { try $0.name(0, "X") },
        Example(38, i: [3]) {
            try $0.edit(members, .append(.link(ObjectKey(2))))
            try $0.name(2, "Z")
        },
        Example(39, i: [3], m: [1]) {
            try $0.edit(members, .append(.link(ObjectKey(1))))
            try $0.name(1, "Y")
        },
        Example(40, d: [0, 2]) { try $0.delete(HolderStore.person, ObjectKey(0)) },
        Example(41, m: [1]) { try $0.name(5, "three links away") },
        Example(42) { try $0.name(6, "four links away") },
        Example(43, keyPaths: ["name"]) { try $0.set(HolderStore.person, ObjectKey(1), [HolderStore.boss: .null]) },
        Example(44, m: [1], keyPaths: ["boss.name"]) {
            try $0.set(HolderStore.person, ObjectKey(1), [HolderStore.boss: .link(ObjectKey(6))])
        },
        Example(45, m: [0, 2], then: { try $0.edit(members, .move(from: 2, to: 0)) }) {
            try $0.edit(members, .move(from: 0, to: 2))
            try $0.name(0, "X")
        },
    ]

    @Test("lists of links also report changes behind the links", arguments: links)
    func linkList(_ example: Example) throws {
        // x, y and z, then y's bosses one above the other.
        let holders = try HolderStore(people: ["x", "y", "z", "b1", "b2", "b3", "b4"])
        try holders.store.write { transaction in
            for (person, boss) in [(1, 3), (3, 4), (4, 5), (5, 6)] as [(Int64, Int64)] {
                try transaction.set(HolderStore.person, ObjectKey(person), [HolderStore.boss: .link(ObjectKey(boss))])
            }
            for person in [0, 1, 0] as [Int64] { try transaction.edit(Self.members, .append(.link(ObjectKey(person)))) }
        }
        try check(example, Self.members, in: holders)
    }

    static let maps: [Example] = [
        Example(keys: 46, m: ["elm"], { try $0.edit(prices, .put(.double(2), key: "elm")) }),
        Example(
            keys: 47, d: ["ash"], i: ["fir"], { try $0.edit(prices, .put(.double(4), key: "fir"), .removeKey("ash")) }),
        Example(
            keys: 48, d: ["ash", "elm", "oak"], i: ["oak"],
            { try $0.edit(prices, .removeAll, .put(.double(9), key: "oak")) }),
    ]

    @Test("maps report keys", arguments: maps)
    func map(_ example: Example) throws {
        let trees: Value = .dictionary(ValueMap([("ash", .double(1)), ("elm", .double(2)), ("oak", .double(3))]))
        try check(example, Self.prices, in: HolderStore([Self.prices: trees]))
    }

    @Test("a map whose linked object is deleted holds null in its place, which is a modification (49)")
    func deletedValue() throws {
        let holders = try HolderStore(people: ["x", "y"])
        try holders.store.write { transaction in
            for (person, key) in [(0, "a"), (1, "b")] as [(Int64, String)] {
                try transaction.edit(HolderStore.roles, .put(.link(ObjectKey(person)), key: key))
            }
        }
        try check(
            Example(keys: 49, m: ["a"], { try $0.delete(HolderStore.person, ObjectKey(0)) }), HolderStore.roles,
            in: holders)
    }
}
