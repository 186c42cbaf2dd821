import ViewMaintenance
public import Dispatch
import LiveQueries

extension RealmCollection {
    /// Calls the block with `initial` in a later turn of the run loop or queue, and with an `update` after each version
    /// that changed the collection or an object that its elements link to. Key paths select which changes count as
    /// modifications of an element; nil and an empty array mean changes of objects up to three links away.
    ///
    /// Without a queue the block is called on the realm's thread, which must run a run loop, or on its queue or actor.
    /// With a serial queue it is called there, with a collection of that queue's realm. Traps within a write
    /// transaction, for read-only and frozen realms, for unmanaged collections and for unknown key paths.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { _observe(keyPaths, on: queue, block) }

    /// Observes on an actor, with a collection of the actor's realm. When it returns, the observation is registered, so
    /// that all later writes are reported. Returns an inactive token if the task was already cancelled.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await _observe(keyPaths, on: actor, _isolation: _isolation, block)
    }
}

extension RealmCollectionImpl {
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        trapOnError {
            guard let accessor else { throw RealmException.unobservable }
            return try CollectionObservation.begin(accessor, keyPaths, on: queue) { seen, notification in
                block(RealmCollectionChange(seen === accessor ? self : Self(accessor: seen), notification))
            }
        }
    }

    public func _observe<A: Actor>(
        _ keyPaths: [String]?, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        do {
            guard let accessor else { throw RealmException.unobservable }
            return try await CollectionObservation.begin(
                accessor, keyPaths, on: actor, _isolation: _isolation
            ) { actor, call in
                block(actor, RealmCollectionChange(Self(accessor: call.value.0), call.value.1))
            }
        } catch {
            stop(error)
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Calls `observe` with Swift key paths.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// Calls `observe` on an actor with Swift key paths.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmCollection {
    /// Calls `observe` with key paths of projected properties.
    public func observe<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken where Element: Projection<Root> {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// Calls `observe` on an actor with key paths of projected properties.
    public func observe<A: Actor, Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken where Element: Projection<Root> {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmCollectionChange {
    init(_ collection: CollectionType, _ notification: CollectionNotification) {
        switch notification {
        case .initial: self = .initial(collection)
        case .update(let difference):
            // Only maps have such changes.
            guard case .positions(let indices) = difference else {
                self = .update(collection, deletions: [], insertions: [], modifications: [])
                return
            }
            self = .update(
                collection, deletions: indices.deletions, insertions: indices.insertions,
                modifications: indices.modifications)
        }
    }
}

extension RealmException {
    static let unobservable = RealmException("Change notifications are only supported on managed collections.")
}
