package import ObjectModel
package import StoreContract

/// The events of a query's observer: `initial` or `resumed` once, then updates, or `failed` and nothing more.
package enum LiveEvent: Sendable {
    /// The result when the observation began, at the snapshot's version.
    case initial(snapshot: any Snapshot, keys: KeySequence)
    /// Instead of `initial`, when the difference since the version that the observer saw last is known: an update with
    /// that difference follows at once, unless it is empty.
    case resumed(snapshot: any Snapshot, keys: KeySequence)
    case update(LiveChange)
    /// The query cannot be maintained any more, for example because its class was removed from the schema.
    case failed(any Error)
}

/// The difference between a result and its state at the observer's previous event, perhaps several versions earlier.
/// Never empty. All observers that get the same change share one object, so that work done for one, such as encoding,
/// can be reused for the others.
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

    /// Merges this change with the next one of the same observation, for an observer that has not consumed this one
    /// yet. Nil when they cancel out.
    package func followed(by next: LiveChange) -> LiveChange? {
        var both = indices
        both.merge(next.indices)
        return both.isEmpty ? nil : LiveChange(snapshot: next.snapshot, indices: both, newKeys: next.newKeys)
    }

    /// Positions in the old result, ascending.
    package var deletions: [Int] { indices.deletions }
    /// Positions in the new result, ascending.
    package var insertions: [Int] { indices.insertions }
    /// Old positions of modified elements that kept their order among the others, ascending.
    package var modifications: [Int] { indices.modifications }
    /// The new positions of the same elements, in the same order.
    package var modificationsNew: [Int] { indices.modificationsNew }
}

/// The events of one object's observer: `initial` or `resumed` once, then changes; `deleted` or `failed`, and nothing
/// more.
package enum LiveObjectEvent: Sendable {
    /// The observation has begun; later changes are relative to this version.
    case initial(snapshot: any Snapshot)
    /// Instead of `initial`, when the change since the version that the observer saw last is known: it follows at once,
    /// unless it is empty.
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
    /// The store at the observer's previous event, from which old values are read. It pins that version.
    package let before: any ObjectReads
    /// In declaration order, linking objects last. Never empty.
    package let properties: [LivePropertyChange]

    init(snapshot: any Snapshot, before: any ObjectReads, properties: [LivePropertyChange]) {
        self.snapshot = snapshot
        self.before = before
        version = snapshot.version
        self.properties = properties
    }

    /// The same change, without the old values of some properties.
    package func withoutOldValues(where isLeftOut: (PropertyID) -> Bool) -> LiveObjectChange {
        let properties = properties.map {
            isLeftOut($0.id) ? LivePropertyChange(id: $0.id, oldValue: nil, newValue: $0.newValue) : $0
        }
        return LiveObjectChange(snapshot: snapshot, before: before, properties: properties)
    }
}

/// One property of a changed object.
package struct LivePropertyChange: Hashable, Sendable {
    package let id: PropertyID
    /// The value at the observer's previous event; equal to the new one when the present value was assigned or when the
    /// change is behind the property's link. Links lead to the objects that were linked to, which may have been
    /// deleted; `LiveObjectChange.before` has them. Nil for collections and linking objects, for properties that a new
    /// schema added, and where the earlier version was released.
    package let oldValue: Value?
    /// The value now; nil for collections and linking objects.
    package let newValue: Value?
}
