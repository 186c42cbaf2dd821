import Dispatch
import OpenCombine

/// Publishers of changes in realms.
///
/// A subscription observes on the thread where it begins, or on the queue of `subscribe(on:)`, until it is cancelled.
/// Values beyond the subscriber's demand are combined into one. Subscribing to an unmanaged value traps, as do all
/// other misuses of `observe`.
public enum RealmPublishers {
    /// Publishes after each change.
    public struct WillChange<Subscribable: RealmSubscribable>: _RealmPublisher {
        public typealias Output = Void
        public typealias Failure = Never

        public var _source: _PublisherSource<Void>

        init(_ subscribable: Subscribable) {
            _source = _PublisherSource(merge: { _, _ in () }) { queue, send in
                subscribable._subscribe(nil, on: queue) { send($0 == nil ? .finished : .value(())) }
            }
        }
    }

    /// Publishes a value after each change and, unless it is an object, once at the start.
    public struct Value<Subscribable: RealmSubscribable>: _ConfinedPublisher {
        public typealias Output = Subscribable
        /// It never fails; Realm declares this type.
        public typealias Failure = any Error

        public var _source: _PublisherSource<Subscribable>

        init(_ subscribable: Subscribable, _ keyPaths: [String]?) {
            _source = _PublisherSource(merge: { $1 }) { queue, send in
                subscribable._subscribe(keyPaths, on: queue) { this in
                    if let this = this as? Subscribable { send(.value(this)) } else { send(.finished) }
                }
            }
        }
    }

    /// Publishes the changes of a collection: `initial`, then updates.
    public struct CollectionChangeset<Collection: RealmCollection>: _ConfinedPublisher {
        public typealias Output = RealmCollectionChange<Collection>
        public typealias Failure = Never

        public var _source: _PublisherSource<Output>

        init(_ collection: Collection, _ keyPaths: [String]?) {
            _source = _PublisherSource(merge: { $0.followed(by: $1) }) { queue, send in
                collection.observe(keyPaths: keyPaths, on: queue) { send(.value($0)) }
            }
        }
    }

    /// Publishes the changes of sections, or of one: `initial`, then updates.
    public struct SectionedResultsChangeset<Collection: RealmSectionedResult>: _ConfinedPublisher {
        public typealias Output = SectionedResultsChange<Collection>
        public typealias Failure = Never

        public var _source: _PublisherSource<Output>

        init(_ collection: Collection, _ keyPaths: [String]?) {
            _source = _PublisherSource(merge: { $0.followed(by: $1) }) { queue, send in
                collection.observe(keyPaths: keyPaths, on: queue) { send(.value($0)) }
            }
        }
    }

    /// Publishes the changes of one section: `initial`, then updates.
    public typealias SectionChangeset<Section: RealmSectionedResult> = SectionedResultsChangeset<Section>

    /// Publishes whenever a realm has moved to another version.
    public struct RealmWillChange: _RealmPublisher {
        public typealias Output = Void
        public typealias Failure = Never

        public var _source: _PublisherSource<Void>

        init(_ realm: Realm) {
            _source = _PublisherSource(merge: { _, _ in () }) { _, send in realm.observe { _, _ in send(.value(())) } }
        }

        /// Calls `saveToken(on:at:)`; Realm uses this name here.
        public func saveToken<T>(on object: T, for keyPath: WritableKeyPath<T, NotificationToken?>) -> RealmWillChange {
            saveToken(on: object, at: keyPath)
        }
    }
}
