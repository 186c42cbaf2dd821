import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract

/// A snapshot whose queries have a budget. Single objects are read as ever: they cost what the answer is long.
final class LimitedSnapshot: ForwardedSnapshot {
    let base: EmbeddedSnapshot
    private let budget: QueryBudget
    /// Made for each query: a request that reads single objects needs none.
    var executor: QueryExecutor { QueryExecutor(LimitedSource(base, budget)) }

    init(_ base: EmbeddedSnapshot, _ budget: QueryBudget) {
        self.base = base
        self.budget = budget
    }

    var version: Version { base.version }
    var tag: HistoryTag { base.tag }
    var schema: Schema { base.schema }

    func limited(by budget: QueryBudget) -> any Snapshot { base.limited(by: budget) }

    func count(of classID: ClassID) -> Int { base.count(of: classID) }

    func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] {
        let keys = try base.backlinks(to: target, from: origin, property)
        try budget.spend(keys.count + 1)
        return keys
    }

    func read<Sink: RowSink>(
        _ classID: ClassID, _ keys: [ObjectKey], _ properties: [PropertyID], into sink: inout Sink
    ) throws {
        try budget.spend(keys.count)
        try base.read(classID, keys, properties, into: &sink)
    }

    func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] {
        try budget.spend(try base.elementCount(object.classID, object.key, property))
        return try base.aggregate(object, property, functions)
    }
}

extension EmbeddedSnapshot {
    /// Itself for a budget without limits, so that those cost nothing.
    func limited(by budget: QueryBudget) -> any Snapshot { budget.isLimited ? LimitedSnapshot(self, budget) : self }
}

extension ExpiringSnapshot {
    func limited(by budget: QueryBudget) throws -> any Snapshot { try base.limited(by: budget) }
}
