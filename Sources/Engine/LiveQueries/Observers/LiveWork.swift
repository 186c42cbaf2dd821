import Basics
import ViewMaintenance
import ObjectModel
import StoreContract

/// The state of the worker's thread: all observations, and the commits that have not been processed yet.
final class LiveWork {
    private let store: any Store
    /// The version of all views.
    private var version: Version
    /// Change sets after `version`, oldest first.
    private var pending: [ChangeSet] = []
    private var waiting: [LiveRegistration] = []
    /// A snapshot that is newer than the change sets that have arrived.
    private var pinned: (any Snapshot)?
    /// Registrations that arrived after it. They may be bound to a later schema, and are admitted at a version that has
    /// it.
    private var late: [LiveRegistration] = []
    /// The actions that wait for all commits up to a version to be delivered.
    private var fences: [LiveFence] = []
    /// By the observers' visibility filter; empty while there are no observers, so that no version is pinned
    /// needlessly.
    private var observed: [AnyVisibilityFilter?: LiveSet] = [:]

    private let policy: LivePolicy
    private let clock: DeliveryClock

    init(_ store: any Store, at version: Version, _ policy: LivePolicy, _ clock: DeliveryClock) {
        self.store = store
        self.policy = policy
        self.clock = clock
        self.version = version
    }

    var resultCount: Int { observed.values.reduce(0) { $0 + $1.count } }

    func enqueue(
        changes: [ChangeSet], registrations: [LiveRegistration], fences: [LiveFence], left: Set<LiveAddress>
    ) {
        self.fences += fences
        pending += changes.drop { $0.version <= version }
        if pinned == nil { waiting += registrations } else { late += registrations }
        for address in left {
            observed[address.visibility]?.prune(address.subject)
            if observed[address.visibility]?.isEmpty == true { observed[address.visibility] = nil }
        }
    }

    /// Advances everything to the newest version that snapshot and change sets both reach, and admits waiting
    /// observers. Returns whether some still wait, so that commits do not: call it again.
    func drain() -> Bool {
        while true {
            let covered = pending.last?.version ?? version
            if observed.isEmpty, waiting.isEmpty, late.isEmpty {
                version = covered
                pending = []
            }
            guard !(pending.isEmpty && waiting.isEmpty) else {
                pinned = nil
                guard !late.isEmpty else { return false }
                (waiting, late) = (late, [])
                continue
            }
            let snapshot: any Snapshot
            do {
                snapshot = try pinned ?? policy.paced(store.snapshot())
            } catch {
                fail(error)
                return false
            }
            // A version can be read a moment before its change set arrives, and the arrival calls this again.
            guard snapshot.version <= covered else {
                pinned = snapshot
                return false
            }
            pinned = nil
            advance(to: snapshot)
            let isUnfinished = admit(at: snapshot)
            waiting += late
            late = []
            if isUnfinished { return true }
        }
    }

    /// Removes and returns the fences whose version has been delivered. Call it after `drain`.
    func takeReached() -> [LiveFence] {
        guard !fences.isEmpty else { return [] }
        let reached = fences.filter { $0.version <= version }
        fences.removeAll { $0.version <= version }
        return reached
    }

    private func advance(to snapshot: any Snapshot) {
        let reached = pending.prefix { $0.version <= snapshot.version }
        pending.removeFirst(reached.count)
        version = snapshot.version
        guard var changes = reached.first else { return }
        for later in reached.dropFirst() { changes.merge(later) }
        if let earlier = observed.values.first?.snapshot { changes = changes.completed(from: earlier, to: snapshot) }
        for (visibility, set) in observed {
            set.advance(changes, to: snapshot)
            if set.isEmpty { observed[visibility] = nil }
        }
    }

    /// Returns whether the thread's patience ended before all were admitted.
    private func admit(at snapshot: any Snapshot) -> Bool {
        let start = SystemClock.monotonic
        var count = 0
        for registration in waiting {
            let visibility = registration.visibility
            let set = observed[visibility] ?? LiveSet(store, at: snapshot, through: visibility, policy, clock)
            set.admit(registration)
            observed[visibility] = set.isEmpty ? nil : set
            count += 1
            if let patience = policy.patience, SystemClock.monotonic - start > patience { break }
        }
        waiting.removeFirst(count)
        return !waiting.isEmpty
    }

    /// Without a snapshot no observer can be admitted. The others wait for the next commit, unless there will be none.
    private func fail(_ error: any Error) {
        for registration in waiting + late { registration.subscriber.fail(error) }
        (waiting, late) = ([], [])
        guard let error = error as? StoreError, error.code == .closed else { return }
        for set in observed.values { set.fail(error) }
        observed = [:]
        pending = []
    }
}

/// An action to run once all commits up to a version have been delivered.
struct LiveFence: Sendable {
    let version: Version
    let action: @Sendable () -> Void
}
