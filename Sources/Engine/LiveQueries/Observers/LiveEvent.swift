package import ObjectModel
package import StoreContract

/// What an observer of a query is told: `initial` or `resumed` once, then updates, or `failed` and nothing more.
package enum LiveEvent: Sendable {
    /// The result when the observation began, at the snapshot's version.
    case initial(snapshot: any Snapshot, keys: KeySequence)
    /// Instead of `initial`, where what became different since the version that the observer had heard of is
    /// known: an update with all of that follows at once, unless there is nothing.
    case resumed(snapshot: any Snapshot, keys: KeySequence)
    case update(LiveChange)
    /// The query cannot be kept up to date any more, for example because its class is gone from the schema.
    case failed(any Error)
}

/// The difference between a result and its state at the observer's previous event, perhaps several versions earlier.
/// Never empty. One object is shared by all observers that are told the same, so that work done for one, such as
/// encoding, can be kept for the others.
package final class LiveChange: Sendable {
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

    /// This change and the next one of the same observation as one, for an observer that has not taken this one yet.
    /// Nil when they cancel out.
    package func followed(by next: LiveChange) -> LiveChange? {
        var both = indices
        both.merge(next.indices)
        return both.isEmpty ? nil : LiveChange(snapshot: next.snapshot, indices: both, newKeys: next.newKeys)
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

/// What an observer of one object is told: `initial` or `resumed` once, then changes; `deleted` or `failed`,
/// and nothing more.
package enum LiveObjectEvent: Sendable {
    /// The observation has begun; later changes are relative to this version.
    case initial(snapshot: any Snapshot)
    /// Instead of `initial`, where what changed since the version that the observer had heard of is known: it follows
    /// at once, unless there is nothing.
    case resumed(snapshot: any Snapshot)
    case change(LiveObjectChange)
    case deleted(Version)
    case failed(any Error)
}

/// Properties of one object that were assigned since the observer's previous event, or through which one of its key
/// paths leads to a change.
package struct LiveObjectChange: Sendable {
    /// The store at the version that the change leads to. It pins that version: do not keep the change.
    package let snapshot: any Snapshot
    package let version: Version
    /// The store as it was at the observer's previous event, in which old values are to be read. It pins that version.
    package let before: any ObjectReads
    /// In declaration order, linking objects last. Never empty.
    package let properties: [LivePropertyChange]

    init(snapshot: any Snapshot, before: any ObjectReads, properties: [LivePropertyChange]) {
        self.snapshot = snapshot
        self.before = before
        version = snapshot.version
        self.properties = properties
    }
}

/// One property of a changed object.
package struct LivePropertyChange: Hashable, Sendable {
    package let id: PropertyID
    /// The value at the observer's previous event; equal to the new one when the present value was assigned or
    /// when the change lies behind the property's link. Links are to the objects that were linked to, which may
    /// be gone; `LiveObjectChange.before` has them. Nil for collections and linking objects, for properties that a new schema added, and where the
    /// earlier version was given up.
    package let oldValue: Value?
    /// The value now; nil for collections and linking objects.
    package let newValue: Value?
}
