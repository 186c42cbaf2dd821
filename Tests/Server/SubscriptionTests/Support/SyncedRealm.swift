import Foundation
import RealmSwift
import Synchronization
import TestBasics

/// A realm that synchronises with a gateway, with the errors reported to it.
actor SyncedRealm {
    nonisolated let configuration: Realm.Configuration
    nonisolated let errors: Errors
    private var realm: Realm?

    final class Errors: Sendable {
        private let all = Mutex<[SyncError]>([])
        var now: [SyncError] { all.withLock { $0 } }
        func add(_ error: SyncError) { all.withLock { $0.append(error) } }
    }

    /// - Parameter path: the path of a permanent file; nil for an in-memory realm.
    init(
        _ server: TestServer, token: String? = nil, path: String? = nil, _ types: [ObjectBase.Type] = SubModels.all,
        reset: ClientResetMode = .recoverUnsyncedChanges()
    ) {
        let errors = Errors()
        self.errors = errors
        var configuration = Realm.Configuration(objectTypes: types)
        if let path {
            configuration.fileURL = URL(fileURLWithPath: path)
        } else {
            configuration.inMemoryIdentifier = UUID().uuidString
        }
        var sync = SyncConfiguration(gateway: server.url, token: token) { errors.add($0) }
        sync.clientResetMode = reset
        configuration.syncConfiguration = sync
        self.configuration = configuration
    }

    init(_ configuration: Realm.Configuration) {
        self.configuration = configuration
        errors = Errors()
    }

    /// Runs on this actor, at the latest version.
    func run<R: Sendable>(_ body: @Sendable (Realm) throws -> R) async throws -> R {
        let realm = try await open()
        realm.refresh()
        return try body(realm)
    }

    func write<R: Sendable>(_ body: @Sendable (Realm) throws -> R) async throws -> R {
        let realm = try await open()
        return try realm.write { try body(realm) }
    }

    func open() async throws -> Realm {
        if let realm { return realm }
        let opened = try await Realm.open(configuration: configuration)
        realm = opened
        return opened
    }

    func close() { realm = nil }

    func dogs(
        name: String? = nil, waitForSync: WaitForSyncMode = .onCreation,
        timeout: TimeInterval? = TimeInterval(TestRun.patience),
        _ format: String = "TRUEPREDICATE"
    ) async throws {
        let realm = try await open()
        _ = try await realm.objects(SubDog.self).filter(format)
            .subscribe(name: name, waitForSync: waitForSync, timeout: timeout)
    }

    func owners() async throws {
        let realm = try await open()
        _ = try await realm.objects(SubOwner.self).subscribe(timeout: TimeInterval(TestRun.patience))
    }

    func unsubscribe(_ name: String) async throws {
        let set = try await open().subscriptions
        try await set.update { set.remove(named: name) }
    }

    /// Waits until both sides have everything committed before.
    func settle() async throws {
        let realm = try await open()
        try await realm.syncSession?.wait(for: .upload, timeout: TimeInterval(TestRun.patience))
        try await realm.syncSession?.wait(for: .download, timeout: TimeInterval(TestRun.patience))
        realm.refresh()
    }

    func session() async throws -> SyncSession? { try await open().syncSession }

    /// Returns the keys of the local dogs.
    func keys() async throws -> [Int] {
        try await run { $0.objects(SubDog.self).map(\._id).sorted() }
    }
}
