package import ViewMaintenance
package import ObjectModel
package import StoreContract

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
