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
}
