public import Foundation
import ObjectModel
import StoreContract
import Synchronization

/// What a migration block is given, and the schema version of the file.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

extension Realm {
    /// Which file a realm is in, and how it is opened.
    public struct Configuration: Sendable, Equatable, CustomStringConvertible {
        /// What `Realm()` opens. Reads give a copy.
        public static var defaultConfiguration: Configuration {
            get { shared.withLock { $0 } }
            set { shared.withLock { $0 = newValue } }
        }

        private static let shared = Mutex(Configuration())

        /// Where the file is; nil for a realm in memory.
        public var fileURL: URL? {
            didSet { if fileURL != nil { identifier = nil } }
        }

        /// The name of a realm that lives in memory while any instance of it is open; nil for a file.
        public var inMemoryIdentifier: String? {
            get { identifier }
            set {
                identifier = newValue
                if newValue != nil { fileURL = nil }
            }
        }

        private var identifier: String?

        /// The gateway that the realm follows; nil for a realm of its own. Objects can be created of classes that are
        /// subscribed to. See `SyncConfiguration`.
        public var syncConfiguration: SyncConfiguration?

        /// 64 bytes. Files cannot be encrypted here: opening with a key throws `Realm.Error`, rather than to write in the
        /// clear what was to be secret.
        public var encryptionKey: Data?

        /// Opens without write access; the file must exist. One that may not be written to is read in a copy.
        public var readOnly: Bool
        public var schemaVersion: UInt64
        /// Run when the file's schema version is lower.
        public var migrationBlock: MigrationBlock?
        /// Deletes the file instead of migrating it.
        public var deleteRealmIfMigrationNeeded: Bool
        /// Asked at the first open in the process whether to compact, given the bytes of the file and those in use.
        public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)?
        /// The classes of the realm; nil for all of the program, those that are in its images.
        public var objectTypes: [ObjectBase.Type]?
        /// Writes fail while more versions than this are in use; nil or 0 is no limit.
        public var maximumNumberOfActiveVersions: UInt?
        /// A file that is copied to `fileURL` if there is none yet.
        public var seedFilePath: URL?

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

        /// By file, identifier, key, read-only and schema version.
        public static func == (a: Configuration, b: Configuration) -> Bool {
            a.fileURL == b.fileURL && a.identifier == b.identifier && a.encryptionKey == b.encryptionKey
                && a.readOnly == b.readOnly && a.schemaVersion == b.schemaVersion
        }

        public var description: String {
            let place = fileURL.map { "fileURL = \($0.path)" } ?? "inMemoryIdentifier = \(identifier ?? "nil")"
            return "Realm.Configuration { \(place); readOnly = \(readOnly); schemaVersion = \(schemaVersion); }"
        }
    }
}

extension Realm.Configuration {
    /// Where the store's file is.
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
            return try objectTypes.map { try ClassModel.of($0) }
        }
        return try TypeDiscovery.models()
    }
}

/// Where realms in memory have their files: a directory of this process, in memory where the system has such.
enum MemoryFiles {
    private static let directory: String = {
        let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let path = base + "/realm-\(getpid())-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { MemoryFiles.removeAll() }
        return path
    }()

    static func path(of identifier: String) -> String {
        // Any text may be an identifier.
        directory + "/" + identifier.utf8.map { String($0, radix: 16) }.joined(separator: "-")
    }

    private static func removeAll() { try? FileManager.default.removeItem(atPath: directory) }
}
