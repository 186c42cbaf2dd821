import Dispatch
import OpenCombine

/// Publishers of what changes in realms.
///
/// A subscription observes from where it begins, or on the queue that `subscribe(on:)` names, until it is cancelled. What
/// a subscriber has not asked for yet is kept for it as one value that tells all of it. Subscribing to what is unmanaged
/// traps, as do all other misuses of `observe`.
public enum RealmPublishers {
    /// Tells that something has changed, after it did.
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

    /// What something is after each change, and, unless it is an object, at first.
    public struct Value<Subscribable: RealmSubscribable>: _ConfinedPublisher {
        public typealias Output = Subscribable
        /// There are no failures.
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

    /// The changes of a collection: `initial`, then updates.
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

    /// The changes of sections, or of one: `initial`, then updates.
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

    /// The changes of one section: `initial`, then updates.
    public typealias SectionChangeset<Section: RealmSectionedResult> = SectionedResultsChangeset<Section>

    /// Tells that a realm is at another version.
    public struct RealmWillChange: _RealmPublisher {
        public typealias Output = Void
        public typealias Failure = Never

        public var _source: _PublisherSource<Void>

        init(_ realm: Realm) {
            _source = _PublisherSource(merge: { _, _ in () }) { _, send in realm.observe { _, _ in send(.value(())) } }
        }

        /// `saveToken(on:at:)` by the name that Realm has for it here.
        public func saveToken<T>(on object: T, for keyPath: WritableKeyPath<T, NotificationToken?>) -> RealmWillChange {
            saveToken(on: object, at: keyPath)
        }
    }
}
