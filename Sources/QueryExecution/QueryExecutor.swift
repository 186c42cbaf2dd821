import Columnar
package import ObjectModel
package import QueryLanguage

/// Executes bound queries over the columns of one snapshot. A value without state of its own: make one where it is needed.
/// May be used from several threads at once. What it reads from the source may throw; a damaged column throws `LeafError`.
package struct QueryExecutor: Sendable {
    let source: any ColumnSource

    package init(_ source: any ColumnSource) { self.source = source }

    /// The objects that the query gives, in its order, cut to the window.
    package func select(_ query: BoundQuery, _ window: Window = .all) throws -> [ObjectKey] {
        if window.limit == 0 { return [] }
        let scan = try Planner(source: source).scan(query.classID, query.predicate)
        return try ResultPipeline(scan, query.steps, window).run()
    }

    /// The number of objects that the query gives.
    package func count(_ query: BoundQuery) throws -> Int {
        var limit = Int.max
        for step in query.steps {
            switch step {
            case .sort: break
            case .limit(let most): limit = min(limit, max(0, most))
            case .distinct: return try select(query).count
            }
        }
        if query.predicate == .constant(true) { return min(limit, source.objectCount(of: query.classID)) }
        return min(limit, try Planner(source: source).scan(query.classID, query.predicate).count())
    }

    /// Whether an object satisfies the predicate; steps are not looked at. False if the object does not exist. Cost: that
    /// of reading the values in the predicate.
    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        guard try exists(key, in: query.classID) else { return false }
        return try RowPredicate(query.predicate, on: query.classID, in: source).holds(key)
    }

    /// The values that an object is sorted by: nil where a link on the way is null.
    package func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        try keys.map { try PathReader($0.path, from: classID, in: source).single(key) }
    }

    /// The aggregates in the order asked for, over what the query gives.
    package func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] {
        let aggregation = Aggregation(requests, on: query.classID, in: source)
        let needsOrder = query.steps.contains { step in
            if case .sort = step { return false }
            return true
        }
        if needsOrder {
            for key in try select(query) { try aggregation.add(key) }
        } else {
            let scan = try Planner(source: source).scan(query.classID, query.predicate)
            try scan.forEachCluster { try aggregation.add($0, $1) }
        }
        return aggregation.results
    }

    /// The plan in words, one operator per line. What the plan needs to know beforehand, such as which objects a link may lead
    /// to, is really looked up. With a schema, classes and properties have names.
    package func explain(_ query: BoundQuery, schema: Schema? = nil) throws -> String {
        let scan = try Planner(source: source).scan(query.classID, query.predicate)
        let names = Names(schema: schema, classID: query.classID)
        var lines = ["select \(names[query.classID]), \(source.objectCount(of: query.classID)) objects"]
        try describe(scan.root, names, depth: 1, into: &lines)
        for step in query.steps {
            switch step {
            case .sort(let keys): lines.append("sort by \(keys.count) key\(keys.count == 1 ? "" : "s")")
            case .distinct(let paths): lines.append("distinct by \(paths.count) path\(paths.count == 1 ? "" : "s")")
            case .limit(let most): lines.append("limit \(most)")
            }
        }
        return lines.joined(separator: "\n")
    }

    func exists(_ key: ObjectKey, in classID: ClassID) throws -> Bool {
        guard key.rawValue >= 0 else { return false }
        let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: source.clusterCapacity)
        guard cluster < source.clusterCount(of: classID) else { return false }
        return try source.liveMask(of: classID, cluster: cluster)?.isLive(slot) ?? false
    }

    private func describe(_ part: any Operator, _ names: Names, depth: Int, into lines: inout [String]) throws {
        let (line, children) = try part.explain(names)
        lines.append(String(repeating: "  ", count: depth) + line)
        var below = names
        if let classID = part.innerClass { below.classID = classID }
        for child in children { try describe(child, below, depth: depth + 1, into: &lines) }
    }
}
