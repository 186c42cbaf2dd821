import EmbeddedStore
import Foundation
package import ObjectModel
import RealmInstances
package import StoreContract
import SyncEngine
import Synchronization

/// A realm's file in this process: one store, shared by the instances of all threads, queues and actors. It is closed
/// when the last instance is released.
final class SharedRealmFile: Sendable {
    let path: String
    let store: EmbeddedStore
    let hub: InstanceHub
    /// Synchronises the file with a gateway, if one is configured.
    let sync: FileSync?
    private let syncLock: SyncFileLock?
    private let isReadOnly: Bool
    private let isInMemory: Bool
    private let replication: Replication?
    /// The path of the copy that is read instead; see `UnwritableFile`.
    private let copy: String?
    private let realms = Mutex<[LiveSchedulerID: Member]>([:])
    /// The names of all classes that configurations have named. Locked while the schema changes.
    private let named = Mutex<Set<String>>([])

    /// Sendable because its contents are accessed only on the scheduler that the realm is confined to.
    private struct Member: @unchecked Sendable {
        let scheduler: any LiveScheduler
        weak var realm: RLMRealm?
    }

    private static let files = OpenFiles()

    /// Returns the file of a configuration, and opens it if it is not open.
    static func open(_ configuration: Realm.Configuration) throws -> SharedRealmFile {
        let path = try configuration.path
        return try files.open(path) { file in
            try file.check(configuration)
        } make: {
            try SharedRealmFile(path, configuration)
        }
    }

    /// Whether a file is open in this process.
    static func isOpen(_ path: String) -> Bool { files.isOpen(path) }

    /// Whether a realm or a reference uses the file in this process. Waits for a thread that is just finishing an open.
    static func isInUse(_ path: String) -> Bool {
        if OpenFiles.migrating == path { return true }
        let start = ContinuousClock.now
        while let hasRealms = known(path)?.hasRealms {
            if hasRealms || ContinuousClock.now - start > .milliseconds(500) { return true }
            usleep(1_000)
        }
        return false
    }

    private var hasRealms: Bool { realms.withLock { $0.values.contains { $0.realm != nil } } }

    /// Returns the file if it is open in this process. Waits while another thread opens it.
    static func known(_ path: String) -> SharedRealmFile? { files.known(path) }

    private init(_ path: String, _ configuration: Realm.Configuration) throws {
        self.path = path
        isReadOnly = configuration.readOnly
        isInMemory = configuration.inMemoryIdentifier != nil
        replication = configuration.replication
        let isPlanted = try SharedRealmFile.prepare(path, configuration)
        let copy = configuration.readOnly ? try UnwritableFile.copy(of: path) : nil
        self.copy = copy
        do {
            store = try SharedRealmFile.opened(copy ?? path, configuration)
        } catch {
            if let copy { SharedRealmFile.remove(copy) }
            guard let error = error as? StoreError else { throw error }
            // A seed that is not a realm would stand in the way of the next start.
            if isPlanted, error.code == .invalidFile { SharedRealmFile.remove(path) }
            throw Realm.Error(error, path: path)
        }
        let store = store
        hub = InstanceHub(store, isReadOnly: isReadOnly)
        let models = try configuration.models()
        let storedNames = StoredNames(models, in: try store.snapshot().schema)
        let names = models.map { storedNames[$0.name] }
        named.withLock { $0.formUnion(names) }
        do {
            syncLock = try configuration.syncConfiguration.map { _ in try SyncFileLock(path) }
            sync = try configuration.syncConfiguration.map {
                try FileSync(
                    store, path: path, configuration, $0,
                    writeOnly: Set(models.filter(\.isAsymmetric).map { storedNames[$0.name] }))
            }
        } catch {
            store.close()
            throw error
        }
        sync?.resets.attach(self)
        sync?.client.start()
        Logger.log(
            .detail, Category.Storage.all, "DB: Opened '\(path)' with schema version \(configuration.schemaVersion).")
    }

    deinit {
        sync?.client.stop()
        store.close()
        syncLock?.letGo()
        Logger.log(.detail, Category.Storage.all, "DB: Closed '\(path)'.")
        if isInMemory { SharedRealmFile.remove(path) }
        if let copy { SharedRealmFile.remove(copy) }
    }

    /// Checks that the file can be opened, and makes it from the seed file if it does not exist.
    ///
    /// - Returns: whether the file was made from the seed.
    private static func prepare(_ path: String, _ configuration: Realm.Configuration) throws -> Bool {
        let files = FileManager.default
        try refuseEncryption(path, configuration)
        try configuration.checkReplication()
        if configuration.readOnly {
            if configuration.deleteRealmIfMigrationNeeded {
                throw RealmException("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
            }
            if configuration.syncConfiguration != nil {
                throw RealmException("Cannot set `syncConfiguration` when `readOnly` is set.")
            }
            if configuration.shouldCompactOnLaunch != nil {
                throw RealmException("Cannot set `shouldCompactOnLaunch` when `readOnly` is set.")
            }
        }
        var isDirectory: ObjCBool = false
        guard !files.fileExists(atPath: path, isDirectory: &isDirectory) else {
            guard !isDirectory.boolValue else {
                throw Realm.Error(.fileAccess, "'\(path)' is a directory: name a file in it.", path: path)
            }
            return false
        }
        if configuration.readOnly {
            try refuseNonDirectory(path, opening: path)
            throw Realm.Error(
                .fileNotFound, "Failed to open file at path '\(path)': No such file or directory", path: path)
        }
        // The first file that a realm which is written opens is that of its lock.
        try refuseNonDirectory(path, opening: path + ".lock")
        let directory = (path as NSString).deletingLastPathComponent
        guard files.fileExists(atPath: directory) else {
            throw Realm.Error(.fileNotFound, "Directory at path '\(directory)' does not exist.", path: path)
        }
        guard let seed = configuration.seedFilePath else { return false }
        return try SeedFile(path: seed.path, key: configuration.seedKey).plant(at: path)
    }

    /// Throws if the path leads through a file.
    private static func refuseNonDirectory(_ path: String, opening file: String) throws {
        var status = stat()
        guard stat(path, &status) != 0, errno == ENOTDIR else { return }
        throw Realm.Error(
            .fileOperationFailed, "Failed to open file at path '\(file)': Not a directory", path: path)
    }

    /// Throws if a key is given: encryption is not supported, and data meant to be encrypted is not written in the
    /// clear.
    static func refuseEncryption(_ path: String, _ configuration: Realm.Configuration) throws {
        guard let key = configuration.encryptionKey else { return }
        guard key.count == 64 else { throw RealmException("Encryption key must be exactly 64 bytes long") }
        let isThere = FileManager.default.fileExists(atPath: path)
        throw Realm.Error(
            isThere ? .invalidDatabase : .invalidInput,
            isThere
                ? "The file at path '\(path)' is not encrypted, so it cannot be opened with a key."
                : "Encryption is not supported: open the Realm without an encryption key, on an encrypted file system.",
            path: path)
    }

    /// The maximum size of a file. It costs address space, of which a process has 128 TiB: a program may have hundreds
    /// of files open, and thousands of in-memory realms, which have a smaller maximum.
    static let maximumSize = 1 << 38

    private static func opened(_ path: String, _ configuration: Realm.Configuration) throws -> EmbeddedStore {
        let models = try configuration.models()
        let wanted = StoredSchema(version: configuration.schemaVersion, classes: models.map(\.schema))
        var options = EmbeddedStoreOptions()
        options.maximumSize = configuration.inMemoryIdentifier == nil ? maximumSize : 1 << 34
        options.maximumActiveVersions = configuration.maximumNumberOfActiveVersions.flatMap {
            $0 == 0 ? nil : Int(clamping: $0)
        }
        options.shouldCompactOnLaunch = configuration.shouldCompactOnLaunch
        let store = try patiently {
            guard let replication = configuration.replication else {
                return try EmbeddedStore.open(path: path, schema: wanted, options: options)
            }
            return try EmbeddedStore.open(path: path, log: try connect(replication, path), options: options)
        }
        do {
            let names = StoredNames(models, in: try store.snapshot().schema)
            try migrate(
                store, to: StoredSchema(version: wanted.version, classes: models.map(names.schema(of:))), configuration)
            return store
        } catch let error as StoreError
            where error.code == .migrationRequired && configuration.deleteRealmIfMigrationNeeded
        {
            store.close()
        } catch is OtherVersion {
            store.close()
        } catch {
            store.close()
            throw error
        }
        remove(path)
        return try patiently { try EmbeddedStore.open(path: path, schema: wanted, options: options) }
    }

    private static func connect(_ replication: Replication, _ path: String) throws -> any CommitLog {
        do {
            return try replication.connect()
        } catch let error where !(error is StoreError) {
            throw Realm.Error(.fail, "The realm cannot be shared: \(error)", path: path)
        }
    }

    /// Opens a file, and retries while another owner is closing it, such as an earlier instance in this process whose
    /// last snapshot another thread is just releasing.
    private static func patiently<R>(_ open: () throws -> R) throws -> R {
        let start = ContinuousClock.now
        while true {
            do {
                return try open()
            } catch let error as StoreError where error.code == .busy && ContinuousClock.now - start < .seconds(2) {
                usleep(2_000)
            }
        }
    }

    /// Thrown if the file's schema version differs and the configuration says to delete the file then.
    private struct OtherVersion: Error {}

    /// Changes the store's schema to that of the configuration; see `StoredSchema.keeping`.
    private static func migrate(
        _ store: EmbeddedStore, to wanted: StoredSchema, _ configuration: Realm.Configuration
    ) throws {
        let stored = try store.snapshot().schema
        if configuration.deleteRealmIfMigrationNeeded, stored.version != wanted.version { throw OtherVersion() }
        guard configuration.schemaVersion >= stored.version else {
            throw Realm.Error(
                .fail,
                "Provided schema version \(configuration.schemaVersion) is less than last set version \(stored.version).",
                path: configuration.fileURL?.path, name: Realm.Error.Fault.schemaVersion)
        }
        if configuration.readOnly, configuration.schemaVersion != stored.version {
            throw Realm.Error(
                .fail,
                "Provided schema version \(configuration.schemaVersion) does not equal last set version \(stored.version).",
                path: configuration.fileURL?.path, name: Realm.Error.Fault.schemaVersion)
        }
        let merged = wanted.keeping(stored)
        let numbered = merged.adoptingIdentities(of: stored)
        if numbered == stored { return }
        if configuration.readOnly || stored.version == wanted.version {
            try checkWithoutMigration(
                from: stored, to: numbered, isReadOnly: configuration.readOnly, path: configuration.path)
        }
        // A class that is missing in the file reads as empty.
        if configuration.readOnly { return }
        guard stored.version < wanted.version else {
            try store.replaceSchema(with: merged)
            return
        }
        let block = configuration.migrationBlock
        let path = try configuration.path
        let isTrapped = ExceptionTrap.handler != nil
        try store.replaceSchema(
            with: merged,
            migration: StoreMigration { transaction in
                guard let block else { return }
                let migration = try Migration(transaction, configuration)
                defer { migration.end() }
                try MigrationThread.run(isTrapped: isTrapped) {
                    OpenFiles.$migrating.withValue(path) { block(migration, stored.version) }
                }
                try migration.check()
            })
        Logger.log(
            .detail, Category.sdk,
            "Migrated '\(path)' from schema version \(stored.version) to \(wanted.version).")
    }

    /// Throws `migrationRequired` for changes that require a higher schema version, if the file is writable. For
    /// read-only access, missing properties do not matter.
    private static func checkWithoutMigration(
        from stored: StoredSchema, to wanted: StoredSchema, isReadOnly: Bool, path: String
    ) throws {
        let reasons = SchemaDifference(from: stored, to: wanted).changes.filter { change in
            if isReadOnly, change.kind == .propertyRemoved { return false }
            return change.needsMigrationInRealm
        }
        guard !reasons.isEmpty else { return }
        let sentences = reasons.map { "\n- \($0.sentence)" }.joined()
        if isReadOnly {
            throw Realm.Error(
                .fail, "The following changes cannot be made in read-only schema mode:" + sentences, path: path,
                name: Realm.Error.Fault.schemaChange)
        }
        throw StoreError(.migrationRequired, "Migration is required due to the following errors:" + sentences)
    }

    /// Throws if the file is already open with incompatible settings: `Realm.Error`, or a misuse on the thread, queue or
    /// actor that has it open. The schema version is not among them: the file has been migrated, so every configuration
    /// gets it as it is.
    private func check(_ configuration: Realm.Configuration) throws {
        guard configuration.readOnly == isReadOnly else { throw mismatch("read permissions") }
        guard configuration.syncConfiguration?.gateway == sync?.configuration.gateway else {
            throw mismatch("sync configuration")
        }
        guard configuration.replication == replication else {
            throw Realm.Error(
                .invalidInput, "Realm at path '\(path)' already opened with different replication.", path: path)
        }
        let version = try store.snapshot().schema.version
        let models = try configuration.models()
        try named.withLock { named in
            // A configuration may name more classes than the one that opened the file.
            let known = try store.snapshot().schema
            let names = StoredNames(models, in: known)
            if models.contains(where: { known[names[$0.name]] == nil }) {
                var present = configuration
                present.schemaVersion = version
                try SharedRealmFile.migrate(
                    store, to: StoredSchema(version: version, classes: models.map(names.schema(of:))), present)
            }
            named.formUnion(models.map { names[$0.name] })
            sync?.client.add(writeOnly: Set(models.filter(\.isAsymmetric).map { names[$0.name] }))
        }
    }

    private func mismatch(_ setting: String) -> any Error {
        let message = "Realm at path '\(path)' already opened with different \(setting)"
        let isOpenHere = realms.withLock { $0.values.contains { $0.realm != nil && $0.scheduler.isCurrent } }
        guard isOpenHere else {
            return Realm.Error(.fail, message + ".", path: path, name: Realm.Error.Fault.configuration)
        }
        return RealmException(message)
    }

    /// The names of all classes that configurations have named.
    var classNames: Set<String> { named.withLock { $0 } }

    /// Implements `HostedRealm.replaceSchema`.
    func replaceSchema(
        with schema: StoredSchema, migration: StoreMigration, check: (StoredSchema, Set<String>) throws -> Void
    ) throws -> Version {
        try named.withLock { named in
            try check(store.snapshot().schema, named)
            return try store.replaceSchema(with: schema, migration: migration)
        }
    }

    /// Returns the realm of a thread, queue or actor for this file, of which there is at most one. Must be called
    /// there.
    func realm(on scheduler: any LiveScheduler, _ configuration: Realm.Configuration) throws -> RLMRealm {
        if let known = realms.withLock({ $0[scheduler.id]?.realm }) { return known }
        let instance = try hub.instance(on: scheduler)
        let realm = try RLMRealm(self, instance, configuration)
        // Its version is chosen at the first read: that of a reference that is resolved, or the latest.
        try instance.rest()
        Logger.log(.trace, Category.Storage.all, "DB: A thread, queue or actor opened '\(path)'.")
        let member = Member(scheduler: scheduler, realm: realm)
        realms.withLock { realms in
            realms = realms.filter { $0.value.realm != nil }
            realms[scheduler.id] = member
        }
        return realm
    }

    /// The calling queue or actor if the file is open for it; else the calling thread.
    var currentScheduler: any LiveScheduler {
        let known = realms.withLock { $0.values.map(\.scheduler) }
        return known.first(where: \.isCurrent) ?? RealmInstances.currentScheduler()
    }

    /// Removes a file and its auxiliary files. Returns whether the file existed.
    @discardableResult
    static func remove(_ path: String) -> Bool {
        var existed = false
        for suffix in ["", "-lock"] where FileManager.default.fileExists(atPath: path + suffix) {
            existed = (try? FileManager.default.removeItem(atPath: path + suffix)) != nil || existed
        }
        return existed
    }
}

/// A realm's store for other parts of the program that serve it, such as a gateway. It is the store that the realm's
/// instances use, so all see the same commits. It stays open until `close`, also for an in-memory realm.
package final class HostedRealm: Sendable {
    /// Nil after `close`.
    private let file: Mutex<SharedRealmFile?>
    /// The path of the file; the file of an in-memory realm is deleted with the process.
    package let path: String
    package let store: any Store
    package let isReadOnly: Bool
    package let isInMemory: Bool

    /// Opens the realm as `Realm.init(configuration:)` does, including migrations, but creates no instance for a
    /// thread. Throws `Realm.Error`.
    package init(_ configuration: Realm.Configuration) throws {
        let file = try fileErrors { try SharedRealmFile.open(configuration) }
        path = file.path
        store = file.store
        self.file = Mutex(file)
        isReadOnly = configuration.readOnly
        isInMemory = configuration.inMemoryIdentifier != nil
    }

    /// Ends the use of the realm, whoever still has a reference to this object. The file closes when nobody else in the
    /// program uses it. Blocks until it is closed.
    package func close() {
        let last = file.withLock { file in
            defer { file = nil }
            return file
        }
        withExtendedLifetime(last) {}
    }

    /// The names of the classes that the program's configurations have opened the realm with.
    package var classNames: Set<String> { file.withLock { $0 }?.classNames ?? [] }

    /// Replaces the schema, and prevents other configurations from adding classes meanwhile. Blocks.
    ///
    /// - Parameter check: called with the present schema and the names of the program's classes. If it throws, nothing
    ///   changes.
    package func replaceSchema(
        with schema: ObjectModel.Schema, migration: StoreContract.Migration,
        check: (ObjectModel.Schema, Set<String>) throws -> Void
    ) throws -> Version {
        guard let file = file.withLock({ $0 }) else { throw StoreError(.closed, "The server has stopped.") }
        return try file.replaceSchema(with: schema, migration: migration, check: check)
    }
}
