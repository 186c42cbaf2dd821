package import ObjectModel
package import StoreContract
package import StoreTesting
import Synchronization

/// A store that knows which of its snapshots are alive, and can delay change sets as a busy writer may.
package final class ProbeStore: ForwardingStore {
    private struct Weak {
        weak var snapshot: (any Snapshot)?
    }

    private struct Commits {
        var listeners: [@Sendable ([ChangeSet]) -> Void] = []
        var isHeldBack = false
        var waiting: [ChangeSet] = []
    }

    package let base: any Store
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

    package func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void) {
        commits.withLock { $0.listeners.append(listener) }
    }
}
