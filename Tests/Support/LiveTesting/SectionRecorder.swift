package import ViewMaintenance
package import LiveQueries
package import ObjectModel
package import StoreContract
import Synchronization

/// Keeps the events of the observer of a sectioned result, and checks that each change leads from the last sections to
/// the next.
package final class SectionRecorder: Sendable {
    package struct Section: Hashable {
        package var key: Value
        package var rows: [ObjectKey]
    }

    private struct State {
        var sections: [Section]?
        var hasBegun = false
        var isResumed = false
        var changes: [LiveSectionChange] = []
        var failure: (any Error)?
        var faults: [String] = []
    }

    private let state: Mutex<State>

    /// - Parameter sections: those that the observer knows, if it resumes.
    package init(from sections: [Section]? = nil) { state = Mutex(State(sections: sections)) }

    /// The sections according to the changes.
    package var sections: [Section]? { state.withLock { $0.sections } }
    package var isResumed: Bool { state.withLock { $0.isResumed } }
    package var failureCode: StoreError.Code? { state.withLock { ($0.failure as? StoreError)?.code } }
    package var faults: [String] { state.withLock { $0.faults } }

    package func takeChanges() -> [LiveSectionChange] {
        state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    @Sendable package func receive(_ event: LiveSectionEvent) {
        state.withLock { state in
            if state.failure != nil { state.faults.append("an event after failed") }
            switch event {
            case .initial(_, let sections):
                if state.hasBegun { state.faults.append("a second beginning") }
                state.hasBegun = true
                state.sections = sections.recorded
            case .resumed:
                if state.hasBegun { state.faults.append("a second beginning") }
                if state.sections == nil { state.faults.append("resumed without a state") }
                state.hasBegun = true
                state.isResumed = true
            case .update(let change):
                guard state.hasBegun, let old = state.sections else {
                    state.faults.append("an update before the beginning")
                    return
                }
                if change.changes.isEmpty { state.faults.append("an empty update") }
                let new = change.newSections.recorded
                state.faults += change.changes.faults(from: old, to: new)
                state.sections = new
                state.changes.append(change)
            case .deleted: state.faults.append("a query was deleted")
            case .failed(let error):
                state.failure = error
            }
        }
    }
}

extension LiveSections {
    package var recorded: [SectionRecorder.Section] {
        (0..<count).map { SectionRecorder.Section(key: key(of: $0), rows: keys(of: $0)) }
    }
}

extension SectionedKeys {
    package var recorded: [SectionRecorder.Section] {
        sections.map { SectionRecorder.Section(key: $0.key, rows: Array(keys[$0.range])) }
    }
}

extension SectionChanges {
    /// Everything in which this is not the difference from `old` to `new`.
    package func faults(from old: [SectionRecorder.Section], to new: [SectionRecorder.Section]) -> [String] {
        var faults: [String] = []
        func ascends<T: Comparable>(_ list: [T]) -> Bool { zip(list, list.dropFirst()).allSatisfy { $0 < $1 } }
        if !ascends(sectionsToDelete) || !ascends(sectionsToInsert) { faults.append("sections do not ascend: \(self)") }
        for paths in [insertions, deletions, modifications] where !ascends(paths) {
            faults.append("paths do not ascend: \(paths)")
        }
        for path in deletions + modifications where sectionsToDelete.contains(path.section) {
            faults.append("\(path) lies in a deleted section")
        }
        for path in deletions + modifications
        where !old.indices.contains(path.section) || !old[path.section].rows.indices.contains(path.row) {
            faults.append("\(path) was not there: \(self)")
        }
        for path in insertions + modificationsNew
        where !new.indices.contains(path.section) || !new[path.section].rows.indices.contains(path.row) {
            faults.append("\(path) is not there: \(self)")
        }
        if !Set(modifications).isDisjoint(with: deletions) || !Set(modificationsNew).isDisjoint(with: insertions) {
            faults.append("a row is modified and something else: \(self)")
        }
        if modifications.map(\.row) != modificationsNew.map(\.row) { faults.append("rows of modifications: \(self)") }
        guard faults.isEmpty else { return faults }

        var sections = old
        for path in deletions.reversed() { sections[path.section].rows.remove(at: path.row) }
        for section in sectionsToDelete.reversed() { sections.remove(at: section) }
        for section in sectionsToInsert {
            guard section <= sections.count else { return ["no place for section \(section)"] }
            sections.insert(SectionRecorder.Section(key: new[section].key, rows: []), at: section)
        }
        for path in insertions {
            guard path.section < sections.count, path.row <= sections[path.section].rows.count else {
                return ["no place for \(path): \(self)"]
            }
            sections[path.section].rows.insert(new[path.section].rows[path.row], at: path.row)
        }
        for path in modificationsNew where path.row < sections[path.section].rows.count {
            sections[path.section].rows[path.row] = new[path.section].rows[path.row]
        }
        let same =
            sections.count == new.count
            && zip(sections, new).allSatisfy { $0.rows == $1.rows && Value.order($0.key, $1.key) == 0 }
        return same ? [] : ["\(self) does not lead from \(old) to \(new)"]
    }
}
