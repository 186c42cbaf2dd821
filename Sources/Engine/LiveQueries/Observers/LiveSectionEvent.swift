package import ObjectModel
package import StoreContract

/// What an observer of a result in sections is told: `initial` or `resumed` once, then updates, or `failed` and nothing
/// more.
package enum LiveSectionEvent: Sendable {
    case initial(snapshot: any Snapshot, sections: LiveSections)
    /// As `LiveEvent.resumed`.
    case resumed(snapshot: any Snapshot, sections: LiveSections)
    case update(LiveSectionChange)
    case failed(any Error)
}

/// Where an element of a result in sections stands.
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

/// How one result in sections became another. All arrays ascend.
package struct SectionChanges: Hashable, Sendable {
    /// Indices in the new list of sections.
    package var sectionsToInsert: [Int]
    /// Indices in the old list of sections.
    package var sectionsToDelete: [Int]
    /// Places in the new sections, also of every row of an inserted section.
    package var insertions: [SectionPath]
    /// Places in the old sections; the rows of deleted sections are left out.
    package var deletions: [SectionPath]
    /// The section's old index, and the row, which is the same before and after.
    package var modifications: [SectionPath]
    /// The new places of the same rows, in the same order.
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

/// The difference between a result in sections and its state at the observer's previous event. Never empty. Shared
/// between observers as `LiveChange` is.
package final class LiveSectionChange: Sendable {
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

    /// Whether it starts from just these sections, rows aside.
    func isSince(_ list: SectionList) -> Bool { oldSections.list.hasSections(of: list) }

    /// This change and the next one of the same observation as one, for an observer that has not taken this one yet.
    /// Nil when they cancel out.
    package func followed(by next: LiveSectionChange) -> LiveSectionChange? {
        let both = changes.followed(by: next.changes) { next.newSections.count(of: $0) }
        guard !both.isEmpty else { return nil }
        return LiveSectionChange(
            snapshot: next.snapshot, changes: both, oldSections: oldSections, newSections: next.newSections)
    }

    /// What of this concerns the section with that key, for an observer of that section alone; nil if nothing does. That
    /// other sections before it came or went does not concern it.
    package func restricted(to key: Value) -> SectionChanges? {
        changes.restricted(old: oldSections.index(of: key), new: newSections.index(of: key))
    }
}
