import EmbeddedStore
import ObjectModel
import RealmFiles
import RealmImport
import RepositoryFiles
import StoreContract
import TestBasics
import Testing

@Suite("Classes of a Realm file and of the database that gets them")
struct MergedSchemaTests {
    private typealias Remedy = RealmObstacle.Remedy

    private static func schema(
        _ name: String, primaryKey: String? = nil, isEmbedded: Bool = false, version: UInt64 = 1,
        _ properties: [(String, String)], others: [ClassSchema] = []
    ) -> Schema {
        Schema(
            version: version,
            classes: [
                ClassSchema(
                    name, primaryKey: primaryKey, isEmbedded: isEmbedded,
                    properties: properties.compactMap { name, type in
                        PropertyType(text: type).map { PropertySchema(name, $0) }
                    })
            ] + others)
    }

    private static let pets = schema("Pet", [("name", "int"), ("kind", "int"), ("z", "int")])

    private func create(_ name: String, _ values: [String: Value] = [:], in store: any Store) throws {
        try store.write { transaction in
            let known = try #require(transaction.schema[name])
            var row: [PropertyID: Value] = [:]
            for (property, value) in values { row[try #require(known[property]).id] = value }
            _ = try transaction.create(known.id, row)
        }
    }

    private func refusal(_ work: () throws -> RealmImportReport) throws -> RealmImportError {
        try #require(#expect(throws: RealmImportError.self) { _ = try work() })
    }

    // MARK: The writer's turn decides

    @Test(
        "an object that comes before the turn of an import counts: its values are not lost",
        arguments: [
            // At the same schema version, and at one that rises for another class.
            ("format-20", pets, "Pet"),
            (
                "many",
                schema(
                    "City", primaryKey: "code", [("code", "string"), ("name", "int")],
                    others: schema("Trip", primaryKey: "id", [("id", "uuid"), ("note", "string")]).classes), "City"
            ),
        ])
    func objectsBeforeTheTurn(file: String, schema: Schema, name: String) throws {
        let directory = try TestDirectory()
        func fill(_ store: any Store) throws {
            guard schema["Trip"] != nil else { return }
            try create("Trip", ["id": .uuid(UUIDValue(high: 1, low: 2))], in: store)
        }
        let base = try RealmTestFile.store(directory, schema: schema)
        defer { base.close() }
        try fill(base)
        // The file's names are strings, so they would all become empty.
        let store = InterruptedStore(base) { turn in
            guard turn == 1 else { return }
            try base.write { transaction in
                let known = try #require(transaction.schema[name])
                var values: [PropertyID: Value] = [try #require(known["name"]).id: .int(7)]
                if let key = known.primaryKey.flatMap({ known[$0] }) { values[key.id] = .string("a") }
                _ = try transaction.create(known.id, values)
            }
        }
        let fault = try refusal { try RealmTestFile.importing(file, in: directory, into: store) }
        #expect(fault.reason == .differentClass, "\(fault)")
        #expect(fault.obstacles.map(\.name).contains("\(name).name"), "\(fault)")
        #expect(store.replacements == 1)
        let after = try base.snapshot()
        #expect(after.schema.classes.count == schema.classes.count)
        let known = try #require(after.schema[name])
        let property = try #require(known["name"])
        #expect(property.type == PropertyType(.int))
        #expect(try after.value(known.id, ObjectKey(0), property.id) == .int(7))
        // Without objects the file's type comes, and the import says so.
        let empty = try RealmTestFile.store(directory, "empty", schema: schema)
        defer { empty.close() }
        try fill(empty)
        let report = try RealmTestFile.importing(file, in: directory, into: empty)
        #expect(
            report.notes.contains(
                "Property '\(name).name' of the database has the type 'string' instead of 'int': the class has no objects."
            ))
    }

    @Test("a change that keeps values is decided in the turn, too: the version rises or the import is refused")
    func versionInTheTurn() throws {
        let directory = try TestDirectory()
        for version: UInt64 in [11, 12] {
            let trips = Self.schema("Trip", primaryKey: "id", version: version, [("id", "uuid"), ("note", "string")])
            let base = try RealmTestFile.store(directory, "store\(version)", schema: trips)
            defer { base.close() }
            let store = InterruptedStore(base) { turn in
                guard turn == 1 else { return }
                try base.write { transaction in
                    let trip = try #require(transaction.schema["Trip"])
                    _ = try transaction.create(trip.id, row: [.uuid(UUIDValue(high: 1, low: 2)), .string("mine")])
                }
            }
            if version == 12 {
                let fault = try refusal { try RealmTestFile.importing("many", in: directory, into: store) }
                #expect(fault.message.contains("higher schema version than 12"), "\(fault)")
                #expect(try base.snapshot().schema["City"] == nil)
            } else {
                let report = try RealmTestFile.importing("many", in: directory, into: store)
                #expect(report.notes.contains("Property 'Trip.note' of the database becomes optional."))
                #expect(report.notes.last == "The schema version of the database rises from 11 to 12.")
                #expect(store.replacements == 2)
            }
        }
    }

    @Test("imports that come between do not refuse each other")
    func importsBetween() throws {
        let directory = try TestDirectory()
        let base = try RealmTestFile.store(directory)
        defer { base.close() }
        let (old, new) = (
            try RealmTestFile.open("format-20", in: directory), try RealmTestFile.open("many", in: directory)
        )
        // The first raises the version above that of the file that waits; each adds classes that it does not know.
        let store = InterruptedStore(base) { turn in
            guard turn < RealmImporter.maximumAttempts else { return }
            let selection = RealmSelection(renames: ["City=City\(turn)", "Trip=Trip\(turn)"])
            _ = try RealmImporter(new, try RealmClasses(new, selection), into: base).run()
        }
        let report = try RealmImporter(old, try RealmClasses(old), into: store).run()
        #expect(store.replacements == RealmImporter.maximumAttempts)
        let after = try base.snapshot()
        #expect(after.version == report.version && after.schema.version == 12)
        #expect(after.schema["Person"].map { after.count(of: $0.id) } == 3)
        #expect(after.schema.classes.count == 3 + 2 * (RealmImporter.maximumAttempts - 1))
        #expect(try RealmTestFile.faults(of: base, directory) == [])
    }

    @Test("an import that finds another schema at every attempt ends, and says to send it again")
    func attempts() throws {
        let directory = try TestDirectory()
        let base = try RealmTestFile.store(directory)
        defer { base.close() }
        let store = InterruptedStore(base) { turn in
            let present = try base.snapshot().schema
            let added = Self.schema("Other\(turn)", [("x", "int")])
            try base.replaceSchema(with: Schema(version: present.version, classes: present.classes + added.classes))
        }
        let error = #expect(throws: StoreError.self) {
            try RealmTestFile.importing("format-20", in: directory, into: store)
        }
        #expect(error?.code == .schemaReplaced && store.replacements == RealmImporter.maximumAttempts)
        #expect(try base.snapshot().schema["Person"] == nil)
    }

    @Test("what is wrong without another write is refused once")
    func refusedOnce() throws {
        let directory = try TestDirectory()
        let base = try RealmTestFile.store(directory)
        defer { base.close() }
        let store = InterruptedStore(base) { _ in throw StoreError(.migrationRequired, "no") }
        let error = #expect(throws: StoreError.self) {
            try RealmTestFile.importing("format-20", in: directory, into: store)
        }
        #expect(error?.code == .migrationRequired && store.replacements == 1)
    }

    // MARK: What a class is

    @Test("a class of another kind is refused with the way on, with objects and without", arguments: [true, false])
    func otherKinds(hasObjects: Bool) throws {
        let cases: [(file: String, schema: Schema, name: String, remedy: Remedy, words: String, left: [String])] = [
            (
                "format-20", Self.schema("Person", primaryKey: "_id", [("_id", "objectId"), ("name", "string")]),
                "Person", .rename,
                "Class 'Person' of the database has the primary key '_id', and that of the file has no primary key.",
                []
            ),
            (
                "many", Self.schema("City", [("code", "string")]), "City", .rename,
                "Class 'City' of the database has no primary key, and that of the file has the primary key 'code'.",
                []
            ),
            (
                "many", Self.schema("City", primaryKey: "name", [("name", "string"), ("code", "string")]), "City",
                .rename,
                "Class 'City' of the database has the primary key 'name', and that of the file has the primary key 'code'.",
                []
            ),
            (
                "format-20", Self.schema("Address", [("street", "string"), ("city", "string")]), "Address", .rename,
                "Class 'Address' of the database is not embedded, and that of the file is embedded.", []
            ),
            (
                "format-20",
                Self.schema(
                    "Holder", [("pet", "Pet?")],
                    others: Self.schema("Pet", isEmbedded: true, [("name", "string")]).classes), "Pet", .rename,
                "Class 'Pet' of the database is embedded, and that of the file is not embedded.", []
            ),
            (
                "owners",
                Self.schema(
                    "Entry", [("line", "string")],
                    others: Self.schema(
                        "Person", primaryKey: "_id",
                        [("_id", "objectId"), ("others", "linkingObjects(Owner.people)")],
                        others: Self.schema("Owner", [("people", "Person[]")]).classes
                    ).classes), "Person.others", .leaveOut, "Property 'Person.others' of the database is computed",
                ["Address.former"]
            ),
        ]
        for (place, one) in cases.enumerated() {
            let directory = try TestDirectory()
            let store = try RealmTestFile.store(directory, "store\(place)", schema: one.schema)
            defer { store.close() }
            if hasObjects {
                let made = one.schema.classes[0]
                let key = made.primaryKey.flatMap { made[$0] }.map { [$0.name: $0.type.zeroValue] }
                try create(made.name, key ?? [:], in: store)
            }
            let before = try store.snapshot()
            let selection = RealmSelection(leftOut: one.left)
            let fault = try refusal { try RealmTestFile.importing(one.file, selection, in: directory, into: store) }
            #expect(fault.reason == .differentClass, "\(fault)")
            let obstacle = try #require(fault.obstacles.first { $0.name == one.name }, "\(fault)")
            #expect(obstacle.remedy == one.remedy && obstacle.sentence.hasPrefix(one.words), "\(fault)")
            let after = try store.snapshot()
            #expect(after.version == before.version && after.schema == before.schema)
            let preview = try RealmPreview(
                try RealmTestFile.open(one.file, in: directory), selection, into: after)
            #expect(preview.refusal == fault)
            // The way on leads on.
            var next = selection
            if one.remedy == .rename {
                next.renames.append("\(one.name)=Another")
            } else {
                next.leftOut.append(one.name)
            }
            try RealmTestFile.importing(one.file, next, in: directory, into: store)
            let name = one.schema.classes[0].name
            let (kept, done) = (try #require(before.schema[name]), try store.snapshot())
            #expect(
                done.schema[name]?.primaryKey == kept.primaryKey && done.schema[name]?.isEmbedded == kept.isEmbedded)
        }
    }

    @Test("what becomes different without a loss is said, before and after")
    func notes() throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(
            directory, schema: Self.schema("Trip", primaryKey: "id", [("id", "uuid"), ("note", "string")]))
        defer { store.close() }
        try create("Trip", ["id": .uuid(UUIDValue(high: 1, low: 2))], in: store)
        let file = try RealmTestFile.open("many", in: directory)
        let preview = try RealmPreview(file, RealmSelection(leftOut: ["Trip.stops"]), into: try store.snapshot())
        let gets = ["from", "kind", "delay", "cost", "at", "tags"].map {
            "Class 'Trip' of the database gets the property '\($0)'."
        }
        let changes =
            ["Property 'Trip.note' of the database becomes optional."] + gets + [
                "The schema version of the database rises from 1 to 12."
            ]
        #expect(Set(preview.notes) == Set(changes + ["Property 'Trip.stops' is left out."]), "\(preview.notes)")
        let classes = try RealmClasses(file, RealmSelection(leftOut: ["Trip.stops"]))
        let report = try RealmImporter(file, classes, into: store).run()
        #expect(classes.notes + report.notes == preview.notes)
        // A new database has nothing that becomes different.
        let new = try RealmTestFile.store(directory, "new")
        defer { new.close() }
        #expect(try RealmTestFile.importing("many", in: directory, into: new).notes == [])
    }

    @Test("the default and the index of a type that goes do not stand in the way")
    func defaults() throws {
        let directory = try TestDirectory()
        var name = PropertySchema("name", PropertyType(.int))
        name.defaultValue = .int(5)
        name.isIndexed = true
        let store = try RealmTestFile.store(
            directory, schema: Schema(version: 1, classes: [ClassSchema("Pet", properties: [name])]))
        defer { store.close() }
        try RealmTestFile.importing("format-20", in: directory, into: store)
        let after = try store.snapshot().schema["Pet"]?["name"]
        #expect(after?.type == PropertyType(.string) && after?.defaultValue == nil)
    }

    @Test("classes that contradict each other only together are refused, with a reason, before and at the import")
    func contradictions() throws {
        let directory = try TestDirectory()
        let keeper = Self.schema("Keeper", [("n", "int"), ("pets", "linkingObjects(Pet.name)")]).classes
        // The file's name of a pet is a text, so that nothing links to a keeper any more.
        let schema = Self.schema("Pet", [("name", "Keeper?"), ("kind", "int")], others: keeper)
        let store = try RealmTestFile.store(directory, schema: schema)
        defer { store.close() }
        let before = try store.snapshot()
        let file = try RealmTestFile.open("format-20", in: directory)
        let fault = try refusal { try RealmTestFile.importing("format-20", in: directory, into: store) }
        #expect(fault.reason == .differentClass && fault.message.contains("Keeper.pets"), "\(fault)")
        #expect(try RealmPreview(file, RealmSelection(), into: before).refusal == fault)
        let after = try store.snapshot()
        #expect(after.version == before.version && after.schema == before.schema)
    }
}
