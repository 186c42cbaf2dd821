import Foundation
import RealmSwift
import Synchronization
import Testing

class FileNote: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text = ""
    @Persisted var next: FileNote?
    @Persisted var others: List<FileNote>
    @Persisted var byName: Map<String, FileNote?>
    @Persisted var any: AnyRealmValue
    @Persisted var part: FilePart?
    @Persisted var parts: List<FilePart>
    @Persisted var words: MutableSet<String>
}

class FilePart: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var note: FileNote?
    @Persisted var inner: List<FileInner>
}

class FileInner: EmbeddedObject {
    @Persisted var number = 0
}

/// A directory that is deleted after the test.
final class FileFixture: Sendable {
    static let types: [ObjectBase.Type] = [FileNote.self, FilePart.self, FileInner.self]
    let directory: URL

    init() throws {
        directory = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func url(_ name: String) -> URL { directory.appendingPathComponent(name + ".realm") }

    func configuration(_ name: String = "notes") -> Realm.Configuration {
        Realm.Configuration(fileURL: url(name), objectTypes: Self.types)
    }

    /// Opens a realm, and closes it.
    @discardableResult
    func with<R>(_ configuration: Realm.Configuration, _ body: (Realm) throws -> R) throws -> R {
        try body(Realm(configuration: configuration))
    }

    func size(_ name: String = "notes") throws -> Int {
        try FileManager.default.attributesOfItem(atPath: url(name).path)[.size] as? Int ?? 0
    }
}

@Suite("Files and their configuration")
struct FileTests {
    @Test("Configuration.seedFilePath is copied when there is no file yet, and left alone afterwards")
    func seed() throws {
        let fixture = try FileFixture()
        let seed = fixture.configuration("seed")
        try fixture.with(seed) { realm in
            try realm.write { realm.create(FileNote.self, value: ["id": 1, "text": "s"]) }
        }
        var seeded = fixture.configuration()
        seeded.seedFilePath = seed.fileURL
        try fixture.with(seeded) { realm in
            #expect(realm.objects(FileNote.self).map(\.text) == ["s"])
            try realm.write { realm.create(FileNote.self, value: ["id": 2]) }
        }
        try fixture.with(seeded) { realm in #expect(realm.objects(FileNote.self).count == 2) }
        try fixture.with(seed) { realm in #expect(realm.objects(FileNote.self).count == 1) }
        var missing = fixture.configuration("other")
        missing.seedFilePath = fixture.url("nowhere")
        #expect(throws: Realm.Error(.fileOperationFailed)) { try Realm(configuration: missing) }
        #expect(!Realm.fileExists(for: missing))
    }

    @Test(
        """
        Configuration.shouldCompactOnLaunch is asked once, at the first opening in the process, and true \
        shortens the file
        """)
    func compaction() throws {
        let fixture = try FileFixture()
        try fixture.with(fixture.configuration()) { realm in
            try realm.write {
                for id in 0..<300 {
                    realm.create(FileNote.self, value: ["id": id, "text": String(repeating: "text", count: 500)])
                }
            }
            try realm.write { realm.deleteAll() }
            try realm.write { realm.create(FileNote.self, value: ["id": 1, "text": "kept"]) }
        }
        let before = try fixture.size()
        let asked = Mutex<[(Int, Int)]>([])
        var configuration = fixture.configuration()
        configuration.shouldCompactOnLaunch = { total, used in
            asked.withLock { $0.append((total, used)) }
            return false
        }
        try fixture.with(configuration) { realm in
            #expect(realm.objects(FileNote.self).count == 1)
            // Not called for a file that is already open.
            let again = try Realm(configuration: configuration)
            #expect(again.objects(FileNote.self).count == 1)
        }
        #expect(asked.withLock { $0.count } == 1)
        let (total, used) = asked.withLock { $0[0] }
        #expect(total >= used && used > 0 && total <= before)
        #expect(try fixture.size() == before)
        configuration.shouldCompactOnLaunch = { total, used in
            asked.withLock { $0.append((total, used)) }
            return used * 2 < total
        }
        try fixture.with(configuration) { realm in #expect(realm.objects(FileNote.self).first?.text == "kept") }
        #expect(try asked.withLock { $0.count } == 2 && fixture.size() < before / 2)
        // Not called for a new file.
        var new = configuration
        new.fileURL = fixture.url("new")
        try fixture.with(new) { _ in }
        #expect(asked.withLock { $0.count } == 2)
    }

    @Test(
        """
        Configuration.maximumNumberOfActiveVersions a write fails while too many versions are in use, and works \
        again after
        """)
    func versionLimit() async throws {
        let fixture = try FileFixture()
        var limited = fixture.configuration()
        limited.maximumNumberOfActiveVersions = 4
        let configuration = limited
        let message = await exception {
            let realm = try Realm(configuration: configuration)
            var frozen: [Realm] = []
            for id in 0..<20 {
                frozen.append(realm.freeze())
                try realm.write { realm.create(FileNote.self, value: ["id": id]) }
            }
            _ = frozen
        }
        let expected = try Regex("Number of active versions \\([0-9]+\\) in the Realm exceeded the limit of 4.*")
        #expect(message?.wholeMatch(of: expected) != nil, "\(message ?? "nil")")
        for limit in [nil, 0, 100] as [UInt?] {
            var unlimited = fixture.configuration("unlimited")
            unlimited.maximumNumberOfActiveVersions = limit
            try fixture.with(unlimited) { realm in
                var frozen: [Realm] = []
                for id in 0..<20 {
                    frozen.append(realm.freeze())
                    try realm.write { realm.create(FileNote.self, value: ["id": id], update: .all) }
                }
                #expect(frozen.count == 20 && realm.objects(FileNote.self).count == 20)
            }
        }
        var other = configuration
        other.fileURL = fixture.url("other")
        try fixture.with(other) { realm in
            for round in 0..<10 {
                // Each releases two versions.
                let frozen = [realm.freeze()]
                try realm.write { realm.create(FileNote.self, value: ["id": round]) }
                let later = realm.freeze()
                try realm.write { realm.create(FileNote.self, value: ["id": round + 100]) }
                #expect(later.objects(FileNote.self).count == frozen[0].objects(FileNote.self).count + 1)
            }
            #expect(realm.objects(FileNote.self).count == 20)
        }
    }

    @Test("Configuration.readOnly a read-only realm reads, freezes, and neither writes, refreshes nor observes")
    func readOnly() async throws {
        let fixture = try FileFixture()
        try fixture.with(fixture.configuration()) { realm in
            try realm.write { realm.create(FileNote.self, value: ["id": 1, "text": "a"]) }
        }
        var readOnly = fixture.configuration()
        readOnly.readOnly = true
        let configuration = readOnly
        try fixture.with(configuration) { realm in
            #expect(realm.objects(FileNote.self).first?.text == "a" && !realm.isFrozen)
            #expect(realm.freeze().objects(FileNote.self).count == 1)
            #expect(realm.object(ofType: FileNote.self, forPrimaryKey: 1)?.freeze().text == "a")
        }
        #expect(
            await exception { try Realm(configuration: configuration).beginWrite() }
                == "Can't perform transactions on read-only Realms.")
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                realm.objects(FileNote.self)[0].text = "b"
            } == "Cannot modify managed objects outside of a write transaction.")
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                _ = realm.objects(FileNote.self).observe(on: DispatchQueue(label: "q")) { _ in }
            } == "Read-only Realms do not change and do not have change notifications.")
        #expect(
            await exception { _ = try Realm(configuration: configuration).refresh() }
                == "Read-only Realms do not change and cannot be refreshed.")
        let writable = fixture.configuration()
        #expect(
            await exception {
                let first = try Realm(configuration: configuration)
                let second = try Realm(configuration: writable)
                _ = (first, second)
            }?.contains("already opened with different read permissions") == true)
    }

    @Test("Configuration.readOnly needs no right to write to the file or its directory")
    func unwritable() throws {
        let fixture = try FileFixture()
        try fixture.with(fixture.configuration()) { realm in
            try realm.write { realm.create(FileNote.self, value: ["id": 1, "text": "a"]) }
        }
        let (file, directory) = (fixture.url("notes").path, fixture.directory.path)
        try? FileManager.default.removeItem(atPath: file + "-lock")
        func protect(_ isProtected: Bool) throws {
            let files = FileManager.default
            try files.setAttributes([.posixPermissions: isProtected ? 0o555 : 0o755], ofItemAtPath: directory)
            try files.setAttributes([.posixPermissions: isProtected ? 0o444 : 0o644], ofItemAtPath: file)
        }
        try protect(true)
        defer { try? protect(false) }
        var configuration = fixture.configuration()
        configuration.readOnly = true
        try fixture.with(configuration) { realm in #expect(realm.objects(FileNote.self).map(\.text) == ["a"]) }
        #expect(try schemaVersionAtURL(fixture.url("notes")) == 0)
        // The superuser may write everywhere.
        guard access(file, W_OK) != 0 else { return }
        #expect(throws: Realm.Error(.filePermissionDenied)) { try Realm(configuration: fixture.configuration()) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["notes.realm"])
    }

    @Test("Error.fileURL files that cannot be had say what is wrong")
    func permissions() throws {
        let fixture = try FileFixture()
        // Nobody may write there, not even the superuser.
        if FileManager.default.fileExists(atPath: "/sys/kernel") {
            let url = URL(fileURLWithPath: "/sys/kernel/notes.realm")
            #expect(throws: Realm.Error(.filePermissionDenied)) {
                try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: FileFixture.types))
            }
        }
        let deep = fixture.directory.appendingPathComponent("no/such/notes.realm")
        do {
            _ = try Realm(configuration: Realm.Configuration(fileURL: deep, objectTypes: FileFixture.types))
            Issue.record("opened")
        } catch let error as Realm.Error {
            #expect(error.code == .fileNotFound && error.fileURL == deep)
            #expect(error.localizedDescription.contains("no/such"))
        }
    }

    @Test(
        """
        Realm.writeCopy(toFile:encryptionKey:) within a write transaction has what was not committed, links and \
        all
        """)
    func copyWithinWrite() throws {
        let fixture = try FileFixture()
        let realm = try Realm(configuration: fixture.configuration())
        try realm.write {
            let first = realm.create(FileNote.self, value: ["id": 1, "text": "one", "words": ["a", "b"]])
            realm.create(FileNote.self, value: ["id": 2, "text": "gone"])
            first.next = realm.object(ofType: FileNote.self, forPrimaryKey: 2)
        }
        realm.beginWrite()
        let first = try #require(realm.object(ofType: FileNote.self, forPrimaryKey: 1))
        if let second = first.next { realm.delete(second) }
        let third = realm.create(FileNote.self, value: ["id": 3, "text": "three"])
        first.next = third
        first.others.append(objectsIn: [third, first, third])
        first.byName["x"] = third
        first.byName["null"] = .some(nil)
        third.any = .fromArray([.object(first), .int(7), .fromDictionary(["k": .object(third)])])
        third.part = FilePart(value: ["name": "p", "inner": [["number": 1], ["number": 2]]])
        third.part?.note = first
        third.parts.append(FilePart(value: ["name": "q"]))
        try realm.writeCopy(toFile: fixture.url("copy"))
        #expect(realm.isInWriteTransaction)
        realm.cancelWrite()
        #expect(realm.objects(FileNote.self).map(\.id) == [1, 2])
        let copy = try Realm(configuration: fixture.configuration("copy"))
        #expect(copy.objects(FileNote.self).map(\.id) == [1, 3] && copy.objects(FilePart.self).count == 2)
        let (one, three) = (copy.objects(FileNote.self)[0], copy.objects(FileNote.self)[1])
        #expect(one.text == "one" && one.next?.id == 3 && one.others.map(\.id) == [3, 1, 3])
        #expect(Array(one.words) == ["a", "b"] && one.byName.keys == ["null", "x"] && one.byName["x"]??.id == 3)
        #expect(three.any.listValue?[0].object(FileNote.self)?.id == 1 && three.any.listValue?[1] == .int(7))
        #expect(three.any.listValue?[2].dictionaryValue?["k"]?.object(FileNote.self)?.id == 3)
        #expect(three.part?.inner.map(\.number) == [1, 2] && three.part?.note?.id == 1)
        #expect(three.parts.map(\.name) == ["q"])
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
        #expect(!names.contains { $0.contains(".copy") })
        // It is a file like any other.
        try copy.write { copy.create(FileNote.self, value: ["id": 4]) }
        #expect(throws: Realm.Error(.fileExists)) { try realm.writeCopy(toFile: fixture.url("copy")) }
    }

    @Test(
        """
        Realm.{writeCopy(configuration:),fileExists(for:),deleteFiles(for:),performMigration(for:)} files of \
        configurations
        """)
    func filesOfConfigurations() async throws {
        let fixture = try FileFixture()
        let configuration = fixture.configuration()
        #expect(!Realm.fileExists(for: configuration))
        #expect(try !Realm.deleteFiles(for: configuration))
        try fixture.with(configuration) { realm in
            try realm.write { realm.create(FileNote.self, value: ["id": 1]) }
            try realm.writeCopy(configuration: fixture.configuration("copy"))
        }
        #expect(Realm.fileExists(for: configuration) && Realm.fileExists(for: fixture.configuration("copy")))
        #expect(try Realm.deleteFiles(for: configuration) && !Realm.fileExists(for: configuration))
        var migrated = fixture.configuration("copy")
        migrated.schemaVersion = 3
        let ran = Atomic(false)
        migrated.migrationBlock = { migration, old in
            #expect(old == 0 && migration.newSchema["FileNote"] != nil)
            ran.store(true, ordering: .sequentiallyConsistent)
        }
        try Realm.performMigration(for: migrated)
        let hasRun = ran.load(ordering: .sequentiallyConsistent)
        #expect(hasRun)
        #expect(try schemaVersionAtURL(fixture.url("copy")) == 3)
        let open = migrated
        #expect(
            await exception {
                let realm = try Realm(configuration: open)
                try Realm.performMigration(for: open)
                _ = realm
            } == "Cannot migrate Realms that are already open.")
    }

    @Test(
        """
        Configuration.{==,defaultConfiguration} configurations are compared by file, identifier, key, read-only \
        and version; the default one is copied
        """)
    func equality() {
        let base = Realm.Configuration(inMemoryIdentifier: "a", objectTypes: FileFixture.types)
        var other = base
        other.objectTypes = nil
        other.maximumNumberOfActiveVersions = 5
        other.deleteRealmIfMigrationNeeded = true
        other.shouldCompactOnLaunch = { _, _ in false }
        #expect(base == other)
        for change in [
            { $0.schemaVersion = 1 }, { $0.readOnly = true }, { $0.inMemoryIdentifier = "b" },
            { $0.fileURL = URL(fileURLWithPath: "/tmp/a") }, { $0.encryptionKey = Data(count: 64) },
        ] as [(inout Realm.Configuration) -> Void] {
            var changed = base
            change(&changed)
            #expect(changed != base)
        }
        var copy = Realm.Configuration.defaultConfiguration
        copy.schemaVersion += 7
        #expect(Realm.Configuration.defaultConfiguration != copy)
        #expect(base.description.contains("a") && Realm.Configuration.defaultConfiguration.fileURL != nil)
    }
}
