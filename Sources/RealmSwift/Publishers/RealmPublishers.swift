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

        /// `saveToken(on:at:)` by the name that Realm has for it here.
        public func saveToken<T>(on object: T, for keyPath: WritableKeyPath<T, NotificationToken?>) -> RealmWillChange {
            saveToken(on: object, at: keyPath)
        }
    }
}

func changed<P>(_ publisher: P, _ change: (inout P) -> Void) -> P {
    var publisher = publisher
    change(&publisher)
    return publisher
}
