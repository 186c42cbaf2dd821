/// What became of a collection since its observer was last called.
public enum RealmCollectionChange<CollectionType> {
    /// The first call: the collection as it is.
    case initial(CollectionType)
    /// Positions of deletions and modifications are of the old collection, those of insertions of the new one; all
    /// ascend. Applying the deletions from the back and then the insertions from the front turns the old into the new.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Never sent.
    case error(any Error)
}

/// What became of a map since its observer was last called, by keys.
public enum RealmMapChange<MapType: RealmKeyedCollection> {
    /// The first call: the map as it is.
    case initial(MapType)
    /// Keys that went, came, and whose values were assigned or changed; all ascend.
    case update(MapType, deletions: [MapType.Key], insertions: [MapType.Key], modifications: [MapType.Key])
    /// Never sent.
    case error(any Error)
}

/// What became of an object since its observer was last called.
public enum ObjectChange<T> {
    /// Properties were assigned.
    case change(T, [PropertyChange])
    /// The object was deleted; nothing follows.
    case deleted
    /// Never sent.
    case error(any Error)
}

/// One property of a changed object.
public struct PropertyChange {
    public let name: String
    /// The value before, if the change was made elsewhere; nil for collections and for null.
    public let oldValue: Any?
    /// The value now; nil for collections and for null.
    public let newValue: Any?
}
