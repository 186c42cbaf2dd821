import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract

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
