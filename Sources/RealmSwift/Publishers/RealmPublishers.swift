import Dispatch
public import OpenCombine

/// Publishers of what changes in realms.
///
/// A subscription observes from where it begins, or on the queue that `subscribe(on:)` names, until it is cancelled. What
/// a subscriber has not asked for yet is kept for it as one value that tells all of it. Subscribing to what is unmanaged
/// traps, as do all other misuses of `observe`.
public enum RealmPublishers {
    /// Tells that something has changed, after it did.
    public struct WillChange<Subscribable: RealmSubscribable>: Publisher {
        public typealias Output = Void
        public typealias Failure = Never

        var source: PublisherSource<Void>

        init(_ subscribable: Subscribable) {
            source = PublisherSource(merge: { _, _ in () }) { queue, send in
                subscribable._subscribe(nil, on: queue) { send($0 == nil ? .finished : .value(())) }
            }
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Void {
            source.attach(subscriber)
        }

        /// Puts each subscription's token into a property, for `write(withoutNotifying:)`.
        public func saveToken<T>(on object: T, at keyPath: WritableKeyPath<T, NotificationToken?>) -> WillChange {
            changed(self) { $0.source = $0.source.saving(object, keyPath) }
        }
    }

    /// What something is after each change, and, unless it is an object, at first.
    public struct Value<Subscribable: RealmSubscribable>: Publisher {
        public typealias Output = Subscribable
        /// There are no failures.
        public typealias Failure = any Error

        var source: PublisherSource<Subscribable>

        init(_ subscribable: Subscribable, _ keyPaths: [String]?) {
            source = PublisherSource(merge: { $1 }) { queue, send in
                subscribable._subscribe(keyPaths, on: queue) { this in
                    if let this = this as? Subscribable { send(.value(this)) } else { send(.finished) }
                }
            }
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == any Error, S.Input == Subscribable {
            source.attach(subscriber)
        }

        /// See `WillChange.saveToken`.
        public func saveToken<T>(on object: T, at keyPath: WritableKeyPath<T, NotificationToken?>) -> Value {
            changed(self) { $0.source = $0.source.saving(object, keyPath) }
        }

        /// Observes on a serial queue, with what belongs to that queue's realm.
        public func subscribe<S: Scheduler>(on scheduler: S) -> Value {
            changed(self) { $0.source = $0.source.subscribed(on: scheduler) }
        }

        /// Hands what is published over to a serial scheduler, as what belongs to its realm.
        public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<Value, S> {
            DeferredHandover(self, scheduler)
        }
    }

    /// The changes of a collection: `initial`, then updates.
    public struct CollectionChangeset<Collection: RealmCollection>: Publisher {
        public typealias Output = RealmCollectionChange<Collection>
        public typealias Failure = Never

        var source: PublisherSource<Output>

        init(_ collection: Collection, _ keyPaths: [String]?) {
            source = PublisherSource(merge: { $0.followed(by: $1) }) { queue, send in
                collection.observe(keyPaths: keyPaths, on: queue) { send(.value($0)) }
            }
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Output {
            source.attach(subscriber)
        }

        /// See `WillChange.saveToken`.
        public func saveToken<T>(
            on object: T, at keyPath: WritableKeyPath<T, NotificationToken?>
        ) -> CollectionChangeset {
            changed(self) { $0.source = $0.source.saving(object, keyPath) }
        }

        /// See `Value.subscribe`.
        public func subscribe<S: Scheduler>(on scheduler: S) -> CollectionChangeset {
            changed(self) { $0.source = $0.source.subscribed(on: scheduler) }
        }

        /// See `Value.receive`.
        public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<CollectionChangeset, S> {
            DeferredHandover(self, scheduler)
        }
    }

    /// The changes of sections, or of one: `initial`, then updates.
    public struct SectionedResultsChangeset<Collection: RealmSectionedResult>: Publisher {
        public typealias Output = SectionedResultsChange<Collection>
        public typealias Failure = Never

        var source: PublisherSource<Output>

        init(_ collection: Collection, _ keyPaths: [String]?) {
            source = PublisherSource(merge: { $0.followed(by: $1) }) { queue, send in
                collection.observe(keyPaths: keyPaths, on: queue) { send(.value($0)) }
            }
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Output {
            source.attach(subscriber)
        }

        /// See `WillChange.saveToken`.
        public func saveToken<T>(
            on object: T, at keyPath: WritableKeyPath<T, NotificationToken?>
        ) -> SectionedResultsChangeset {
            changed(self) { $0.source = $0.source.saving(object, keyPath) }
        }

        /// See `Value.subscribe`.
        public func subscribe<S: Scheduler>(on scheduler: S) -> SectionedResultsChangeset {
            changed(self) { $0.source = $0.source.subscribed(on: scheduler) }
        }

        /// See `Value.receive`.
        public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<SectionedResultsChangeset, S> {
            DeferredHandover(self, scheduler)
        }
    }

    /// The changes of one section: `initial`, then updates.
    public typealias SectionChangeset<Section: RealmSectionedResult> = SectionedResultsChangeset<Section>

    /// The changes of an object; `deleted` is the last, and completes.
    public struct ObjectChangeset<O: Object>: Publisher {
        public typealias Output = ObjectChange<O>
        public typealias Failure = Never

        var source: PublisherSource<Output>

        init(_ object: O, _ keyPaths: [String]?) {
            source = PublisherSource(merge: { $0.followed(by: $1) }) { queue, send in
                object.observe(keyPaths: keyPaths, on: queue) { (change: ObjectChange<O>) in
                    send(.value(change))
                    if case .deleted = change { send(.finished) }
                }
            }
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Output {
            source.attach(subscriber)
        }

        /// See `WillChange.saveToken`.
        public func saveToken<T>(on object: T, at keyPath: WritableKeyPath<T, NotificationToken?>) -> ObjectChangeset {
            changed(self) { $0.source = $0.source.saving(object, keyPath) }
        }

        /// See `Value.subscribe`.
        public func subscribe<S: Scheduler>(on scheduler: S) -> ObjectChangeset {
            changed(self) { $0.source = $0.source.subscribed(on: scheduler) }
        }

        /// See `Value.receive`.
        public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<ObjectChangeset, S> {
            DeferredHandover(self, scheduler)
        }
    }

    /// Tells that a realm is at another version.
    public struct RealmWillChange: Publisher {
        public typealias Output = Void
        public typealias Failure = Never

        var source: PublisherSource<Void>

        init(_ realm: Realm) {
            source = PublisherSource(merge: { _, _ in () }) { _, send in realm.observe { _, _ in send(.value(())) } }
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Void {
            source.attach(subscriber)
        }

        /// See `WillChange.saveToken`.
        public func saveToken<T>(on object: T, at keyPath: WritableKeyPath<T, NotificationToken?>) -> RealmWillChange {
            changed(self) { $0.source = $0.source.saving(object, keyPath) }
        }
    }
}

private func changed<P>(_ publisher: P, _ change: (inout P) -> Void) -> P {
    var publisher = publisher
    change(&publisher)
    return publisher
}

// MARK: - Where publishers are had

extension Object: ObservableObject {
    /// Tells of each change of the object, after it happened.
    public var objectWillChange: RealmPublishers.WillChange<Object> { RealmPublishers.WillChange(self) }
}

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

/// An object after each change; completes when it is deleted.
public func valuePublisher<T: Object>(_ object: T, keyPaths: [String]? = nil) -> RealmPublishers.Value<T> {
    RealmPublishers.Value(object, keyPaths)
}

/// A collection, first as it is and then after each change.
public func valuePublisher<T: RealmCollection & RealmSubscribable>(
    _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(collection, keyPaths) }

/// Sections, first as they are and then after each change.
public func valuePublisher<T: RealmSectionedResult & RealmSubscribable>(
    _ sections: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(sections, keyPaths) }

/// The changes of an object.
public func changesetPublisher<T: Object>(
    _ object: T, keyPaths: [String]? = nil
) -> RealmPublishers.ObjectChangeset<T> { RealmPublishers.ObjectChangeset(object, keyPaths) }

/// The changes of a collection.
public func changesetPublisher<T: RealmCollection>(
    _ collection: T, keyPaths: [String]? = nil
) -> RealmPublishers.CollectionChangeset<T> { RealmPublishers.CollectionChangeset(collection, keyPaths) }

/// The changes of sections.
public func changesetPublisher<T: RealmSectionedResult>(
    _ sections: T, keyPaths: [String]? = nil
) -> RealmPublishers.SectionedResultsChangeset<T> { RealmPublishers.SectionedResultsChangeset(sections, keyPaths) }
