package import ObjectModel
package import StoreContract

/// The position of an element in a sectioned result.
package struct SectionPath: Hashable, Comparable, Sendable {
    package var section: Int
    package var row: Int

    package init(_ section: Int, _ row: Int) {
        self.section = section
        self.row = row
    }

    package static func < (a: SectionPath, b: SectionPath) -> Bool {
        a.section != b.section ? a.section < b.section : a.row < b.row
    }
}

/// The difference between two sectioned results. All arrays ascend.
package struct SectionChanges: Hashable, Sendable {
    /// Indices in the new list of sections.
    package var sectionsToInsert: [Int]
    /// Indices in the old list of sections.
    package var sectionsToDelete: [Int]
    /// Paths in the new sections, including every row of an inserted section.
    package var insertions: [SectionPath]
    /// Paths in the old sections; the rows of deleted sections are left out.
    package var deletions: [SectionPath]
    /// The section's old index, and the row, which is the same before and after.
    package var modifications: [SectionPath]
    /// The new paths of the same rows, in the same order.
    package var modificationsNew: [SectionPath]

    package init(
        sectionsToInsert: [Int] = [], sectionsToDelete: [Int] = [], insertions: [SectionPath] = [],
        deletions: [SectionPath] = [], modifications: [SectionPath] = [], modificationsNew: [SectionPath] = []
    ) {
        self.sectionsToInsert = sectionsToInsert
        self.sectionsToDelete = sectionsToDelete
        self.insertions = insertions
        self.deletions = deletions
        self.modifications = modifications
        self.modificationsNew = modificationsNew
    }

    package var isEmpty: Bool {
        sectionsToInsert.isEmpty && sectionsToDelete.isEmpty && insertions.isEmpty && deletions.isEmpty
            && modifications.isEmpty
    }
}

/// The difference between a sectioned result and its state at the observer's previous event. Never empty. Shared
/// between observers as `LiveChange` is.
package final class LiveSectionChange: LiveDifference {
    /// The store at the version that the change leads to. It pins that version: do not keep the change.
    package let snapshot: any Snapshot
    package let version: Version
    package let changes: SectionChanges
    /// The sections that the observer knew before.
    package let oldSections: LiveSections
    package let newSections: LiveSections

    init(
        snapshot: any Snapshot, changes: SectionChanges, oldSections: LiveSections, newSections: LiveSections
    ) {
        self.snapshot = snapshot
        version = snapshot.version
        self.changes = changes
        self.oldSections = oldSections
        self.newSections = newSections
    }

    /// Whether it starts from exactly these sections, apart from their rows.
    func isSince(_ list: SectionList) -> Bool { oldSections.list.hasSections(of: list) }

    /// Merges this change with the next one of the same observation, for an observer that has not consumed this one
    /// yet. Nil when they cancel out.
    package func followed(by next: LiveSectionChange) -> LiveSectionChange? {
        let both = changes.followed(by: next.changes) { next.newSections.count(of: $0) }
        guard !both.isEmpty else { return nil }
        return LiveSectionChange(
            snapshot: next.snapshot, changes: both, oldSections: oldSections, newSections: next.newSections)
    }

    package func moved(to snapshot: any Snapshot) -> LiveSectionChange {
        LiveSectionChange(
            snapshot: snapshot, changes: changes, oldSections: oldSections, newSections: newSections)
    }

    /// The part of the change in the section with that key, for an observer of that section alone; nil if there is
    /// none. Insertions and deletions of other sections do not count.
    package func restricted(to key: Value) -> SectionChanges? {
        changes.restricted(old: oldSections.index(of: key), new: newSections.index(of: key))
    }
}
