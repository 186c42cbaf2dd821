package import ObjectModel
import Synchronization

/// A receiver of a store's commits, on the writer's thread.
package protocol CommitReceiver: AnyObject, Sendable {
    func receive(_ changes: [ChangeSet])
}

/// Connects the store, which keeps its listeners until it is closed, to a receiver, which may be released earlier.
package final class CommitListener: Sendable {
    private struct State {
        weak var target: (any CommitReceiver)?
        /// Change sets that arrived before there was a target.
        var early: [ChangeSet] = []
        var isAttached = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether its receiver was released.
    var isOver: Bool { state.withLock { $0.isAttached && $0.target == nil } }

    /// Sends `target` the change sets forwarded so far, and all later ones.
    package func attach(_ target: any CommitReceiver) {
        // Forwarding under the lock keeps earlier change sets before later ones.
        state.withLock { state in
            state.target = target
            state.isAttached = true
            if !state.early.isEmpty { target.receive(state.early) }
            state.early = []
        }
    }

    /// Call it with the changes of each commit.
    package func forward(_ changes: [ChangeSet]) {
        state.withLock { state in
            if state.isAttached { state.target?.receive(changes) } else { state.early += changes }
        }
    }
}
