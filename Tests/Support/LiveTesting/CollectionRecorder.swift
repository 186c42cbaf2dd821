package import ViewMaintenance
package import LiveQueries
package import ObjectModel
package import StoreContract
import Synchronization

/// Keeps the events of the observer of a list, set or map, and checks that each difference leads from the last state to
/// the next.
package final class CollectionRecorder: Sendable {
    private struct State {
        /// The state before the observation, for observers that resume.
        var value: Value?
        var hasBegun = false
        var isResumed = false
        var isOver = false
        var changes: [LiveCollectionChange.Difference] = []
        var failure: (any Error)?
        var faults: [String] = []
    }

    private let state: Mutex<State>
    private let object: ObjectReference
    private let property: PropertyID

    /// - Parameter value: the state that the observer knows, if it resumes.
    package init(_ object: ObjectReference, _ property: PropertyID, from value: Value? = nil) {
        self.object = object
        self.property = property
        state = Mutex(State(value: value))
    }

    /// The collection according to the events; nil when its owner is deleted.
    package var value: Value? { state.withLock { $0.value } }
    package var hasBegun: Bool { state.withLock { $0.hasBegun } }
    package var isResumed: Bool { state.withLock { $0.isResumed } }
    package var isOver: Bool { state.withLock { $0.isOver } }
    package var failureCode: StoreError.Code? { state.withLock { ($0.failure as? StoreError)?.code } }
    package var faults: [String] { state.withLock { $0.faults } }

    package func takeChanges() -> [LiveCollectionChange.Difference] {
        state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    @Sendable package func receive(_ event: LiveCollectionEvent) {
        state.withLock { state in
            if state.isOver { state.faults.append("an event after the last one") }
            do {
                switch event {
                case .initial(let snapshot, _):
                    if state.hasBegun { state.faults.append("a second beginning") }
                    state.value = try snapshot.value(object.classID, object.key, property)
                    state.hasBegun = true
                case .resumed:
                    if state.hasBegun { state.faults.append("a second beginning") }
                    if state.value == nil { state.faults.append("resumed without a state") }
                    state.hasBegun = true
                    state.isResumed = true
                case .update(let change):
                    try take(change, &state)
                case .deleted: state.faults.append("deleted without an update")
                case .failed(let error):
                    state.failure = error
                    state.isOver = true
                }
            } catch {
                state.faults.append("\(error)")
            }
        }
    }

    private func take(_ change: LiveCollectionChange, _ state: inout State) throws {
        guard state.hasBegun, let old = state.value else {
            state.faults.append("an update before the beginning")
            return
        }
        if change.difference.isEmpty { state.faults.append("an empty update") }
        let new =
            change.ownerIsDeleted
            ? old.emptied : try change.snapshot.value(object.classID, object.key, property)
        state.faults += change.difference.faults(from: old, to: new)
        state.changes.append(change.difference)
        state.value = change.ownerIsDeleted ? nil : new
        state.isOver = change.ownerIsDeleted
    }
}

extension Value {
    /// A collection of the same kind without elements.
    package var emptied: Value {
        switch self {
        case .set: .set([])
        case .dictionary: .dictionary(ValueMap())
        default: .list([])
        }
    }

    package var elements: [Value] {
        switch self {
        case .list(let elements), .set(let elements): elements
        case .dictionary(let map): map.entries.map(\.value)
        default: []
        }
    }
}

extension LiveCollectionChange.Difference {
    /// Everything in which this is not the difference from `old` to `new`.
    package func faults(from old: Value, to new: Value) -> [String] {
        switch (self, old, new) {
        case (.positions(let changes), .list(let old), .list(let new)),
            (.positions(let changes), .set(let old), .set(let new)):
            return changes.collectionFaults(from: old, to: new)
        case (.keys(let deletions, let insertions, let modifications), .dictionary(let old), .dictionary(let new)):
            var faults: [String] = []
            for keys in [deletions, insertions, modifications]
            where !zip(keys, keys.dropFirst()).allSatisfy({ MapKey($0) < MapKey($1) }) {
                faults.append("keys do not ascend: \(keys)")
            }
            var map = old
            for key in deletions {
                if map[key] == nil { faults.append("deleted what is not there: \(key)") }
                map[key] = nil
            }
            for key in modifications {
                if map[key] == nil { faults.append("modified what is not there: \(key)") }
                map[key] = new[key]
            }
            for key in insertions {
                if map[key] != nil { faults.append("inserted what is there: \(key)") }
                map[key] = new[key]
            }
            if map != new { faults.append("\(self) does not lead from \(old) to \(new)") }
            return faults
        default: return ["\(self) is not of the collection's kind"]
        }
    }
}

extension IndexChanges {
    /// As `faults`, for elements whose values may have been replaced.
    fileprivate func collectionFaults(from old: [Value], to new: [Value]) -> [String] {
        var before = old
        guard modifications.count == modificationsNew.count else { return ["modifications without a partner"] }
        for (position, now) in zip(modifications, modificationsNew) {
            guard before.indices.contains(position), new.indices.contains(now) else { return ["out of range: \(self)"] }
            before[position] = new[now]
        }
        return faults(from: before, to: new)
    }
}
