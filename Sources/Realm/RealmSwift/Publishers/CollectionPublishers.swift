public import OpenCombine

extension RealmCollection where Self: RealmSubscribable {
    /// Publishes once at the start, and after each change.
    public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

    /// Publishes the collection at the start, and after each change.
    public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self, nil) }

    /// Publishes the collection at the start and after each change; only changes at the key paths count as
    /// modifications.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
        RealmPublishers.Value(self, keyPaths)
    }

    /// Publishes the changes of the collection.
    public var changesetPublisher: RealmPublishers.CollectionChangeset<Self> {
        RealmPublishers.CollectionChangeset(self, nil)
    }

    /// Publishes the changes of the collection; only changes at the key paths count as modifications.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.CollectionChangeset<Self> {
        RealmPublishers.CollectionChangeset(self, keyPaths)
    }
}

extension RealmCollection where Self: RealmSubscribable, Element: ObjectBase {
    /// Calls `collectionPublisher` with Swift key paths.
    public func collectionPublisher(keyPaths: [PartialKeyPath<Element>]) -> RealmPublishers.Value<Self> {
        collectionPublisher(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// Calls `changesetPublisher` with Swift key paths.
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
    /// Publishes once at the start, and after each change.
    public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

    /// Publishes the sections at the start, and after each change.
    public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self, nil) }

    /// Publishes the sections at the start and after each change; only changes at the key paths count as modifications.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
        RealmPublishers.Value(self, keyPaths)
    }

    /// Publishes the changes of the sections.
    public var changesetPublisher: RealmPublishers.SectionedResultsChangeset<Self> {
        RealmPublishers.SectionedResultsChangeset(self, nil)
    }

    /// Publishes the changes of the sections; only changes at the key paths count as modifications.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.SectionedResultsChangeset<Self> {
        RealmPublishers.SectionedResultsChangeset(self, keyPaths)
    }
}

extension Realm {
    /// Publishes whenever the realm has moved to another version.
    public var objectWillChange: RealmPublishers.RealmWillChange { RealmPublishers.RealmWillChange(self) }
}

/// Publishes a collection at the start, and after each change.
public func valuePublisher<T: RealmCollection & RealmSubscribable>(
    _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(collection, keyPaths) }

/// Publishes sections at the start, and after each change.
public func valuePublisher<T: RealmSectionedResult & RealmSubscribable>(
    _ sections: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(sections, keyPaths) }

/// Publishes the changes of a collection.
public func changesetPublisher<T: RealmCollection>(
    _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.CollectionChangeset<T> { RealmPublishers.CollectionChangeset(collection, keyPaths) }

/// Publishes the changes of sections.
public func changesetPublisher<T: RealmSectionedResult>(
    _ sections: T, keyPaths: [String]? = nil
) -> RealmPublishers.SectionedResultsChangeset<T> { RealmPublishers.SectionedResultsChangeset(sections, keyPaths) }
