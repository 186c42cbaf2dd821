import Foundation
import RealmSwift
import Testing

/// One file whose classes change from one version to the next.
enum MigrationV1 {
    class MigratedPerson: Object {
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted var age: Int
        @Persisted var pet: MigratedPet?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class MigratedPet: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var kind = ""
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

enum MigrationV2 {
    class MigratedPerson: Object {
        @Persisted var fullName = ""
        @Persisted var years: Int
        @Persisted var note: String?
        @Persisted var pet: MigratedPet?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class MigratedPet: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var kind = ""
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite("Migrations")
struct MigrationTests {
    private let directory = try? URL(fileURLWithPath: temporaryDirectory())
    private var url: URL { (directory ?? URL(fileURLWithPath: "/nonexistent")).appendingPathComponent("people.realm") }

    private static func temporaryDirectory() throws -> String {
        let path = NSTemporaryDirectory() + "realm-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private func fill() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: url, objectTypes: [MigrationV1.MigratedPerson.self, MigrationV1.MigratedPet.self]))
        try realm.write {
            realm.create(
                MigrationV1.MigratedPerson.self,
                value: ["firstName": "Ann", "lastName": "Lee", "age": 30, "pet": ["id": 1, "kind": "cat"]])
            realm.create(MigrationV1.MigratedPerson.self, value: ["firstName": "Bob", "lastName": "Ray", "age": 40])
        }
    }

    private func second(_ version: UInt64, _ block: MigrationBlock? = nil) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: url, schemaVersion: version, migrationBlock: block,
            objectTypes: [MigrationV2.MigratedPerson.self, MigrationV2.MigratedPet.self])
    }

    @Test(
        """
        MigrationBlock MigrationObject \
        Migration.{oldSchema,newSchema,enumerateObjects(ofType:_:),create(_:value:)} \
        Migration.renameProperty(onType:from:to:) schemaVersionAtURL(_:encryptionKey:) a block sees old and new \
        objects, creates, deletes and renames
        """)
    func block() throws {
        try fill()
        let realm = try Realm(
            configuration: second(2) { migration, old in
                #expect(old == 0)
                #expect(migration.oldSchema["MigratedPerson"]?["firstName"]?.type == .string)
                #expect(migration.newSchema["MigratedPerson"]?["firstName"] == nil)
                migration.renameProperty(onType: "MigratedPerson", from: "age", to: "years")
                migration.enumerateObjects(ofType: "MigratedPerson") { old, new in
                    new?["fullName"] = "\(old?["firstName"] ?? "?") \(old?["lastName"] ?? "?")"
                    new?.note = (old?["age"] as? Int).map { "\($0) years" }
                    if old?["firstName"] as? String == "Bob" {
                        new?["pet"] = migration.create("MigratedPet", value: ["id": 2, "kind": "dog"])
                    }
                }
            })
        let people = realm.objects(MigrationV2.MigratedPerson.self)
        #expect(people.map(\.fullName) == ["Ann Lee", "Bob Ray"])
        #expect(people.map(\.years) == [30, 40])
        #expect(people.map(\.note) == ["30 years", "40 years"])
        #expect(people.map { $0.pet?.kind } == ["cat", "dog"])
        #expect(try schemaVersionAtURL(url) == 2)
    }

    @Test(
        """
        MigrationBlock a change without a higher version, and a lower version, are refused and nothing is lost
        """)
    func refused() throws {
        try fill()
        #expect(throws: Realm.Error(.schemaMismatch)) { _ = try Realm(configuration: second(0)) }
        _ = try { _ = try Realm(configuration: second(3)) }()
        do {
            _ = try Realm(configuration: second(1))
            Issue.record("opened")
        } catch let error as Realm.Error {
            #expect(error.message == "Provided schema version 1 is less than last set version 3.")
        }
    }

    @Test("Configuration.deleteRealmIfMigrationNeeded begins anew, also when only the version differs")
    func deleted() throws {
        try fill()
        var configuration = second(0)
        configuration.deleteRealmIfMigrationNeeded = true
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test(
        """
        Migration.{delete(_:),deleteData(forType:),create(_:value:),renameProperty(onType:from:to:)} \
        MigrationObject objects and classes that go
        """)
    func deleting() throws {
        try fill()
        let realm = try Realm(
            configuration: second(1) { migration, _ in
                migration.enumerateObjects(ofType: "MigratedPerson") { old, new in
                    if let new, old?["firstName"] as? String == "Bob" { migration.delete(new) }
                }
                // Deleted objects are not enumerated.
                migration.enumerateObjects(ofType: "MigratedPerson") { old, new in
                    #expect(old?["firstName"] as? String == "Ann" && new != nil)
                }
                #expect(migration.deleteData(forType: "MigratedPet") && !migration.deleteData(forType: "Nothing"))
                let pet: MigrationObject = migration.create("MigratedPet", value: ["id": 9])
                #expect(pet["kind"] as? String == "")
                // A created object has no old one.
                migration.enumerateObjects(ofType: "MigratedPet") { old, new in
                    #expect(old == nil && new?["id"] as? Int == 9)
                }
            })
        #expect(realm.objects(MigrationV2.MigratedPerson.self).count == 1)
        #expect(realm.objects(MigrationV2.MigratedPet.self).map(\.id) == [9])
        #expect(realm.objects(MigrationV2.MigratedPerson.self)[0].pet == nil)
    }
}
