package import ViewMaintenance
package import LiveQueries
package import ObjectModel
package import QueryLanguage
import StoreContract

extension LiveInstance {
    /// Observes a query: the block gets `initial` in a later turn, when the result is ready, then an update after each
    /// change. The result is that of the instance's version at the time of each call.
    ///
    /// Throws `incorrectThread`, `readOnly`, `frozen`, `noRunLoop` where no run loop would call the block, and
    /// `observedInWrite`. A query that does not fit the schema is reported as `failed`.
    package func observe(
        _ query: BoundQuery, keyPaths: [LiveKeyPath] = [], deliver: @escaping (LiveQueryEvent) -> Void
    ) throws -> InstanceToken {
        try register(.query(query), keyPaths, deliver)
    }

    /// Observes a query's result in sections, in the same way.
    package func observeSections(
        _ query: BoundQuery, by key: SectionKey, keyPaths: [LiveKeyPath] = [],
        deliver: @escaping (LiveSectionEvent) -> Void
    ) throws -> InstanceToken {
        try register(.sections(query, key), keyPaths, deliver)
    }

    /// Observes the answer to an aggregate, in the same way.
    package func observeAggregate(
        _ aggregate: LiveAggregate, deliver: @escaping (LiveAggregateEvent) -> Void
    ) throws -> InstanceToken {
        try register(.aggregate(aggregate), [], deliver)
    }

    /// Observes one object's list, set or map, in the same way. Throws `notFound` also.
    package func observeCollection(
        _ object: ObjectReference, _ property: PropertyID, keyPaths: [LiveKeyPath] = [],
        deliver: @escaping (LiveCollectionEvent) -> Void
    ) throws -> InstanceToken {
        try register(.collection(object, property), keyPaths, deliver)
    }

    /// Observes a list or dictionary within a mixed value, in the same way. Throws `notFound` also.
    package func observeNested(
        _ path: NestedCollectionPath, keyPaths: [LiveKeyPath] = [], deliver: @escaping (LiveCollectionEvent) -> Void
    ) throws -> InstanceToken {
        try register(.nested(path), keyPaths, deliver)
    }

    /// Observes one object. There is no first call; changes are relative to the instance's present version, and have no
    /// old values where the instance made them itself. Throws as `observe`, and `notFound`, `unknownProperty`.
    package func observeObject(
        _ object: ObjectReference, keyPaths: [LiveKeyPath] = [], deliver: @escaping (LiveObjectEvent) -> Void
    ) throws -> InstanceToken {
        try register(.object(object), keyPaths, deliver)
    }

    /// Observes the instance itself: see `InstanceEvent`. Allowed within a write.
    package func observeInstance(deliver: @escaping (InstanceEvent) -> Void) throws -> InstanceToken {
        try enterToObserve { core in
            let flag = InstanceToken.Flag()
            return InstanceToken(try core.addSubscriber(flag, deliver), of: self, flag)
        }
    }

    private func register<Event: LiveEventKind>(
        _ id: LiveViewID, _ keyPaths: [LiveKeyPath], _ deliver: @escaping (Event) -> Void
    ) throws -> InstanceToken {
        try enterToObserve { core in
            let flag = InstanceToken.Flag()
            let order = try core.add(id, keyPaths, flag, deliver) { preparation in
                hub.prepare(preparation, for: inbox)
            }
            return InstanceToken(order, of: self, flag)
        }
    }

    private func enterToObserve<R>(_ body: (InstanceCore) throws -> R) throws -> R {
        if isFrozen { throw InstanceError.frozenDoesNotNotify }
        return try enter { core in
            if hub.isReadOnly { throw InstanceError.readOnlyDoesNotNotify }
            guard scheduler.canDeliver else { throw InstanceError.noRunLoop }
            return try body(core)
        }
    }
}
