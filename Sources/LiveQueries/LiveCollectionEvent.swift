package import ObjectModel
package import StoreContract

/// What an observer of one object's list, set or map is told: `initial` or `resumed` once, then updates, or `failed` and
/// nothing more. When the object is deleted, one update says that all elements went, if there were any, and it is the
/// last.
package enum LiveCollectionEvent: Sendable {
    case initial(snapshot: any Snapshot)
    /// As `LiveEvent.resumed`.
    case resumed(snapshot: any Snapshot)
    case update(LiveCollectionChange)
    case failed(any Error)
}

/// The difference between a list, set or map and its state at the observer's previous event. Never empty. Shared between
/// observers as `LiveChange` is.
package final class LiveCollectionChange: Sendable {
    package enum Difference: Hashable, Sendable {
        /// Of a list, and of a set in ascending order.
        case positions(IndexChanges)
        /// Of a map: keys of the old one, and keys of the new one, all ascending. A key that was removed and put in
        /// again is in `deletions` and in `insertions`.
        case keys(deletions: [String], insertions: [String], modifications: [String])
    }

    /// The store at the version that the change leads to. It pins that version: do not keep the change.
    package let snapshot: any Snapshot
    package let version: Version
    package let difference: Difference
    /// Whether the object that held the collection is gone.
    package let ownerIsDeleted: Bool

    init(snapshot: any Snapshot, difference: Difference, ownerIsDeleted: Bool) {
        self.snapshot = snapshot
        version = snapshot.version
        self.difference = difference
        self.ownerIsDeleted = ownerIsDeleted
    }
}
