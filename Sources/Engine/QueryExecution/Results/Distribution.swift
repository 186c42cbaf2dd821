import Columnar
import ObjectModel
package import QueryLanguage
package import StoreContract

/// Finds the range of the values at a path, and counts them in intervals: cluster by cluster on the column where the
/// path has no links, otherwise object by object. Used by one thread at a time.
final class Distribution {
    private let reader: PathReader
    /// The property itself when its values are read from its column.
    private let property: PropertyID?
    private let scratch: SelectionMask
    /// The range of the values that have a place on the scale; nil while there is none.
    private(set) var range: ClosedRange<Double>?
    private(set) var counted: ValueDistribution

    init(of path: BoundPath, on classID: ClassID, in source: any ColumnSource, bounds: [Double] = []) {
        reader = PathReader(path, from: classID, in: source)
        property = path.column
        scratch = SelectionMask(capacity: source.clusterCapacity)
        counted = ValueDistribution(bounds: bounds)
    }

    // MARK: The range

    func extend(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        guard let property else {
            let first = Int64(cluster.firstKey)
            return try mask.forEach { try extend(ObjectKey(first + Int64($0))) }
        }
        let leaf = try cluster.leaf(property)
        switch leaf.kind {
        case .int, .float, .double, .date:
            guard let bounds = leaf.bounds(mask, scratch: scratch) else { return }
            if let low = bounds.minimum.scalePosition, let high = bounds.maximum.scalePosition {
                extend(low)
                return extend(high)
            }
        default: break
        }
        try leaf.forEachPosition(mask) {
            extend($0)
        } others: { _ in
        }
    }

    func extend(_ key: ObjectKey) throws {
        if let position = try reader.single(key)?.scalePosition { extend(position) }
    }

    func extend(_ other: Distribution) {
        guard let range = other.range else { return }
        extend(range.lowerBound)
        extend(range.upperBound)
    }

    private func extend(_ position: Double) {
        guard let range else {
            self.range = position...position
            return
        }
        if position < range.lowerBound {
            self.range = position...range.upperBound
        } else if position > range.upperBound {
            self.range = range.lowerBound...position
        }
    }

    // MARK: The counts

    func count(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        guard let property else {
            let first = Int64(cluster.firstKey)
            return try mask.forEach { try count(ObjectKey(first + Int64($0))) }
        }
        let leaf = try cluster.leaf(property)
        try leaf.forEachPosition(mask) {
            counted.add($0)
        } others: {
            counted.add(other: leaf.value(at: $0).distinctForm)
        }
    }

    func count(_ key: ObjectKey) throws {
        let value = try reader.single(key) ?? .null
        if let position = value.scalePosition {
            counted.add(position)
        } else {
            counted.add(other: value.distinctForm)
        }
    }
}

extension Leaf {
    /// Calls `body` with the position of each selected value, and `others` with each slot without one. Throws for
    /// collections.
    @inline(__always)
    fileprivate func forEachPosition(
        _ mask: SelectionMask, _ body: (Double) -> Void, others: (Int) -> Void
    ) throws(LeafError) {
        let isNullable = nullCount > 0
        @inline(__always)
        func visit(_ position: (Int) -> Double) {
            mask.forEach { slot in
                if isNullable, isNull(slot) { return others(slot) }
                let found = position(slot)
                if found.isFinite { body(found) } else { others(slot) }
            }
        }
        switch kind {
        case .int: visit { Double(int(at: $0)) }
        case .float: visit { Double(float(at: $0)) }
        case .double: visit { double(at: $0) }
        case .date: visit { date(at: $0).scalePosition }
        case .list, .set, .map: throw .kindMismatch
        default: visit { value(at: $0).scalePosition ?? .nan }
        }
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
