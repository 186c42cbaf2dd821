import ViewMaintenance
package import LiveQueries
package import ObjectModel
package import StoreContract
import Synchronization

/// Keeps the events of the observer of an aggregate, and checks that each change leads from the last answer to the next.
package final class AggregateRecorder: Sendable {
    private struct State {
        var answer: AggregateResult?
        var version: Version?
        var hasBegun = false
        var hasResumed = false
        var changeCount = 0
        var failure: (any Error)?
        var faults: [String] = []
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - answer: what the observer knows, if it resumes.
    ///   - version: the version of that.
    package init(from answer: AggregateResult? = nil, at version: Version? = nil) {
        state = Mutex(State(answer: answer, version: version))
    }

    /// The answer according to the events.
    package var answer: AggregateResult? { state.withLock { $0.answer } }
    package var hasResumed: Bool { state.withLock { $0.hasResumed } }
    package var changeCount: Int { state.withLock { $0.changeCount } }
    package var failureCode: StoreError.Code? { state.withLock { ($0.failure as? StoreError)?.code } }
    /// Breaches of the contract of events.
    package var faults: [String] { state.withLock { $0.faults } }

    @Sendable package func receive(_ event: LiveAggregateEvent) {
        state.withLock { state in
            if state.failure != nil { state.faults.append("an event after failed") }
            switch event {
            case .initial(let snapshot, let answer):
                if state.hasBegun { state.faults.append("a second beginning") }
                state.hasBegun = true
                state.answer = answer
                state.version = snapshot.version
            case .resumed:
                if state.hasBegun || state.answer == nil { state.faults.append("resumed from nothing") }
                state.hasBegun = true
                state.hasResumed = true
            case .update(let change):
                guard state.hasBegun, let old = state.answer, let version = state.version else {
                    state.faults.append("an update before the beginning")
                    return
                }
                if change.version <= version { state.faults.append("version \(change.version) after \(version)") }
                if change.result == old { state.faults.append("an update that changes nothing") }
                state.faults += change.faults(from: old)
                state.answer = change.result
                state.version = change.version
                state.changeCount += 1
            case .deleted: state.faults.append("an aggregate was deleted")
            case .failed(let error): state.failure = error
            }
        }
    }
}

extension LiveAggregateChange {
    /// Everything in which this is not the difference from `old`.
    fileprivate func faults(from old: AggregateResult) -> [String] {
        var faults = indices.faults(from: old.groups.map(\.key.forms), to: result.groups.map(\.key.forms))
        guard faults.isEmpty else { return faults }
        var groups = old.groups
        for (position, new) in zip(indices.modifications, indices.modificationsNew) {
            if groups[position] == result.groups[new] { faults.append("an equal modification at \(position)") }
            groups[position] = result.groups[new]
        }
        if indices.applied(to: groups, taking: result.groups) != result.groups {
            faults.append("\(indices) does not lead from \(old) to \(result)")
        }
        return faults
    }
}

extension [Value] {
    /// Values that are equal in the total order have the same text.
    fileprivate var forms: [String] { map { "\($0.sameForEqual)" } }
}

extension Value {
    private var isWhole: Int64? {
        switch self {
        case .int(let number): number
        case .float(let number): Int64(exactly: number)
        case .double(let number): Int64(exactly: number)
        case .decimal(let number): number.exactInt64
        default: nil
        }
    }

    fileprivate var sameForEqual: Value {
        if isNaN { return .double(.nan) }
        if let isWhole { return .int(isWhole) }
        switch self {
        case .float(let number): return .double(Double(number))
        case .decimal(let number): return number.exactDouble.map { .double($0) } ?? .decimal(number.canonical)
        case .list: return .list([])
        case .set: return .set([])
        case .dictionary: return .dictionary(ValueMap())
        default: return self
        }
    }
}
