import Compression
import Dispatch
import EmbeddedStore
import Foundation
import ObjectModel
import RealmSwift
import RepositoryFiles
import StoreContract
import Synchronization
import Testing

/// A class of `format-20.realm`, whose schema version is 5.
final class SeedPet: Object {
    @Persisted var name: String
    @Persisted var kind: Int

    override class func _realmObjectName() -> String? { "Pet" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Realms that begin with a file of Realm")
struct SeedFileTests {
    private let fixture: FileFixture
    private let seed: URL

    init() throws {
        fixture = try FileFixture()
        seed = try Self.unpacked("format-20", fixture.url("seed"))
    }

    private static func unpacked(_ name: String, _ url: URL) throws -> URL {
        let packed = try Data(
            contentsOf: URL(fileURLWithPath: Checkout.root + "/Tests/Wire/RealmFilesTests/Files/\(name).realm.gz"))
        let bytes = try packed.withUnsafeBytes { try Decoder.expand($0, .gzip, limit: 1 << 20) }
        try Data(bytes).write(to: url)
        return url
    }

    private func configuration(_ version: UInt64 = 5, from seed: URL? = nil) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: fixture.url("app"), schemaVersion: version, objectTypes: [SeedPet.self],
            seedFilePath: seed ?? self.seed)
    }

    private func names(_ realm: Realm) -> [String] { realm.objects(SeedPet.self).map(\.name) }

    @Test("Configuration.seedFilePath a file of Realm is imported when there is no file yet, and left alone afterwards")
    func imported() throws {
        let before = try Data(contentsOf: seed)
        try fixture.with(configuration()) { realm in
            #expect(names(realm) == ["Marley", "Lassie", "Toto", "Slinkey"])
            #expect(realm.objects(SeedPet.self).sum(of: \.kind) == 4)
            try realm.write { realm.create(SeedPet.self, value: ["name": "Rex"]) }
        }
        try fixture.with(configuration()) { realm in #expect(names(realm).last == "Rex" && names(realm).count == 5) }
        #expect(try Data(contentsOf: seed) == before)
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
        #expect(files.allSatisfy { $0.hasPrefix("app.realm") || $0 == "seed.realm" }, "\(files)")
    }

    @Test("Configuration.seedFilePath a link to a seed is the seed, and what is not a file is none")
    func links() throws {
        let files = FileManager.default
        // One of Realm.
        let link = fixture.url("link")
        try files.createSymbolicLink(at: link, withDestinationURL: seed)
        try fixture.with(configuration(from: link)) { realm in #expect(names(realm).count == 4) }
        // One of our own, into which no write of the realm may go.
        let own = fixture.url("own")
        try files.moveItem(at: fixture.url("app"), to: own)
        let before = try Data(contentsOf: own)
        try files.removeItem(at: link)
        try files.createSymbolicLink(at: link, withDestinationURL: own)
        try fixture.with(configuration(from: link)) { realm in
            try realm.write { realm.create(SeedPet.self, value: ["name": "Rex"]) }
        }
        #expect(try Data(contentsOf: own) == before)
        try files.removeItem(at: fixture.url("app"))
        #expect(throws: Realm.Error(.fileOperationFailed)) {
            try Realm(configuration: configuration(from: fixture.directory))
        }
        #expect(!Realm.fileExists(for: configuration()))
    }

    @Test("Configuration.seedFilePath a start waits while another program imports the seed, and has its result")
    func waits() throws {
        let path = fixture.url("app").path
        let (isMaking, isOpen, gate) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let isMade = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let pet = ClassSchema(
                "Pet", properties: [PropertySchema("name", .init(.string)), PropertySchema("kind", .init(.int))])
            try? EmbeddedStore.make(path: path) { store in
                isMaking.signal()
                gate.wait()
                try store.replaceSchema(with: ObjectModel.Schema(version: 5, classes: [pet]))
                try store.write { transaction in
                    _ = try transaction.create(ClassID(1), row: [.string("Other"), .int(1)])
                }
            }
            isMade.signal()
        }
        isMaking.wait()
        let found = Mutex<Result<[String], any Error>?>(nil)
        let configuration = configuration()
        Thread.detachNewThread {
            let result = Result {
                try Realm(configuration: configuration).objects(SeedPet.self).map(\.name) as [String]
            }
            found.withLock { $0 = result }
            isOpen.signal()
        }
        // However long it takes to begin, it must not end before the other one.
        #expect(isOpen.wait(timeout: .now() + 0.2) == .timedOut)
        gate.signal()
        isMade.wait()
        isOpen.wait()
        #expect(try found.withLock { $0 }?.get() == ["Other"])
    }

    @Test("Configuration.seedFilePath the schema version of a file of Realm decides on the migration")
    func migrated() throws {
        #expect(throws: Realm.Error(.fail)) { try Realm(configuration: configuration(4)) }
        try FileManager.default.removeItem(at: fixture.url("app"))
        let versions = Mutex<[UInt64]>([])
        var higher = configuration(6)
        higher.migrationBlock = { migration, old in
            versions.withLock { $0.append(old) }
            migration.enumerateObjects(ofType: "Pet") { _, new in new?["kind"] = 2 }
        }
        try fixture.with(higher) { realm in
            #expect(names(realm).count == 4 && realm.objects(SeedPet.self).sum(of: \.kind) == 8)
        }
        #expect(versions.withLock { $0 } == [5])
    }

    @Test("Configuration.seedFilePath a file of Realm that cannot become a realm is refused, and makes no file")
    func refused() throws {
        func expect(_ code: Realm.Error.Code, _ words: String, _ seed: URL) {
            let error = #expect(throws: Realm.Error.self) {
                try Realm(configuration: configuration(from: seed))
            }
            #expect(
                error?.code == code && (words.isEmpty || error?.localizedDescription.contains(words) == true),
                "\(String(describing: error))")
            #expect(!Realm.fileExists(for: configuration()))
        }
        expect(
            .invalidDatabase, "Address.former",
            URL(fileURLWithPath: Checkout.root + "/Examples/Realm/people.realm"))
        let cut = fixture.url("cut")
        let bytes = try Data(contentsOf: seed)
        try bytes.prefix(bytes.count / 2).write(to: cut)
        expect(.invalidDatabase, "damaged", cut)
        let old = fixture.url("old")
        var other = bytes
        (other[20], other[21]) = (9, 9)
        try other.write(to: old)
        expect(.unsupportedFileFormatVersion, "format 9", old)
        expect(.invalidDatabase, "", try Self.unpacked("encrypted", fixture.url("secret")))
    }
}
