import HTTPProblems
import ObjectCoding
import ObjectModel
import QueryExecution
import QueryLanguage
import RequestHandling
import RequestParameters
package import StoreContract

/// A query of the values in one object's list, set or map, at any version of one schema.
struct ElementSelection: Hashable, Sendable {
    let holder: ObjectReference
    let property: PropertySchema
    let element: ElementClass
    let query: BoundQuery

    /// Whether it selects all elements in stored order.
    var isPlain: Bool { query.predicate == .constant(true) && query.steps.isEmpty }

    /// Returns all elements for queries. Throws the errors of the store.
    func content(of reads: any ObjectReads, _ budget: QueryBudget? = nil) throws -> ElementContent {
        let values: [Value]
        var keys: [String] = []
        if element.isMap {
            // Elements come without their keys.
            guard case .dictionary(let map) = try reads.value(holder, property.id) else { throw Problem.internalError }
            values = map.entries.map(\.value)
            keys = map.entries.map(\.key)
        } else {
            values = try reads.elements(holder, property.id, 0..<(try reads.elementCount(holder, property.id)))
        }
        let columns = try ElementColumns(values, keys: keys, of: element)
        let budget = budget ?? reads.budget ?? .unlimited
        return ElementContent(
            values: values, keys: keys, executor: QueryExecutor(LimitedSource(columns, budget)), reads: reads)
    }

    /// Returns the values of the query, in its order. Throws the errors of the store.
    func values(of reads: any ObjectReads, _ budget: QueryBudget? = nil) throws -> [Value] {
        let content = try content(of: reads, budget)
        return isPlain ? content.values : try content.select(query).map { content[$0] }
    }
}

extension QueryBudget {
    package static var unlimited: QueryBudget { QueryBudget(rows: nil, milliseconds: nil) }
}

/// All elements of one object's list, set or map of values, in a form that queries accept. Object keys are the
/// positions.
struct ElementContent {
    /// The values; those of a map in the order of its keys.
    let values: [Value]
    /// The keys of a map.
    let keys: [String]
    private let executor: QueryExecutor
    private let reads: any ObjectReads

    init(values: [Value], keys: [String], executor: QueryExecutor, reads: any ObjectReads) {
        self.values = values
        self.keys = keys
        self.executor = executor
        self.reads = reads
    }

    subscript(key: ObjectKey) -> Value { values[Int(key.rawValue)] }

    func select(_ query: BoundQuery) throws -> [ObjectKey] { try executor.select(try named(query)) }

    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        try executor.sections(try named(query), by: key)
    }

    func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] { try executor.aggregate(try named(query), requests, by: paths) }

    func distribution(
        _ query: BoundQuery, of path: BoundPath, bounds: (ClosedRange<Double>) -> [Double]
    ) throws -> ValueDistribution { try executor.distribution(try named(query), of: path, bounds: bounds) }

    /// Resolves the objects that the query names.
    private func named(_ query: BoundQuery) throws -> BoundQuery {
        try query.namingObjects { try reads.key(of: $0, primaryKey: $1) }
    }
}
