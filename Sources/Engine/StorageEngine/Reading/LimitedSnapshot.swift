package import ObjectModel
package import QueryExecution
package import QueryLanguage
package import StoreContract

/// A snapshot whose queries have a budget, and whose reads of collections count by their elements.
package final class LimitedSnapshot: ForwardedSnapshot {
    package let base: EmbeddedSnapshot
    private let limits: QueryBudget
    /// Made for each query: a request that reads single objects needs none.
    package var executor: QueryExecutor { QueryExecutor(LimitedSource(base, limits)) }

    init(_ base: EmbeddedSnapshot, _ budget: QueryBudget) {
        self.base = base
        limits = budget
    }

    package var budget: QueryBudget? { limits }
    package var version: Version { base.version }
    package var tag: HistoryTag { base.tag }
    package var schema: Schema { base.schema }

    package func limited(by budget: QueryBudget) -> any Snapshot { base.limited(by: budget) }

    package func count(of classID: ClassID) -> Int { base.count(of: classID) }

    package func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] {
        // One more than the budget allows shows that it is exceeded; an unlimited budget allows all of them.
        let most = limits.remainingRows
        let keys = try base.backlinks(to: target, from: origin, property, upTo: most < .max ? most + 1 : most)
        try limits.spend(keys.count + 1)
        return keys
    }

    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        if limits.countsBytes { try limits.spend(1) }
        return try base.exists(classID, key)
    }

    package func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        guard limits.countsBytes else { return try base.value(classID, key, property) }
        try limits.spend(1)
        return try base.value(classID, key, property) { try limits.spend(bytes: try $0()) }
    }

    package func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        if limits.countsBytes { try limits.spend(bytes: try base.overflowSize(classID, key, property, range)) }
        return try base.elements(classID, key, property, range)
    }

    package func read<Sink: RowSink>(
        _ classID: ClassID, _ keys: [ObjectKey], _ properties: [PropertyID], into sink: inout Sink
    ) throws -> Int {
        try limits.spend(keys.count)
        let count = try base.read(classID, keys, properties, into: &sink)
        // Rows that the sink had no room for were not read.
        if count < keys.count { try limits.spend(count - keys.count) }
        return count
    }

    package func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] {
        try limits.spend(try base.elementCount(object.classID, object.key, property))
        return try base.aggregate(object, property, functions)
    }
}

extension EmbeddedSnapshot {
    /// Returns `self` for a budget without limits, so that those cost nothing.
    package func limited(by budget: QueryBudget) -> any Snapshot {
        budget.isLimited ? LimitedSnapshot(self, budget) : self
    }
}
