package import ObjectModel
import QueryLanguage
package import StoreContract

extension StoreConformance {
    /// A snapshot keeps everything of its version, also its collections and embedded objects, whatever happens to them
    /// later.
    package static func frozenCollections(_ make: (Schema) throws -> any Store) throws {
        try with(make, HousesFixture.schema) { store in
            let tags = (0..<2000).map { Value.string("t\($0)") }
            let (key, ann) = try store.write { transaction in
                let ann = try transaction.person("ann")
                let key = try transaction.house(
                    1,
                    [
                        "tags": .list(tags), "owners": .list([.link(ann), .link(ann)]), "guests": .set([.link(ann)]),
                        "notes": HousesFixture.map(["a": .string("1")]), "marks": .set((0..<500).map { .int($0) }),
                        "rooms": .list([HousesFixture.room("r", ["door": HousesFixture.door("d")])]),
                        "any": .dictionary(ValueMap([("k", .list([.int(1)]))])), "colour": .string("red"),
                    ])
                return (key, ann)
            }
            var frozen: [(any Snapshot, [String: Value])] = []
            let names = ["tags", "owners", "guests", "notes", "marks", "rooms", "any", "colour"]
            for round in 0..<6 {
                let snapshot = try store.snapshot()
                var values: [String: Value] = [:]
                for name in names { values[name] = try snapshot.house(key, name) }
                frozen.append((snapshot, values))
                try store.write { transaction in
                    switch round {
                    case 0:
                        for index in 0..<300 { try transaction.edit(key, "tags", .remove(at: index)) }
                        try transaction.edit(key, "rooms", .insert(HousesFixture.room("new"), at: 0))
                    case 1:
                        try transaction.edit(key, "marks", .removeAll)
                        try transaction.edit(key, "notes", .put(.null, key: "a"))
                        try transaction.set(key, ["any": .null, "rooms": .list([])])
                    case 2: try transaction.delete(HousesFixture.person.id, ann)
                    case 3:
                        for number in 2..<200 { try transaction.house(Int64(number), ["tags": .list([.null])]) }
                        try transaction.set(key, ["tags": .list(tags.reversed())])
                    default: try transaction.edit(key, "tags", .append(.string("\(round)")))
                    }
                }
            }
            try store.write { try $0.delete(HousesFixture.house.id, key) }
            for (index, (snapshot, values)) in frozen.enumerated() {
                for (name, value) in values {
                    try requireEqual(try snapshot.house(key, name), value, "'\(name)' of frozen version \(index)")
                }
                let middle = try snapshot.elements(HousesFixture.house.id, key, HousesFixture.house["tags"], 700..<710)
                try requireEqual(
                    middle, Array((values["tags"] ?? .null).elements.dropFirst(700).prefix(10)),
                    "tags in the middle of frozen version \(index)")
                try checkIntegrity(snapshot)
            }
        }
    }

    /// A version that a snapshot holds can be requested again, and the change log continues from its floor.
    package static func versionsAgain(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            try store.write { _ = try $0.book("0") }
            var held: [any Snapshot] = []
            for number in 1..<6 {
                held.append(try store.snapshot())
                try store.write { _ = try $0.book("\(number)") }
            }
            for snapshot in held {
                let again = try store.snapshot(at: snapshot.version)
                try requireEqual(again.version, snapshot.version, "the version asked for")
                try requireEqual(
                    again.count(of: BooksFixture.book), snapshot.count(of: BooksFixture.book),
                    "books of version \(again.version)"
                )
            }
            let newest = try store.snapshot()
            try requireEqual(try store.snapshot(at: newest.version).version, newest.version, "the newest version")
            let released = held.removeFirst().version
            try requireError(.versionGone, "a version that nobody holds") { _ = try store.snapshot(at: released) }
            for wrong in [Version(0), Version(newest.version.rawValue + 1), Version(1 << 60)] {
                try requireError(.versionGone, "version \(wrong)") { _ = try store.snapshot(at: wrong) }
            }
            let again = try store.snapshot(at: held[0].version)
            held.removeFirst()
            try requireEqual(again.count(of: BooksFixture.book), 2, "books of a version that was had again")
            try requireEqual(
                try store.snapshot(at: again.version).version, again.version, "a version held by the second snapshot")

            let floor = try store.changeLogFloor()
            try require(floor <= newest.version, "the floor of the change log is a version that was")
            let changes = try store.changes(after: floor)
            try requireEqual(
                changes?.map(\.version.rawValue), Array(floor.rawValue + 1..<newest.version.rawValue + 1),
                "changes after the floor")
            if floor > Version(1) {
                try requireEqual(
                    try store.changes(after: Version(floor.rawValue - 1)) == nil, true, "changes before the floor")
            }
        }
    }
}
