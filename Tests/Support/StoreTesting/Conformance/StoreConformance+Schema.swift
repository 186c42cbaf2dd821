import QuerySyntax
package import ObjectModel
import QueryLanguage
package import StoreContract
import Synchronization

extension StoreConformance {
    /// Replacing the schema adds and removes classes, properties and indexes, keeps numbers and values, and rejects
    /// changes that need a migration.
    package static func replaceSchema(_ make: (Schema) throws -> any Store) throws {
        let first = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Dog", primaryKey: "id",
                    properties: [
                        PropertySchema("id", PropertyType(.int)), PropertySchema("name", PropertyType(.string)),
                        PropertySchema("age", PropertyType(.int)),
                        PropertySchema("owner", PropertyType(.link("Person"), isOptional: true)),
                    ]),
                ClassSchema("Person", properties: [PropertySchema("name", PropertyType(.string))]),
                ClassSchema("Gone", properties: [PropertySchema("x", PropertyType(.int))]),
            ])
        let dog = ClassID(1)
        let person = ClassID(2)
        try with(make, first) { store in
            let heard = Mutex<[ChangeSet]>([])
            store.onCommit { sets in heard.withLock { $0 += sets } }
            try store.write { transaction in
                let ann = try transaction.create(person, [PropertyID(1): .string("ann")])
                for id in 0..<5 {
                    _ = try transaction.create(
                        dog,
                        [
                            PropertyID(1): .int(Int64(id)), PropertyID(2): .string("d\(id)"),
                            PropertyID(3): .int(Int64(id)), PropertyID(4): .link(ann),
                        ])
                }
                _ = try transaction.create(ClassID(3), [:])
            }
            let before = try store.snapshot()

            // Moved, added with a default, indexed, a class removed, a class added, a property removed.
            let second = Schema(
                version: 2,
                classes: [
                    ClassSchema("Cat", properties: [PropertySchema("name", PropertyType(.string))]),
                    ClassSchema(
                        "Person",
                        properties: [
                            PropertySchema("dogs", PropertyType(.linkingObjects(fromClass: "Dog", property: "owner"))),
                            PropertySchema("name", PropertyType(.string), isIndexed: true),
                        ]),
                    ClassSchema(
                        "Dog", primaryKey: "id",
                        properties: [
                            PropertySchema("weight", PropertyType(.double), defaultValue: .double(9)),
                            PropertySchema("note", PropertyType(.string, isOptional: true)),
                            PropertySchema("owner", PropertyType(.link("Person"), isOptional: true)),
                            PropertySchema("name", PropertyType(.string), isIndexed: true),
                            PropertySchema("id", PropertyType(.int)),
                        ]),
                ])
            let version = try store.replaceSchema(with: second)
            let after = try store.snapshot()
            try requireEqual(after.version, version, "version of the new schema")
            try requireEqual(version, before.version.next, "a new schema is one version")
            let last = heard.withLock { $0.last }
            try requireEqual(last?.version, version, "version of the change set")
            try requireEqual(last?.schemaChanged, true, "the change set says that the schema changed")
            try requireEqual(after.schema, second.adoptingIdentities(of: first), "the schema in force")
            try requireEqual(before.schema[dog]?.properties.count, 4, "the schema of an older snapshot")
            guard let dogs = after.schema["Dog"], let weight = dogs["weight"], let note = dogs["note"],
                let cat = after.schema["Cat"]
            else { throw ConformanceFailure("the new schema lacks a class or property") }
            try requireEqual(dogs.id, dog, "number of a class that stays")
            try require(cat.id > ClassID(3), "a new class gets a new number")
            for id in 0..<5 {
                let key = ObjectKey(Int64(id))
                try requireEqual(try after.value(dog, key, PropertyID(2)), .string("d\(id)"), "a kept value")
                try requireEqual(try after.value(dog, key, PropertyID(4)), .link(ObjectKey(0)), "a kept link")
                try requireEqual(try after.value(dog, key, weight.id), .double(0), "a new property of an old object")
                try requireEqual(try after.value(dog, key, note.id), .null, "a new optional property")
                try requireEqual(try before.value(dog, key, PropertyID(3)), .int(Int64(id)), "the old snapshot's value")
            }
            try requireError(.unknownProperty, "reading a removed property") {
                _ = try after.value(dog, ObjectKey(0), PropertyID(3))
            }
            try requireEqual(after.count(of: ClassID(3)), 0, "objects of a removed class")
            try requireEqual(
                try after.backlinks(to: ObjectKey(0), from: dog, PropertyID(4)).count, 5, "backlinks after the change")
            let indexed = BoundQuery(
                classID: dog,
                predicate: .comparison(
                    BoundComparison(
                        .path(BoundPath(end: .property(PropertyID(2), PropertyType(.string)))), .equal,
                        .constant(.string("d3")))))
            try requireEqual(try after.select(indexed, .all), [ObjectKey(3)], "a query on a new index")
            let made = try store.write { transaction in
                _ = try transaction.create(cat.id, [:])
                return try transaction.create(dog, [PropertyID(1): .int(9), PropertyID(2): .string("d3")])
            }
            try requireEqual(made, ObjectKey(5), "key of the next object")
            try requireEqual(try store.snapshot().value(dog, made, weight.id), .double(9), "default of a new object")
            try requireEqual(try store.snapshot().select(indexed, .all), [ObjectKey(3), made], "the index is kept up")
        }
        try refusedSchemas(make, first)
    }

    private static func refusedSchemas(_ make: Maker, _ first: Schema) throws {
        /// `first` at another version with one class's properties edited.
        func edited(_ version: UInt64, _ edit: (inout [PropertySchema]) -> Void, primaryKey: String? = "id") -> Schema {
            var classes = first.classes
            classes[0].primaryKey = primaryKey
            edit(&classes[0].properties)
            return Schema(version: version, classes: classes)
        }
        try with(make, first) { store in
            try store.write { _ = try $0.create(ClassID(1), [PropertyID(1): .int(1)]) }
            let version = try store.snapshot().version
            try requireError(.migrationRequired, "a property of another type") {
                try store.replaceSchema(with: edited(1) { $0[2].type = PropertyType(.string) })
            }
            try requireError(.migrationRequired, "another primary key") {
                try store.replaceSchema(with: edited(1, { _ in }, primaryKey: nil))
            }
            try requireError(.migrationRequired, "a link to another class") {
                try store.replaceSchema(
                    with: edited(1) { $0[3].type = PropertyType(.link("Gone"), isOptional: true) })
            }
            try requireError(.schemaInvalid, "a link to no class") {
                try store.replaceSchema(
                    with: edited(2) { $0[3].type = PropertyType(.link("Nobody"), isOptional: true) })
            }
            try requireError(.schemaVersionTooLow, "a lower version") {
                try store.replaceSchema(with: edited(0) { _ in })
            }
            let snapshot = try store.snapshot()
            try requireEqual(snapshot.version, version, "refused schemas make no version")
            try requireEqual(snapshot.schema, first, "refused schemas change nothing")
            _ = try store.replaceSchema(with: first)
        }
    }

    /// A closed store finishes submitted work and rejects the rest.
    package static func closing(_ make: (Schema) throws -> any Store) throws {
        let store = try make(BooksFixture.schema)
        let done = Countdown(3)
        let succeeded = Mutex(0)
        for index in 0..<3 {
            store.submit(
                { _ = try $0.book("\(index)") },
                completion: { result in
                    if case .success = result { succeeded.withLock { $0 += 1 } }
                    done.countDown()
                })
        }
        store.close()
        done.wait()
        try requireEqual(succeeded.withLock { $0 }, 3, "work that was finished when the store closed")
        try requireError(.closed, "a write after closing") { try store.write { _ = try $0.book("late") } }
        try requireError(.closed, "a snapshot after closing") { _ = try store.snapshot() }
    }
}
