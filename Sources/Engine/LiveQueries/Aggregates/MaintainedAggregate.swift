import Basics
package import ViewMaintenance
package import ObjectModel
import QueryOperators
import QueryLanguage
package import StoreContract

/// The answer to one aggregate, maintained for all observers of it. Used by one thread at a time.
///
/// Objects that change are removed from the tallies of their groups as they were, and added as they are. Where a result
/// depends on how a scan goes, such as a sum of doubles that rounds, the answer is read again: it is then the same as
/// that of a read at the same version.
final class MaintainedAggregate: MaintainedView {
    private let aggregate: LiveAggregate
    private var dependencies: QueryDependencies
    private let quick: ValuePredicate
    /// Nil where the answer is read again after each change.
    private var tallies: AggregateTallies?
    /// Whether the groups were read because a scan decides a result of them.
    private var isAmbiguous: Bool
    /// All groups, ascending by their keys.
    private var all: [AggregateGroup]
    /// The number of objects in them.
    private var objectCount: Int
    /// The answer if it has not all groups, or has them in another order.
    private var chosen: AggregateResult?
    var subscriberGroups: [SubscriberGroup<LiveAggregateEvent, Void>] = []

    /// Reads the answer. Throws the store's errors, `sumOverflow`, and `unknownClass` or `unknownProperty` when the
    /// aggregate does not fit the snapshot's schema.
    init(_ aggregate: LiveAggregate, _ snapshot: any Snapshot) throws {
        self.aggregate = aggregate
        quick = ValuePredicate(aggregate.query.predicate)
        dependencies = try QueryDependencies(aggregate, schema: snapshot.schema)
        let (tallies, all) = try Self.read(aggregate, dependencies, snapshot)
        self.tallies = tallies
        self.all = all
        objectCount = all.reduce(0) { $0 + $1.count }
        isAmbiguous = tallies?.isAmbiguous == true
        if !aggregate.listsAll { chosen = try aggregate.result(of: all, within: snapshot.budget) }
    }

    private var result: AggregateResult { chosen ?? AggregateResult(groups: all) }

    private static func read(
        _ aggregate: LiveAggregate, _ dependencies: QueryDependencies, _ snapshot: any Snapshot
    ) throws -> (AggregateTallies?, [AggregateGroup]) {
        var tallies: AggregateTallies?
        if aggregate.maintenance(dependencies) == .incremental {
            var query = try aggregate.query.resolved(snapshot)
            query.steps = []
            tallies = try AggregateTallies.read(query, aggregate.requests, by: aggregate.paths, snapshot)
        }
        if let tallies, !tallies.isAmbiguous { return (tallies, try tallies.all()) }
        return (tallies, try groups(of: aggregate, snapshot))
    }

    /// Reads all groups.
    private static func groups(of aggregate: LiveAggregate, _ snapshot: any Snapshot) throws -> [AggregateGroup] {
        try snapshot.aggregate(aggregate.query, aggregate.requests, by: aggregate.paths)
    }

    var watches: Set<LiveWatch> {
        dependencies.watches(for: aggregate.query.predicate, along: ChangePaths())
            ?? Set(dependencies.classes.map { .objects(of: $0) })
    }

    func add(
        _ subscriber: Subscriber<LiveAggregateEvent>, _ interest: LiveInterest, _ snapshot: any Snapshot,
        since known: Resumption?
    ) throws {
        let index = try subscriberGroup(interest, snapshot.schema, new: ())
        subscriberGroups[index].subscribers.append(subscriber)
        guard let known, let earlier = try result(at: known, snapshot) else {
            subscriber.send(.initial(snapshot: snapshot, result))
            return
        }
        subscriber.send(.resumed(snapshot: snapshot, result))
        if let change = change(GroupDiff.between(earlier.groups, result.groups), since: earlier, snapshot) {
            subscriber.send(.update(change))
        }
    }

    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter? { nil }

    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws {
        var indices: IndexChanges
        if step.changes.schemaChanged {
            dependencies = try QueryDependencies(aggregate, schema: snapshot.schema)
            indices = try readAgain(snapshot)
        } else {
            guard dependencies.isTouched(by: step.changes) || dependencies.mayRename(step.changes) else { return }
            indices = try update(step, snapshot)
        }
        if indices.isEmpty { return }
        let earlier = chosen
        if let earlier {
            let now = try arranged(after: earlier, indices)
            indices = GroupDiff.between(earlier.groups, now.groups)
            chosen = now
        }
        guard let change = change(indices, since: earlier, snapshot) else { return }
        for subscriberGroup in subscriberGroups { subscriberGroup.send(.update(change)) }
    }

    /// The groups that are listed after some of all groups changed.
    private func arranged(after earlier: AggregateResult, _ indices: IndexChanges) throws -> AggregateResult {
        let isQuick =
            aggregate.condition == nil && indices.deletions.isEmpty && indices.insertions.isEmpty
            && indices.modifications.count <= Self.fewGroups
        let same =
            isQuick
            ? aggregate.arrangement.arranged(
                earlier, modified: indices.modifications.lazy.map { self.all[$0] }, objectCount: objectCount)
            : nil
        return try same ?? aggregate.result(of: all)
    }

    /// More groups are arranged again.
    private static let fewGroups = 16

    /// The change to the present answer; nil if there is none.
    private func change(
        _ indices: IndexChanges, since earlier: AggregateResult?, _ snapshot: any Snapshot
    ) -> LiveAggregateChange? {
        let result = result
        if indices.isEmpty, earlier?.others == result.others { return nil }
        return LiveAggregateChange(
            snapshot: snapshot, indices: indices, result: result, earlierOthers: earlier?.others)
    }
}

// MARK: Steps

extension MaintainedAggregate {
    /// Brings `tallies` and `all` to the state after a step. Returns the difference of all groups.
    private func update(_ step: VersionDelta, _ snapshot: any Snapshot) throws -> IndexChanges {
        // Taken out, so that they are not copied when they change.
        guard var next = tallies else { return try readResponse(snapshot) }
        tallies = nil
        // Where the store released the earlier version, the tallies are made again.
        let touched: Set<[Value]>? =
            try VersionDelta.ifRetained {
                guard !dependencies.mayRename(step.changes),
                    case .objects(let affectedKeys) = try dependencies.affectedKeys(in: step)
                else { return nil }
                return try next.advance(by: step, affectedKeys, quick: quick) { try dependencies.count(of: $0, in: $1) }
            } ?? nil
        guard let touched, !next.isOutdated, !next.hasTooManyGroups else { return try readAgain(snapshot) }
        let wasAmbiguous = isAmbiguous
        isAmbiguous = next.isAmbiguous
        tallies = next
        if touched.isEmpty { return IndexChanges() }
        if isAmbiguous { return try readResponse(snapshot) }
        // Results that a scan decided are known again.
        if wasAmbiguous { return replaceAll(by: try next.all()) }
        return try replace(touched, by: next)
    }

    /// Reads the answer. Cost: that of the read, and a comparison of all groups.
    private func readResponse(_ snapshot: any Snapshot) throws -> IndexChanges {
        replaceAll(by: try Self.groups(of: aggregate, snapshot))
    }

    /// Makes the tallies again. Cost: a pass over the result.
    private func readAgain(_ snapshot: any Snapshot) throws -> IndexChanges {
        let (next, groups) = try Self.read(aggregate, dependencies, snapshot)
        tallies = next
        isAmbiguous = next?.isAmbiguous == true
        return replaceAll(by: groups)
    }

    private func replaceAll(by groups: [AggregateGroup]) -> IndexChanges {
        defer {
            all = groups
            objectCount = groups.reduce(0) { $0 + $1.count }
        }
        return all == groups ? IndexChanges() : GroupDiff.between(all, groups)
    }

    /// Replaces the groups whose keys have these forms. Cost: a search for each, and when groups come or go a pass over
    /// the list.
    private func replace(_ forms: Set<[Value]>, by tallies: AggregateTallies) throws -> IndexChanges {
        var indices = IndexChanges()
        var arrivals: [AggregateGroup] = []
        for form in forms {
            let index = all.partitioningIndex { AggregateGroup.order($0.key, form) >= 0 }
            let isKnown = index < all.count && all[index].form == form
            let group = try tallies.group(form)
            objectCount += (group?.count ?? 0) - (isKnown ? all[index].count : 0)
            if let group {
                if !isKnown {
                    arrivals.append(group)
                } else if all[index] != group {
                    all[index] = group
                    indices.modifications.append(index)
                }
            } else if isKnown {
                indices.deletions.append(index)
            }
        }
        indices.deletions.sort()
        indices.modifications.sort()
        if !indices.deletions.isEmpty {
            let deleted = Set(indices.deletions)
            all = all.indices.filter { !deleted.contains($0) }.map { all[$0] }
        }
        if !arrivals.isEmpty {
            arrivals.sort(by: AggregateGroup.precedes)
            var merged: [AggregateGroup] = []
            merged.reserveCapacity(all.count + arrivals.count)
            var rest = arrivals[...]
            for group in all {
                while let arrival = rest.first, AggregateGroup.precedes(arrival, group) {
                    indices.insertions.append(merged.count)
                    merged.append(arrival)
                    rest = rest.dropFirst()
                }
                merged.append(group)
            }
            for arrival in rest {
                indices.insertions.append(merged.count)
                merged.append(arrival)
            }
            all = merged
        }
        indices.modificationsNew = indices.modifications.map { indices.newIndex(ofOld: $0) ?? $0 }
        return indices
    }

    /// The answer at a version that an observer knows; nil where finding it costs more than reporting the present one.
    private func result(at known: Resumption, _ snapshot: any Snapshot) throws -> AggregateResult? {
        guard let step = try known.step(for: watches), try aggregate.query.scope.exists(in: step.before) else {
            return nil
        }
        guard dependencies.isTouched(by: step.changes) || dependencies.mayRename(step.changes) else { return result }
        guard let past = try pastTallies(step), !past.isAmbiguous, !past.isOutdated, let all = try? past.all() else {
            return nil
        }
        return try aggregate.result(of: all)
    }

    /// The tallies before a step that leads to the present; nil where they are not found at little cost.
    private func pastTallies(_ step: VersionDelta) throws -> AggregateTallies? {
        // A sum may not have fit then.
        guard var past = tallies else {
            // What one object held is read there; whole classes are not.
            guard aggregate.query.scope != .all else { return nil }
            return try? AggregateTallies.read(
                aggregate.query.resolved(step.before), aggregate.requests, by: aggregate.paths, step.before)
        }
        let reversed = step.reversed
        guard !past.isAmbiguous, !dependencies.mayRename(step.changes),
            case .objects(let affectedKeys) = try dependencies.affectedKeys(in: reversed)
        else { return nil }
        let touched = try? past.advance(by: reversed, affectedKeys, quick: nil) {
            try dependencies.count(of: $0, in: $1)
        }
        return touched == nil ? nil : past
    }
}

extension QueryDependencies {
    fileprivate init(_ aggregate: LiveAggregate, schema: Schema) throws(StoreError) {
        try self.init(
            aggregate.query, alsoReading: aggregate.paths + aggregate.requests.map(\.path), schema: schema)
    }
}

extension LiveAggregate {
    fileprivate func maintenance(_ dependencies: QueryDependencies) -> Maintenance {
        let chooses = query.steps.contains { step in
            if case .sort = step { false } else { true }
        }
        if chooses { return .recompute(reason: "which objects it counts depends on the others") }
        return dependencies.maintenance
    }

    /// How the answer is kept current after commits. Throws `unknownClass` and `unknownProperty` when it does not fit
    /// the schema.
    package func maintenance(under schema: Schema) throws(StoreError) -> Maintenance {
        maintenance(try QueryDependencies(self, schema: schema))
    }
}
