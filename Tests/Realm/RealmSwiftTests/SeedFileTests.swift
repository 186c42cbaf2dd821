import Compression
import Foundation
import RealmSwift
import RepositoryFiles
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
    private let place: FilePlace
    private let seed: URL

    init() throws {
        place = try FilePlace()
        seed = try Self.unpacked("format-20", place.url("seed"))
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
            fileURL: place.url("app"), schemaVersion: version, objectTypes: [SeedPet.self],
            seedFilePath: seed ?? self.seed)
    }

    private func names(_ realm: Realm) -> [String] { realm.objects(SeedPet.self).map(\.name) }

    @Test("Configuration.seedFilePath a file of Realm is imported when there is no file yet, and left alone afterwards")
    func imported() throws {
        let before = try Data(contentsOf: seed)
        try place.with(configuration()) { realm in
            #expect(names(realm) == ["Marley", "Lassie", "Toto", "Slinkey"])
            #expect(realm.objects(SeedPet.self).sum(of: \.kind) == 4)
            try realm.write { realm.create(SeedPet.self, value: ["name": "Rex"]) }
        }
        try place.with(configuration()) { realm in #expect(names(realm).last == "Rex" && names(realm).count == 5) }
        #expect(try Data(contentsOf: seed) == before)
        let files = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        #expect(files.allSatisfy { $0.hasPrefix("app.realm") || $0 == "seed.realm" }, "\(files)")
    }

    @Test("Configuration.seedFilePath the schema version of a file of Realm decides on the migration")
    func migrated() throws {
        #expect(throws: Realm.Error(.schemaMismatch)) { try Realm(configuration: configuration(4)) }
        try FileManager.default.removeItem(at: place.url("app"))
        let versions = Mutex<[UInt64]>([])
        var higher = configuration(6)
        higher.migrationBlock = { migration, old in
            versions.withLock { $0.append(old) }
            migration.enumerateObjects(ofType: "Pet") { _, new in new?["kind"] = 2 }
        }
        try place.with(higher) { realm in
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
        let cut = place.url("cut")
        let bytes = try Data(contentsOf: seed)
        try bytes.prefix(bytes.count / 2).write(to: cut)
        expect(.invalidDatabase, "damaged", cut)
        let old = place.url("old")
        var other = bytes
        (other[20], other[21]) = (9, 9)
        try other.write(to: old)
        expect(.unsupportedFileFormatVersion, "format 9", old)
        expect(.invalidDatabase, "", try Self.unpacked("encrypted", place.url("secret")))
    }
}
