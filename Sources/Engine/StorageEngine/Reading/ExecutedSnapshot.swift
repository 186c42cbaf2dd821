package import ObjectModel
package import QueryExecution
package import QueryLanguage
package import StoreContract

/// A snapshot whose queries an executor runs. Each call gets the executor again, which keeps the data that it reads
/// valid until the call ends.
package protocol ExecutedSnapshot: Snapshot {
    var executor: QueryExecutor { get throws }
}

extension ExecutedSnapshot {
    package func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        try executor.select(query, window)
    }

    package func count(_ query: BoundQuery) throws -> Int { try executor.count(query) }

    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool { try executor.matches(query, key) }

    package func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        try executor.sortValues(keys, of: key, in: classID)
    }

    package func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try executor.aggregate(query, requests)
    }

    package func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] { try executor.aggregate(query, requests, by: paths) }

    package func distribution(
        _ query: BoundQuery, of path: BoundPath, bounds: (ClosedRange<Double>) -> [Double]
    ) throws -> ValueDistribution { try executor.distribution(query, of: path, bounds: bounds) }

    package func tallies(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath], most: Int
    ) throws -> GroupTalliesResult { try executor.tallies(query, requests, by: paths, most: most) }

    package func scale(_ query: BoundQuery, of path: BoundPath) throws -> ScaleTally? {
        try executor.scale(query, of: path)
    }

    package func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        try executor.sections(query, by: key)
    }

    package func explain(_ query: BoundQuery, _ window: Window, running: Bool) throws -> QueryExplanation {
        try executor.explain(query, window, running: running)
    }

    package func testedObjects(_ query: BoundQuery, assumingIndexOf property: PropertyID) throws -> Int? {
        try executor.testedObjects(query, assumingIndexOf: property)
    }
}

/// A snapshot that forwards reads of single objects to another one, which it gets again for each call.
package protocol ForwardedSnapshot: ExecutedSnapshot {
    var base: EmbeddedSnapshot { get throws }
}

extension ForwardedSnapshot {
    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { try base.exists(classID, key) }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try base.key(of: classID, primaryKey: primaryKey)
    }

    package func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try base.value(classID, key, property)
    }

    package func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        try base.elementCount(classID, key, property)
    }

    package func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] { try base.elements(classID, key, property, range) }
}
