/// The changes of a collection since its observer was last called.
public enum RealmCollectionChange<CollectionType> {
    /// The first call, with the collection.
    case initial(CollectionType)
    /// Positions of deletions and modifications refer to the old collection, those of insertions to the new one; all
    /// are ascending. Applying the deletions from the last, and then the insertions from the first, turns the old
    /// collection into the new one.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Never sent.
    case error(any Error)
}

/// The changes of a map, by key, since its observer was last called.
public enum RealmMapChange<MapType: RealmKeyedCollection> {
    /// The first call, with the map.
    case initial(MapType)
    /// The keys that were removed, those that were added, and those whose values were assigned or changed; all are
    /// ascending.
    case update(MapType, deletions: [MapType.Key], insertions: [MapType.Key], modifications: [MapType.Key])
    /// Never sent.
    case error(any Error)
}

/// The changes of an object since its observer was last called.
public enum ObjectChange<T> {
    /// Properties were assigned.
    case change(T, [PropertyChange])
    /// The object was deleted. No further call follows.
    case deleted
    /// Never sent.
    case error(any Error)
}

/// A property of a changed object. The values are those that `value(forKey:)` gives: an enum's raw value, the content of
/// a mixed value.
public struct PropertyChange {
    /// The Swift name of the property.
    public let name: String
    /// The value before, if the change was made by another instance; nil for collections and for null.
    public let oldValue: Any?
    /// The new value; nil for collections and for null.
    public let newValue: Any?
}
