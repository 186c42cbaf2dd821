import ObjectModel
import StoreContract
import Synchronization

/// What many queries of one class ask of the same step, found out once. Cheaper to ask than `StepMemory`, which tells
/// apart more.
final class StepFindings: Sendable {
    fileprivate struct Place: Hashable {
        let classID: ClassID
        let key: ObjectKey
        let property: PropertyID
        let isAfter: Bool
    }

    private struct State {
        var modifiedRoots: [ClassID: Set<ObjectKey>] = [:]
        var values: [Place: Value] = [:]
    }

    /// Beyond this many values each is read again.
    private static let mostValues = 1_024

    private let state = Mutex(State())

    /// See `LinkReach.modifiedRoots`.
    func modifiedRoots(of classID: ClassID, find: () throws -> Set<ObjectKey>) rethrows -> Set<ObjectKey> {
        if let known = state.withLock({ $0.modifiedRoots[classID] }) { return known }
        let found = try find()
        state.withLock { $0.modifiedRoots[classID] = found }
        return found
    }

    fileprivate func value(_ place: Place, read: () throws -> Value) rethrows -> Value {
        if let known = state.withLock({ $0.values[place] }) { return known }
        let value = try read()
        state.withLock { state in
            if state.values.count < Self.mostValues { state.values[place] = value }
        }
        return value
    }
}

extension LiveStep {
    /// A value of an object that exists before the step.
    func valueBefore(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try findings.value(.init(classID: classID, key: key, property: property, isAfter: false)) {
            try before.value(classID, key, property)
        }
    }

    /// A value of an object that exists after the step.
    func valueAfter(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try findings.value(.init(classID: classID, key: key, property: property, isAfter: true)) {
            try after.value(classID, key, property)
        }
    }
}
