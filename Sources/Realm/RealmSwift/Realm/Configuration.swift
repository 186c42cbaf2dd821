public import Foundation
import ObjectModel
package import RealmFiles
import StoreContract
import Synchronization

/// A block that migrates data, called with the migration and the schema version of the file.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

extension Realm {
    /// The file of a realm, and how to open it.
    ///
    /// ```swift
    /// var configuration = Realm.Configuration(fileURL: directory.appendingPathComponent("library.realm"))
    /// configuration.schemaVersion = 2
    /// configuration.objectTypes = [Book.self, Author.self]
    /// let realm = try Realm(configuration: configuration)
    /// ```
    public struct Configuration: Sendable, Equatable, CustomStringConvertible {
        /// The configuration that `Realm()` uses. Reading it returns a copy.
        public static var defaultConfiguration: Configuration {
            get { shared.withLock { $0 } }
            set { shared.withLock { $0 = newValue } }
        }

        private static let shared = Mutex(Configuration())

        /// The identity of the contents: copies share it until one of them is changed.
        final class Stamp: Sendable {}

        private(set) var stamp = Stamp()

        /// The URL of the file; nil for an in-memory realm.
        public var fileURL: URL? {
            didSet {
                if fileURL != nil { identifier = nil }
                stamp = Stamp()
            }
        }

        /// The name of an in-memory realm, which exists while any instance of it is open; nil for a file.
        public var inMemoryIdentifier: String? {
            get { identifier }
            set {
                identifier = newValue
                if newValue != nil { fileURL = nil }
            }
        }

        private var identifier: String? { didSet { stamp = Stamp() } }

        /// The gateway that the realm synchronises with; nil for a local realm. With it, the realm can create objects
        /// only of classes that have a subscription. See `SyncConfiguration`.
        public var syncConfiguration: SyncConfiguration? { didSet { stamp = Stamp() } }

        /// The log over which several programs share the realm's objects; nil for a file of its own.
        public var replication: Replication? { didSet { stamp = Stamp() } }

        /// An encryption key of 64 bytes. Encryption is not supported: opening with a key throws `Realm.Error`, so that
        /// no secret is ever written in the clear. For the key of a seed file see `seedFilePath`.
        public var encryptionKey: Data? { didSet { stamp = Stamp() } }

        /// Whether to open the file without write access. The file must exist. If the process cannot write to it, a
        /// copy is read.
        public var readOnly: Bool { didSet { stamp = Stamp() } }
        /// The version of the schema, from 0. Increase it with each change of the classes that needs a migration;
        /// opening throws `Realm.Error.fail` if the file has a higher one. A file that is open in this process is not
        /// migrated: a configuration with another version gets it as it is.
        public var schemaVersion: UInt64 { didSet { stamp = Stamp() } }
        /// Called if the file's schema version is lower than `schemaVersion`.
        public var migrationBlock: MigrationBlock? { didSet { stamp = Stamp() } }
        /// Whether to delete the file instead of migrating it.
        public var deleteRealmIfMigrationNeeded: Bool { didSet { stamp = Stamp() } }
        /// Called at the first open in the process, with the file's size and the used size in bytes. Returns whether to
        /// compact.
        public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? { didSet { stamp = Stamp() } }
        /// The classes of the realm; nil for all classes in the images of the program.
        public var objectTypes: [ObjectBase.Type]? { didSet { stamp = Stamp() } }
        /// The maximum number of versions in use; a write fails while there are more. Nil or 0 means no limit.
        public var maximumNumberOfActiveVersions: UInt? { didSet { stamp = Stamp() } }
        /// The path of a file that is copied to `fileURL` if no file exists there. A file of Realm's own format is
        /// imported instead, with all its classes, and stays as it is. Opening the realm takes as long as that: some
        /// four seconds for a million small objects. The key of an encrypted one is `seedEncryptionKey`, which the module
        /// `RealmEncryptedSeeds` adds.
        public var seedFilePath: URL? { didSet { stamp = Stamp() } }

        /// What the seed file is decrypted with. `RealmEncryptedSeeds` sets it: this module needs no cryptographic library.
        package var seedKey: RealmFileKey? { didSet { stamp = Stamp() } }

        /// Creates a configuration. An `inMemoryIdentifier` replaces `fileURL`. Nothing is checked or opened until a
        /// realm is opened with it.
        public init(
            fileURL: URL? = URL(fileURLWithPath: "default.realm"), inMemoryIdentifier: String? = nil,
            syncConfiguration: SyncConfiguration? = nil,
            encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
            migrationBlock: MigrationBlock? = nil,
            deleteRealmIfMigrationNeeded: Bool = false,
            shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil, objectTypes: [ObjectBase.Type]? = nil,
            maximumNumberOfActiveVersions: UInt? = nil, seedFilePath: URL? = nil
        ) {
            self.fileURL = inMemoryIdentifier == nil ? fileURL : nil
            identifier = inMemoryIdentifier
            self.syncConfiguration = syncConfiguration
            self.encryptionKey = encryptionKey
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.objectTypes = objectTypes
            self.maximumNumberOfActiveVersions = maximumNumberOfActiveVersions
            self.seedFilePath = seedFilePath
        }

        /// Compares file, identifier, key, `readOnly`, schema version and replication.
        public static func == (a: Configuration, b: Configuration) -> Bool {
            a.fileURL == b.fileURL && a.identifier == b.identifier && a.encryptionKey == b.encryptionKey
                && a.readOnly == b.readOnly && a.schemaVersion == b.schemaVersion && a.replication == b.replication
        }

        /// The settings by name, on lines of their own. The key is not printed.
        public var description: String {
            func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "(null)" }
            let settings: [(String, String)] = [
                ("fileURL", text(fileURL?.absoluteString)), ("inMemoryIdentifier", text(identifier)),
                ("encryptionKey", text(encryptionKey.map { "\($0.count) bytes" })), ("readOnly", readOnly ? "1" : "0"),
                ("schemaVersion", "\(schemaVersion)"), ("migrationBlock", text(migrationBlock.map { _ in "<block>" })),
                ("deleteRealmIfMigrationNeeded", deleteRealmIfMigrationNeeded ? "1" : "0"),
                ("shouldCompactOnLaunch", text(shouldCompactOnLaunch.map { _ in "<block>" })),
                (
                    "objectTypes",
                    text(objectTypes.map { "[" + $0.map { $0.className() }.joined(separator: ", ") + "]" })
                ),
            ]
            let lines = settings.map { "\t\($0.0) = \($0.1);\n" }
            return "Realm.Configuration {\n" + lines.joined() + "}"
        }
    }
}

extension Realm.Configuration {
    /// Whether a realm that is open by this configuration is the one that the other opens: they agree in all that
    /// matters for a file that is open already.
    func opens(asIfBy other: Realm.Configuration) -> Bool {
        // A relative path depends on the present directory.
        guard schemaVersion == other.schemaVersion, readOnly == other.readOnly, syncConfiguration == nil,
            other.syncConfiguration == nil, replication == nil, other.replication == nil, encryptionKey == nil,
            other.encryptionKey == nil, inMemoryIdentifier == other.inMemoryIdentifier,
            fileURL == other.fileURL, fileURL?.baseURL == other.fileURL?.baseURL
        else { return false }
        switch (objectTypes, other.objectTypes) {
        case (nil, nil): return true
        case (let own?, let others?): return own.count == others.count && zip(own, others).allSatisfy { $0 == $1 }
        default: return false
        }
    }

    /// The path of the store's file.
    var path: String {
        get throws {
            if let fileURL {
                guard fileURL.isFileURL else {
                    throw Realm.Error(.fileAccess, "'\(fileURL)' is not a file URL.", fileURL: fileURL)
                }
                return fileURL.standardizedFileURL.path
            }
            guard let identifier else {
                throw RealmException("A Realm Configuration must specify a path or an in-memory identifier.")
            }
            return MemoryFiles.path(of: identifier)
        }
    }

    /// The models of the realm's classes.
    func models() throws -> [ClassModel] {
        if let objectTypes {
            // A type may be listed several times.
            var seen: Set<ObjectIdentifier> = []
            let models = try objectTypes.filter { seen.insert(ObjectIdentifier($0)).inserted }.map {
                try ClassModel.of($0)
            }
            guard syncConfiguration == nil, let asymmetric = models.first(where: \.isAsymmetric) else { return models }
            throw Realm.Error(
                .fail,
                "Schema validation failed due to the following errors:\n- Asymmetric table '\(asymmetric.name)' not allowed in a local Realm",
                path: fileURL?.path, name: Realm.Error.Fault.schema)
        }
        let models = try TypeDiscovery.models()
        return syncConfiguration == nil ? models.filter { !$0.isAsymmetric } : models
    }
}

/// The files of in-memory realms: a directory of this process, on an in-memory file system if there is one.
enum MemoryFiles {
    private static let directory: String = {
        let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let path = base + "/realm-\(getpid())-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { MemoryFiles.removeAll() }
        return path
    }()

    /// The numbers of the identifiers, which may have any length and contain any character.
    private static let numbers = Mutex<[String: Int]>([:])

    static func path(of identifier: String) -> String {
        let number = numbers.withLock { numbers in
            let number = numbers[identifier] ?? numbers.count + 1
            numbers[identifier] = number
            return number
        }
        return "\(directory)/\(number)"
    }

    private static func removeAll() { try? FileManager.default.removeItem(atPath: directory) }
}
