public import Dispatch
import LiveQueries
public import OpenCombine

extension RealmPublishers {
    /// Publishes the changes of a map: `initial`, then updates.
    public struct MapChangeset<Collection: RealmKeyedCollection>: _ConfinedPublisher {
        public typealias Output = RealmMapChange<Collection>
        public typealias Failure = Never

        public var _source: _PublisherSource<Output>

        init(_ map: Collection, _ keyPaths: [String]?) {
            _source = _PublisherSource(merge: { $0.followed(by: $1) }) { queue, send in
                map.observe(keyPaths: keyPaths, on: queue) { send(.value($0)) }
            }
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

    /// Publishes once at the start, and after each change.
    public var objectWillChange: RealmPublishers.WillChange<Self> { RealmPublishers.WillChange(self) }

    /// Publishes the map at the start, and after each change.
    public var collectionPublisher: RealmPublishers.Value<Self> { RealmPublishers.Value(self, nil) }

    /// Publishes the map at the start and after each change; only changes at the key paths count as modifications.
    public func collectionPublisher(keyPaths: [String]?) -> RealmPublishers.Value<Self> {
        RealmPublishers.Value(self, keyPaths)
    }

    /// Publishes the changes of the map.
    public var changesetPublisher: RealmPublishers.MapChangeset<Self> { RealmPublishers.MapChangeset(self, nil) }

    /// Publishes the changes of the map; only changes at the key paths count as modifications.
    public func changesetPublisher(keyPaths: [String]?) -> RealmPublishers.MapChangeset<Self> {
        RealmPublishers.MapChangeset(self, keyPaths)
    }
}

extension RealmKeyedCollection where Self: RealmSubscribable, Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Calls `collectionPublisher` with Swift key paths of the values' class.
    public func collectionPublisher(keyPaths: [PartialKeyPath<Value.Wrapped>]) -> RealmPublishers.Value<Self> {
        collectionPublisher(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// Calls `changesetPublisher` with Swift key paths of the values' class.
    public func changesetPublisher(
        keyPaths: [PartialKeyPath<Value.Wrapped>]
    ) -> RealmPublishers.MapChangeset<Self> { changesetPublisher(keyPaths: keyPaths.map { _name(for: $0) }) }
}

extension Map: RealmSubscribable {}

extension Map: ObservableObject {
    public typealias ObjectWillChangePublisher = RealmPublishers.WillChange<Map>
}

/// Publishes a map at the start, and after each change.
public func valuePublisher<T: RealmKeyedCollection & RealmSubscribable>(
    _ map: T, keyPaths: [String]? = nil
) -> RealmPublishers.Value<T> { RealmPublishers.Value(map, keyPaths) }

/// Publishes the changes of a map.
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

    /// Combines two consecutive changes; nil if they cancel each other out.
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
            return both.isEmpty ? nil : RealmMapChange(map, .update(both))
        }
    }
}

extension Publisher {
    /// Allows `receive(on:)` for the published values.
    public func threadSafeReference<T: RealmKeyedCollection>() -> RealmPublishers.MakeThreadSafe<Self>
    where Output == RealmMapChange<T> { RealmPublishers.MakeThreadSafe(self) }

    /// Freezes the published values.
    public func freeze<T: RealmKeyedCollection>() -> Publishers.Map<Self, T> where Output == T {
        // The last value after the owner of a map was deleted cannot be frozen.
        map { $0.isInvalidated ? $0 : $0.freeze() }
    }

    /// Freezes the published values.
    public func freeze<T: RealmKeyedCollection>() -> Publishers.Map<Self, RealmMapChange<T>>
    where Output == RealmMapChange<T> {
        map { change in
            switch change {
            case .initial(let map), .update(let map, _, _, _):
                map.isInvalidated ? change : change._with(map.freeze()) ?? change
            case .error: change
            }
        }
    }
}
