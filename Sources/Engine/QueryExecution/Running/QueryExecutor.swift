import Columnar
package import ObjectModel
package import QueryLanguage
package import QueryOperators
package import StoreContract

/// Executes bound queries over the columns of one snapshot. A value without state of its own: make one where it is
/// needed. May be used from several threads at once. Throws the errors of the source; a damaged column throws
/// `LeafError`.
package struct QueryExecutor: Sendable {
    let source: any ColumnSource

    package init(_ source: any ColumnSource) { self.source = source }

    /// The keys of the query's result, in its order, cut to the window.
    package func select(_ query: BoundQuery, _ window: Window = .all) throws -> [ObjectKey] {
        if window.limit == 0 { return [] }
        let query = try named(query)
        let selected = try SelectedObjects(query, with: Planner(source: source))
        return try ResultPipeline(selected, of: query.classID, in: source, query.steps, window).run()
    }

    /// The number of objects in the query's result.
    package func count(_ query: BoundQuery) throws -> Int {
        var limit = Int.max
        for step in query.steps {
            switch step {
            case .sort: break
            case .limit(let most): limit = min(limit, max(0, most))
            case .distinct: return try select(query).count
            }
        }
        if query.predicate == .constant(true), query.scope == .all {
            return min(limit, source.objectCount(of: query.classID))
        }
        return min(limit, try SelectedObjects(try named(query), with: Planner(source: source)).count())
    }

    /// Whether an object satisfies the predicate; the scope and the steps are ignored. False if the object does not
    /// exist. Cost: that of reading the values in the predicate.
    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        guard try source.hasObject(key, in: query.classID) else { return false }
        return try RowPredicate(try named(query).predicate, on: query.classID, in: source).holds(key)
    }

    /// The values that an object is sorted by; nil where a link on the path is null.
    package func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        try keys.map { sortKey in
            if let property = sortKey.path.column { return try value(of: property, key, classID) }
            return try PathReader(sortKey.path, from: classID, in: source).single(key)
        }
    }

    /// Reads an own property as a `PathReader` does, without making one.
    private func value(of property: PropertyID, _ key: ObjectKey, _ classID: ClassID) throws -> Value {
        guard key.rawValue >= 0 else { return .null }
        let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: source.clusterCapacity)
        guard cluster < source.clusterCount(of: classID) else { return .null }
        let leaf = try source.leaf(of: classID, cluster: cluster, property)
        return slot < leaf.count ? ValueView(leaf, slot).value : .null
    }

    /// The aggregates, in the order of the requests, over the query's result.
    package func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        try aggregation(query, requests).results()
    }

    /// The aggregates over the elements of a list or set, or the values of a map, of one object, which must exist.
    /// Throws for an integer sum that overflows.
    package func aggregate(
        _ object: ObjectReference, _ property: PropertyID, of base: BaseType,
        _ functions: [AggregateRequest.Function]
    ) throws -> [Value] {
        try AggregateState.results(
            functions, of: try source.elements(of: object.classID, object.key, property).values, base)
    }

    /// The aggregates of each group of objects with equal values at the paths, ascending by those values. Without paths
    /// there is one group of the whole result, even of an empty one.
    package func aggregate(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath]
    ) throws -> [AggregateGroup] {
        if paths.isEmpty {
            // Counting alone need not read every object.
            if requests.isEmpty { return [AggregateGroup(key: [], count: try count(query), results: [])] }
            let all = try aggregation(query, requests)
            return [AggregateGroup(key: [], count: all.count, results: try all.results())]
        }
        switch try chosen(query) {
        case .scan(let scan): return try Grouping.results(of: scan, requests, by: paths)
        case .keys(let keys):
            return try Grouping.results(of: keys, of: query.classID, in: source, requests, by: paths)
        }
    }

    /// The aggregates of the whole result.
    private func aggregation(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> Aggregation {
        switch try chosen(query) {
        case .scan(let scan): return try Aggregation.whole(scan, requests)
        case .keys(let keys):
            let all = Aggregation(requests, on: query.classID, in: source)
            try all.add(keys)
            return all
        }
    }

    /// The query's result in sections.
    package func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys {
        let builder = SectionBuilder(key, on: query.classID, in: source)
        if query.steps.isEmpty, case .scan(let scan) = try chosen(query) { return try builder.sections(of: scan) }
        return try builder.sections(of: try select(query))
    }

    /// The plan of the query; see `QueryExplanation`.
    package func explain(_ query: BoundQuery, _ window: Window = .all, running: Bool = false) throws -> QueryExplanation
    {
        try Explainer(source: source).explain(try named(query), window, running: running)
    }

    /// The most objects that the query would test one by one if the property had an index; see `Snapshot`.
    package func testedObjects(_ query: BoundQuery, assumingIndexOf property: PropertyID) throws -> Int? {
        guard query.scope == .all, let index = AssumedIndex(of: property, in: query.classID, source) else { return nil }
        let planner = Planner(source: source, assumed: index)
        return try planner.plan(try named(query).predicate, query.classID).foundByAssumedIndex
    }

    /// The query with its objects looked up by their primary keys.
    private func named(_ query: BoundQuery) throws -> BoundQuery {
        try query.namingObjects { try source.key(of: $0, primaryKey: $1) }
    }

    /// The query's result, where the order does not matter.
    func chosen(_ query: BoundQuery) throws -> SelectedObjects {
        let needsOrder = query.steps.contains { step in
            if case .sort = step { return false }
            return true
        }
        if needsOrder { return .keys(try select(query)) }
        return try SelectedObjects(try named(query), with: Planner(source: source))
    }
}

extension QueryExecutor {
    /// Counts the values at a path in intervals; see `Snapshot.distribution`.
    package func distribution(
        _ query: BoundQuery, of path: BoundPath, bounds: (ClosedRange<Double>) -> [Double]
    ) throws -> ValueDistribution {
        let selected = try chosen(query)
        /// Reads the values once, with `visit` for clusters and `each` for objects.
        func parts(
            _ bounds: [Double], _ visit: (Distribution, ClusterView, SelectionMask) throws -> Void,
            _ each: (Distribution, ObjectKey) throws -> Void
        ) throws -> [Distribution] {
            switch selected {
            case .scan(let scan):
                return try scan.inParts(cost: 2) { scan in
                    let part = Distribution(of: path, on: query.classID, in: source, bounds: bounds)
                    try scan.forEachCluster(handlesEach: true) { try visit(part, $0, $1) }
                    return part
                }
            case .keys(let keys):
                let all = Distribution(of: path, on: query.classID, in: source, bounds: bounds)
                for key in keys { try each(all, key) }
                return [all]
            }
        }
        // The intervals depend on all values, so these are read twice: keeping them would take memory for each.
        let ranges = try parts([], { try $0.extend($1, $2) }, { try $0.extend($1) })
        for part in ranges.dropFirst() { ranges[0].extend(part) }
        let chosenBounds = ranges[0].range.map(bounds) ?? []
        return try parts(chosenBounds, { try $0.count($1, $2) }, { try $0.count($1) })
            .reduce(into: ValueDistribution(bounds: chosenBounds)) { $0.merge($1.counted) }
    }
}

extension QueryExecutor {
    /// The tallies of a query's result by group; see `Snapshot.tallies`.
    package func tallies(
        _ query: BoundQuery, _ requests: [AggregateRequest], by paths: [BoundPath], most: Int
    ) throws -> GroupTalliesResult {
        if requests.isEmpty, paths.isEmpty {
            // Counting alone need not read every object.
            return .tallies(GroupTallies([GroupTally(key: [], count: try count(query), [])], mixedForms: []))
        }
        return switch try chosen(query) {
        case .scan(let scan): try Tallying.result(of: scan, requests, by: paths, most: most)
        case .keys(let keys):
            try Tallying.result(of: keys, of: query.classID, in: source, requests, by: paths, most: most)
        }
    }

    /// The tally of the values at a path; see `Snapshot.scale`.
    package func scale(_ query: BoundQuery, of path: BoundPath) throws -> ScaleTally {
        switch try chosen(query) {
        case .scan(let scan): try ScaleReading.tally(of: scan, path)
        case .keys(let keys): try ScaleReading.tally(of: keys, of: query.classID, in: source, path)
        }
    }
}
