import Basics
package import ObjectModel
import QueryLanguage
package import StoreContract
import TestBasics

extension StoreConformance {
    /// Lists keep their order, accept edits at positions that exist, and their change sets describe each edit.
    package static func lists(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let key = try store.write { try $0.house(1) }
            let tags = HousesFixture.house["tags"]
            @Sendable func value(_ texts: String...) -> Value { .list(texts.map { $0 == "-" ? .null : .string($0) }) }
            /// Nil for an edit that changes nothing, an empty one for changes that were undone.
            func expect(_ operations: [CollectionOperation], _ expected: Value, _ edit: ListEdit?) throws {
                let changes = try store.changes { transaction in
                    for operation in operations { try transaction.edit(key, "tags", operation) }
                }
                try requireEqual(try store.snapshot().house(key, "tags"), expected, "the list after \(operations)")
                var wanted = ClassChanges()
                if let edit { wanted.recordEdit(key, tags, .list(edit)) }
                try requireEqual(
                    changes, wanted.isEmpty ? [:] : [HousesFixture.house.id: wanted], "changes of \(operations)")
            }
            func edit(
                _ deletions: [Int], _ insertions: [Int], _ modifications: [Int] = [], moves: [ListEdit.Move] = []
            ) -> ListEdit {
                ListEdit(
                    deletions: IndexRuns(deletions), insertions: IndexRuns(insertions),
                    modifications: IndexRuns(modifications), moves: moves)
            }
            try expect([.append(.string("b")), .insert(.string("a"), at: 0)], value("a", "b"), edit([], [0, 1]))
            try expect([.insert(.null, at: 2)], value("a", "b", "-"), edit([], [2]))
            try expect([.replace(.string("B"), at: 1)], value("a", "B", "-"), edit([], [], [1]))
            try expect([.replace(.string("B"), at: 1)], value("a", "B", "-"), edit([], [], [1]))
            try expect(
                [.move(from: 0, to: 2)], value("B", "-", "a"),
                edit([0], [2], moves: [ListEdit.Move(from: 0, to: 2)]))
            try expect(
                [.move(from: 2, to: 0)], value("a", "B", "-"), edit([2], [0], moves: [ListEdit.Move(from: 2, to: 0)]))
            try expect([.move(from: 0, to: 2), .move(from: 2, to: 0)], value("a", "B", "-"), ListEdit())
            try expect([.move(from: 1, to: 1)], value("a", "B", "-"), nil)
            try expect([.remove(at: 0), .remove(at: 0)], value("-"), edit([0, 1], []))
            try expect([.append(.string("x")), .remove(at: 1)], value("-"), ListEdit())
            try expect([.removeAll], value(), edit([0], []))
            try expect([.removeAll], value(), nil)

            let replaced = try store.changes { try $0.set(key, ["tags": value("p", "q", "r")]) }
            try requireEqual(
                replaced[HousesFixture.house.id]?.edits, [key: [tags: .list(ListEdit(replacing: 0, with: 3))]],
                "edits of an assignment")
            let again = try store.changes { try $0.set(key, ["tags": value("p", "q")]) }
            try requireEqual(
                again[HousesFixture.house.id]?.edits, [key: [tags: .list(ListEdit(replacing: 3, with: 2))]],
                "edits of a second assignment")
            let wrong: [CollectionOperation] = [
                .insert(.null, at: 3), .insert(.null, at: -1), .replace(.null, at: 2), .remove(at: 2), .remove(at: -1),
                .move(from: 2, to: 0), .move(from: 0, to: 2),
            ]
            for operation in wrong {
                try requireError(.indexOutOfBounds, "\(operation) of two") {
                    try store.write { _ = try $0.edit(key, "tags", operation) }
                }
            }
            try requireError(.notFound, "an edit of an object that does not exist") {
                try store.write { _ = try $0.edit(ObjectKey(99), "tags", .removeAll) }
            }
            try requireError(.unknownProperty, "an edit of no property") {
                try store.write { _ = try $0.edit(HousesFixture.house.id, key, PropertyID(99), .removeAll) }
            }
            try requireEqual(try store.snapshot().house(key, "tags"), value("p", "q"), "the list after refusals")
        }
    }

    /// A list of thousands of elements, edited all over and compared with an array.
    package static func longLists(_ make: (Schema) throws -> any Store, seed: UInt64, steps: Int = 400) throws {
        try seeded(seed) { random in
            try with(make, HousesFixture.schema) { store in
                var expected = (0..<3000).map { Value.string("t\($0)") }
                let given = expected
                let key = try store.write { try $0.house(1, ["tags": .list(given)]) }
                var operations: [CollectionOperation] = []
                for step in 0..<steps {
                    let index = random.below(expected.count)
                    let value: Value = random.oneIn(9) ? .null : .string("s\(step)")
                    switch random.below(6) {
                    case 0:
                        expected.insert(value, at: index)
                        operations.append(.insert(value, at: index))
                    case 1:
                        expected[index] = value
                        operations.append(.replace(value, at: index))
                    case 2:
                        let target = random.below(expected.count)
                        expected.insert(expected.remove(at: index), at: target)
                        operations.append(.move(from: index, to: target))
                    case 3:
                        // A run, so that blocks empty.
                        for _ in 0..<min(random.below(60), expected.count - index) {
                            expected.remove(at: index)
                            operations.append(.remove(at: index))
                        }
                    default:
                        expected.append(value)
                        operations.append(.append(value))
                    }
                    guard step % 40 == 39 else { continue }
                    let batch = operations
                    operations = []
                    let before = try store.snapshot()
                    let old = try before.house(key, "tags")
                    let changes = try store.changes { for operation in batch { try $0.edit(key, "tags", operation) } }
                    let snapshot = try store.snapshot()
                    try requireEqual(try snapshot.house(key, "tags"), .list(expected), "the list after \(step) steps")
                    try requireEqual(
                        try snapshot.elementCount(HousesFixture.house.id, key, HousesFixture.house["tags"]),
                        expected.count, "count")
                    let start = random.below(expected.count)
                    try requireEqual(
                        try snapshot.elements(
                            HousesFixture.house.id, key, HousesFixture.house["tags"], start..<start + 50),
                        Array(expected[start...].prefix(50)), "elements from \(start)")
                    try check(
                        ChangeSet(version: snapshot.version, classes: changes), from: before, to: snapshot)
                    try requireEqual(try before.house(key, "tags"), old, "the list of the snapshot before")
                }
            }
        }
    }

    /// Sets hold each value once, in order; of equal ones the first stays.
    package static func sets(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let marks = HousesFixture.house["marks"]
            let key = try store.write { try $0.house(1, ["marks": .set([.int(5), .int(1), .int(5)])]) }
            try requireEqual(try store.snapshot().house(key, "marks"), .set([.int(1), .int(5)]), "a set given")
            try store.write { transaction in
                try requireEqual(try transaction.edit(key, "marks", .add(.int(1))), false, "adding what is there")
                try requireEqual(try transaction.edit(key, "marks", .add(.int(3))), true, "adding")
                try requireEqual(try transaction.edit(key, "marks", .removeElement(.int(4))), false, "removing nothing")
                try requireEqual(try transaction.edit(key, "marks", .removeElement(.int(5))), true, "removing")
            }
            try requireEqual(try store.snapshot().house(key, "marks"), .set([.int(1), .int(3)]), "the edited set")
            let nothing = try store.changes { try $0.edit(key, "marks", .add(.int(3))) }
            try requireEqual(nothing, [:], "changes of adding what is there")
            let changes = try store.changes { try $0.set(key, ["marks": .set([.int(9), .int(3)])]) }
            try requireEqual(
                changes[HousesFixture.house.id]?.edits,
                [key: [marks: .set(SetEdit(deletions: [.int(1)], insertions: [.int(9)]))]], "edits of an assignment")
            let cleared = try store.changes { try $0.edit(key, "marks", .removeAll) }
            try requireEqual(
                cleared[HousesFixture.house.id]?.edits, [key: [marks: .set(SetEdit(deletions: [.int(3), .int(9)]))]],
                "edits of clearing")
            try requireEqual(try store.write { try $0.edit(key, "marks", .removeAll) }, false, "clearing nothing")

            // Numbers are one element whatever their type, texts and data are not.
            let mixed: [Value] = [
                .string("a"), .double(1), .int(1), .null, .data([97]), .bool(true), .float(1), .null, .string("a"),
            ]
            try store.write { try $0.set(key, ["anySet": .set(mixed)]) }
            let stored: Value = .set([.null, .bool(true), .double(1), .string("a"), .data([97])])
            try requireEqual(try store.snapshot().house(key, "anySet"), stored, "a set of mixed values")
            try requireEqual(try store.write { try $0.edit(key, "anySet", .add(.int(1))) }, false, "adding 1 to 1.0")
            try requireEqual(
                try store.write { try $0.edit(key, "anySet", .removeElement(.int(1))) }, true, "removing 1")
            for collection: Value in [.list([]), .dictionary(ValueMap())] {
                try requireError(.invalidValue, "a collection in a set of mixed values") {
                    try store.write { _ = try $0.edit(key, "anySet", .add(collection)) }
                }
            }
        }
    }

    /// Maps are ordered by the bytes of their keys, and compare keys by them.
    package static func maps(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let notes = HousesFixture.house["notes"]
            let given = HousesFixture.map([
                "b": .string("1"), "": .null, "é": .string("2"), "e\u{301}": .string("3"), "B": .null,
            ])
            let key = try store.write { try $0.house(1, ["notes": given]) }
            let snapshot = try store.snapshot()
            try requireEqual(try snapshot.house(key, "notes"), given, "a map given")
            try requireEqual(
                try snapshot.elements(HousesFixture.house.id, key, notes, 0..<9),
                [.null, .null, .string("1"), .string("3"), .string("2")], "values in the order of keys")
            try store.write { transaction in
                try requireEqual(try transaction.edit(key, "notes", .removeKey("x")), false, "removing no key")
                try requireEqual(try transaction.edit(key, "notes", .removeKey("é")), true, "removing a key")
                try requireEqual(
                    try transaction.edit(key, "notes", .put(.string("1"), key: "b")), true, "the same again")
                try requireEqual(try transaction.edit(key, "notes", .put(.null, key: "c")), true, "a new key")
            }
            let after = HousesFixture.map([
                "b": .string("1"), "": .null, "c": .null, "e\u{301}": .string("3"), "B": .null,
            ])
            try requireEqual(try store.snapshot().house(key, "notes"), after, "the edited map")
            let version = try store.snapshot().version
            let edits = try store.changes(after: Version(version.rawValue - 1))?.first?.classes[HousesFixture.house.id]?
                .edits
            try requireEqual(
                edits,
                [key: [notes: .map(MapEdit(deletions: ["é"], insertions: ["c"], modifications: ["b"]))]],
                "edits of the map")
            let assigned = try store.changes {
                try $0.set(key, ["notes": HousesFixture.map(["b": .null, "d": .null])])
            }
            try requireEqual(
                assigned[HousesFixture.house.id]?.edits,
                [
                    key: [
                        notes: .map(
                            MapEdit(
                                deletions: ["", "c", "e\u{301}", "B"], insertions: ["d"], modifications: ["b"]))
                    ]
                ], "edits of an assignment")
            try requireEqual(try store.changes { try $0.edit(key, "notes", .removeKey("x")) }, [:], "no changes")
            try requireEqual(try store.write { try $0.edit(key, "notes", .removeAll) }, true, "clearing")
            try requireEqual(try store.write { try $0.edit(key, "notes", .removeAll) }, false, "clearing nothing")
            for (wrong, property) in [
                ("$", "notes"), ("$a", "roles"), ("a.b", "notes"), (".", "anyMap"), ("$x", "sheds"),
            ] {
                try requireError(.invalidMapKey, "the key '\(wrong)'") {
                    try store.write { _ = try $0.edit(key, property, .put(.null, key: wrong)) }
                }
                try requireError(.invalidMapKey, "the key '\(wrong)' in an assignment") {
                    try store.write { try $0.set(key, [property: .dictionary(ValueMap([(wrong, .null)]))]) }
                }
                try requireError(.invalidMapKey, "the key '\(wrong)' in a mixed value") {
                    try store.write { try $0.set(key, ["any": .list([.dictionary(ValueMap([(wrong, .null)]))])]) }
                }
            }
            try requireEqual(try store.write { try $0.edit(key, "notes", .put(.null, key: "a$")) }, true, "a$")
        }
    }

    /// Lengths and depths up to the limit are stored unchanged, one more is rejected.
    package static func limits(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let key = try store.write { try $0.house(1) }
            let longest = String(repeating: "x", count: ValueRules.maximumStringBytes)
            let longestData = [UInt8](repeating: 7, count: ValueRules.maximumDataBytes)
            try store.write { transaction in
                try transaction.set(key, ["colour": .string(longest), "any": .data(longestData)])
            }
            let snapshot = try store.snapshot()
            try require(try snapshot.house(key, "colour") == .string(longest), "the longest text comes back")
            try require(try snapshot.house(key, "any") == .data(longestData), "the longest data comes back")
            let tooLong: [(String, Value)] = [
                ("colour", .string(longest + "x")), ("any", .data(longestData + [1])),
                ("tags", .list([.string(longest + "x")])),
                ("any", .list([.string(longest + "x")])),
            ]
            for (property, value) in tooLong {
                try requireError(.valueTooLarge, "a value beyond the limit for '\(property)'") {
                    try store.write { try $0.set(key, [property: value]) }
                }
            }
            try requireError(.valueTooLarge, "an element beyond the limit") {
                try store.write { _ = try $0.edit(key, "notes", .put(.string(longest + "x"), key: "k")) }
            }
            @Sendable func nested(_ depth: Int) -> Value {
                (0..<depth).reduce(.int(1)) { inner, level in
                    level % 2 == 0 ? .list([inner, .null]) : .dictionary(ValueMap([("k", inner)]))
                }
            }
            let deepest = nested(ValueRules.maximumDepth)
            try store.write { transaction in
                try transaction.set(key, ["any": deepest, "colour": .null])
                try transaction.edit(key, "anyList", .append(deepest))
                try transaction.edit(key, "anyMap", .put(deepest, key: "k"))
            }
            try require(try store.snapshot().house(key, "any") == deepest, "the deepest value comes back")
            try require(
                try store.snapshot().house(key, "anyList") == .list([deepest]), "the deepest element comes back")
            try requireError(.tooDeep, "a value one deeper") {
                try store.write { try $0.set(key, ["any": nested(ValueRules.maximumDepth + 1)]) }
            }
            try requireError(.tooDeep, "an element one deeper") {
                try store.write { _ = try $0.edit(key, "anyList", .append(nested(ValueRules.maximumDepth + 1))) }
            }
        }
    }
}
