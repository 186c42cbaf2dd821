import Dispatch
import Foundation
import ObjectModel
import Promises
import StoreContract
import Synchronization

/// Stores a realm's state of synchronisation, and changes it in the same commits as the data. One per open file.
final class SyncStateStore: Sendable {
    let store: any Store
    /// The state as of the last commit, for all readers.
    private let committed = Mutex(SyncView())
    /// The state for the next write transaction; nil if it must be loaded from the file. Only write transactions, which
    /// run one after the other, use it, so the only copy is changed in place.
    private let working = Mutex<SyncState?>(nil)
    /// The version up to which local commits are known.
    private let scanned = Mutex(Version(0))
    private let waiters = Mutex(Waiters())
    /// Called if local commits cannot be uploaded because the change log no longer contains them.
    private let didLose: @Sendable () -> Void
    /// Called with the state after each commit.
    private let didCommit: @Sendable (SyncView) -> Void
    /// See `SyncState.writeOnly`.
    private let writeOnly = Mutex<Set<String>>([])

    private struct Waiters {
        var next = 0
        var waiting: [Int: @Sendable (SyncView) -> Bool] = [:]
    }

    init(
        _ store: any Store, didLose: @escaping @Sendable () -> Void,
        didCommit: @escaping @Sendable (SyncView) -> Void
    ) {
        self.store = store
        self.didLose = didLose
        self.didCommit = didCommit
    }

    func add(writeOnly names: Set<String>) { writeOnly.withLock { $0.formUnion(names) } }

    /// Loads the state from the file, or creates it. Throws the errors of the store.
    func open(path: String) throws {
        try write { syncState, _ in
            // A copy of a file is another client: its subscriptions are sent again.
            guard syncState.path != path else { return }
            syncState.client = UUID().uuidString
            syncState.path = path
            syncState.position = nil
        }
    }

    /// Whether objects of a class can be created. Fast, because it does not copy the state.
    func follows(_ className: String) -> Bool {
        committed.withLock { $0.queries.contains { $0.className == className } }
    }

    static let timeout = FollowerFault(.timeout, "The subscriptions were not synchronized in time.")

    /// The state as of the last commit.
    var syncState: SyncView { committed.withLock { $0 } }

    /// Whether a version was written by this store, or is known to it. Called on the writer's thread.
    func isOwn(_ version: Version) -> Bool { scanned.withLock { $0 >= version } }

    /// Changes the state and the data in one commit, which is not uploaded. Local commits before it are collected
    /// first. Blocks; must not be called on a thread with an open write.
    @discardableResult
    func write<R: Sendable>(
        _ body: @escaping @Sendable (inout SyncState, any WriteTransaction) throws -> R
    ) throws -> R {
        let outcome = Promise<Result<R, any Error>>()
        submit(body) { outcome.set($0) }
        return try outcome.wait().get()
    }

    /// Does the same as `write` without blocking.
    @discardableResult
    func change<R: Sendable>(
        _ body: @escaping @Sendable (inout SyncState, any WriteTransaction) throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            submit(body) { continuation.resume(with: $0) }
        }
    }

    private func submit<R: Sendable>(
        _ body: @escaping @Sendable (inout SyncState, any WriteTransaction) throws -> R,
        completion: @escaping @Sendable (Result<R, any Error>) -> Void
    ) {
        let result = Mutex<(value: R, view: SyncView)?>(nil)
        store.submit(
            { [self] transaction in
                let known = working.withLock { working in
                    defer { working = nil }
                    return working
                }
                var syncState = try known ?? load(transaction)
                syncState.writeOnly = writeOnly.withLock { $0 }
                if try !syncState.collect(store, transaction) {
                    // Objects may have been changed here without an upload.
                    syncState.reported.forgetTexts()
                    syncState.hasLostCommits = true
                    didLose()
                }
                let value = try body(&syncState, transaction)
                syncState.scanned = transaction.version
                try syncState.save(SyncRecords(transaction: transaction))
                let view = SyncView(syncState)
                result.withLock { $0 = (value, view) }
                scanned.withLock { $0 = transaction.version }
                working.withLock { [syncState] in $0 = syncState }
            }, isAlone: true,
            completion: { [self] outcome in
                switch outcome {
                case .success:
                    guard let result = result.withLock({ $0 }) else { return }
                    committed.withLock { $0 = result.view }
                    didCommit(result.view)
                    notifyWaiters(result.view)
                    completion(.success(result.value))
                case .failure(let error):
                    // The write or its commit failed: the state in the file is valid.
                    working.withLock { $0 = nil }
                    scanned.withLock { $0 = Version(0) }
                    completion(.failure(error))
                }
            })
    }

    private func load(_ transaction: any WriteTransaction) throws -> SyncState {
        guard var syncState = try SyncState(SyncRecords(transaction: transaction), transaction.schema) else {
            var syncState = SyncState()
            syncState.scanned = Version(transaction.version.rawValue - 1)
            return syncState
        }
        try syncState.findWaiting(transaction)
        return syncState
    }

    // MARK: Waiting

    /// Waits until `test` returns a value for the state. Throws its errors, `CancellationError`, and an error when the
    /// timeout elapses.
    func wait<R: Sendable>(
        timeout: TimeInterval? = nil, until test: @escaping @Sendable (SyncView) throws -> R?
    ) async throws -> R {
        let id = waiters.withLock { waiters in
            waiters.next += 1
            return waiters.next
        }
        let outcome = Promise<Result<R, any Error>>()
        let finish: @Sendable (Result<R, any Error>) -> Void = { [self] result in
            _ = waiters.withLock { $0.waiting.removeValue(forKey: id) }
            outcome.set(result)
        }
        let timer = timeout.map { SyncTimer.call(after: $0) { finish(.failure(Self.timeout)) } }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            let look: @Sendable (SyncView) -> Bool = { syncState in
                do {
                    guard let value = try test(syncState) else { return false }
                    finish(.success(value))
                } catch {
                    finish(.failure(error))
                }
                return true
            }
            waiters.withLock { $0.waiting[id] = look }
            _ = look(syncState)
            if Task.isCancelled { finish(.failure(CancellationError())) }
            return try await outcome.get().get()
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private func notifyWaiters(_ syncState: SyncView) {
        let waiting = waiters.withLock { Array($0.waiting.values) }
        for look in waiting { _ = look(syncState) }
    }
}

/// The part of the state that readers can see.
package struct SyncView: Sendable {
    var client = ""
    package internal(set) var revision = 0
    package internal(set) var queries: [SyncQuery] = []
    var uploads: [Upload] = []
    var position: String?
    /// See `SyncState.retired`.
    var retired: [Int] = []
    /// See `SyncState`.
    package internal(set) var wasComplete = false
    var unconfirmed: Set<SyncObject> = []
    /// See `SyncState.mark`.
    var mark: Mark?
    /// See `SyncState.reset`.
    var reset: SyncState.Reset?
    /// Whether the first result of a subscription has not arrived.
    var isPending: Bool { queries.contains { $0.state == .pending } }

    init() {}

    fileprivate init(_ syncState: SyncState) {
        client = syncState.client
        revision = syncState.revision
        queries = syncState.queries
        uploads = syncState.uploads
        position = syncState.position
        retired = syncState.retired
        wasComplete = syncState.wasComplete
        unconfirmed = syncState.unconfirmed
        mark = syncState.mark
        reset = syncState.reset
    }
}
