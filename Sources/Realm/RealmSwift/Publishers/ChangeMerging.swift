import Foundation
import ViewMaintenance
import LiveQueries
import OpenCombine

extension RealmCollectionChange {
    /// Combines two consecutive changes; nil if they cancel each other out.
    func followed(by next: RealmCollectionChange) -> RealmCollectionChange? {
        guard case .update(let collection, let deletions, let insertions, let modifications) = next else { return next }
        switch self {
        case .initial: return .initial(collection)
        case .error: return next
        case .update(_, let earlierDeletions, let earlierInsertions, let earlierModifications):
            var both = IndexChanges(earlierDeletions, earlierInsertions, earlierModifications)
            both.merge(IndexChanges(deletions, insertions, modifications))
            if both.isEmpty { return nil }
            return .update(
                collection, deletions: both.deletions, insertions: both.insertions, modifications: both.modifications)
        }
    }
}

extension IndexChanges {
    fileprivate init(_ deletions: [Int], _ insertions: [Int], _ modifications: [Int]) {
        self.init(deletions: deletions, insertions: insertions)
        for old in modifications {
            guard let new = newIndex(ofOld: old) else { continue }
            self.modifications.append(old)
            modificationsNew.append(new)
        }
    }
}

extension SectionedResultsChange where Collection: RealmSectionedResult {
    /// Combines two consecutive changes; nil if they cancel each other out.
    func followed(by next: SectionedResultsChange) -> SectionedResultsChange? {
        guard case .update(let collection, _, _, _, _, _) = next, let later = next.sectionChanges else { return next }
        guard let earlier = sectionChanges else { return .initial(collection) }
        // A section's change needs the number of its rows; a change of all sections, that of the section with the
        // index.
        let both = earlier.followed(by: later) { index in
            (collection as? any SectionCounting)?.rowCount(ofSection: index) ?? 0
        }
        return both.isEmpty ? nil : SectionedResultsChange(collection, .update(both))
    }

    /// Nil for the initial state.
    private var sectionChanges: SectionChanges? {
        guard case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted) = self else {
            return nil
        }
        func paths(_ paths: [IndexPath]) -> [SectionPath] { paths.map { SectionPath($0.section, $0.item) } }
        var changes = SectionChanges(
            sectionsToInsert: Array(inserted), sectionsToDelete: Array(deleted), insertions: paths(insertions),
            deletions: paths(deletions), modifications: paths(modifications))
        let sections = IndexChanges(deletions: Array(deleted), insertions: Array(inserted))
        changes.modificationsNew = changes.modifications.map {
            SectionPath(sections.newIndex(ofOld: $0.section) ?? $0.section, $0.row)
        }
        return changes
    }
}

/// Sections that provide the number of their rows.
private protocol SectionCounting {
    func rowCount(ofSection section: Int) -> Int
}

extension SectionedResults: SectionCounting {
    func rowCount(ofSection section: Int) -> Int { section < count ? self[section].count : 0 }
}

extension ResultsSection: SectionCounting {
    func rowCount(ofSection section: Int) -> Int { isInvalidated ? 0 : count }
}

extension ObjectChange {
    /// Combines two consecutive changes.
    func followed(by next: ObjectChange) -> ObjectChange? {
        guard case .change(let object, let later) = next, case .change(_, let earlier) = self else { return next }
        let names = Set(later.map(\.name))
        let others = earlier.filter { !names.contains($0.name) }
        let merged = later.map { change in
            guard let before = earlier.first(where: { $0.name == change.name }) else { return change }
            return PropertyChange(name: change.name, oldValue: before.oldValue, newValue: change.newValue)
        }
        return .change(object, others + merged)
    }
}
