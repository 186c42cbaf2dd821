package import ObjectModel
package import StoreContract

/// The properties of one object that were assigned since the observer's previous event, or through which one of its
/// key paths leads to a change.
package struct LiveObjectChange: LiveDifference {
    /// The store at the version that the change leads to. It pins that version: do not keep the change.
    package let snapshot: any Snapshot
    package let version: Version
    /// The store at the observer's previous event, for reading old values. It pins that version.
    package let before: any ObjectReads
    /// In declaration order, linking objects last. Never empty.
    package let properties: [LivePropertyChange]

    init(snapshot: any Snapshot, before: any ObjectReads, properties: [LivePropertyChange]) {
        self.snapshot = snapshot
        self.before = before
        version = snapshot.version
        self.properties = properties
    }

    /// Properties in both changes have the old value of this one and the new value of the next.
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

    /// Returns the same change without the old values of some properties.
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
    /// The value at the observer's previous event. It equals the new value if an equal value was assigned, or if the
    /// change is behind the property's link. Links lead to the former target objects; `LiveObjectChange.before` has
    /// them even if they have been deleted since. Nil for collections and linking objects, for properties that a new
    /// schema added, and if the earlier version is no longer available.
    package let oldValue: Value?
    /// The value now; nil for collections and linking objects.
    package let newValue: Value?
}
