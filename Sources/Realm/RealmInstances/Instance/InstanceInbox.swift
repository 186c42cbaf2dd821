import ObjectModel
import StoreContract
import Synchronization

/// Messages to an instance from other threads, and the means to wake it.
final class InstanceInbox: Sendable {
    private struct State {
        weak var instance: LiveInstance?
        var changes: [ChangeSet] = []
        /// Observers whose tokens were invalidated.
        var left: [Int] = []
        var isScheduled = false
        /// The version that the instance is committing, and the store at that version.
        var expected: Version?
        var expectedSnapshot: (any Snapshot)?
    }

    private let scheduler: any LiveScheduler
    private let state = Mutex(State())

    init(_ scheduler: any LiveScheduler) { self.scheduler = scheduler }

    func attach(_ instance: LiveInstance) { state.withLock { $0.instance = instance } }

    /// Nil once the instance has been released.
    var instance: LiveInstance? { state.withLock { $0.instance } }

    /// Called on the writer's thread.
    ///
    /// - Parameter snapshot: returns the store at the last version of the changes, if it is available.
    func receive(_ changes: [ChangeSet], snapshot: () -> (any Snapshot)?) {
        let expected = state.withLock { state in
            state.changes += changes
            return state.expected
        }
        // Only at this moment no later version can hide this one.
        if let expected, let snapshot = snapshot(), snapshot.version == expected {
            state.withLock { $0.expectedSnapshot = snapshot }
        }
        wake()
    }

    func leave(_ order: Int) {
        state.withLock { $0.left.append(order) }
        wake()
    }

    /// Requests a turn of the scheduler, once for any number of calls before that turn.
    func wake() {
        let mustSchedule = state.withLock { state in
            guard !state.isScheduled, state.instance != nil else { return false }
            state.isScheduled = true
            return true
        }
        guard mustSchedule else { return }
        scheduler.run { [weak self] in self?.turn() }
    }

    private func turn() {
        let instance = state.withLock { state in
            state.isScheduled = false
            return state.instance
        }
        instance?.turn()
    }

    func take() -> (changes: [ChangeSet], left: [Int]) {
        state.withLock { state in
            defer { (state.changes, state.left) = ([], []) }
            return (state.changes, state.left)
        }
    }

    /// Requests the snapshot of a version that is about to be committed.
    func expect(_ version: Version) { state.withLock { $0.expected = version } }

    /// The requested snapshot.
    func takeExpected() -> (any Snapshot)? {
        state.withLock { state in
            defer { (state.expected, state.expectedSnapshot) = (nil, nil) }
            return state.expectedSnapshot
        }
    }
}
