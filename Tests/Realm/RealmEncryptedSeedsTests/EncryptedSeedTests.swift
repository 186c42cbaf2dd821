import Compression
import Foundation
import RealmEncryptedSeeds
import RealmSwift
import RepositoryFiles
import Testing

/// The class of `encrypted.realm`, whose schema version is 1.
final class SeedSecret: Object {
    @Persisted var s: String

    override class func _realmObjectName() -> String? { "Secret" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class of `format-20.realm`, whose schema version is 5.
final class SeedAnimal: Object {
    @Persisted var name: String
    @Persisted var kind: Int

    override class func _realmObjectName() -> String? { "Pet" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Realms that begin with an encrypted file of Realm")
struct EncryptedSeedTests {
    private let directory: TestDirectory
    private let seed: URL
    private static let key = Data(0..<64)

    init() throws {
        directory = try TestDirectory()
        seed = try Self.unpacked("encrypted", directory.file("seed.realm"))
    }

    private static func unpacked(_ name: String, _ path: String) throws -> URL {
        let packed = try Data(
            contentsOf: URL(fileURLWithPath: Checkout.root + "/Tests/Wire/RealmFilesTests/Files/\(name).realm.gz"))
        let bytes = try packed.withUnsafeBytes { try Decoder.expand($0, .gzip, limit: 1 << 20) }
        let url = URL(fileURLWithPath: path)
        try Data(bytes).write(to: url)
        return url
    }

    private func configuration(_ key: Data?, from seed: URL? = nil) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.file("app.realmgate")), schemaVersion: 1,
            objectTypes: [SeedSecret.self], seedFilePath: seed ?? self.seed)
        configuration.seedEncryptionKey = key
        return configuration
    }

    @Test("Configuration.seedEncryptionKey opens the seed, and is needed once")
    func imported() throws {
        let before = try Data(contentsOf: seed)
        #expect(configuration(Self.key).seedEncryptionKey == Self.key)
        do {
            let realm = try Realm(configuration: configuration(Self.key))
            #expect(realm.objects(SeedSecret.self).map(\.s) == ["x"])
        }
        // The realm's own file is there now, and is in the clear.
        for key in [nil, Data(repeating: 7, count: 64), Data([1])] {
            let realm = try Realm(configuration: configuration(key))
            #expect(realm.objects(SeedSecret.self).count == 1)
        }
        #expect(try Data(contentsOf: seed) == before)
    }

    @Test(
        "Configuration.seedEncryptionKey another key, a key of another length, and a seed that none opens are refused",
        arguments: [Data?.none, Data(repeating: 7, count: 64), Data(0..<63), Data(0..<65), Data()])
    func refused(key: Data?) throws {
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration(key)) }
        #expect(error?.code == .invalidDatabase, "\(String(describing: error))")
        #expect(!Realm.fileExists(for: configuration(nil)))
    }

    @Test(
        "Configuration.seedEncryptionKey of a seed that is not a file of Realm is refused, and of a plain one does no harm"
    )
    func otherSeeds() throws {
        let text = URL(fileURLWithPath: directory.file("text"))
        try Data(repeating: 65, count: 20_000).write(to: text)
        #expect(throws: Realm.Error(.invalidDatabase)) {
            try Realm(configuration: configuration(Self.key, from: text))
        }
        let missing = URL(fileURLWithPath: directory.file("nowhere"))
        #expect(throws: Realm.Error(.fileOperationFailed)) {
            try Realm(configuration: configuration(Self.key, from: missing))
        }
        #expect(!Realm.fileExists(for: configuration(nil)))
        var plain = configuration(Self.key, from: try Self.unpacked("format-20", directory.file("plain.realm")))
        plain.objectTypes = [SeedAnimal.self]
        plain.schemaVersion = 5
        #expect(try Realm(configuration: plain).objects(SeedAnimal.self).count == 4)
    }

    @Test("Configuration.encryptionKey is refused all the same: a key of the seed encrypts nothing")
    func encryption() {
        var configuration = configuration(Self.key)
        configuration.encryptionKey = Self.key
        #expect(throws: Realm.Error(.invalidInput)) { try Realm(configuration: configuration) }
        #expect(!Realm.fileExists(for: configuration))
    }
}
