import Foundation
import RealmSwift
import StoreTesting
import TestBasics
import Testing

/// Lists and dictionaries within mixed values are handles to places, which edits of the outer list move.
@Suite("Moved collections within mixed values")
struct NestedHandleTests {
    private static var parts: [AnyRealmValue] {
        [
            .fromArray([.int(3), .string("c")]), .int(5), .fromArray([.int(1)]), .fromDictionary(["n": .int(2)]),
            .fromArray([]), .string("x"), .fromArray([.fromArray([.int(9)]), .int(4)]),
        ]
    }

    /// The whole value as a text, whether it is stored or not.
    private static func text(_ value: AnyRealmValue) -> String {
        switch value {
        case .list(let list): "[" + list.map { text($0) }.joined(separator: " ") + "]"
        case .dictionary(let map):
            "{" + map.asKeyValueSequence().map { "\($0.key): \(text($0.value))" }.sorted().joined(separator: " ") + "}"
        case .int(let number): "\(number)"
        case .string(let string): string
        default: "?"
        }
    }

    private static func texts(_ list: List<AnyRealmValue>) -> [String] { list.map { text($0) } }

    private func open() throws -> (Realm, List<AnyRealmValue>) {
        let realm = try ParityRealm.open([NestedThing.self])
        let thing = try realm.write { realm.create(NestedThing.self) }
        try realm.write { thing.list.append(objectsIn: Self.parts) }
        return (realm, thing.list)
    }

    /// An edit of the same elements of a list of any kind.
    struct Edit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let list: @Sendable (inout List<AnyRealmValue>) -> Void
        let array: @Sendable (inout [String]) -> Void
    }

    private static let edits: [Edit] = [
        Edit(testDescription: "sort") {
            $0.sort { text($0) < text($1) }
        } array: {
            $0.sort()
        },
        Edit(testDescription: "sort descending") {
            $0.sort { text($0) > text($1) }
        } array: {
            $0.sort(by: >)
        },
        Edit(testDescription: "sort a part") {
            $0[1..<5].sort { text($0) < text($1) }
        } array: {
            $0[1..<5].sort()
        },
        Edit(testDescription: "shuffle") {
            var random = SeededRandom(seed: 5)
            $0.shuffle(using: &random)
        } array: {
            var random = SeededRandom(seed: 5)
            $0.shuffle(using: &random)
        },
        Edit(testDescription: "reverse") {
            $0.reverse()
        } array: {
            $0.reverse()
        },
        Edit(testDescription: "swapAt") {
            $0.swapAt(0, 6)
        } array: {
            $0.swapAt(0, 6)
        },
        Edit(testDescription: "assign one element to another place") {
            $0[0] = $0[6]
        } array: {
            $0[0] = $0[6]
        },
        Edit(testDescription: "append its own elements") {
            $0.append(objectsIn: $0)
        } array: {
            $0.append(contentsOf: $0)
        },
        Edit(testDescription: "insert its own elements first") {
            $0.insert(contentsOf: Array($0), at: 0)
        } array: {
            $0.insert(contentsOf: $0, at: 0)
        },
        Edit(testDescription: "a range replaced by another one") {
            let part = $0[4..<7]
            $0.replaceSubrange(0..<3, with: part)
        } array: {
            let part = $0[4..<7]
            $0.replaceSubrange(0..<3, with: part)
        },
    ]

    @Test(
        "List stored lists and dictionaries go along when a list is sorted, shuffled or turned", arguments: edits)
    func moved(_ edit: Edit) throws {
        var (realm, list) = try open()
        var expected = Self.parts.map { Self.text($0) }
        edit.array(&expected)
        try realm.write { edit.list(&list) }
        #expect(Self.texts(list) == expected)
        var unmanaged = List<AnyRealmValue>()
        unmanaged.append(objectsIn: Self.parts)
        edit.list(&unmanaged)
        #expect(Self.texts(unmanaged) == expected, "unmanaged")
    }

    @Test("List.partition moves stored lists without loss")
    func partition() throws {
        var (realm, list) = try open()
        let before = Self.texts(list).sorted()
        try realm.write {
            let first = list.partition { if case .list = $0 { true } else { false } }
            #expect(first == 3)
        }
        #expect(Self.texts(list).sorted() == before)
        #expect(list.suffix(4).allSatisfy { if case .list = $0 { true } else { false } })
    }

    @Test("Map a dictionary's stored list is assigned to another key, and to another property")
    func copied() throws {
        let realm = try ParityRealm.open([NestedThing.self])
        try realm.write {
            let thing = realm.create(NestedThing.self)
            thing.map["a"] = .fromArray([.int(1), .fromDictionary(["k": .int(2)])])
            thing.map["b"] = thing.map["a"]
            thing.any = thing.map["b"] ?? .none
            thing.map["a"]?.listValue?.append(.int(7))
            #expect(Self.text(thing.map["a"] ?? .none) == "[1 {k: 2} 7]")
            #expect(Self.text(thing.map["b"] ?? .none) == "[1 {k: 2}]")
            #expect(Self.text(thing.any) == "[1 {k: 2}]")
            // A part of the value takes the place of the whole.
            thing.any = thing.any.listValue?[1] ?? .none
            #expect(Self.text(thing.any) == "{k: 2}")
        }
    }

    /// An edit of a list's elements before or at those that are held.
    struct Shift: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let list: @Sendable (List<AnyRealmValue>) -> Void
        let array: @Sendable (inout [Int]) -> Void
    }

    private static let shifts: [Shift] = [
        Shift(testDescription: "insert first") {
            $0.insert(.int(0), at: 0)
        } array: {
            $0.insert(-1, at: 0)
        },
        Shift(testDescription: "insert between") {
            $0.insert(.int(0), at: 3)
        } array: {
            $0.insert(-1, at: 3)
        },
        Shift(testDescription: "append") {
            $0.append(.int(0))
        } array: {
            $0.append(-1)
        },
        Shift(testDescription: "remove first") {
            $0.remove(at: 0)
        } array: {
            $0.remove(at: 0)
        },
        Shift(testDescription: "remove a range") {
            $0.removeSubrange(1..<4)
        } array: {
            $0.removeSubrange(1..<4)
        },
        Shift(testDescription: "move to the end") {
            $0.move(from: 0, to: 6)
        } array: {
            $0.append($0.removeFirst())
        },
        Shift(testDescription: "move to the beginning") {
            $0.move(from: 6, to: 0)
        } array: {
            $0.insert($0.removeLast(), at: 0)
        },
        Shift(testDescription: "removeAll") {
            $0.removeAll()
        } array: {
            $0.removeAll()
        },
    ]

    /// Each held collection of the list, with its text. One is within another.
    private static func held(_ list: List<AnyRealmValue>) -> [(position: Int, list: List<AnyRealmValue>)] {
        var held = [0, 2, 4, 6].compactMap { position in list[position].listValue.map { (position, $0) } }
        if let inner = list[6].listValue?[0].listValue { held.append((6, inner)) }
        return held
    }

    @Test(
        "List a held collection follows its element, is invalid when that is removed, and is back after a roll-back",
        arguments: shifts, [false, true])
    func followed(_ shift: Shift, isNested: Bool) throws {
        let realm = try ParityRealm.open([NestedThing.self])
        let thing = try realm.write { realm.create(NestedThing.self) }
        try realm.write {
            if isNested {
                thing.list.append(.fromArray([.int(1), .fromArray(Self.parts)]))
            } else {
                thing.list.append(objectsIn: Self.parts)
            }
        }
        let list = isNested ? try #require(thing.list[0].listValue?[1].listValue) : thing.list
        let held = Self.held(list)
        let before = held.map { Self.texts($0.list) }
        func expectUnmoved(_ what: Comment) {
            #expect(held.map { Self.texts($0.list) } == before, what)
        }
        realm.beginWrite()
        shift.list(list)
        realm.cancelWrite()
        expectUnmoved("rolled back")

        var positions = Array(0..<Self.parts.count)
        shift.array(&positions)
        try realm.write { shift.list(list) }
        for (one, text) in zip(held, before) {
            #expect(one.list.isInvalidated == !positions.contains(one.position))
            guard !one.list.isInvalidated else { continue }
            #expect(Self.texts(one.list) == text)
            try realm.write { one.list.append(.int(77)) }
            #expect(Self.texts(one.list) == text + ["77"])
            let position = try #require(positions.firstIndex(of: one.position))
            #expect(Self.text(list[position]).contains("77"))
            try realm.write { one.list.removeLast() }
        }
    }

    @Test("Map a held dictionary follows a list's element, and so do collections in lists of dictionaries")
    func maps() throws {
        let (realm, list) = try open()
        let map = try #require(list[3].dictionaryValue)
        try realm.write {
            map["inner"] = .fromArray([.int(1), .fromDictionary(["deep": .int(2)])])
            let inner = try #require(map["inner"]?.listValue)
            let deep = try #require(inner[1].dictionaryValue)
            list.remove(at: 0)
            inner.insert(.int(0), at: 0)
            deep["more"] = .int(3)
            list.insert(.string("new"), at: 1)
            #expect(Self.text(list[3]) == "{inner: [0 1 {deep: 2 more: 3}] n: 2}")
            inner.remove(at: 2)
            #expect(deep.isInvalidated && !inner.isInvalidated && !map.isInvalidated)
        }
        #expect(map["n"] == .int(2) && map.count == 2)
    }
}
