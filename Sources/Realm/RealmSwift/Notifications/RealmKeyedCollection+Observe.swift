public import Dispatch
import LiveQueries
import ObjectModel
import StoreContract

extension RealmKeyedCollection {
    /// Calls the block with `initial` in a later turn, and with an `update` after each version that changed the map or
    /// an object that its values link to. Key paths name properties of the values' class. Otherwise the same as
    /// `RealmCollection.observe`.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken { _observe(keyPaths, on: queue, block) }

    /// Observes on an actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken {
        await _observe(keyPaths, on: actor, _isolation: _isolation, block)
    }
}

extension RealmKeyedCollection where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Calls `observe` with Swift key paths of the values' class.
    public func observe(
        keyPaths: [PartialKeyPath<Value.Wrapped>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls `observe` on an actor with Swift key paths of the values' class.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Value.Wrapped>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}

extension Map {
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        trapOnError {
            guard let accessor else { throw RealmException.unobservable }
            return try CollectionObservation.begin(accessor, keyPaths, on: queue) { seen, notification in
                block(RealmMapChange(seen === accessor ? self : Map(accessor: seen), notification))
            }
        }
    }

    public func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        do {
            guard let accessor else { throw RealmException.unobservable }
            return try await CollectionObservation.begin(
                accessor, keyPaths, on: actor, _isolation: _isolation
            ) { actor, call in
                block(actor, RealmMapChange(Map(accessor: call.value.0), call.value.1))
            }
        } catch {
            stop(error)
        }
    }

    public var isFrozen: Bool { accessor?.realm.isFrozen ?? false }

    public func freeze() -> Map {
        trapOnError {
            guard let accessor else { throw Self.unmanagedFault }
            if accessor.realm.isFrozen { return self }
            guard !accessor.isInvalidated else { throw RealmException.invalidObject }
            guard let frozen = try accessor.payload().accessor(in: accessor.realm.frozen()) else {
                throw RealmException("Cannot freeze an object in the same write transaction as it was created in.")
            }
            return Map(accessor: frozen)
        }
    }

    public func thaw() -> Map? {
        trapOnError {
            guard let accessor else { throw Self.unmanagedFault }
            guard accessor.realm.isFrozen else { return self }
            return try accessor.payload().accessor(in: accessor.realm.thawed()).map { Map(accessor: $0) }
        }
    }

    private static var unmanagedFault: RealmException {
        RealmException("This method may only be called on RLMDictionary instances retrieved from an RLMRealm")
    }
}

extension Map: _ReferencePayloadSource {
    func referencePayload() throws -> any _ReferencePayload {
        guard let accessor else { throw Self.unmanagedFault }
        return MapReference<Key, Value>(pin: try PinnedVersion(accessor.realm), payload: try accessor.payload())
    }
}

/// A reference to a managed map.
private struct MapReference<Key: _MapKey, Value: RealmCollectionValue>: _ReferencePayload {
    let pin: PinnedVersion
    let payload: CollectionReferencePayload

    func resolved(in realm: RLMRealm) throws -> Any? {
        try payload.accessor(in: realm).map { Map<Key, Value>(accessor: $0) }
    }
}

extension RealmMapChange {
    init(_ map: MapType, _ notification: CollectionNotification) {
        switch notification {
        case .initial: self = .initial(map)
        case .update(let difference):
            // Occurs only for other collections.
            guard case .keys(let deletions, let insertions, let modifications) = difference else {
                self = .update(map, deletions: [], insertions: [], modifications: [])
                return
            }
            func keys(_ texts: [String]) -> [MapType.Key] { texts.map { MapType.Key(_key: $0) } }
            self = .update(
                map, deletions: keys(deletions), insertions: keys(insertions), modifications: keys(modifications))
        }
    }
}
