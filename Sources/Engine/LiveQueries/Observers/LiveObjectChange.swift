package import ObjectModel
package import StoreContract

/// Properties of one object that were assigned since the observer's previous event, or through which one of its key
/// paths leads to a change.
package struct LiveObjectChange: LiveDifference {
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

    /// Properties of both are told with the older old value and the newer new one.
    package func followed(by next: LiveObjectChange) -> LiveObjectChange? {
        let later = next.properties.map { property in
            guard let known = properties.first(where: { $0.id == property.id }) else { return property }
            return LivePropertyChange(id: property.id, oldValue: known.oldValue, newValue: property.newValue)
        }
        let earlier = properties.filter { property in !later.contains { $0.id == property.id } }
        return LiveObjectChange(snapshot: next.snapshot, before: before, properties: earlier + later)
    }

    package func moved(to snapshot: any Snapshot) -> LiveObjectChange {
        LiveObjectChange(snapshot: snapshot, before: before, properties: properties)
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
    /// The value at the observer's previous event; equal to the new one when the present value was assigned or
    /// when the change lies behind the property's link. Links are to the objects that were linked to, which may
    /// be gone; `LiveObjectChange.before` has them. Nil for collections and linking objects, for properties that a new schema added, and where the
    /// earlier version was given up.
    package let oldValue: Value?
    /// The value now; nil for collections and linking objects.
    package let newValue: Value?
}
