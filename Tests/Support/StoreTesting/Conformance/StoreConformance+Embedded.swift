import Basics
package import ObjectModel
import QueryLanguage
package import StoreContract

extension StoreConformance {
    /// Embedded objects are created where they are assigned, belong to that property alone, and are deleted when it is
    /// assigned something else.
    package static func embedded(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let key = try store.write { transaction in
                try transaction.house(
                    1,
                    [
                        "door": HousesFixture.door("red"),
                        "rooms": .list([
                            HousesFixture.room("hall", ["door": HousesFixture.door("blue")]),
                            HousesFixture.room("bath", ["size": .int(3)]),
                        ]),
                        "sheds": HousesFixture.map(["s": HousesFixture.room("shed"), "none": .null]),
                    ])
            }
            let first = try store.snapshot()
            try checkIntegrity(first)
            try requireEqual(first.count(of: HousesFixture.room.id), 3, "rooms made with the house")
            try requireEqual(first.count(of: HousesFixture.door.id), 2, "doors made with the house and its rooms")
            // Keys are assigned from the outside in, properties in the order of their numbers.
            try requireEqual(try first.house(key, "door"), .link(ObjectKey(0)), "the door's key")
            try requireEqual(
                try first.house(key, "rooms"), .list([.link(ObjectKey(0)), .link(ObjectKey(1))]), "the rooms' keys")
            try requireEqual(
                try first.house(key, "sheds"), HousesFixture.map(["s": .link(ObjectKey(2)), "none": .null]),
                "the sheds' keys")
            let (hall, bath, shed) = (ObjectKey(0), ObjectKey(1), ObjectKey(2))
            try requireEqual(
                try first.value(HousesFixture.room.id, hall, HousesFixture.room["size"]), .int(7),
                "a default of an embedded object")
            try requireEqual(
                try first.value(HousesFixture.room.id, hall, HousesFixture.room["door"]), .link(ObjectKey(1)),
                "an object two levels in")
            try requireEqual(
                try first.backlinks(to: bath, from: HousesFixture.house.id, HousesFixture.house["rooms"]), [key],
                "the owner")

            // Replacing deletes the old ones and those that they own, and nothing else.
            let replaced = try store.changes { transaction in
                try transaction.edit(key, "rooms", .replace(HousesFixture.room("cellar"), at: 0))
            }
            var houses = ClassChanges()
            var edit = ListEdit()
            edit.recordModification(at: 0)
            houses.recordEdit(key, HousesFixture.house["rooms"], .list(edit))
            try requireEqual(
                replaced,
                [
                    HousesFixture.house.id: houses,
                    HousesFixture.room.id: ClassChanges(insertions: [ObjectKey(3)], deletions: [hall]),
                    HousesFixture.door.id: ClassChanges(deletions: [ObjectKey(1)]),
                ], "changes of replacing a room")
            let nulled = try store.changes { try $0.set(key, ["door": .null]) }
            try requireEqual(
                nulled,
                [
                    HousesFixture.house.id: ClassChanges(modifications: [
                        key: PropertySet([HousesFixture.house["door"]])
                    ]),
                    HousesFixture.door.id: ClassChanges(deletions: [ObjectKey(0)]),
                ], "changes of taking the door away")

            // Its own can stay, in another order; those that are not given again are deleted.
            try store.write { transaction in
                try transaction.edit(key, "rooms", .append(HousesFixture.room("attic")))
                try transaction.set(
                    key, ["rooms": .list([.link(ObjectKey(4)), HousesFixture.room("new"), .link(bath)])])
            }
            let turned = try store.snapshot()
            try requireEqual(
                try turned.house(key, "rooms"), .list([.link(ObjectKey(4)), .link(ObjectKey(5)), .link(bath)]),
                "rooms in another order")
            try require(try !turned.exists(HousesFixture.room.id, ObjectKey(3)), "the room that was left out is gone")
            try requireEqual(
                try turned.value(HousesFixture.room.id, bath, HousesFixture.room["size"]), .int(3), "a room that stayed"
            )
            try store.write { transaction in
                try transaction.edit(key, "rooms", .move(from: 0, to: 2))
                try transaction.edit(key, "rooms", .replace(.link(ObjectKey(4)), at: 2))
                try transaction.edit(key, "sheds", .put(.link(shed), key: "s"))
            }
            try requireEqual(try store.snapshot().count(of: HousesFixture.room.id), 4, "rooms after assigning the same")

            // Removing from a map and a list.
            try store.write { transaction in
                try transaction.edit(key, "sheds", .put(HousesFixture.room("other"), key: "s"))
                try transaction.edit(key, "sheds", .put(HousesFixture.room("third"), key: "t"))
                try transaction.edit(key, "sheds", .removeKey("t"))
                try transaction.edit(key, "rooms", .remove(at: 0))
                try require(try !transaction.exists(HousesFixture.room.id, shed), "a shed that was replaced is gone")
            }
            try checkIntegrity(try store.snapshot())
            try requireEqual(try store.snapshot().count(of: HousesFixture.room.id), 3, "rooms that are left")
            try store.write { transaction in
                try transaction.edit(key, "rooms", .removeAll)
                try transaction.edit(key, "sheds", .removeAll)
            }
            try requireEqual(try store.snapshot().count(of: HousesFixture.room.id), 0, "rooms after clearing")
            try requireEqual(try first.house(key, "door"), .link(ObjectKey(0)), "the first snapshot's door")
            try requireEqual(first.count(of: HousesFixture.room.id), 3, "the first snapshot's rooms")
        }
    }

    /// Forbidden uses of embedded objects change nothing.
    package static func embeddedRefusals(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let (one, two): (ObjectKey, ObjectKey) = try store.write { transaction in
                let values: [String: Value] = [
                    "door": HousesFixture.door("red"),
                    "rooms": .list([HousesFixture.room("a"), HousesFixture.room("b")]),
                    "sheds": HousesFixture.map(["s": HousesFixture.room("c")]),
                ]
                return try (transaction.house(1, values), transaction.house(2, values))
            }
            let before = try store.snapshot()
            try requireError(.embeddedWithoutOwner, "an embedded object on its own") {
                try store.write { _ = try $0.create(HousesFixture.door.id, [:]) }
            }
            let owned: [(ObjectKey, [String: Value])] = [
                (two, ["door": .link(ObjectKey(0))]), (two, ["rooms": .list([.link(ObjectKey(0))])]),
                (one, ["rooms": .list([.link(ObjectKey(0)), .link(ObjectKey(0))])]),
                (one, ["rooms": .list([.link(ObjectKey(2))])]),
                (one, ["sheds": HousesFixture.map(["s": .link(ObjectKey(0))])]),
                (one, ["sheds": HousesFixture.map(["s": .link(ObjectKey(2)), "t": .link(ObjectKey(2))])]),
            ]
            for (house, values) in owned {
                try requireError(.embeddedOwned, "\(values)") { try store.write { try $0.set(house, values) } }
            }
            let edits: [(String, CollectionOperation)] = [
                ("rooms", .append(.link(ObjectKey(0)))), ("rooms", .insert(.link(ObjectKey(3)), at: 0)),
                ("rooms", .replace(.link(ObjectKey(1)), at: 0)), ("sheds", .put(.link(ObjectKey(0)), key: "x")),
                ("sheds", .put(.link(ObjectKey(2)), key: "x")),
            ]
            for (property, operation) in edits {
                try requireError(.embeddedOwned, "\(operation) of '\(property)'") {
                    try store.write { _ = try $0.edit(one, property, operation) }
                }
            }
            try requireError(.embeddedOwned, "a new house with a room that exists") {
                try store.write { _ = try $0.house(3, ["rooms": .list([.link(ObjectKey(0))])]) }
            }
            let invalid: [[String: Value]] = [
                ["any": .reference(ObjectReference(HousesFixture.door.id, ObjectKey(0)))],
                ["any": HousesFixture.door("x")],
                ["main": .embedded([:])], ["owners": .list([.embedded([:])])], ["rooms": .list([.null])],
                ["door": .embedded([HousesFixture.door["colour"]: .int(1)])], ["door": .link(ObjectKey(99))],
                ["rooms": .list([HousesFixture.room("x"), HousesFixture.room("y", ["guest": .link(ObjectKey(9))])])],
            ]
            for values in invalid {
                try requireError(.invalidValue, "\(values)") {
                    try store.write { try $0.set(one, values.merging(["colour": .string("x")]) { given, _ in given }) }
                }
            }
            try requireError(.unknownProperty, "an embedded object with a property that it does not have") {
                try store.write { try $0.set(one, ["door": .embedded([PropertyID(77): .int(1)])]) }
            }
            let after = try store.snapshot()
            try requireEqual(after.version, before.version, "refused work makes no version")
            try requireEqual(
                try after.objects(HousesFixture.room), try before.objects(HousesFixture.room), "rooms after refusals")
            try requireEqual(
                try after.objects(HousesFixture.door), try before.objects(HousesFixture.door), "doors after refusals")
            // A call that fails within work that continues leaves no trace.
            try store.write { transaction in
                try? transaction.set(one, ["rooms": .list([HousesFixture.room("x"), .int(1)])])
                _ = try? transaction.house(1, ["door": HousesFixture.door("x")])
                _ = try? transaction.edit(one, "rooms", .insert(HousesFixture.room("x"), at: 17))
            }
            try requireEqual(try store.snapshot().count(of: HousesFixture.room.id), 6, "rooms after calls that failed")
            try requireEqual(try store.snapshot().count(of: HousesFixture.door.id), 2, "doors after calls that failed")
        }
    }

    /// Deleting an object deletes those that it owns; deleting an embedded object clears its place.
    package static func cascades(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            func house(_ number: Int64) throws -> ObjectKey {
                try store.write { transaction in
                    try transaction.house(
                        number,
                        [
                            "door": HousesFixture.door("red"),
                            "rooms": .list(
                                (0..<3).map { HousesFixture.room("\($0)", ["door": HousesFixture.door("\($0)")]) }),
                            "sheds": HousesFixture.map(["s": HousesFixture.room("s"), "t": HousesFixture.room("t")]),
                        ])
                }
            }
            let one = try house(1)
            let two = try house(2)
            // The second house has rooms 5…9, sheds 8 and 9, and doors 4…7.
            let changes = try store.changes { transaction in
                try transaction.delete(HousesFixture.room.id, ObjectKey(6))
                try transaction.delete(HousesFixture.room.id, ObjectKey(9))
                try transaction.delete(HousesFixture.door.id, ObjectKey(4))
                try transaction.delete(HousesFixture.door.id, ObjectKey(7))
            }
            var houses = ClassChanges()
            var rooms = ListEdit()
            rooms.recordDeletion(at: 1)
            houses.recordEdit(two, HousesFixture.house["rooms"], .list(rooms))
            houses.recordEdit(
                two, HousesFixture.house["sheds"], .map(MapEdit(deletions: [], insertions: [], modifications: ["t"])))
            houses.recordModification(two, HousesFixture.house["door"])
            try requireEqual(
                changes,
                [
                    HousesFixture.house.id: houses,
                    HousesFixture.room.id: ClassChanges(
                        deletions: [ObjectKey(6), ObjectKey(9)],
                        modifications: [ObjectKey(7): PropertySet([HousesFixture.room["door"]])]),
                    HousesFixture.door.id: ClassChanges(deletions: [4, 6, 7].map { ObjectKey($0) }.asSet),
                ], "changes of deleting embedded objects")
            let snapshot = try store.snapshot()
            try requireEqual(
                try snapshot.house(two, "rooms"), .list([.link(ObjectKey(5)), .link(ObjectKey(7))]), "rooms that stay")
            try requireEqual(
                try snapshot.house(two, "sheds"), HousesFixture.map(["s": .link(ObjectKey(8)), "t": .null]),
                "sheds that stay")
            try requireEqual(try snapshot.house(two, "door"), .null, "the door")
            try checkIntegrity(snapshot)

            let deleted = try store.changes { try $0.delete(HousesFixture.house.id, one) }
            try requireEqual(
                deleted,
                [
                    HousesFixture.house.id: ClassChanges(deletions: [one]),
                    HousesFixture.room.id: ClassChanges(deletions: (0..<5).map { ObjectKey($0) }.asSet),
                    HousesFixture.door.id: ClassChanges(deletions: (0..<4).map { ObjectKey($0) }.asSet),
                ], "changes of deleting a house")
            try store.write { try $0.delete(HousesFixture.house.id, two) }
            let empty = try store.snapshot()
            try requireEqual(empty.count(of: HousesFixture.room.id), 0, "rooms without houses")
            try requireEqual(empty.count(of: HousesFixture.door.id), 0, "doors without houses")
            // Created and deleted in one piece of work.
            let none = try store.changes { transaction in
                let house = try transaction.house(
                    3, ["rooms": .list([HousesFixture.room("x", ["door": HousesFixture.door("y")])])])
                try transaction.delete(HousesFixture.house.id, house)
            }
            try requireEqual(none, [:], "changes of a house that came and went")
        }
    }

    /// When an object is deleted, links to it become null or are removed, wherever they are.
    package static func linksToDeleted(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let people = try store.write { transaction in try ["ann", "bob", "cid"].map { try transaction.person($0) } }
            let (ann, bob, cid) = (Value.link(people[0]), Value.link(people[1]), Value.link(people[2]))
            let annAny = Value.reference(ObjectReference(HousesFixture.person.id, people[0]))
            let bobAny = Value.reference(ObjectReference(HousesFixture.person.id, people[1]))
            let key = try store.write { transaction in
                try transaction.house(
                    1,
                    [
                        "main": ann, "owners": .list([ann, bob, ann, cid, ann]), "guests": .set([cid, ann, bob]),
                        "roles": HousesFixture.map(["cook": ann, "guard": bob]),
                        "any": .list([annAny, .dictionary(ValueMap([("k", annAny), ("l", bobAny)])), .int(1)]),
                        "anyList": .list([bobAny, annAny, .list([annAny]), .int(1)]),
                        "anySet": .set([annAny, bobAny, .int(3)]),
                        "anyMap": HousesFixture.map(["a": annAny, "b": .list([.list([annAny])]), "c": .int(1)]),
                        "rooms": .list([HousesFixture.room("r", ["guest": ann])]),
                    ])
            }
            let first = try store.snapshot()
            try requireEqual(
                try first.backlinks(to: people[0], from: HousesFixture.house.id, HousesFixture.house["owners"]),
                [key, key, key],
                "an owner three times")
            try requireEqual(
                try first.backlinks(to: people[0], from: HousesFixture.house.id, HousesFixture.house["roles"]), [key],
                "a role")
            let changes = try store.changes { try $0.delete(HousesFixture.person.id, people[0]) }
            let after = try store.snapshot()
            let expected: [String: Value] = [
                "main": .null, "owners": .list([bob, cid]), "guests": .set([bob, cid]),
                "roles": HousesFixture.map(["cook": .null, "guard": bob]),
                "any": .list([.null, .dictionary(ValueMap([("k", .null), ("l", bobAny)])), .int(1)]),
                "anyList": .list([bobAny, .null, .list([.null]), .int(1)]), "anySet": .set([.int(3), bobAny]),
                "anyMap": HousesFixture.map(["a": .null, "b": .list([.list([.null])]), "c": .int(1)]),
            ]
            for (name, value) in expected { try requireEqual(try after.house(key, name), value, "'\(name)'") }
            try requireEqual(
                try after.value(HousesFixture.room.id, ObjectKey(0), HousesFixture.room["guest"]), .null,
                "a room's guest")
            try requireEqual(
                try first.house(key, "owners"), .list([ann, bob, ann, cid, ann]), "the owners of the snapshot before")
            try checkIntegrity(after)

            var houses = ClassChanges()
            for name in ["main", "any"] { houses.recordModification(key, HousesFixture.house[name]) }
            let edits: [String: CollectionEdit] = [
                "owners": .list(
                    ListEdit(deletions: IndexRuns([0, 2, 4]), insertions: IndexRuns(), modifications: IndexRuns())),
                "guests": .set(SetEdit(deletions: [ann])),
                "roles": .map(MapEdit(deletions: [], insertions: [], modifications: ["cook"])),
                "anyList": .list(
                    ListEdit(deletions: IndexRuns(), insertions: IndexRuns(), modifications: IndexRuns([1, 2]))),
                "anySet": .set(SetEdit(deletions: [annAny])),
                "anyMap": .map(MapEdit(deletions: [], insertions: [], modifications: ["a", "b"])),
            ]
            for (name, edit) in edits { houses.recordEdit(key, HousesFixture.house[name], edit) }
            try requireEqual(
                changes,
                [
                    HousesFixture.house.id: houses, HousesFixture.person.id: ClassChanges(deletions: [people[0]]),
                    HousesFixture.room.id: ClassChanges(modifications: [
                        ObjectKey(0): PropertySet([HousesFixture.room["guest"]])
                    ]),
                ], "changes of deleting ann")

            // An object that links to itself, and two that link to each other.
            try store.write { transaction in
                try transaction.set(HousesFixture.person.id, people[1], [HousesFixture.person["friend"]: bob])
                try transaction.set(HousesFixture.person.id, people[2], [HousesFixture.person["friend"]: bob])
                try transaction.set(key, ["any": .reference(ObjectReference(HousesFixture.house.id, key))])
                try transaction.delete(HousesFixture.person.id, people[1])
                try transaction.delete(HousesFixture.house.id, key)
            }
            let last = try store.snapshot()
            try requireEqual(try last.objects(HousesFixture.person), [people[2]], "people that are left")
            try requireEqual(
                try last.value(HousesFixture.person.id, people[2], HousesFixture.person["friend"]), .null,
                "cid's friend")
            try requireEqual(last.count(of: HousesFixture.room.id), 0, "rooms that are left")
        }
    }
}

extension Array<ObjectKey> {
    fileprivate var asSet: Set<ObjectKey> { Set(self) }
}
