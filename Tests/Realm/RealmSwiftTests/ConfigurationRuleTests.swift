import Foundation
import RealmSwift
import Synchronization
import Testing

class ConfiguredDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var owner: ConfiguredOwner?
}

class ConfiguredOwner: Object {
    @Persisted var name = ""
}

/// Files and configurations: what each setting does, and what each fault is called.
@Suite("Rules of configurations and files")
struct ConfigurationRuleTests {
    private let fixture: FileFixture
    private let configuration: Realm.Configuration

    init() throws {
        fixture = try FileFixture()
        configuration = Realm.Configuration(
            fileURL: fixture.url("a"), objectTypes: [ConfiguredDog.self, ConfiguredOwner.self])
    }

    private func open() throws -> Realm { try Realm(configuration: configuration) }

    private func fill(_ ids: Range<Int> = 0..<3) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { for id in ids { realm.create(ConfiguredDog.self, value: ["id": id, "name": "d\(id)"]) } }
    }

    @Test(
        "Realm.writeCopy(toFile:encryptionKey:) the copy has the data, also of an open write, and is a file of its own"
    )
    func copies() throws {
        try fill()
        let (copy, inWrite) = (fixture.url("copy"), fixture.url("write"))
        try {
            let realm = try Realm(configuration: configuration)
            try realm.writeCopy(toFile: copy)
            realm.beginWrite()
            realm.create(ConfiguredDog.self, value: ["id": 9])
            try realm.writeCopy(toFile: inWrite)
            realm.cancelWrite()
            #expect(throws: Realm.Error(.fileExists)) { try realm.writeCopy(toFile: copy) }
            #expect(throws: Realm.Error.self) { try realm.writeCopy(toFile: fixture.url("none/x")) }
            let frozen = realm.freeze()
            try frozen.writeCopy(toFile: fixture.url("frozen"))
        }()
        for (url, count) in [(copy, 3), (inWrite, 4), (fixture.url("frozen"), 3)] {
            var other = configuration
            other.fileURL = url
            let realm = try Realm(configuration: other)
            #expect(realm.objects(ConfiguredDog.self).count == count, "\(url.lastPathComponent)")
            try realm.write { realm.deleteAll() }
        }
        #expect(try Realm(configuration: configuration).objects(ConfiguredDog.self).count == 3)
        // An in-memory realm is copied to a file, and a read-only one, too.
        let memory = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: configuration.objectTypes))
        try memory.write { memory.create(ConfiguredDog.self, value: ["id": 1]) }
        try memory.writeCopy(toFile: fixture.url("memory"))
        var readOnly = configuration
        readOnly.fileURL = fixture.url("memory")
        readOnly.readOnly = true
        #expect(try Realm(configuration: readOnly).objects(ConfiguredDog.self).count == 1)
    }

    @Test("Realm.{deleteFiles(for:),fileExists(for:)} files that are there, open, gone and never were")
    func deletion() throws {
        #expect(!Realm.fileExists(for: configuration))
        #expect(try !Realm.deleteFiles(for: configuration))
        try fill()
        #expect(Realm.fileExists(for: configuration))
        try {
            let realm = try Realm(configuration: configuration)
            #expect(throws: Realm.Error(.alreadyOpen)) { try Realm.deleteFiles(for: configuration) }
            let frozen = realm.freeze()
            #expect(frozen.objects(ConfiguredDog.self).count == 3)
        }()
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(!Realm.fileExists(for: configuration))
        #expect(try !Realm.deleteFiles(for: configuration))
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
        #expect(!left.contains { $0.hasPrefix("a.realm") }, "\(left)")
    }

    @Test("Configuration.inMemoryIdentifier may have any length and contain any character", arguments: [1, 90, 5_000])
    func longIdentifier(_ length: Int) throws {
        let identifier = String(repeating: "é/", count: length)
        let types = configuration.objectTypes
        let realm = try Realm(configuration: .init(inMemoryIdentifier: identifier, objectTypes: types))
        #expect(try Realm(configuration: .init(inMemoryIdentifier: identifier, objectTypes: types)) == realm)
        #expect(try Realm(configuration: .init(inMemoryIdentifier: identifier + "x", objectTypes: types)) != realm)
    }

    @Test("Configuration.inMemoryIdentifier data lasts while an instance is open, and is shared by the identifier")
    func memory() throws {
        let first = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: configuration.objectTypes)
        let second = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: configuration.objectTypes)
        try {
            let realm = try Realm(configuration: first)
            try realm.write { realm.create(ConfiguredDog.self, value: ["id": 1]) }
            #expect(try Realm(configuration: first).objects(ConfiguredDog.self).count == 1)
            #expect(try Realm(configuration: second).objects(ConfiguredDog.self).isEmpty)
            #expect(first.fileURL == nil && realm.configuration.inMemoryIdentifier == first.inMemoryIdentifier)
        }()
        #expect(try Realm(configuration: first).isEmpty)
        var changed = first
        changed.fileURL = fixture.url("b")
        #expect(changed.inMemoryIdentifier == nil)
        changed.inMemoryIdentifier = "x"
        #expect(changed.fileURL == nil && changed != first)
    }

    @Test("Configuration.shouldCompactOnLaunch is asked at the first open, with sizes, and shrinks the file")
    func compaction() throws {
        try {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                for id in 0..<2000 {
                    realm.create(ConfiguredDog.self, value: ["id": id, "name": String(repeating: "x", count: 500)])
                }
            }
            try realm.write { realm.delete(realm.objects(ConfiguredDog.self).where { $0.id >= 10 }) }
        }()
        func size() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: fixture.url("a").path)[.size] as? Int ?? 0
        }
        let before = try size()
        let asked = Counter()
        var compacting = configuration
        compacting.shouldCompactOnLaunch = { total, used in
            asked.note("\(total > 0 && used > 0 && used <= total)")
            return true
        }
        try {
            let realm = try Realm(configuration: compacting)
            #expect(realm.objects(ConfiguredDog.self).count == 10)
            _ = try Realm(configuration: compacting)
        }()
        #expect(asked.all == ["true"])
        #expect(try size() < before)
        compacting.shouldCompactOnLaunch = { _, _ in
            asked.note("second")
            return false
        }
        #expect(try Realm(configuration: compacting).objects(ConfiguredDog.self).count == 10)
        #expect(asked.all == ["true", "second"])
    }

    @Test(
        "Configuration.objectTypes a class that is linked to is missing, or a class that is not listed is used")
    func types() async throws {
        let url = fixture.url("a")
        #expect(
            await exception {
                _ = try Realm(configuration: .init(fileURL: url, objectTypes: [ConfiguredDog.self]))
            }?.contains("ConfiguredOwner") == true)
        let configuration = configuration
        let message = await exception {
            let realm = try Realm(configuration: configuration)
            _ = realm.objects(ShapeAll.self)
        }
        #expect(message?.hasPrefix("Object type 'ShapeAll' is not managed by the Realm.") == true)
        // A file may have classes that a configuration does not list: they stay.
        try fill()
        let owners = Realm.Configuration(fileURL: url, objectTypes: [ConfiguredOwner.self])
        try {
            let realm = try Realm(configuration: owners)
            #expect(realm.schema.objectSchema.map(\.className) == ["ConfiguredOwner"])
            try realm.write { realm.create(ConfiguredOwner.self, value: ["name": "o"]) }
        }()
        let realm = try open()
        #expect(realm.objects(ConfiguredDog.self).count == 3 && realm.objects(ConfiguredOwner.self).count == 1)
    }

    @Test("Error codes of files: none there, no directory, no file of a realm, a directory, an older version")
    func faults() throws {
        var missing = configuration
        missing.readOnly = true
        #expect(throws: Realm.Error(.fileNotFound)) { try Realm(configuration: missing) }
        var nowhere = configuration
        nowhere.fileURL = fixture.url("none/deep/a")
        #expect(throws: Realm.Error(.fileNotFound)) { try Realm(configuration: nowhere) }
        var remote = configuration
        remote.fileURL = URL(string: "https://example.org/a.realm")
        #expect(throws: Realm.Error(.fileAccess)) { try Realm(configuration: remote) }
        #expect(throws: Realm.Error(.fileAccess)) { try Realm.deleteFiles(for: remote) }
        #expect(throws: Realm.Error(.fileAccess)) { try Realm.performMigration(for: remote) }
        #expect(!Realm.fileExists(for: remote))
        let text = fixture.url("text")
        try Data("this is not a realm at all, but a text of some length".utf8).write(to: text)
        var other = configuration
        other.fileURL = text
        #expect(throws: Realm.Error(.invalidDatabase)) { try Realm(configuration: other) }
        #expect(try String(contentsOf: text, encoding: .utf8).hasPrefix("this is not a realm"))
        #expect(throws: Realm.Error(.invalidDatabase)) { try schemaVersionAtURL(fixture.url("none")) }
        var newer = configuration
        newer.schemaVersion = 3
        _ = try Realm(configuration: newer)
        #expect(try schemaVersionAtURL(fixture.url("a")) == 3)
        do {
            _ = try Realm(configuration: configuration)
            Issue.record("opened")
        } catch {
            #expect(
                (error as? Realm.Error)?.localizedDescription.contains("lower") == true || "\(error)".contains("less"),
                "\(error)")
        }
        #expect(
            (Realm.Error(.fail) as NSError).domain == "io.realm" && (Realm.Error(.schemaMismatch) as NSError).code == 10
        )
        do { throw Realm.Error(.fileExists, userInfo: [NSLocalizedDescriptionKey: "text"]) } catch Realm.Error
            .fileExists
        {
            // Caught by its code.
        } catch { Issue.record("\(error)") }
    }

    @Test(
        "Realm.asyncOpen(configuration:callbackQueue:callback:) opens on the queue; faults are the result; cancelled ones do not call"
    )
    func asyncOpen() async throws {
        try fill()
        let configuration = configuration
        let queue = DispatchQueue(label: "open")
        let count: Int = await withCheckedContinuation { continuation in
            Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                dispatchPrecondition(condition: .onQueue(queue))
                continuation.resume(returning: (try? result.get().objects(ConfiguredDog.self).count) ?? -1)
            }
        }
        #expect(count == 3)
        var faulty = configuration
        faulty.fileURL = fixture.url("none/a")
        let wrong = faulty
        let code: Realm.Error.Code? = await withCheckedContinuation { continuation in
            Realm.asyncOpen(configuration: wrong, callbackQueue: queue) { result in
                guard case .failure(let error) = result else { return continuation.resume(returning: nil) }
                continuation.resume(returning: (error as? Realm.Error)?.code)
            }
        }
        #expect(code == .fileNotFound)
        let calls = Counter()
        Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { _ in calls.note("called") }.cancel()
        queue.sync {}
        try await Task.sleep(for: .milliseconds(50))
        #expect(calls.all.count <= 1)
        let opened = try await Self.openOnActor(configuration)
        #expect(opened == 3)
        await #expect(throws: Realm.Error.self) { try await Self.openOnActor(wrong) }
    }

    @Test("Configuration.readOnly a read-only realm opens for actors, and in the background for queues")
    func readOnlyAsync() async throws {
        try fill()
        var readOnly = configuration
        readOnly.readOnly = true
        let configuration = readOnly
        #expect(try await Self.openOnActor(configuration) == 3)
        #expect(try await Self.countOnMain(configuration) == 3)
        let queue = DispatchQueue(label: "read-only")
        let count: Int = await withCheckedContinuation { continuation in
            Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
                let realm = try? result.get()
                let first = realm?.objects(ConfiguredDog.self).first.map { ThreadSafeReference(to: $0) }
                let resolved = first.flatMap { realm?.resolve($0) }
                continuation.resume(returning: resolved == nil ? -1 : realm?.objects(ConfiguredDog.self).count ?? -1)
            }
        }
        #expect(count == 3)
    }

    @MainActor private static func countOnMain(_ configuration: Realm.Configuration) async throws -> Int {
        try await Realm(configuration: configuration, downloadBeforeOpen: .once).objects(ConfiguredDog.self).count
    }

    @MainActor private static func openOnActor(_ configuration: Realm.Configuration) async throws -> Int {
        try await Realm.open(configuration: configuration).objects(ConfiguredDog.self).count
    }

    @Test("Configuration.description and equality name what differs")
    func text() {
        var copy = configuration
        #expect(copy == configuration && copy.description.contains("a.realm"))
        copy.schemaVersion = 4
        #expect(copy != configuration && copy.description.contains("schemaVersion = 4"))
        #expect(Realm.Configuration.defaultConfiguration.fileURL?.lastPathComponent == "default.realm")
    }
}

/// Texts that were noted, from any thread.
final class Counter: Sendable {
    private let seen = Mutex<[String]>([])
    func note(_ text: String) { seen.withLock { $0.append(text) } }
    var all: [String] { seen.withLock { $0 } }
}
