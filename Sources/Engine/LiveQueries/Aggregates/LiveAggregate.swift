package import ViewMaintenance
package import ObjectModel
package import QueryOperators
package import QueryLanguage
package import StoreContract

/// Aggregates of a query's result, as a whole or by group. Equal ones give the same answer at the same version.
package struct LiveAggregate: Hashable, Sendable {
    /// Its order does not matter, unless it has a limit.
    package var query: BoundQuery
    package var requests: [AggregateRequest]
    /// The paths to group by, which are single-valued; empty for one group of the whole result.
    package var paths: [BoundPath]
    /// Which groups there are; nil for all. Its positions are those of `paths` and `requests`, as in `arrangement`.
    package var condition: GroupCondition?
    package var arrangement: GroupArrangement

    package init(
        _ query: BoundQuery, _ requests: [AggregateRequest] = [], by paths: [BoundPath] = [],
        having condition: GroupCondition? = nil, arrangement: GroupArrangement = .all
    ) {
        self.query = query
        self.requests = requests
        self.paths = paths
        self.condition = condition
        self.arrangement = arrangement
    }

    /// The answer at a version. Throws the errors of the store, and `sumOverflow`.
    package func result(_ snapshot: any Snapshot) throws -> AggregateResult {
        try result(of: try snapshot.aggregate(query, requests, by: paths), within: snapshot.budget)
    }

    /// Whether the answer has all groups, ascending by their keys.
    var listsAll: Bool { condition == nil && arrangement == .all }

    /// Those of all groups that satisfy the condition, arranged. Throws as the budget does.
    package func result(
        of all: [AggregateGroup], within budget: QueryBudget? = nil
    ) throws(StoreError) -> AggregateResult {
        arrangement.arranged(try condition?.selection(of: all, within: budget) ?? all)
    }
}

/// The difference between the answer to an aggregate and the answer at the observer's previous event. Never empty.
package final class LiveAggregateChange: LiveDifference {
    /// The store at the version that the change leads to. It pins that version: do not keep the change.
    package let snapshot: any Snapshot
    package let version: Version
    /// The positions of the groups that went, came and changed.
    package let indices: IndexChanges
    /// The whole new answer.
    package let result: AggregateResult
    /// The groups that were not listed before.
    private let earlierOthers: OtherGroups?

    init(snapshot: any Snapshot, indices: IndexChanges, result: AggregateResult, earlierOthers: OtherGroups?) {
        self.snapshot = snapshot
        version = snapshot.version
        self.indices = indices
        self.result = result
        self.earlierOthers = earlierOthers
    }

    package func followed(by next: LiveAggregateChange) -> LiveAggregateChange? {
        var both = indices
        both.merge(next.indices)
        if both.isEmpty, next.result.others == earlierOthers { return nil }
        return LiveAggregateChange(
            snapshot: next.snapshot, indices: both, result: next.result, earlierOthers: earlierOthers)
    }

    package func moved(to snapshot: any Snapshot) -> LiveAggregateChange {
        LiveAggregateChange(snapshot: snapshot, indices: indices, result: result, earlierOthers: earlierOthers)
    }
}

/// The event of an aggregate.
package typealias LiveAggregateEvent = LiveEvent<AggregateResult, LiveAggregateChange>
