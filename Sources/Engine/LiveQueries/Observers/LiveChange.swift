package import ViewMaintenance
package import ObjectModel
package import StoreContract

/// The difference between a result and its state at the observer's previous event, perhaps several versions earlier.
/// Never empty. All observers that receive the same difference share one object, so that work done for one of them,
/// such as encoding, can be reused for the others.
package final class LiveChange: LiveDifference {
    /// The store at the version that the change leads to. It pins that version: do not keep the change.
    package let snapshot: any Snapshot
    package let version: Version
    package let indices: IndexChanges
    /// The whole new result. Shares its storage with the maintained result until that changes.
    package let newKeys: KeySequence

    init(snapshot: any Snapshot, indices: IndexChanges, newKeys: KeySequence) {
        self.snapshot = snapshot
        version = snapshot.version
        self.indices = indices
        self.newKeys = newKeys
    }

    package func followed(by next: LiveChange) -> LiveChange? {
        var both = indices
        both.merge(next.indices)
        return both.isEmpty ? nil : LiveChange(snapshot: next.snapshot, indices: both, newKeys: next.newKeys)
    }

    package func moved(to snapshot: any Snapshot) -> LiveChange {
        LiveChange(snapshot: snapshot, indices: indices, newKeys: newKeys)
    }

    /// Positions in the old result, ascending.
    package var deletions: [Int] { indices.deletions }
    /// Positions in the new result, ascending.
    package var insertions: [Int] { indices.insertions }
    /// Old positions of elements that stayed in place among the others and were modified, ascending.
    package var modifications: [Int] { indices.modifications }
    /// The new positions of the same elements, in the same order.
    package var modificationsNew: [Int] { indices.modificationsNew }
}
