import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract

/// A snapshot whose queries an executor runs. Each call gets the executor again, which keeps the data that it reads
/// valid until the call ends.
protocol ExecutedSnapshot: Snapshot {
    var executor: QueryExecutor { get throws }
}

extension ExecutedSnapshot {
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
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] { try executor.aggregate(query, requests, by: paths) }

    func distribution(
        _ query: BoundQuery, of path: BoundPath, bounds: (ClosedRange<Double>) -> [Double]
    ) throws -> ValueDistribution { try executor.distribution(query, of: path, bounds: bounds) }

    func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        try executor.sections(query, by: key)
    }

    func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation {
        try executor.explain(query, window, running: running)
    }
}

/// A snapshot that forwards reads of single objects to another one, which it gets again for each call.
protocol ForwardedSnapshot: ExecutedSnapshot {
    var base: EmbeddedSnapshot { get throws }
}

extension ForwardedSnapshot {
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
}
