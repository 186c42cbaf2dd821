public import Dispatch
import LiveQueries

extension RealmCollection {
    /// Calls the block with `initial` in a later turn, and with an `update` after each version that made the collection,
    /// or what its elements lead to, another one. Key paths narrow what counts as a modification of an element; nil and
    /// an empty array mean what three links from it reach.
    ///
    /// Without a queue the block is called on the realm's thread, which runs a run loop, queue or actor; with a serial one
    /// there, with a collection of that queue's realm. Traps within a write transaction, for read-only and frozen realms,
    /// unmanaged collections and unknown key paths.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { _observe(keyPaths, on: queue, block) }

    /// The same on an actor, with a collection of the actor's realm. Returns when it is registered there, so that all
    /// later writes are told; gives a dead token when the task was cancelled before.
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
        raising {
            guard let accessor else { throw RealmException.unobservable }
            return try CollectionObservation.begin(accessor, keyPaths, on: queue) { seen, news in
                block(RealmCollectionChange(seen === accessor ? self : Self(accessor: seen), news))
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
    /// `observe` with Swift key paths.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken { observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block) }

    /// `observe` on an actor with Swift key paths.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmCollection {
    /// `observe` with key paths of projected properties.
    public func observe<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken where Element: Projection<Root> {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// `observe` on an actor with key paths of projected properties.
    public func observe<A: Actor, Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken where Element: Projection<Root> {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmCollectionChange {
    init(_ collection: CollectionType, _ news: CollectionNews) {
        switch news {
        case .initial: self = .initial(collection)
        case .update(let indices):
            self = .update(
                collection, deletions: indices.deletions, insertions: indices.insertions,
                modifications: indices.modifications)
        // Only maps are told keys.
        case .keys: self = .update(collection, deletions: [], insertions: [], modifications: [])
        }
    }
}

extension RealmException {
    static let unobservable = RealmException("Change notifications are only supported on managed collections.")
}
