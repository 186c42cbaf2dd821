import Foundation
import RealmSwift
import Testing

class RealmKeyed: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "default"
    @Persisted var note: String? = "declared"
    @Persisted var keyed: RealmKeyed?
    @Persisted var plain: RealmPlain?
    @Persisted var part: RealmPart?
    @Persisted var plains: List<RealmPlain>
}

class RealmPlain: Object {
    @Persisted var x: Int
    @Persisted var y = 7
    @Persisted var keyed: RealmKeyed?
    @Persisted var next: RealmPlain?
}

class RealmPart: EmbeddedObject {
    @Persisted var a: Int
    @Persisted var b = 3
}

@Suite("Realms")
struct RealmTests {
    static let types: [ObjectBase.Type] = [RealmKeyed.self, RealmPlain.self, RealmPart.self]

    static func realm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    /// Returns the message of a misuse in a write of a realm that has the object 1.
    private func message(_ body: @escaping @Sendable (Realm) throws -> Void) async -> String? {
        await exception {
            let realm = try Self.realm()
            realm.beginWrite()
            realm.create(RealmKeyed.self, value: ["id": 1])
            try body(realm)
        }
    }

    @Test(
        """
        Realm.{==,init(configuration:queue:),schema,configuration,isEmpty} one instance per thread and file, \
        equal by identity
        """)
    func instances() throws {
        let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types)
        let realm = try Realm(configuration: configuration)
        #expect(try Realm(configuration: configuration) == realm && realm.configuration == configuration)
        #expect(realm.isEmpty && realm.schema.objectSchema.count == 3 && realm.schema["RealmPart"]?.isEmbedded == true)
        let queue = DispatchQueue(label: "realm")
        let frozen = realm.freeze()
        let isOther = try queue.sync { try Realm(configuration: configuration, queue: queue) != frozen }
        #expect(isOther)
    }

    @Test(
        """
        Realm.create(_:value:update:) UpdatePolicy.{modified,all} absent stays, null is assigned, new objects \
        have their defaults
        """)
    func policies() throws {
        let realm = try Self.realm()
        realm.beginWrite()
        for policy in [Realm.UpdatePolicy.modified, .all] {
            realm.deleteAll()
            let object = realm.create(RealmKeyed.self, value: ["id": 1, "name": "a"], update: policy)
            #expect(object.name == "a" && object.note == "declared")
            let same = realm.create(RealmKeyed.self, value: ["id": 1, "note": NSNull()], update: policy)
            #expect(same == object && object.name == "a" && object.note == nil)
            #expect(realm.create(RealmKeyed.self, value: object, update: policy) == object)
            let other = RealmKeyed(value: ["id": 1, "name": "b"])
            realm.add(other, update: policy)
            #expect(object.name == "b" && object.note == "declared" && other == object)
            #expect(realm.objects(RealmKeyed.self).count == 1)
        }
        realm.cancelWrite()
    }

    @Test(
        """
        UpdatePolicy.{modified,all} policies reach linked objects: with keys by key, without in place only \
        under modified
        """)
    func nested() throws {
        let realm = try Self.realm()
        realm.beginWrite()
        func value(_ x: Int, _ name: String) -> [String: Any] {
            [
                "id": 1, "plain": ["x": x, "keyed": ["id": 2, "name": name]], "part": ["a": x],
                "plains": [["x": x], ["x": x + 1]],
            ]
        }
        let object = realm.create(RealmKeyed.self, value: value(1, "a"))
        guard let plain = object.plain, let part = object.part else {
            Issue.record("not created")
            return
        }
        plain.y = 9
        part.b = 9
        realm.create(RealmKeyed.self, value: value(2, "b"), update: .modified)
        #expect(object.plain?.isSameObject(as: plain) == true && plain.x == 2 && plain.y == 9)
        #expect(plain.keyed?.name == "b" && realm.objects(RealmKeyed.self).count == 2)
        #expect(object.part?.isSameObject(as: part) == true && part.a == 2 && part.b == 9)
        #expect(realm.objects(RealmPlain.self).count == 3 && object.plains.map(\.x) == [2, 3])
        realm.create(RealmKeyed.self, value: value(3, "c"), update: .all)
        #expect(object.plain?.isSameObject(as: plain) == false && object.plain?.y == 7)
        #expect(part.isInvalidated && object.part?.b == 3 && realm.objects(RealmKeyed.self).count == 2)
        #expect(realm.objects(RealmPlain.self).count == 6)
        realm.add(RealmKeyed(value: ["id": 1, "plain": ["x": 8]]), update: .modified)
        #expect(object.plain?.x == 8)
        realm.cancelWrite()
    }

    @Test(
        """
        Realm.{create(_:value:update:),add(_:update:)} copies objects of other realms and unmanaged ones, in \
        circles too
        """)
    func circles() throws {
        let first = RealmPlain(value: ["x": 1])
        first.next = RealmPlain(value: ["x": 2])
        first.next?.next = first
        let realm = try Self.realm()
        let copy = try realm.write { realm.create(RealmPlain.self, value: first) }
        #expect(first.realm == nil && copy.next?.x == 2 && copy.next?.next?.isSameObject(as: copy) == true)
        let other = try Self.realm()
        let again = try other.write { other.create(RealmPlain.self, value: copy) }
        #expect(again.next?.next?.isSameObject(as: again) == true && other.objects(RealmPlain.self).count == 2)
        try realm.write { realm.add(first) }
        #expect(first.next?.next?.isSameObject(as: first) == true && realm.objects(RealmPlain.self).count == 4)
        first.next?.realm.map { #expect($0 == realm) }
    }

    @Test(
        """
        UpdatePolicy.error Realm.{add(_:update:),create(_:value:update:)} what cannot be added or created is \
        refused
        """)
    func refused() async {
        #expect(
            await message { $0.create(RealmKeyed.self, value: ["id": 1]) }
                == "Attempting to create an object of type 'RealmKeyed' with an existing primary key value '1'.")
        #expect(
            await message { $0.add(RealmPlain(), update: .modified) }
                == "'RealmPlain' does not have a primary key and can not be updated")
        #expect(
            await message { $0.create(RealmPlain.self, update: .all) }
                == "'RealmPlain' does not have a primary key and can not be updated")
        #expect(
            await message { realm in
                let other = try Self.realm()
                realm.add(try other.write { other.create(RealmPlain.self) })
            } == "Object is already managed by another Realm. Use create instead to copy it into this Realm.")
        #expect(
            await message { _ = $0.dynamicCreate("RealmPart") } == "Embedded objects cannot be created directly")
        #expect(
            await message { $0.add(ObjectOwner()) }?.hasPrefix("Object type 'ObjectOwner' is not managed by the Realm.")
                == true)
        #expect(
            await message { _ = $0.objects(ObjectOwner.self) }?.hasPrefix("Object type 'ObjectOwner' is not") == true)
        #expect(
            await message { realm in
                let plain = realm.create(RealmPlain.self)
                realm.delete(plain)
                realm.add(plain)
            } == "Adding a deleted or invalidated object to a Realm is not permitted")
    }

    @Test("Realm.object(ofType:forPrimaryKey:) look-ups by primary key")
    func lookUp() async throws {
        let realm = try Self.realm()
        try realm.write { realm.create(RealmKeyed.self, value: ["id": 5]) }
        #expect(realm.object(ofType: RealmKeyed.self, forPrimaryKey: 5)?.id == 5)
        #expect(realm.object(ofType: RealmKeyed.self, forPrimaryKey: 6) == nil)
        let text = await message { _ = $0.object(ofType: RealmKeyed.self, forPrimaryKey: "x") }
        #expect(text == "Invalid value 'x' of type 'String' for 'int' property 'RealmKeyed.id'.")
        let null = await message {
            let key: Int? = nil
            _ = $0.object(ofType: RealmKeyed.self, forPrimaryKey: key)
        }
        #expect(null?.contains("'RealmKeyed.id'") == true)
        #expect(
            await message { _ = $0.object(ofType: RealmPlain.self, forPrimaryKey: 1) }
                == "RealmPlain does not have a primary key")
    }

    @Test(
        """
        Realm.{delete(object),delete(sequence),delete(Results),delete(List),deleteAll()} what goes, and what is \
        refused
        """)
    func deletion() async throws {
        let realm = try Self.realm()
        realm.beginWrite()
        let keyed = realm.create(RealmKeyed.self, value: ["id": 1, "part": ["a": 1], "plains": [["x": 1], ["x": 2]]])
        keyed.plains.append(keyed.plains[0])
        keyed.plain = keyed.plains[0]
        realm.delete(keyed.plains)
        #expect(keyed.plains.isEmpty && keyed.plain == nil && realm.objects(RealmPlain.self).isEmpty)
        for x in 0..<4 { realm.create(RealmPlain.self, value: ["x": x]) }
        let plains = Array(realm.objects(RealmPlain.self))
        realm.delete([plains[0], plains[0]])
        realm.delete(realm.objects(RealmPlain.self))
        #expect(plains.allSatisfy { $0.isInvalidated })
        if let part = keyed.part { realm.delete(part) }
        #expect(keyed.part == nil)
        realm.deleteAll()
        #expect(realm.isEmpty && keyed.isInvalidated)
        realm.cancelWrite()
        #expect(
            await message { realm in
                let other = try Self.realm()
                realm.delete(try other.write { other.create(RealmPlain.self) })
            } == "Can only delete an object from the Realm it belongs to.")
        #expect(await message { $0.delete(RealmPlain()) } == "Can only delete an object from the Realm it belongs to.")
    }

    @Test("Realm.{beginWrite(),cancelWrite(),isInWriteTransaction,invalidate()} only where they belong")
    func transactions() async throws {
        #expect(await message { $0.beginWrite() } == "The Realm is already in a write transaction")
        #expect(
            await exception { try Self.realm().commitWrite() } == "Can't commit a non-existing write transaction")
        #expect(
            await exception { try Self.realm().cancelWrite() } == "Can't cancel a non-existing write transaction")
        #expect(
            await exception { try Self.realm().freeze().beginWrite() }
                == "Can't perform transactions on a frozen Realm")
        let realm = try Self.realm()
        struct Fault: Error {}
        #expect(throws: Fault.self) {
            try realm.write {
                realm.create(RealmPlain.self)
                throw Fault()
            }
        }
        #expect(!realm.isInWriteTransaction && realm.isEmpty)
        let result = try realm.write {
            realm.create(RealmPlain.self)
            realm.cancelWrite()
            return 5
        }
        #expect(result == 5 && realm.isEmpty)
        realm.beginWrite()
        realm.create(RealmPlain.self)
        realm.invalidate()
        #expect(!realm.isInWriteTransaction && realm.isEmpty)
    }

    @Test("EmbeddedObject has one owner")
    func owners() async throws {
        #expect(
            await message { realm in
                let first = realm.create(RealmKeyed.self, value: ["id": 2, "part": ["a": 1]])
                first.part = first.part
                guard first.part?.a == 1 else { return }
                realm.create(RealmKeyed.self, value: ["id": 3]).part = first.part
            }?.hasPrefix("Can't set link to existing managed embedded object") == true)
    }

    @Test("Configuration.encryptionKey faults of files are Realm.Errors, and there is no encryption")
    func files() throws {
        let base = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        func code(_ configuration: Realm.Configuration) -> Realm.Error.Code? {
            do {
                _ = try Realm(configuration: configuration)
                return nil
            } catch { return (error as? Realm.Error)?.code }
        }
        let file = base.appendingPathComponent("a.realm")
        #expect(code(Realm.Configuration(fileURL: file, objectTypes: Self.types)) == .fileNotFound)
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: base) }
        #expect(code(Realm.Configuration(fileURL: file, readOnly: true, objectTypes: Self.types)) == .fileNotFound)
        #expect(code(Realm.Configuration(fileURL: base, objectTypes: Self.types)) == .fileAccess)
        let key = Data(repeating: 1, count: 64)
        #expect(code(Realm.Configuration(fileURL: file, encryptionKey: key, objectTypes: Self.types)) == .invalidInput)
        let foreign = base.appendingPathComponent("foreign.realm")
        try Data(repeating: 65, count: 20_000).write(to: foreign)
        #expect(code(Realm.Configuration(fileURL: foreign, objectTypes: Self.types)) == .invalidDatabase)
        let realm = try Realm(configuration: Realm.Configuration(fileURL: file, objectTypes: Self.types))
        #expect(throws: Realm.Error(.alreadyOpen)) { try Realm.deleteFiles(for: realm.configuration) }
        #expect(throws: Realm.Error(.fileExists)) { try realm.writeCopy(toFile: file) }
        // Errors are equal, and found in sets, by their codes.
        #expect(Set([Realm.Error(.fail, "a"), Realm.Error(.fail, "b"), Realm.Error(.fileExists)]).count == 2)
        try realm.write { realm.create(RealmPlain.self) }
        let copy = base.appendingPathComponent("copy.realm")
        try realm.writeCopy(toFile: copy)
        #expect(
            code(Realm.Configuration(fileURL: copy, encryptionKey: key, objectTypes: Self.types)) == .invalidDatabase)
        #expect(
            try Realm(configuration: Realm.Configuration(fileURL: copy, objectTypes: Self.types)).objects(
                RealmPlain.self
            ).count == 1)
    }

    @Test(
        """
        Configuration.{fileURL,inMemoryIdentifier} a configuration has a file or an identifier, and settings \
        that exclude each other are refused
        """)
    func configurations() async {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/x.realm"))
        configuration.inMemoryIdentifier = "a"
        #expect(configuration.fileURL == nil && configuration.inMemoryIdentifier == "a")
        configuration.fileURL = URL(fileURLWithPath: "/tmp/x.realm")
        #expect(configuration.inMemoryIdentifier == nil)
        #expect(await exception { _ = try Realm(configuration: Realm.Configuration(fileURL: nil)) } != nil)
        #expect(
            await exception {
                let url = URL(fileURLWithPath: "/tmp/x.realm")
                _ = try Realm(configuration: Realm.Configuration(fileURL: url, encryptionKey: Data([1])))
            } == "Encryption key must be exactly 64 bytes long")
        #expect(
            await exception {
                _ = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: URL(fileURLWithPath: "/tmp/x.realm"), readOnly: true,
                        deleteRealmIfMigrationNeeded: true))
            } == "Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
    }
}
