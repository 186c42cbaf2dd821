public import Dispatch
import LiveQueries

// Realm Swift has none of this: there, an app observes the collection, and computes the aggregate again.

extension RealmCollection where Element: ObjectBase {
    /// Observes the number of the collection's objects and aggregates of them: calls the block with `initial` in a later
    /// turn of the run loop or queue, and with an `update` after each version that changed one of the values. What a
    /// version costs follows its changes, not the collection.
    ///
    /// Where it is called, and where this traps, is as for `observe`; it traps for properties that do not exist or have
    /// no such aggregate, too. The block is not called any more once a migration has removed one of the properties, or
    /// the object with the collection was deleted.
    ///
    /// Not a part of Realm Swift.
    public func observeAggregate(
        _ aggregates: [RealmAggregate<Element>] = [], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmAggregateChange<Element>) -> Void
    ) -> NotificationToken {
        trapOnError {
            try AggregateObservation<Element>(aggregates).begin(_source.observed(), on: queue) { notification in
                AggregateObservation<Element>.change(notification, aggregates).map(block)
            }
        }
    }

    /// Observes on an actor. When it returns, the observation is registered, so that all later writes are reported.
    /// Returns an inactive token if the task was already cancelled.
    ///
    /// Not a part of Realm Swift.
    public func observeAggregate<A: Actor>(
        _ aggregates: [RealmAggregate<Element>] = [], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmAggregateChange<Element>) -> Void
    ) async -> NotificationToken {
        do {
            return try await AggregateObservation<Element>(aggregates).begin(
                _source.observed(), on: actor, _isolation: _isolation
            ) { actor, notification in
                guard let change = AggregateObservation<Element>.change(notification, aggregates) else { return }
                block(actor, change)
            }
        } catch {
            stop(error)
        }
    }

    /// Observes the aggregates of each group of objects that have the same value of a property. The property is no
    /// collection and no link. See `observeAggregate`.
    ///
    /// Not a part of Realm Swift.
    public func observeAggregate<Key: _HasPersistedType>(
        _ aggregates: [RealmAggregate<Element>] = [], by keyPath: KeyPath<Element, Key>, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmAggregateGroupsChange<Element, Key>) -> Void
    ) -> NotificationToken {
        trapOnError {
            try AggregateObservation<Element>(aggregates, by: _name(for: keyPath)).begin(
                _source.observed(), on: queue
            ) { notification in
                trapOnError { try AggregateObservation<Element>.groups(notification, aggregates).map(block) }
            }
        }
    }

    /// Observes groups on an actor.
    ///
    /// Not a part of Realm Swift.
    public func observeAggregate<A: Actor, Key: _HasPersistedType>(
        _ aggregates: [RealmAggregate<Element>] = [], by keyPath: KeyPath<Element, Key>, on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmAggregateGroupsChange<Element, Key>) -> Void
    ) async -> NotificationToken {
        do {
            return try await AggregateObservation<Element>(aggregates, by: _name(for: keyPath)).begin(
                _source.observed(), on: actor, _isolation: _isolation
            ) { actor, notification in
                let change: RealmAggregateGroupsChange<Element, Key>? = trapOnError {
                    try AggregateObservation<Element>.groups(notification, aggregates)
                }
                if let change { block(actor, change) }
            }
        } catch {
            stop(error)
        }
    }
}

extension _QuerySource {
    /// The collection, for its observers. Throws for an unmanaged one.
    fileprivate func observed() throws -> any CollectionAccessor {
        guard let accessor else { throw RealmException.unobservable }
        return accessor
    }
}
