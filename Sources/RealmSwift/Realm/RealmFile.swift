import EmbeddedStore
import Foundation
import LiveQueries
import LiveSchedulers
import ObjectModel
import StoreContract
import Synchronization

/// A realm's file within this process: one store, whose instances by thread, queue and actor share it. It is closed when
/// the last of them is gone.
final class RealmFile: Sendable {
    let path: String
    let store: EmbeddedStore
    let hub: InstanceHub
    private let isReadOnly: Bool
    private let isInMemory: Bool
    private let realms = Mutex<[LiveSchedulerID: WeakRealm]>([:])

    /// Sendable because what it leads to is only asked for on the scheduler that the realm is confined to.
    private struct WeakRealm: @unchecked Sendable {
        weak var realm: RLMRealm?
    }

    private struct WeakFile: Sendable {
        weak var file: RealmFile?
    }

    private static let files = Mutex<[String: WeakFile]>([:])

    /// The file that a configuration means, opened now if it is not open.
    static func open(_ configuration: Realm.Configuration) throws -> RealmFile {
        let path = try configuration.path
        return try files.withLock { files in
            if let file = files[path]?.file {
                try file.check(configuration)
                return file
            }
            let file = try RealmFile(path, configuration)
            files[path] = WeakFile(file: file)
            return file
        }
    }

    /// Whether a file is open in this process.
    static func isOpen(_ path: String) -> Bool { files.withLock { $0[path]?.file != nil } }

    private init(_ path: String, _ configuration: Realm.Configuration) throws {
        self.path = path
        isReadOnly = configuration.readOnly
        isInMemory = configuration.inMemoryIdentifier != nil
        if isReadOnly, !FileManager.default.fileExists(atPath: path) {
            throw Realm.Error(.fileNotFound, "File at path '\(path)' does not exist.", path: path)
        }
        do {
            store = try RealmFile.opened(path, configuration)
        } catch let error as StoreError {
            throw Realm.Error(error, path: path)
        }
        hub = InstanceHub(store, isReadOnly: isReadOnly)
    }

    deinit {
        store.close()
        if isInMemory { RealmFile.remove(path) }
    }

    private static func opened(_ path: String, _ configuration: Realm.Configuration) throws -> EmbeddedStore {
        let models = try configuration.models()
        let wanted = StoredSchema(version: configuration.schemaVersion, classes: models.map(\.schema))
        var options = EmbeddedStoreOptions()
        options.maximumActiveVersions = configuration.maximumNumberOfActiveVersions.map { Int(clamping: $0) }
        options.shouldCompactOnLaunch = configuration.shouldCompactOnLaunch
        let store = try EmbeddedStore.open(path: path, schema: wanted, options: options)
        do {
            try bring(store, to: wanted, configuration)
        } catch {
            store.close()
            throw error
        }
        return store
    }

    /// Changes the store's schema to what the configuration wants; classes that it does not name stay.
    private static func bring(
        _ store: EmbeddedStore, to wanted: StoredSchema, _ configuration: Realm.Configuration
    ) throws {
        let stored = try store.snapshot().schema
        guard configuration.schemaVersion >= stored.version else {
            throw Realm.Error(
                .schemaMismatch,
                "Provided schema version \(configuration.schemaVersion) is less than last set version \(stored.version).",
                path: configuration.fileURL?.path)
        }
        let names = Set(wanted.classes.map(\.name))
        let merged = StoredSchema(
            version: wanted.version, classes: wanted.classes + stored.classes.filter { !names.contains($0.name) })
        if merged.adoptingIdentities(of: stored) == stored { return }
        try store.replaceSchema(with: merged, migration: stored.version < wanted.version ? StoreMigration() : nil)
    }

    /// Throws when the file is open with settings that exclude the given ones.
    private func check(_ configuration: Realm.Configuration) throws {
        guard configuration.readOnly == isReadOnly else {
            throw RealmException("Realm at path '\(path)' already opened with different read permissions")
        }
        let version = try store.snapshot().schema.version
        guard version == configuration.schemaVersion else {
            throw RealmException("Realm at path '\(path)' already opened with different schema version.")
        }
        let known = try store.snapshot().schema
        // A configuration may name more classes than the one that the file was opened with.
        guard try configuration.models().contains(where: { known[$0.name] == nil }) else { return }
        try RealmFile.bring(
            store, to: StoredSchema(version: version, classes: configuration.models().map(\.schema)), configuration)
    }

    /// The file's realm of a thread, queue or actor: there is one as long as somebody holds it. To be called there.
    func realm(on scheduler: any LiveScheduler, _ configuration: Realm.Configuration) throws -> RLMRealm {
        if let known = realms.withLock({ $0[scheduler.id]?.realm }) { return known }
        let realm = try RLMRealm(self, hub.instance(on: scheduler), configuration)
        let weak = WeakRealm(realm: realm)
        realms.withLock { realms in
            realms = realms.filter { $0.value.realm != nil }
            realms[scheduler.id] = weak
        }
        return realm
    }

    /// Removes a file and what lies beside it. Says whether there was one.
    @discardableResult
    static func remove(_ path: String) -> Bool {
        var existed = false
        for suffix in ["", "-lock"] where FileManager.default.fileExists(atPath: path + suffix) {
            existed = (try? FileManager.default.removeItem(atPath: path + suffix)) != nil || existed
        }
        return existed
    }
}
