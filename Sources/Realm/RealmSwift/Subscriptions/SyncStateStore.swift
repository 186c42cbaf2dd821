import Foundation
import ObjectModel
import StoreContract
import Synchronization

/// A realm's book of its gateway, and the works that change it together with the data. One per open file.
final class SyncStateStore: Sendable {
    let store: any Store
    /// As of the last commit: what everybody sees.
    private let committed = Mutex(SyncView())
    /// What the next work goes on from: used by works alone, which run one after the other. Nil for what is in the file.
    /// Nobody else has a copy, so that works change it in place.
    private let working = Mutex<SyncState?>(nil)
    /// Up to which version local commits are known.
    private let scanned = Mutex(Version(0))
    private let waiters = Mutex(Waiters())
    /// Told when local commits could not be followed, because the change log does not reach back.
    private let didLose: @Sendable () -> Void

    private struct Waiters {
        var next = 0
        var waiting: [Int: @Sendable (SyncView) -> Bool] = [:]
    }

    init(_ store: any Store, didLose: @escaping @Sendable () -> Void) {
        self.store = store
        self.didLose = didLose
    }

    /// Begins, or goes on from, what the file holds. Throws what the store throws.
    func open(path: String) throws {
        try write { syncState, _ in
            // A copy of a file is another client: its subscriptions are sent anew.
            guard syncState.path != path else { return }
            syncState.client = UUID().uuidString
            syncState.path = path
            syncState.position = nil
        }
    }

    /// Whether objects of a class may be made. Quick: without a copy of the book.
    func follows(_ className: String) -> Bool {
        committed.withLock { $0.queries.contains { $0.className == className } }
    }

    static let timeout = Realm.Error(.subscriptionFailed, "The subscriptions were not synchronized in time.")

    /// As of the last commit.
    var syncState: SyncView { committed.withLock { $0 } }

    /// Whether a version was made by a work of this ledger, or is known to it. Called on the writer's thread.
    func isOwn(_ version: Version) -> Bool { scanned.withLock { $0 >= version } }

    /// Changes the book and the data in one commit that is not sent up, after what was committed here before it has been
    /// collected to be sent. Waits; not for a thread that writes.
    @discardableResult
    func write<R: Sendable>(
        _ body: @escaping @Sendable (inout SyncState, any WriteTransaction) throws -> R
    ) throws -> R {
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<R, any Error>?>(nil)
        submit(body) { result in
            outcome.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = outcome.withLock({ $0 }) else { throw StoreError(.closed, "The store was closed.") }
        return try result.get()
    }

    /// The same without blocking.
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
                if try !syncState.collect(store, transaction) { didLose() }
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
                    tell(result.view)
                    completion(.success(result.value))
                case .failure(let error):
                    // The work, or its commit, failed half way: what the file holds counts.
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

    /// Waits until the book is as `test` wants it, which gives nil until then. Throws what it throws,
    /// `CancellationError`, and when the time is over.
    func wait<R: Sendable>(
        timeout: TimeInterval? = nil, until test: @escaping @Sendable (SyncView) throws -> R?
    ) async throws -> R {
        let id = waiters.withLock { waiters in
            waiters.next += 1
            return waiters.next
        }
        let pending = Mutex<CheckedContinuation<R, any Error>?>(nil)
        let finish: @Sendable (Result<R, any Error>) -> Void = { [self] result in
            _ = waiters.withLock { $0.waiting.removeValue(forKey: id) }
            let continuation = pending.withLock { $0.take() }
            continuation?.resume(with: result)
        }
        let clock = Task {
            guard let timeout else { return }
            try await Task.sleep(for: .seconds(timeout))
            finish(.failure(Self.timeout))
        }
        defer { clock.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                pending.withLock { $0 = continuation }
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
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private func tell(_ syncState: SyncView) {
        let waiting = waiters.withLock { Array($0.waiting.values) }
        for look in waiting { _ = look(syncState) }
    }
}

/// Of the book, what everybody may look at.
struct SyncView: Sendable {
    var client = ""
    var revision = 0
    var queries: [SyncQuery] = []
    var uploads: [Upload] = []
    var position: String?
    /// See `SyncState.retired`.
    var retired: [Int] = []
    /// See `SyncState`.
    var wasComplete = false
    var unconfirmed: Set<SyncObject> = []

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
    }
}
