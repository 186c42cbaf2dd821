public import Foundation
import LiveQueries

/// What became of sections since their observer was last called.
public enum SectionedResultsChange<Collection> {
    /// The first call: the sections as they are.
    case initial(Collection)
    /// Paths are of a section and a position within it. Those of deletions are of the old sections, and leave out the
    /// elements of sections that went; those of insertions are of the new sections, and name all elements of sections
    /// that came; those of modifications have the old section and a position that is the same before and after.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

/// What the observer of sections is told, without the sections.
enum SectionNews {
    case initial
    case update(SectionChanges)
}

extension SectionedResultsChange {
    init(_ collection: Collection, _ news: SectionNews) {
        switch news {
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
