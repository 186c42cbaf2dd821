import EmbeddedStore
import Foundation
import ObjectModel
import QueryLanguage
import RealmFiles
import RealmImport
import RepositoryFiles
import StoreContract
import Synchronization
import TestBasics
import Testing

@Suite("Realm files into databases that exist, and all or nothing")
struct ExistingDatabaseTests {
    private static func person(_ properties: [(String, String)], primaryKey: String? = nil) -> ClassSchema {
        ClassSchema(
            "Person", primaryKey: primaryKey,
            properties: properties.compactMap { name, type in
                PropertyType(text: type).map { PropertySchema(name, $0) }
            })
    }

    /// A database with one person, and perhaps other classes that it names.
    private func database(
        _ directory: TestDirectory, version: UInt64 = 1, _ properties: [(String, String)], others: [ClassSchema] = [],
        isFilled: Bool = true
    ) throws -> EmbeddedStore {
        let store = try RealmTestFile.store(
            directory, schema: Schema(version: version, classes: [Self.person(properties)] + others))
        if isFilled {
            try store.write { transaction in
                let person = try #require(transaction.schema["Person"])
                _ = try transaction.create(person.id, [try #require(person["fullName"]).id: .string("Ada")])
            }
        }
        return store
    }

    private func expectUnchanged(
        _ store: EmbeddedStore, after before: any Snapshot, _ comment: Comment? = nil
    ) throws {
        let after = try store.snapshot()
        #expect(after.version == before.version && after.schema == before.schema, comment)
        for objectClass in before.schema.classes {
            #expect(after.count(of: objectClass.id) == before.count(of: objectClass.id), comment)
        }
    }

    private func values(_ store: EmbeddedStore, _ path: String) throws -> [Value] {
        let snapshot = try store.snapshot()
        let parts = path.split(separator: ".").map(String.init)
        let objectClass = try #require(snapshot.schema[parts[0]])
        let property = try #require(objectClass[parts[1]])
        return try snapshot.select(BoundQuery(classID: objectClass.id), .all).map {
            try snapshot.value(objectClass.id, $0, property.id)
        }
    }

    @Test("classes come to those that are there, and equal classes get more objects")
    func added() throws {
        let directory = try TestDirectory()
        // Optional where the file's property is not, one property more, and one that only the file has.
        let store = try database(directory, [("fullName", "string?"), ("note", "string"), ("age", "int")])
        defer { store.close() }
        let before = try store.snapshot()
        let report = try RealmTestFile.importing("format-20", in: directory, into: store)
        let after = try store.snapshot()
        #expect(report.version == before.version.next && after.version == report.version)
        #expect(after.schema.version == 1, "no change needs a higher version")
        #expect(after.schema["Person"]?.properties.map(\.name) == ["fullName", "note", "age", "address", "pets"])
        #expect(after.schema["Person"]?["fullName"]?.type.isOptional == true)
        #expect(
            try values(store, "Person.fullName") == ["Ada", "John Doe", "Jane Doe", "John Smith"].map { .string($0) })
        #expect(try values(store, "Person.age") == [0, 42, 43, 44].map { .int($0) })
        #expect(try values(store, "Person.pets").first == .list([]))
        #expect(try values(store, "Pet.name").count == 4)
        // Without a primary key all come again.
        try RealmTestFile.importing("format-20", in: directory, into: store)
        #expect(try values(store, "Person.age").count == 7)
        let pets = try values(store, "Person.pets")
        #expect(pets.last == .list([]) && pets[4] == .list([.link(ObjectKey(4)), .link(ObjectKey(5))]))
    }

    @Test("a class with objects in another form is refused, and without objects becomes that of the file")
    func changed() throws {
        let other: [(String, String)] = [("fullName", "string"), ("age", "string")]
        let directory = try TestDirectory()
        let store = try database(directory, other)
        defer { store.close() }
        let before = try store.snapshot()
        let error = try #require(
            #expect(throws: RealmImportError.self) {
                try RealmTestFile.importing("format-20", in: directory, into: store)
            })
        #expect(error.reason == .differentClass)
        #expect(error.message.contains("Property 'Person.age' has been changed from 'string' to 'int'."))
        try expectUnchanged(store, after: before)
        try RealmTestFile.importing("format-20", RealmSelection(renames: ["Person=Human"]), in: directory, into: store)
        #expect(try values(store, "Human.age").count == 3 && values(store, "Person.age").count == 1)

        let empty = try RealmTestFile.store(
            directory, "empty", schema: Schema(version: 1, classes: [Self.person(other)]))
        defer { empty.close() }
        try RealmTestFile.importing("format-20", in: directory, into: empty)
        #expect(try values(empty, "Person.age") == [42, 43, 44].map { .int($0) })
    }

    @Test("a change that keeps all values needs a file whose schema version is higher")
    func migrated() throws {
        let directory = try TestDirectory()
        func make(_ version: UInt64) throws -> EmbeddedStore {
            // The file's notes are optional.
            let trip = ClassSchema(
                "Trip", primaryKey: "id",
                properties: [PropertySchema("id", PropertyType(.uuid)), PropertySchema("note", PropertyType(.string))])
            let store = try RealmTestFile.store(
                directory, "store\(version)", schema: Schema(version: version, classes: [trip]))
            try store.write { transaction in
                let trip = try #require(transaction.schema["Trip"])
                _ = try transaction.create(
                    trip.id, row: [.uuid(UUIDValue(high: 1, low: 2)), .string("mine")])
            }
            return store
        }
        let higher = try make(12)
        defer { higher.close() }
        let before = try higher.snapshot()
        let error = try #require(
            #expect(throws: RealmImportError.self) { try RealmTestFile.importing("many", in: directory, into: higher) })
        #expect(error.reason == .differentClass && error.message.contains("higher schema version than 12"))
        #expect(error.message.contains("Property 'Trip.note' has been made optional."))
        try expectUnchanged(higher, after: before)

        let lower = try make(11)
        defer { lower.close() }
        try RealmTestFile.importing("many", in: directory, into: lower)
        let after = try lower.snapshot()
        #expect(after.schema.version == 12 && after.schema["Trip"]?["note"]?.type.isOptional == true)
        let notes = try values(lower, "Trip.note")
        #expect(notes.count == 2701 && notes.first == .string("mine"))
    }

    @Test("an object whose primary key is there is refused, and nothing is imported")
    func duplicates() throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory)
        defer { store.close() }
        try RealmTestFile.importing("many", in: directory, into: store)
        let before = try store.snapshot()
        #expect(before.schema.version == 12)
        let error = try #require(
            #expect(throws: RealmImportError.self) { try RealmTestFile.importing("many", in: directory, into: store) })
        #expect(error.reason == .duplicate && error.message.contains("'C0'"), "\(error.message)")
        try expectUnchanged(store, after: before)
    }

    @Test("objects that are there get the values of the file, those that differ or all, and keep their keys")
    func updates() throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory)
        defer { store.close() }
        try RealmTestFile.importing("many", in: directory, into: store)
        let names = try values(store, "City.name")
        let stops = try values(store, "Trip.stops")
        let city = try #require(try store.snapshot().schema["City"])
        let name = try #require(city["name"]).id
        let key = try #require(try store.snapshot().key(of: city.id, primaryKey: .string("C7")))
        try store.write { transaction in
            try transaction.set(city.id, key, [name: .string("elsewhere")])
            try transaction.delete(city.id, try #require(try transaction.key(of: city.id, primaryKey: .string("C299"))))
        }
        let preview = try RealmPreview(
            try RealmTestFile.open("many", in: directory), RealmSelection(), into: try store.snapshot(), .modified)
        #expect(preview.refusal == nil && preview.classes.first { $0.name == "City" }?.present == names.count - 1)
        for (policy, modified) in [(UpdatePolicy.modified, 1), (.all, names.count)] {
            let report = try RealmTestFile.importing("many", in: directory, into: store, policy)
            let cities = try #require(report.classes.first { $0.name == "City" })
            #expect(cities.objects == names.count && cities.modified == modified, "\(policy)")
            #expect(cities.present == (policy == .modified ? names.count - 1 : names.count))
            #expect(try Set(values(store, "City.name").map { "\($0)" }) == Set(names.map { "\($0)" }))
            #expect(try store.snapshot().key(of: city.id, primaryKey: .string("C7")) == key)
        }
        #expect(try values(store, "Trip.stops").count == stops.count)
        #expect(try RealmTestFile.faults(of: store, directory) == [])
    }

    @Test("links in mixed values to a class that is left out become null, and are counted")
    func lostLinks() throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory)
        defer { store.close() }
        let alone = try #require(
            #expect(throws: RealmImportError.self) {
                try RealmTestFile.importing(
                    "kinds", RealmSelection(leftOut: ["Target"]), in: directory, into: store)
            })
        #expect(alone.reason == .unsuitable)
        let links = ["link", "links", "linkSet", "linkMap"].map { "Kinds.\($0)" }
        for path in links { #expect(alone.message.contains("--leave-out \(path)."), "\(alone.message)") }
        let report = try RealmTestFile.importing(
            "kinds", RealmSelection(leftOut: ["Target"] + links), in: directory, into: store)
        let oracle = try #require(try RealmTestFile.oracle("kinds")["Kinds"])
        let all = oracle.map { "\($0)" }.joined().components(separatedBy: "$link").count - 1
        #expect(report.lostLinks == all && all > 0)
        #expect(report.classes.map(\.name) == ["Kinds"])
        #expect(try RealmTestFile.faults(of: store, directory) == [])
    }

    @Test("a value that a database cannot have is named with its object, and nothing is imported")
    func unsuitableValues() throws {
        let directory = try TestDirectory()
        // Keys of maps that Realm's own interface refuses.
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try RealmTestFile.path("owners", in: directory))))
        for index in bytes.indices.dropLast(5) where bytes[index...].starts(with: "kind".utf8) {
            bytes[index + 1] = 0x2E
        }
        let path = directory.file("keys.realm")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let store = try RealmTestFile.store(directory)
        defer { store.close() }
        let before = try store.snapshot()
        func run(_ leftOut: [String]) throws -> RealmImportReport {
            let file = try RealmFile(path: path)
            return try RealmImporter(file, try RealmClasses(file, RealmSelection(leftOut: leftOut)), into: store).run()
        }
        let error = try #require(#expect(throws: RealmImportError.self) { try run(["Address.former"]) })
        #expect(error.reason == .value)
        for part in ["Person with primary key 640000000000000000000001", "'k.nd0'", "--leave-out Person.byKind"] {
            #expect(error.message.contains(part), "\(part) in \(error.message)")
        }
        try expectUnchanged(store, after: before)
        #expect(try run(["Address.former", "Person.byKind"]).objects > 39)
    }

    @Test("an import that is stopped leaves nothing")
    func stopped() throws {
        struct Stop: Error {}
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory)
        defer { store.close() }
        let before = try store.snapshot()
        let file = try RealmTestFile.open("many", in: directory)
        let importer = RealmImporter(file, try RealmClasses(file), into: store)
        let reached = Mutex(0)
        #expect(throws: Stop.self) {
            try importer.run { progress in
                reached.withLock { $0 = progress.done }
                throw Stop()
            }
        }
        #expect(reached.withLock { $0 } == RealmImporter.reportInterval)
        try expectUnchanged(store, after: before)
        #expect(try importer.run().objects == 3000)
    }

    @Test("a file that another program writes meanwhile is not imported")
    func inUse() throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory)
        defer { store.close() }
        let before = try store.snapshot()
        let path = try RealmTestFile.path("many", in: directory)
        let file = try RealmFile(path: path)
        let importer = RealmImporter(file, try RealmClasses(file), into: store)
        let error = #expect(throws: RealmFileError.self) {
            try importer.run { reached in
                guard reached.done == RealmImporter.reportInterval else { return }
                // As a commit does: the other half of the header counts from now on.
                let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
                try handle.seek(toOffset: 23)
                let selector = try handle.read(upToCount: 1)?.first ?? 0
                try handle.seek(toOffset: 23)
                try handle.write(contentsOf: Data([selector ^ 1]))
                try handle.close()
            }
        }
        #expect(error == .inUse)
        try expectUnchanged(store, after: before)
    }

    @Test("a damaged file becomes a whole database or none", arguments: 0..<40)
    func damage(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let directory = try TestDirectory()
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try RealmTestFile.path("owners", in: directory))))
        for _ in 0...random.below(8) { bytes[24 + random.below(bytes.count - 24)] = UInt8(random.below(256)) }
        let path = directory.file("damaged.realm")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let store = try RealmTestFile.store(directory)
        defer { store.close() }
        let before = try store.snapshot()
        do {
            let file = try RealmFile(path: path)
            let classes = try RealmClasses(file, RealmSelection(leftOut: ["Address.former"]))
            let report = try RealmImporter(file, classes, into: store).run()
            let after = try store.snapshot()
            for entry in report.classes {
                let objectClass = try #require(after.schema[entry.name])
                #expect(after.count(of: objectClass.id) == entry.objects, "\(entry.name)")
            }
        } catch {
            #expect(error is RealmFileError || error is RealmImportError || error is StoreError, "\(error)")
            try expectUnchanged(store, after: before, "\(error)")
        }
        #expect(try RealmTestFile.faults(of: store, directory) == [])
    }
}
