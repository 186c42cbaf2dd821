import ObjectModel
import Synchronization

/// Whoever hears of a store's commits, on the writer's thread.
protocol CommitReceiver: AnyObject, Sendable {
    func receive(_ changes: [ChangeSet])
}

/// Stands between the store, which keeps its listeners for good, and a receiver, which may go earlier.
final class CommitListener: Sendable {
    private struct State {
        weak var target: (any CommitReceiver)?
        /// What came before there was a target.
        var early: [ChangeSet] = []
        var isAttached = false
    }

    private let state = Mutex(State())

    func attach(_ target: any CommitReceiver) {
        // Forwarding under the lock keeps what came early before what comes now.
        state.withLock { state in
            state.target = target
            state.isAttached = true
            if !state.early.isEmpty { target.receive(state.early) }
            state.early = []
        }
    }

    func forward(_ changes: [ChangeSet]) {
        state.withLock { state in
            if state.isAttached { state.target?.receive(changes) } else { state.early += changes }
        }
    }
}
