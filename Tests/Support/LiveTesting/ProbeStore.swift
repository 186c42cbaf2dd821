package import ObjectModel
package import StoreContract
package import StoreTesting
import Synchronization

/// A store that knows which of its snapshots are alive, and can delay change sets as a busy writer may.
package final class ProbeStore: Store {
    private struct Weak {
        weak var snapshot: (any Snapshot)?
    }

    private struct Commits {
        var listeners: [@Sendable ([ChangeSet]) -> Void] = []
        var isHeldBack = false
        var waiting: [ChangeSet] = []
    }

    private let base: ModelStore
    private let snapshots = Mutex<[Weak]>([])
    private let commits = Mutex(Commits())

    package init(_ base: ModelStore) {
        self.base = base
        base.onCommit { [weak self] sets in self?.forward(sets) }
    }

    /// The number of snapshots that were requested, and of those that are alive.
    package var given: Int { snapshots.withLock { $0.count } }
    package var pinned: Int { snapshots.withLock { $0.count { $0.snapshot != nil } } }

    package func holdBack() { commits.withLock { $0.isHeldBack = true } }

    /// Passes the delayed change sets to the listeners.
    package func release() {
        let (listeners, sets) = commits.withLock { commits in
            defer {
                commits.isHeldBack = false
                commits.waiting = []
            }
            return (commits.listeners, commits.waiting)
        }
        for listener in listeners { listener(sets) }
    }

    private func forward(_ sets: [ChangeSet]) {
        let listeners = commits.withLock { commits in
            guard !commits.isHeldBack else {
                commits.waiting += sets
                return [@Sendable ([ChangeSet]) -> Void]()
            }
            return commits.listeners
        }
        for listener in listeners { listener(sets) }
    }

    package func snapshot() throws -> any Snapshot {
        let snapshot = try base.snapshot()
        snapshots.withLock { $0.append(Weak(snapshot: snapshot)) }
        return snapshot
    }

    package func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void, isAlone: Bool,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.submit(work, isAlone: isAlone, completion: completion) }

    package func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.replaceSchema(with: schema, migration: migration, completion: completion) }

    package func snapshot(at version: Version) throws -> any Snapshot { try base.snapshot(at: version) }
    package func asOf(_ version: Version, before snapshot: any Snapshot) throws -> AsOfState? {
        try base.asOf(version, before: snapshot)
    }
    package func tag(of version: Version) throws -> HistoryTag? { try base.tag(of: version) }
    package func changeLogFloor() throws -> Version { try base.changeLogFloor() }

    package func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void) {
        commits.withLock { $0.listeners.append(listener) }
    }

    package func changes(after version: Version) throws -> [ChangeSet]? { try base.changes(after: version) }
    package func close() { base.close() }
}
