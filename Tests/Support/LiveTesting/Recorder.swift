package import ViewMaintenance
package import LiveQueries
package import ObjectModel
package import StoreContract
import Synchronization

/// Keeps the events of an observer, and checks that each change leads from the last state to the next.
package final class Recorder: Sendable {
    private struct State {
        var keys: [ObjectKey]?
        var version: Version?
        var changes: [IndexChanges] = []
        var failure: (any Error)?
        var faults: [String] = []
        /// The state that a resuming observer starts from.
        var known: [ObjectKey]?
        var knownVersion: Version?
        var hasResumed = false
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - version: the version that the observer resumes from.
    ///   - keys: the result that it knows of that version.
    package init(resuming version: Version? = nil, from keys: [ObjectKey]? = nil) {
        state = Mutex(State(known: keys, knownVersion: version))
    }

    /// Whether the observation resumed from the known state.
    package var hasResumed: Bool { state.withLock { $0.hasResumed } }

    /// The result according to the events.
    package var keys: [ObjectKey]? { state.withLock { $0.keys } }
    package var version: Version? { state.withLock { $0.version } }
    package var changes: [IndexChanges] { state.withLock { $0.changes } }
    package var failureCode: StoreError.Code? { state.withLock { ($0.failure as? StoreError)?.code } }
    package var isOverloaded: Bool { state.withLock { $0.failure is LiveOverload } }
    /// Breaches of the contract of events.
    package var faults: [String] { state.withLock { $0.faults } }

    /// The changes since the last call of this.
    package func takeChanges() -> [IndexChanges] {
        state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    @Sendable package func receive(_ event: LiveQueryEvent) {
        state.withLock { state in
            if state.failure != nil { state.faults.append("an event after failed") }
            switch event {
            case .initial(let snapshot, let keys):
                if state.keys != nil { state.faults.append("a second initial event") }
                state.keys = Array(keys)
                state.version = snapshot.version
            case .resumed:
                if state.keys != nil { state.faults.append("resumed in the middle") }
                if state.known == nil { state.faults.append("resumed from nothing") }
                state.hasResumed = true
                state.keys = state.known
                state.version = state.knownVersion
            case .update(let change):
                guard let old = state.keys, let version = state.version else {
                    state.faults.append("an update before the initial event")
                    return
                }
                if change.version <= version { state.faults.append("version \(change.version) after \(version)") }
                if change.indices.isEmpty { state.faults.append("an empty update") }
                state.faults += change.indices.faults(from: old, to: Array(change.newKeys))
                state.keys = Array(change.newKeys)
                state.version = change.version
                state.changes.append(change.indices)
            case .deleted: state.faults.append("a query was deleted")
            case .failed(let error):
                state.failure = error
            }
        }
    }
}

extension IndexChanges {
    /// Everything in which this is not the difference from `old` to `new`.
    package func faults<Element: Hashable>(from old: [Element], to new: [Element]) -> [String] {
        var faults: [String] = []
        for (name, list, count) in [
            ("deletions", deletions, old.count), ("insertions", insertions, new.count),
            ("modifications", modifications, old.count), ("modificationsNew", modificationsNew, new.count),
        ] {
            if !zip(list, list.dropFirst()).allSatisfy({ $0 < $1 }) { faults.append("\(name) do not ascend: \(list)") }
            if list.contains(where: { !(0..<count).contains($0) }) { faults.append("\(name) out of range: \(list)") }
        }
        guard faults.isEmpty else { return faults }
        if applied(to: old, taking: new) != new { faults.append("\(self) does not lead from \(old) to \(new)") }
        if modifications.count != modificationsNew.count { faults.append("modifications without a partner: \(self)") }
        for (before, after) in zip(modifications, modificationsNew) where old[before] != new[after] {
            faults.append("modification \(before) is not at \(after)")
        }
        if !Set(modifications).isDisjoint(with: deletions) { faults.append("deleted and modified: \(self)") }
        if !Set(modificationsNew).isDisjoint(with: insertions) { faults.append("inserted and modified: \(self)") }
        return faults
    }

    /// Removes the deletions from the back, then inserts the elements of `new` from the front.
    package func applied<Element>(to old: [Element], taking new: [Element]) -> [Element] {
        var list = old
        for index in deletions.reversed() { list.remove(at: index) }
        for index in insertions where index <= list.count { list.insert(new[index], at: index) }
        return list
    }
}
