public import OpenCombine

extension RealmCollection where Self: RealmSubscribable {
    /// Tells of the first state, and of each change after it happened.
    public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

    /// The collection, first as it is and then after each change.
    public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self, nil) }

    /// The same, told of modifications that the key paths lead to only.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
        RealmPublishers.Value(self, keyPaths)
    }

    /// The changes of the collection.
    public var changesetPublisher: RealmPublishers.CollectionChangeset<Self> {
        RealmPublishers.CollectionChangeset(self, nil)
    }

    /// The same, told of modifications that the key paths lead to only.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.CollectionChangeset<Self> {
        RealmPublishers.CollectionChangeset(self, keyPaths)
    }
}

extension RealmCollection where Self: RealmSubscribable, Element: ObjectBase {
    /// `collectionPublisher` with Swift key paths.
    public func collectionPublisher(keyPaths: [PartialKeyPath<Element>]) -> RealmPublishers.Value<Self> {
        collectionPublisher(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// `changesetPublisher` with Swift key paths.
    public func changesetPublisher(
        keyPaths: [PartialKeyPath<Element>]
    ) -> RealmPublishers.CollectionChangeset<Self> { changesetPublisher(keyPaths: keyPaths.map { _name(for: $0) }) }
}

extension List: ObservableObject {
    public typealias ObjectWillChangePublisher = RealmPublishers.WillChange<List>
}

extension MutableSet: ObservableObject {
    public typealias ObjectWillChangePublisher = RealmPublishers.WillChange<MutableSet>
}

extension RealmSectionedResult where Self: RealmSubscribable {
    /// Tells of the first state, and of each change after it happened.
    public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

    /// The sections, first as they are and then after each change.
    public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self, nil) }

    /// The same, told of modifications that the key paths lead to only.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
        RealmPublishers.Value(self, keyPaths)
    }

    /// The changes of the sections.
    public var changesetPublisher: RealmPublishers.SectionedResultsChangeset<Self> {
        RealmPublishers.SectionedResultsChangeset(self, nil)
    }

    /// The same, told of modifications that the key paths lead to only.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.SectionedResultsChangeset<Self> {
        RealmPublishers.SectionedResultsChangeset(self, keyPaths)
    }
}

extension Realm {
    /// Tells that the realm is at another version.
    public var objectWillChange: RealmPublishers.RealmWillChange { RealmPublishers.RealmWillChange(self) }
}

/// A collection, first as it is and then after each change.
public func valuePublisher<T: RealmCollection & RealmSubscribable>(
    _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(collection, keyPaths) }

/// Sections, first as they are and then after each change.
public func valuePublisher<T: RealmSectionedResult & RealmSubscribable>(
    _ sections: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(sections, keyPaths) }

/// The changes of a collection.
public func changesetPublisher<T: RealmCollection>(
    _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.CollectionChangeset<T> { RealmPublishers.CollectionChangeset(collection, keyPaths) }

/// The changes of sections.
public func changesetPublisher<T: RealmSectionedResult>(
    _ sections: T, keyPaths: [String]? = nil
) -> RealmPublishers.SectionedResultsChangeset<T> { RealmPublishers.SectionedResultsChangeset(sections, keyPaths) }
