import Foundation
import RealmSwift
import Synchronization
import TestBasics
import Testing

/// What objects of a migration give and take by name, and what becomes of them.
@Suite("Objects of migrations")
struct MigrationObjectTests {
    /// A file with an object 1, and an object 2 that refers to it in every way.
    private final class File: Sendable {
        private let fixture: FileFixture
        let url: URL

        init() throws {
            fixture = try FileFixture()
            url = fixture.url("objects")
            let realm = try Realm(configuration: .init(fileURL: url, objectTypes: ValuesByNameTests.types))
            try realm.write {
                let one = realm.create(NamedNumbers.self, value: ["id": 1, "any": "text"])
                _ = realm.create(
                    NamedNumbers.self,
                    value: [
                        "id": 2, "any": one, "link": one, "others": [one], "mixed": [1, one, [one]] as [Any],
                        "mixedMap": ["a": one], "list8": [1, 2], "place": ["x": 9],
                    ] as [String: Any])
            }
        }

        /// Opens the file at version 1 after a migration of its objects.
        func migrated(_ body: @escaping @Sendable (Migration, MigrationObject, MigrationObject) -> Void) throws -> Realm
        {
            try Realm(
                configuration: .init(
                    fileURL: url, schemaVersion: 1,
                    migrationBlock: { migration, _ in
                        migration.enumerateObjects(ofType: "NamedNumbers") { old, new in
                            if let old, let new { body(migration, old, new) }
                        }
                    }, objectTypes: ValuesByNameTests.types))
        }
    }

    /// Sendable because the migration uses it before the test does.
    private final class Kept: @unchecked Sendable {
        var objects: [MigrationObject] = []
        var notes: [String] = []
    }

    @Test("Migration.enumerateObjects(ofType:_:) numbers by name cast to every type, also from old to new")
    func numbers() throws {
        let kept = Kept()
        let realm = try File().migrated { _, old, new in
            kept.notes.append("\(old["int8"] as? Int ?? 0) \(new.int16 as? Int8 ?? 0) \(old["id"] as? Int64 ?? 0)")
            new["int8"] = old["int16"]
            new["int64"] = old["int8"]
            new["float"] = old["double"]
            new["optional8"] = old["id"]
        }
        #expect(kept.notes == ["8 16 1", "8 16 2"])
        let last = realm.objects(NamedNumbers.self)[1]
        #expect(last.int8 == 16 && last.int64 == 8 && last.float == 2.5 && last.optional8 == 2)
    }

    @Test("Migration.enumerateObjects(ofType:_:) mixed values by name are what they hold, and objects are dynamic")
    func mixed() throws {
        let kept = Kept()
        let realm = try File().migrated { _, old, new in
            for object in [old, new] {
                kept.notes.append((object["any"] as? String) ?? "\((object["any"] as? MigrationObject)?["id"] ?? 0)")
            }
            new["any"] = [1, "a"] as [Any]
        }
        #expect(kept.notes == ["text", "text", "1", "1"])
        #expect(realm.objects(NamedNumbers.self)[0].any.listValue.map { Array($0) } == [.int(1), .string("a")])
    }

    @Test("Migration.enumerateObjects(ofType:_:) what an old object holds can be assigned to a new one")
    func assigned() throws {
        let names = ["any", "link", "others", "mixed", "mixedMap", "list8", "place"]
        let realm = try File().migrated { _, old, new in
            for name in names { new[name] = nil }
            for name in names { new[name] = old[name] }
        }
        let (one, two) = (realm.objects(NamedNumbers.self)[0], realm.objects(NamedNumbers.self)[1])
        #expect(realm.objects(NamedNumbers.self).count == 2)
        #expect(two.any == .object(one) && two.link == one && two.others.contains(one))
        #expect(two.mixed.count == 3 && two.mixed[1] == .object(one) && two.mixed[2].listValue?.first == .object(one))
        #expect(two.mixedMap["a"] == .object(one) && Array(two.list8) == [1, 2] && two.place?.x == 9)
    }

    @Test("Migration.create(_:value:) of an old object links to the new objects")
    func created() throws {
        let realm = try File().migrated { migration, old, new in
            guard old["id"] as? Int == 2 else { return }
            new["id"] = 3
            migration.create("NamedNumbers", value: old)
        }
        let all = realm.objects(NamedNumbers.self)
        #expect(all.map(\.id).sorted() == [1, 2, 3])
        #expect(all.allSatisfy { $0.id == 1 || $0.link?.id == 1 && $0.place?.x == 9 })
    }

    @Test("MigrationBlock objects that outlive it are invalidated, and do not keep the file open")
    func outlived() async throws {
        let (file, kept) = (try File(), Kept())
        do {
            _ = try file.migrated { _, old, new in kept.objects += [old, new] }
        }
        #expect(kept.objects.count == 4 && kept.objects.allSatisfy(\.isInvalidated))
        let realm = try ParityRealm.open(
            .init(fileURL: file.url, schemaVersion: 1, objectTypes: ValuesByNameTests.types))
        #expect(realm.objects(NamedNumbers.self).count == 2)
        for change in [false, true] {
            #expect(
                await exception { if change { kept.objects[1]["int8"] = 1 } else { _ = kept.objects[0]["int8"] } }
                    == "Object has been deleted or invalidated.")
        }
        #expect(kept.objects[2].description == "[invalid object]")
    }

    @Test("MigrationBlock objects kept from one that is refused do not keep the file open")
    func refused() throws {
        let (file, kept) = (try File(), Kept())
        #expect(throws: Realm.Error.self) {
            _ = try file.migrated { _, old, new in
                kept.objects += [old, new]
                new["id"] = 5
            }
        }
        #expect(kept.objects.count == 4 && kept.objects.allSatisfy(\.isInvalidated))
        let realm = try Realm(configuration: .init(fileURL: file.url, objectTypes: ValuesByNameTests.types))
        #expect(realm.objects(NamedNumbers.self).map(\.id) == [1, 2])
    }
}
