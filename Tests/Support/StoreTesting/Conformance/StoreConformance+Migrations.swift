package import ObjectModel
import QueryLanguage
package import StoreContract
import Synchronization

extension StoreConformance {
    /// The data when the version rises without steps: values stay where possible, and are otherwise zero, null or
    /// empty.
    package static func migrationsWithoutSteps(_ make: (Schema) throws -> any Store) throws {
        let first = Kennel.schema(1)
        try with(make, first) { store in
            try store.write { try Kennel.fill($0) }
            let before = try store.snapshot()
            let heard = Mutex<[ChangeSet]>([])
            store.onCommit { sets in heard.withLock { $0 += sets } }
            let second = Kennel.schema(2) { classes in
                classes["Dog"] = [
                    ("id", "int"), ("name", "string?"), ("age", "string"), ("weight", "double"), ("owner", "Toy?"),
                    ("tags", "string<>"), ("toys", "Toy[]"), ("any", "mixed"), ("extra", "int"), ("more", "date?"),
                    ("list", "int[]"),
                ]
                classes["Gone"] = nil
            }
            let version = try store.replaceSchema(with: second, migration: Migration())
            let after = try store.snapshot()
            try requireEqual(version, before.version.next, "a migration is one version")
            try requireEqual(after.schema.version, 2, "the schema's version")
            let expected: [String: [Value]] = [
                "id": [.int(0), .int(1), .int(2)], "name": [.string("rex"), .string("bo"), .string("x")],
                "age": Array(repeating: .string(""), count: 3), "weight": Array(repeating: .double(0), count: 3),
                "owner": [.null, .null, .null], "extra": [.int(0), .int(0), .int(0)], "more": [.null, .null, .null],
                "list": Array(repeating: .list([]), count: 3), "tags": [.set([.string("a")]), .set([]), .set([])],
                "toys": [.list([.link(ObjectKey(0)), .link(ObjectKey(1))]), .list([]), .list([])],
                // The values that referred to an object of the removed class.
                "any": [.list([.null, .int(1)]), .null, .null],
            ]
            for (name, values) in expected { try requireEqual(try after.all("Dog", name), values, "'\(name)'") }
            // Homes were owned by a property that was removed.
            try requireEqual(after.count(of: try after.classID("Home")), 0, "homes without owners")
            try requireError(.unknownProperty, "a removed property") {
                _ = try after.value(ClassID(1), ObjectKey(0), try before.property("Dog", "home"))
            }
            let last = heard.withLock { $0.last }
            try requireEqual(last, ChangeSet(version: version, schemaChanged: true), "the change set of a migration")
            try requireEqual(try before.all("Dog", "age"), [.int(3), .int(4), .int(5)], "ages of the snapshot before")
            try requireEqual(before.schema.version, 1, "the schema of the snapshot before")
            try checkIntegrity(after)

            // The version alone; then lower; then changes that the same version does not allow.
            var third = second
            third.version = 5
            try store.replaceSchema(with: third)
            try requireEqual(try store.snapshot().schema.version, 5, "a version that rose alone")
            try requireRefusal(store, third.at(4), nil, .schemaVersionTooLow) {
                $0 == "Provided schema version 4 is less than last set version 5."
            }
            let refused = Kennel.schema(5) { $0["Dog"]?[1].type = "int" }
            try requireRefusal(store, refused, nil, .migrationRequired) {
                $0.hasPrefix("Migration is required due to the following errors:\n")
                    && $0.contains("- Property 'Dog.name' has been changed from 'string?' to 'int'.")
                    && $0.contains("- Property 'Dog.extra' has been removed.")
            }
        }
    }

    /// Renaming, setting, copying and converting without a program, and deleting a class.
    package static func migrationSteps(_ make: (Schema) throws -> any Store) throws {
        try with(make, Kennel.schema(1)) { store in
            try store.write { try Kennel.fill($0) }
            let second = Kennel.schema(2) { classes in
                classes["Dog"] = [
                    ("id", "int"), ("title", "string"), ("age", "string"), ("weight", "double?"), ("mass", "double?"),
                    ("friend", "Person?"), ("tags", "string<>"), ("toys", "Toy[]"), ("any", "mixed"),
                    ("note", "string?"),
                    ("den", "Home?"), ("playthings", "Toy[]"),
                ]
                classes["Gone"] = nil
            }
            try store.replaceSchema(
                with: second,
                migration: Migration(steps: [
                    .rename(class: "Dog", from: "name", to: "title"),
                    .rename(class: "Dog", from: "owner", to: "friend"), .rename(class: "Dog", from: "home", to: "den"),
                    .convert(class: "Dog", from: "age", to: "age", fallback: nil),
                    .copy(class: "Dog", from: "weight", to: "mass"),
                    .copy(class: "Dog", from: "toys", to: "playthings"),
                    .setDefault(class: "Dog", property: "note", value: .string("seen")), .deleteClass("Gone"),
                    .deleteClass("Person"),
                ]))
            let after = try store.snapshot()
            let toys: [Value] = [.list([.link(ObjectKey(0)), .link(ObjectKey(1))]), .list([]), .list([])]
            let expected: [String: [Value]] = [
                "title": [.string("rex"), .string("bo"), .string("x")],
                "age": [.string("3"), .string("4"), .string("5")], "mass": [.double(1.5), .null, .double(2)],
                "weight": [.double(1.5), .null, .double(2)], "toys": toys, "playthings": toys,
                "note": Array(repeating: .string("seen"), count: 3), "friend": [.null, .null, .null],
                "den": [.link(ObjectKey(0)), .null, .link(ObjectKey(1))],
            ]
            for (name, values) in expected { try requireEqual(try after.all("Dog", name), values, "'\(name)'") }
            try requireEqual(after.count(of: try after.classID("Person")), 0, "people after letting go of them")
            try requireEqual(
                try after.key(of: ClassID(1), primaryKey: .int(1)), ObjectKey(1), "a primary key after a migration")
            try requireEqual(
                try after.backlinks(to: ObjectKey(0), from: ClassID(1), try after.property("Dog", "playthings")),
                [ObjectKey(0)], "links that were copied")
            try checkIntegrity(after)

            let third = Kennel.schema(3) { classes in
                classes["Dog"] = [("id", "int"), ("title", "int"), ("age", "int?"), ("den", "Home?")]
            }
            try requireRefusal(
                store, third,
                Migration(steps: [.convert(class: "Dog", from: "title", to: "title", fallback: nil)]),
                .migrationFailed
            ) { $0.contains("'rex'") && $0.contains("Dog.title") }
            try requireRefusal(
                store, third, Migration(steps: [.rename(class: "Dog", from: "nme", to: "name")]), .migrationFailed
            ) { $0 == "Cannot rename property 'Dog.nme' because it does not exist." }
            try store.replaceSchema(
                with: third,
                migration: Migration(steps: [
                    .convert(class: "Dog", from: "title", to: "title", fallback: .int(-1)),
                    .convert(class: "Dog", from: "age", to: "age", fallback: nil),
                ]))
            let last = try store.snapshot()
            try requireEqual(try last.all("Dog", "title"), [.int(-1), .int(-1), .int(-1)], "titles that fell back")
            try requireEqual(try last.all("Dog", "age"), [.int(3), .int(4), .int(5)], "ages as numbers again")
        }
    }

    /// A migration's program reads the old state and writes the new one.
    package static func migrationBlocks(_ make: (Schema) throws -> any Store) throws {
        try with(make, Kennel.schema(1)) { store in
            try store.write { try Kennel.fill($0) }
            let second = Kennel.schema(2) { classes in
                classes["Dog"] = [
                    ("id", "int"), ("words", "string"), ("age", "int"), ("owner", "Person?"), ("home", "Home?"),
                ]
                classes["Cat"] = [("name", "string")]
                classes["Gone"] = nil
            }
            let seen = Mutex<[String]>([])
            try store.replaceSchema(
                with: second,
                migration: Migration { transaction in
                    func note(_ text: String) { seen.withLock { $0.append(text) } }
                    note("\(transaction.old.schema.version) to \(transaction.schema.version)")
                    try transaction.enumerateObjects(of: "Dog") { old, new in
                        guard let old, let new else { return note("half a dog") }
                        note("dog \(old.key.rawValue)")
                        if old.key == ObjectKey(0) {
                            let dog = try transaction.classID("Dog")
                            _ = try transaction.create(dog, [try transaction.property("Dog", "id"): .int(9)])
                            try transaction.delete(dog, ObjectKey(1))
                        }
                        guard case .string(let name) = try old.value("name"), case .int(let age) = try old.value("age")
                        else { return note("a dog without a name") }
                        try new.set("words", .string("\(name), \(age)"))
                        // Keys may be duplicates until the end.
                        try new.set("id", .int(7))
                        if old.key == ObjectKey(2) { try new.set("id", .int(8)) }
                    }
                    try transaction.enumerateObjects(of: "Gone") { old, new in
                        note("gone \(old != nil) \(new != nil)")
                    }
                    _ = try transaction.create(try transaction.classID("Cat"), [:])
                    try transaction.enumerateObjects(of: "Cat") { old, new in note("cat \(old != nil) \(new != nil)") }
                    try transaction.enumerateObjects(of: "Nothing") { _, _ in note("nothing") }
                    note("\(try transaction.deleteData(of: "Toy")) \(try transaction.deleteData(of: "Nothing"))")
                    note("\(try transaction.deleteData(of: "Gone"))")
                })
            try requireEqual(
                seen.withLock { $0 },
                ["1 to 2", "dog 0", "dog 2", "gone true false", "cat false true", "true false", "true"],
                "what the block saw")
            let after = try store.snapshot()
            try requireEqual(try after.all("Dog", "id"), [.int(7), .int(8), .int(9)], "primary keys")
            try requireEqual(try after.all("Dog", "words"), [.string("rex, 3"), .string("x, 5"), .string("")], "words")
            try requireEqual(after.count(of: try after.classID("Toy")), 0, "toys")
            try checkIntegrity(after)
            try requireEqual(try after.key(of: ClassID(1), primaryKey: .int(8)), ObjectKey(2), "a new primary key")
        }
    }

    /// A block that adds objects runs at the same version, too, in the commit that adds their classes: all of it or
    /// nothing.
    package static func addedObjects(_ make: (Schema) throws -> any Store) throws {
        struct Stop: Error {}
        try with(make, Kennel.schema(1)) { store in
            try store.write { try Kennel.fill($0) }
            let before = try store.snapshot()
            let wider = Kennel.schema(1) { classes in
                classes["Dog"]?.append(("extra", "int?"))
                classes["Cat"] = [("name", "string"), ("friend", "Dog?"), ("kittens", "Cat[]")]
            }
            let other = Migration { _ in throw Stop() }
            try store.replaceSchema(with: Kennel.schema(1), migration: other)
            func add(_ stops: Bool) -> Migration {
                Migration(addsObjects: true) { transaction in
                    let cat = try transaction.classID("Cat")
                    let mother = try transaction.create(
                        cat, row: [.string("tib"), .link(ObjectKey(0)), .list([])])
                    let kitten = try transaction.create(
                        cat, row: [.string("mog"), .null, .list([.link(mother)])])
                    try transaction.set(
                        cat, mother, [try transaction.property("Cat", "kittens"): .list([.link(kitten)])])
                    if stops { throw Stop() }
                }
            }
            do {
                _ = try store.replaceSchema(with: wider, migration: add(true))
                throw ConformanceFailure("a block that throws added its objects")
            } catch is Stop {
                try requireEqual(try store.snapshot().schema["Cat"] == nil, true, "the class of objects that stopped")
            }
            let version = try store.replaceSchema(with: wider, migration: add(false))
            let after = try store.snapshot()
            try requireEqual(version, before.version.next.next, "a schema with its objects is one version")
            try requireEqual(after.schema.version, 1, "the schema's version")
            try requireEqual(try after.all("Cat", "name"), [.string("tib"), .string("mog")], "cats")
            try requireEqual(
                try after.all("Cat", "kittens"), [.list([.link(ObjectKey(1))]), .list([.link(ObjectKey(0))])], "kittens"
            )
            try requireEqual(try after.all("Dog", "extra"), [.null, .null, .null], "the new property")
            try checkIntegrity(after)
            // What is not automatic needs a higher version all the same.
            let refused = Kennel.schema(1) { $0["Dog"]?[1].type = "int" }
            try requireRefusal(store, refused, add(false), .migrationRequired) { $0.contains("'Dog.name'") }
        }
    }

    /// Whatever fails in a migration, the store is unchanged and remains usable.
    package static func failedMigrations(_ make: (Schema) throws -> any Store) throws {
        struct Stop: Error {}
        try with(make, Kennel.schema(1)) { store in
            try store.write { try Kennel.fill($0) }
            let second = Kennel.schema(2) { classes in classes["Dog"]?.append(("extra", "int[]")) }
            let before = try store.snapshot()
            do {
                _ = try store.replaceSchema(
                    with: second,
                    migration: Migration(steps: [.setDefault(class: "Dog", property: "age", value: .int(99))]) {
                        transaction in
                        for name in ["Dog", "Toy", "Person"] { try transaction.deleteData(of: name) }
                        throw Stop()
                    })
                throw ConformanceFailure("a migration whose block throws succeeded")
            } catch is Stop {
                try requireUnchanged(store, before)
            }
            try requireRefusal(
                store, second,
                Migration { transaction in
                    try transaction.enumerateObjects(of: "Dog") { _, new in try new?.set("id", .int(1)) }
                }, .migrationFailed
            ) { $0.hasPrefix("Primary key property 'Dog.id' has duplicate values after migration.") }
            try requireRefusal(
                store, Kennel.schema(2) { $0["Dog"]?[0].type = "string" }, Migration(), .migrationFailed
            ) { $0.hasPrefix("Primary key property 'Dog.id' has duplicate values after migration.") }
            let embedding = Kennel.schema(2, embedded: ["Home", "Toy"]) { _ in }
            // Toy 2 has no owner.
            try requireRefusal(store, embedding, Migration(), .migrationFailed) { $0.contains("Toy") }
            try requireRefusal(
                store, second,
                Migration { try $0.renameProperty(of: "Dog", from: "name", to: "age") }, .migrationFailed
            ) { $0 == "Cannot rename property 'Dog.name' to 'age' because the source property still exists." }
            try store.replaceSchema(
                with: embedding,
                migration: Migration { transaction in
                    try transaction.delete(try transaction.classID("Toy"), ObjectKey(2))
                })
            let after = try store.snapshot()
            try requireEqual(after.schema["Toy"]?.isEmbedded, true, "toys that became embedded")
            try requireEqual(after.count(of: try after.classID("Toy")), 2, "toys that have an owner")
            try store.write { try $0.delete(ClassID(1), ObjectKey(0)) }
            try requireEqual(
                try store.snapshot().count(of: try after.classID("Toy")), 0, "toys after their owner went")
            try checkIntegrity(try store.snapshot())
        }
    }

    private static func requireRefusal(
        _ store: any Store, _ schema: Schema, _ migration: Migration?, _ code: StoreError.Code,
        _ sentence: (String) -> Bool
    ) throws {
        let before = try store.snapshot()
        do {
            _ = try store.replaceSchema(with: schema, migration: migration)
        } catch let error as StoreError {
            try requireEqual(error.code, code, "code of '\(error.message)'")
            try require(sentence(error.message), "another sentence than '\(error.message)'")
            return try requireUnchanged(store, before)
        }
        throw ConformanceFailure("a schema was taken over that must be refused with \(code.rawValue)")
    }

    private static func requireUnchanged(_ store: any Store, _ before: any Snapshot) throws {
        let after = try store.snapshot()
        try requireEqual(after.version, before.version, "the version after a refusal")
        try requireEqual(after.schema, before.schema, "the schema after a refusal")
        for objectClass in before.schema.classes {
            for property in objectClass.storedProperties {
                try requireEqual(
                    try after.all(objectClass.name, property.name), try before.all(objectClass.name, property.name),
                    "'\(objectClass.name).\(property.name)' after a refusal")
            }
        }
        try checkIntegrity(after)
    }
}

/// Dogs, and their properties, in schemas that are changed by names.
private enum Kennel {
    typealias Properties = [(name: String, type: String)]

    static func schema(
        _ version: UInt64, embedded: Set<String> = ["Home"], _ edit: (inout [String: Properties]) -> Void = { _ in }
    ) -> Schema {
        var classes: [String: Properties] = [
            "Dog": [
                ("id", "int"), ("name", "string"), ("age", "int"), ("weight", "double?"), ("owner", "Person?"),
                ("tags", "string<>"), ("toys", "Toy[]"), ("any", "mixed"), ("home", "Home?"),
            ],
            "Person": [("name", "string")], "Toy": [("name", "string")], "Gone": [("x", "int")],
            "Home": [("place", "string")], "Host": [("homes", "Home[]")],
        ]
        edit(&classes)
        let order = ["Dog", "Person", "Toy", "Gone", "Home", "Host", "Cat"]
        return Schema(
            version: version,
            classes: order.compactMap { name in
                guard let properties = classes[name] else { return nil }
                return ClassSchema(
                    name, primaryKey: name == "Dog" ? "id" : nil, isEmbedded: embedded.contains(name),
                    properties: properties.compactMap { property in
                        PropertyType(text: property.type).map { PropertySchema(property.name, $0) }
                    })
            })
    }

    /// Three dogs, three toys of which the first dog has two, and one object of the class that is removed.
    static func fill(_ transaction: any WriteTransaction) throws {
        func make(_ name: String, _ values: [String: Value] = [:]) throws -> ObjectKey {
            var given: [PropertyID: Value] = [:]
            for (property, value) in values { given[try transaction.property(name, property)] = value }
            return try transaction.create(try transaction.classID(name), given)
        }
        let toys = try (0..<3).map { try make("Toy", ["name": .string("\($0)")]) }
        let ann = try make("Person", ["name": .string("ann")])
        let deleted = ObjectReference(try transaction.classID("Gone"), try make("Gone"))
        let place = try transaction.property("Home", "place")
        _ = try make(
            "Dog",
            [
                "id": .int(0), "name": .string("rex"), "age": .int(3), "weight": .double(1.5), "owner": .link(ann),
                "tags": .set([.string("a")]), "toys": .list(toys.prefix(2).map { .link($0) }),
                "any": .list([.reference(deleted), .int(1)]), "home": .embedded([place: .string("hill")]),
            ])
        _ = try make("Dog", ["id": .int(1), "name": .string("bo"), "age": .int(4)])
        _ = try make(
            "Dog",
            [
                "id": .int(2), "name": .string("x"), "age": .int(5), "weight": .double(2), "owner": .link(ann),
                "any": .reference(deleted), "home": .embedded([:]),
            ])
    }
}

extension Schema {
    fileprivate func at(_ version: UInt64) -> Schema {
        var schema = self
        schema.version = version
        return schema
    }

    fileprivate func classID(_ name: String) throws -> ClassID {
        guard let objectClass = self[name] else { throw ConformanceFailure("the schema has no class \(name)") }
        return objectClass.id
    }

    fileprivate func property(_ className: String, _ name: String) throws -> PropertyID {
        guard let property = self[className]?[name] else {
            throw ConformanceFailure("no property \(className).\(name)")
        }
        return property.id
    }
}

extension WriteTransaction {
    fileprivate func classID(_ name: String) throws -> ClassID { try schema.classID(name) }
    fileprivate func property(_ className: String, _ name: String) throws -> PropertyID {
        try schema.property(className, name)
    }
}

extension Snapshot {
    fileprivate func classID(_ name: String) throws -> ClassID { try schema.classID(name) }
    fileprivate func property(_ className: String, _ name: String) throws -> PropertyID {
        try schema.property(className, name)
    }

    /// A property of all objects, in the order of their keys.
    fileprivate func all(_ className: String, _ name: String) throws -> [Value] {
        let (classID, property) = (try classID(className), try property(className, name))
        return try select(BoundQuery(classID: classID), .all).map { try value(classID, $0, property) }
    }
}
