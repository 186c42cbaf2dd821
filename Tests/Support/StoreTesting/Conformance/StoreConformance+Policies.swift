import Basics
package import ObjectModel
package import StoreContract

extension StoreConformance {
    /// Creating an object whose primary key exists: rejected, updated where it differs, or assigned as a whole.
    package static func policies(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let ann = try store.write { Value.link(try $0.person("ann")) }
            func put(
                _ values: [String: Value], _ policy: UpdatePolicy
            ) throws -> (UpsertResult, [ClassID: ClassChanges]) {
                let before = try store.snapshot().version
                let result = try store.write { transaction in
                    try transaction.create(
                        HousesFixture.house.id,
                        HousesFixture.house.values(values.merging(["number": .int(1)]) { given, _ in given }),
                        update: policy)
                }
                return (result, try store.changes(after: before)?.first?.classes ?? [:])
            }
            let full: [String: Value] = [
                "colour": .string("red"), "main": ann, "owners": .list([ann, ann]), "guests": .set([ann]),
                "marks": .set([.int(2), .int(1)]), "tags": .list([.string("a"), .null, .string("c")]),
                "notes": HousesFixture.map(["a": .string("1"), "b": .null]), "any": .list([.int(1)]),
                "door": HousesFixture.door("green"),
                "rooms": .list([HousesFixture.room("hall"), HousesFixture.room("bath")]),
                "sheds": HousesFixture.map(["s": HousesFixture.room("shed")]),
            ]
            let (made, _) = try put(full, .modified)
            try requireEqual(made, UpsertResult(ObjectKey(0), .created), "a new house")
            let key = made.key
            let before = try store.snapshot()

            try requireError(.duplicateKey, "an existing key") { _ = try put(full, .error) }
            let (same, noChanges) = try put(full, .modified)
            try requireEqual(same, UpsertResult(key, .unchanged), "the same house again")
            try requireEqual(noChanges, [:], "changes of the same house again")
            let (nothing, none) = try put([:], .all)
            try requireEqual(nothing, UpsertResult(key, .unchanged), "a house by its key alone")
            try requireEqual(none, [:], "changes of a house by its key alone")

            // Only the differences, element by element; properties that are not given stay.
            let (changed, changes) = try put(
                [
                    "colour": .string("red"), "tags": .list([.string("a"), .string("b")]),
                    "marks": .set([.int(3), .int(1)]), "notes": HousesFixture.map(["a": .string("1"), "c": .null]),
                    "rooms": .list([
                        .embedded(HousesFixture.room.values(["size": .int(9)])), HousesFixture.room("bath"),
                        HousesFixture.room("new"),
                    ]),
                    "door": HousesFixture.door("blue"), "sheds": HousesFixture.map(["s": HousesFixture.room("shed")]),
                ], .modified)
            try requireEqual(changed, UpsertResult(key, .modified), "a house that differs")
            var houses = ClassChanges()
            houses.recordEdit(
                key, HousesFixture.house["tags"],
                .list(ListEdit(deletions: IndexRuns([2]), insertions: IndexRuns(), modifications: IndexRuns([1]))))
            houses.recordEdit(
                key, HousesFixture.house["marks"], .set(SetEdit(deletions: [.int(2)], insertions: [.int(3)])))
            houses.recordEdit(
                key, HousesFixture.house["notes"], .map(MapEdit(deletions: ["b"], insertions: ["c"], modifications: []))
            )
            houses.recordEdit(
                key, HousesFixture.house["rooms"],
                .list(ListEdit(deletions: IndexRuns(), insertions: IndexRuns([2]), modifications: IndexRuns())))
            try requireEqual(
                changes,
                [
                    HousesFixture.house.id: houses,
                    HousesFixture.room.id: ClassChanges(
                        insertions: [ObjectKey(3)],
                        modifications: [ObjectKey(0): PropertySet([HousesFixture.room["size"]])]),
                    HousesFixture.door.id: ClassChanges(modifications: [
                        ObjectKey(0): PropertySet([HousesFixture.door["colour"]])
                    ]),
                ], "changes of a house that differs")
            let after = try store.snapshot()
            try requireEqual(try after.house(key, "main"), ann, "what was not given")
            try requireEqual(
                try after.value(HousesFixture.room.id, ObjectKey(0), HousesFixture.room["name"]), .string("hall"),
                "what was not given of a room")

            // Given as links of its own, and null.
            let (turned, _) = try put(
                ["rooms": .list([.link(ObjectKey(1)), .link(ObjectKey(0))]), "door": .null], .modified)
            try requireEqual(turned.outcome, .modified, "rooms in another order")
            try requireEqual(
                try store.snapshot().house(key, "rooms"), .list([.link(ObjectKey(1)), .link(ObjectKey(0))]),
                "rooms in another order")
            try requireEqual(try store.snapshot().count(of: HousesFixture.door.id), 0, "doors without the house's")

            // As a whole: everything given is assigned, embedded objects are new.
            let (all, whole) = try put(
                [
                    "colour": .string("red"), "tags": .list([.string("a")]),
                    "rooms": .list([HousesFixture.room("only")]),
                ], .all)
            try requireEqual(all, UpsertResult(key, .modified), "a house assigned as a whole")
            try requireEqual(
                whole[HousesFixture.house.id]?.modifications,
                [key: PropertySet(["colour", "tags", "rooms"].map { HousesFixture.house[$0] })], "what was assigned")
            try requireEqual(
                whole[HousesFixture.house.id]?.edits[key]?[HousesFixture.house["tags"]],
                .list(ListEdit(replacing: 2, with: 1)),
                "a list assigned as a whole")
            try requireEqual(
                whole[HousesFixture.room.id],
                ClassChanges(insertions: [ObjectKey(4)], deletions: [ObjectKey(0), ObjectKey(1)]), "rooms")
            try requireEqual(try before.house(key, "tags"), full["tags"], "tags of the snapshot before")
            try requireEqual(before.count(of: HousesFixture.room.id), 3, "rooms of the snapshot before")
            try checkIntegrity(try store.snapshot())

            for policy in [UpdatePolicy.modified, .all] {
                try requireError(.noPrimaryKey, "updating a class without primary key") {
                    try store.write { _ = try $0.create(HousesFixture.person.id, [:], update: policy) }
                }
                try requireError(.missingValue, "no primary key given") {
                    try store.write { _ = try $0.create(HousesFixture.house.id, [:], update: policy) }
                }
                try requireError(.invalidValue, "a value that does not fit") {
                    _ = try put(["tags": .list([.int(1)])], policy)
                }
            }
            let person = try store.write { try $0.create(HousesFixture.person.id, [:], update: .error) }
            try requireEqual(person, UpsertResult(ObjectKey(1), .created), "a new person")
        }
    }
}
