package import ObjectModel
package import QueryOperators
package import QueryLanguage
package import StoreContract

/// How many values of a query's result are in each of some intervals, as objects come and go. The intervals follow from
/// the smallest and the largest value.
package struct DistributionTally: Sendable {
    private let query: BoundQuery
    private let paths: [SortKey]
    private let bounds: @Sendable (ClosedRange<Double>) -> [Double]
    private var values = ScaleTally()
    /// The values with a position on the scale, in their intervals.
    private var counted: ValueDistribution

    /// Reads a query's result. Cost: three passes over it.
    ///
    /// - Parameters:
    ///   - query: with its objects looked up by their primary keys.
    ///   - bounds: returns those of the intervals for values in a range; see `ValueDistribution`.
    package init(
        _ query: BoundQuery, of path: BoundPath, _ snapshot: any Snapshot,
        bounds: @escaping @Sendable (ClosedRange<Double>) -> [Double]
    ) throws {
        self.query = query
        self.bounds = bounds
        paths = [SortKey(path)]
        counted = ValueDistribution(bounds: [])
        if let found = try snapshot.scale(query, of: path) {
            values = found
        } else {
            try values.read(try snapshot.select(query, .all), of: query.classID, paths, snapshot)
        }
        counted = try snapshot.distribution(query, of: path, bounds: bounds)
    }

    /// The distribution of a query's result at any version. Cost: a look-up for each of its values.
    package static func read(
        _ query: BoundQuery, of path: BoundPath, _ reads: any ObjectReads, bounds: (ClosedRange<Double>) -> [Double]
    ) throws -> ValueDistribution {
        var found: [Value] = []
        for key in try reads.select(query, .all) {
            found += try reads.sortValues([SortKey(path)], of: key, in: query.classID).map { $0 ?? .null }
        }
        let positions = found.map(\.scalePosition)
        let placed = positions.compactMap { $0 }
        let (low, high) = (placed.min(), placed.max())
        var counted = ValueDistribution(bounds: low.flatMap { low in high.map { bounds(low...$0) } } ?? [])
        for (value, position) in zip(found, positions) {
            if let position { counted.add(position) } else { counted.add(other: value.distinctForm) }
        }
        return counted
    }

    /// The present counts.
    package var distribution: ValueDistribution {
        var all = ValueDistribution(bounds: counted.bounds)
        all.merge(counted.withoutOthers)
        for (value, count) in values.others { all.add(other: value, count: count) }
        return all
    }

    /// Removes the objects that may have changed as they were before the step, and adds them as they are after it.
    /// Cost: that of the objects; when the intervals are other ones, a pass over the result. Returns false if the tally
    /// must be made again.
    ///
    /// - Parameters:
    ///   - quick: the part of the query's predicate that can be evaluated quickly.
    ///   - count: returns how often a matching object occurs in the query's scope.
    ///   - snapshot: the state after the step.
    package mutating func advance(
        by step: VersionDelta, _ affectedKeys: Set<ObjectKey>, quick: ValuePredicate?, _ snapshot: any Snapshot,
        count: (ObjectKey, any ObjectReads) throws -> Int
    ) throws -> Bool {
        try step.forEachRow(of: query, among: affectedKeys, paths, quick: quick, count: count) { row, sign in
            let value = row.first.flatMap { $0 } ?? .null
            values.add(value, sign: sign)
            if let position = value.scalePosition { counted.add(position, count: sign) }
        }
        switch values.range {
        case .unknown: return false
        case .empty:
            counted = ValueDistribution(bounds: [])
        case .known(let range):
            // Values beyond the bounds were not counted: they moved them.
            if bounds(range) != counted.bounds {
                counted = try snapshot.distribution(query, of: paths[0].path, bounds: bounds)
            }
        }
        return true
    }
}

extension ValueDistribution {
    /// The counts of the intervals alone.
    fileprivate var withoutOthers: ValueDistribution {
        var counted = ValueDistribution(bounds: bounds)
        for (index, count) in counts.enumerated() { counted.add(bounds[index], count: count) }
        return counted
    }
}

extension ScaleTally: RowTally {
    var isFull: Bool { false }

    mutating func add(_ row: [Value?]) { add(row.first.flatMap { $0 } ?? .null, sign: 1) }

    mutating func add(_ value: Value, sign: Int) {
        if let position = value.scalePosition {
            add(position, sign: sign)
        } else {
            add(other: value.distinctForm, sign: sign)
        }
    }
}
