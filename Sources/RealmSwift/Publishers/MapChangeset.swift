public import Dispatch
import LiveQueries
public import OpenCombine

extension RealmPublishers {
    /// The changes of a map: `initial`, then updates.
    public struct MapChangeset<Collection: RealmKeyedCollection>: Publisher {
        public typealias Output = RealmMapChange<Collection>
        public typealias Failure = Never

        private var source: PublisherSource<Output>

        init(_ map: Collection, _ keyPaths: [String]?) {
            source = PublisherSource(merge: { $0.followed(by: $1) }) { queue, send in
                map.observe(keyPaths: keyPaths, on: queue) { send(.value($0)) }
            }
        }

        private init(_ source: PublisherSource<Output>) { self.source = source }

        public func receive<S: Subscriber>(subscriber: S) where S.Failure == Never, S.Input == Output {
            source.attach(subscriber)
        }

        /// See `WillChange.saveToken`.
        public func saveToken<T>(on object: T, at keyPath: WritableKeyPath<T, NotificationToken?>) -> MapChangeset {
            MapChangeset(source.saving(object, keyPath))
        }

        /// See `Value.subscribe`.
        public func subscribe<S: Scheduler>(on scheduler: S) -> MapChangeset {
            MapChangeset(source.subscribed(on: scheduler))
        }

        /// See `Value.receive`.
        public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<MapChangeset, S> {
            DeferredHandover(self, scheduler)
        }
    }
}

extension RealmKeyedCollection where Self: RealmSubscribable {
    public func _subscribe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (_ this: Any?) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, on: queue) { change in
            switch change {
            case .initial(let map), .update(let map, _, _, _): block(map)
            case .error: break
            }
        }
    }

    /// Tells of the first state, and of each change after it happened.
    public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

    /// The map, first as it is and then after each change.
    public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self, nil) }

    /// The same, told of modifications that the key paths lead to only.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
        RealmPublishers.Value(self, keyPaths)
    }

    /// The changes of the map.
    public var changesetPublisher: RealmPublishers.MapChangeset<Self> { RealmPublishers.MapChangeset(self, nil) }

    /// The same, told of modifications that the key paths lead to only.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.MapChangeset<Self> {
        RealmPublishers.MapChangeset(self, keyPaths)
    }
}

extension Map: RealmSubscribable {}

/// The changes of a map.
public func changesetPublisher<T: RealmKeyedCollection>(
    _ map: T, keyPaths: [String]? = nil
) -> RealmPublishers.MapChangeset<T> { RealmPublishers.MapChangeset(map, keyPaths) }

extension RealmMapChange: _ConfinedChange {
    var _confined: (any ThreadConfined)? {
        switch self {
        case .initial(let map), .update(let map, _, _, _): map
        case .error: nil
        }
    }

    func _with(_ confined: any ThreadConfined) -> Self? {
        guard let map = confined as? MapType else { return nil }
        switch self {
        case .initial: return .initial(map)
        case .update(_, let deletions, let insertions, let modifications):
            return .update(map, deletions: deletions, insertions: insertions, modifications: modifications)
        case .error: return self
        }
    }

    /// This and what followed as one; nil when they cancel out.
    func followed(by next: RealmMapChange) -> RealmMapChange? {
        guard case .update(let map, let deletions, let insertions, let modifications) = next else { return next }
        switch self {
        case .initial: return .initial(map)
        case .error: return next
        case .update(_, let earlierDeletions, let earlierInsertions, let earlierModifications):
            func names(_ keys: [MapType.Key]) -> [String] { keys.map(\._key) }
            let both = LiveCollectionChange.Difference.keys(
                deletions: names(earlierDeletions), insertions: names(earlierInsertions),
                modifications: names(earlierModifications)
            ).followed(
                by: .keys(
                    deletions: names(deletions), insertions: names(insertions), modifications: names(modifications)))
            guard !both.isEmpty, case .keys(let gone, let come, let changed) = both else { return nil }
            return RealmMapChange(map, .keys(deletions: gone, insertions: come, modifications: changed))
        }
    }
}
