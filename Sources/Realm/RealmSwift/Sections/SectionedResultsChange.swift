public import Foundation
import ViewMaintenance
import LiveQueries

/// The changes of sections since their observer was last called.
public enum SectionedResultsChange<Collection> {
    /// The first call, with the sections.
    case initial(Collection)
    /// Each path has a section and a position within it. Deletions are paths in the old sections, without the elements
    /// of removed sections. Insertions are paths in the new sections, with all elements of added sections.
    /// Modifications have the old section and a position that is the same before and after.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

/// A change of sections without the sections themselves.
typealias SectionNotification = ObserverNotification<SectionChanges>

extension SectionedResultsChange {
    init(_ collection: Collection, _ notification: SectionNotification) {
        switch notification {
        case .initial: self = .initial(collection)
        case .update(let changes):
            self = .update(
                collection, deletions: changes.deletions.map(\.indexPath),
                insertions: changes.insertions.map(\.indexPath),
                modifications: changes.modifications.map(\.indexPath),
                sectionsToInsert: IndexSet(changes.sectionsToInsert),
                sectionsToDelete: IndexSet(changes.sectionsToDelete))
        }
    }
}

extension SectionPath {
    fileprivate var indexPath: IndexPath { IndexPath(item: row, section: section) }
}
