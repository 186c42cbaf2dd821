import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract

/// A snapshot whose queries have a budget. Single objects are read as ever: they cost what the answer is long.
final class LimitedSnapshot: Snapshot {
    private let base: EmbeddedSnapshot
    private let budget: QueryBudget
    /// Made for each query: a request that reads single objects needs none.
    private var executor: QueryExecutor { QueryExecutor(LimitedSource(base, budget)) }

    init(_ base: EmbeddedSnapshot, _ budget: QueryBudget) {
        self.base = base
        self.budget = budget
    }

    var version: Version { base.version }
    var schema: Schema { base.schema }

    func limited(by budget: QueryBudget) -> any Snapshot { base.limited(by: budget) }

    // MARK: Objects

    func count(of classID: ClassID) -> Int { base.count(of: classID) }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { try base.exists(classID, key) }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try base.key(of: classID, primaryKey: primaryKey)
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try base.value(classID, key, property)
    }

    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        try base.elementCount(classID, key, property)
    }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] { try base.elements(classID, key, property, range) }

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

    // MARK: Queries

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] { try executor.select(query, window) }

    func count(_ query: BoundQuery) throws -> Int { try executor.count(query) }

    func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool { try executor.matches(query, key) }

    func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        try executor.sortValues(keys, of: key, in: classID)
    }

    func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try executor.aggregate(query, requests)
    }

    func aggregate(
        _ object: ObjectReference, _ property: PropertyID, _ functions: [AggregateRequest.Function]
    ) throws -> [Value] {
        try budget.spend(try base.elementCount(object.classID, object.key, property))
        return try base.aggregate(object, property, functions)
    }

    func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] { try executor.aggregate(query, requests, by: paths) }

    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        try executor.sections(query, by: key)
    }

    func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation {
        try executor.explain(query, window, running: running)
    }
}

extension EmbeddedSnapshot {
    /// Itself for a budget without limits, so that those cost nothing.
    func limited(by budget: QueryBudget) -> any Snapshot { budget.isLimited ? LimitedSnapshot(self, budget) : self }
}

extension ExpiringSnapshot {
    func limited(by budget: QueryBudget) throws -> any Snapshot { try snapshot.limited(by: budget) }
}
