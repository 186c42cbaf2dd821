import Dispatch
import ViewMaintenance
import LiveQueries
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract

/// An event for the observer of an aggregate, which pins no version.
enum AggregateNotification: Sendable {
    case initial([AggregateGroup])
    case update([AggregateGroup], IndexChanges)

    /// Failures are not reported.
    init?(_ event: LiveAggregateEvent) {
        switch event {
        case .initial(_, let result), .resumed(_, let result): self = .initial(result.groups)
        case .update(let change): self = .update(change.result.groups, change.indices)
        case .deleted, .failed: return nil
        }
    }
}

/// Observes aggregates of a collection of objects on any thread, queue or actor.
struct AggregateObservation<Element: ObjectBase>: Sendable {
    private let aggregates: [RealmAggregate<Element>]
    /// The property to group by; nil for the collection as a whole.
    private let group: String?

    init(_ aggregates: [RealmAggregate<Element>], by group: String? = nil) {
        self.aggregates = aggregates
        self.group = group
    }

    /// Observes on the collection's own thread, queue or actor, or on another queue.
    func begin(
        _ accessor: any CollectionAccessor, on queue: DispatchQueue?, _ block: @escaping (AggregateNotification) -> Void
    ) throws -> NotificationToken {
        try CollectionObservation.begin(accessor, on: queue, try queue.map { _ in try prepare(accessor) }) {
            try observe($0, block)
        }
    }

    /// Observes on an actor.
    func begin<A: Actor>(
        _ accessor: any CollectionAccessor, on actor: A, _isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, AggregateNotification) -> Void
    ) async throws -> NotificationToken {
        try await CollectionObservation.begin(accessor, on: actor, try prepare(accessor), _isolation: _isolation) {
            actor, accessor in
            try observe(accessor) { [unowned actor] notification in actor.assumeIsolated { block($0, notification) } }
        }
    }

    private func observe(
        _ accessor: any CollectionAccessor, _ deliver: @escaping (AggregateNotification) -> Void
    ) throws -> InstanceToken {
        try accessor.check()
        return try accessor.realm.live.observeAggregate(try aggregate(of: accessor)) {
            AggregateNotification($0).map(deliver)
        }
    }

    /// Throws errors here that would otherwise occur on the other queue or actor.
    private func prepare(_ accessor: any CollectionAccessor) throws -> CollectionObservation.Prepared {
        let prepared = try CollectionObservation.prepare(accessor, nil)
        _ = try aggregate(of: accessor)
        return prepared
    }

    private func aggregate(of accessor: any CollectionAccessor) throws -> LiveAggregate {
        guard let query = try accessor.objectQuery() else { throw RealmException.unobservable }
        let objectClass = try accessor.realm.bound(query.classID)
        func path(_ name: String, _ isSuitable: (StoredType) -> Bool, _ operation: String) throws -> BoundPath {
            guard let found = objectClass[name] else {
                throw RealmException(
                    "Invalid property name: property '\(name)' not found in object of type '\(objectClass.name)'")
            }
            guard !found.type.isCollection, isSuitable(found.type) else {
                throw RealmException(
                    "Operation '\(operation)' not supported for \(found.type.described) '\(objectClass.name).\(name)'")
            }
            return BoundPath(end: .property(found.id, found.type))
        }
        return LiveAggregate(
            query,
            try aggregates.map { asked in
                AggregateRequest(
                    asked.function,
                    try path(asked.property, { $0.supports(asked.function) }, asked.function.rawValue))
            },
            by: try group.map { [try path($0, { !$0.isLink && !$0.isComputed }, "group by")] } ?? [])
    }

    // MARK: News in Swift's types

    /// Nil for a notification of no group, which does not occur.
    static func change(
        _ notification: AggregateNotification, _ aggregates: [RealmAggregate<Element>]
    ) -> RealmAggregateChange<Element>? {
        switch notification {
        case .initial(let groups): groups.first.map { .initial(values($0, aggregates)) }
        case .update(let groups, _): groups.first.map { .update(values($0, aggregates)) }
        }
    }

    /// Throws for a key that the type cannot represent.
    static func groups<Key>(
        _ notification: AggregateNotification, _ aggregates: [RealmAggregate<Element>]
    ) throws -> RealmAggregateGroupsChange<Element, Key>? {
        func all(_ groups: [AggregateGroup]) throws -> [RealmAggregateGroup<Element, Key>] {
            try groups.map { group in
                RealmAggregateGroup(
                    key: try AggregateConversion.converted(group.key.first ?? .null, to: Key.self, in: nil),
                    values: values(group, aggregates))
            }
        }
        switch notification {
        case .initial(let groups): return .initial(try all(groups))
        case .update(let groups, let indices):
            return .update(
                try all(groups), deletions: indices.deletions, insertions: indices.insertions,
                modifications: indices.modifications)
        }
    }

    /// Decimals that are computed are reduced, as by `Decimal128`'s operators.
    private static func values(
        _ group: AggregateGroup, _ aggregates: [RealmAggregate<Element>]
    ) -> RealmAggregateValues<Element> {
        let values = zip(aggregates, group.results).map { asked, value -> (RealmAggregate<Element>, Value) in
            if case .decimal(let number) = value, asked.function == .sum || asked.function == .average {
                return (asked, .decimal(number.reduced))
            }
            return (asked, value)
        }
        return RealmAggregateValues(count: group.count, values: Dictionary(values) { first, _ in first })
    }
}
