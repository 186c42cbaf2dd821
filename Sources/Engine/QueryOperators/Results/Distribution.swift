package import Columnar
package import ObjectModel
package import QueryLanguage
package import StoreContract

/// Finds the range of the values at a path, and counts them in intervals: cluster by cluster on the column where the
/// path has no links, otherwise object by object. Used by one thread at a time.
package final class Distribution {
    private let reader: PathReader
    /// The property itself when its values are read from its column.
    private let property: PropertyID?
    private let scratch: SelectionMask
    /// The range of the values that have a position on the scale; nil while there is none.
    package private(set) var range: ClosedRange<Double>?
    package private(set) var counted: ValueDistribution

    package init(of path: BoundPath, on classID: ClassID, in source: any ColumnSource, bounds: [Double] = []) {
        reader = PathReader(path, from: classID, in: source)
        property = path.column
        scratch = SelectionMask(capacity: source.clusterCapacity)
        counted = ValueDistribution(bounds: bounds)
    }

    // MARK: The range

    package func extend(_ cluster: ClusterView, _ mask: SelectionMask) throws {
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

    package func extend(_ key: ObjectKey) throws {
        if let position = try reader.single(key)?.scalePosition { extend(position) }
    }

    package func extend(_ other: Distribution) {
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

    package func count(_ cluster: ClusterView, _ mask: SelectionMask) throws {
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

    package func count(_ key: ObjectKey) throws {
        let value = try reader.single(key) ?? .null
        if let position = value.scalePosition {
            counted.add(position)
        } else {
            counted.add(other: value.distinctForm)
        }
    }
}

/// Tallies the values at a path by their positions on a scale: cluster by cluster on the column where the path has no
/// links, otherwise object by object. Used by one thread at a time.
package struct ScaleReading {
    private let reader: PathReader
    private let property: PropertyID?
    private var tally = ScaleTally()

    private init(of path: BoundPath, on classID: ClassID, in source: any ColumnSource) {
        reader = PathReader(path, from: classID, in: source)
        property = path.column
    }

    package static func tally(of scan: ClassScan, _ path: BoundPath) throws -> ScaleTally {
        let parts = try scan.inParts(cost: 4) { scan in
            var part = ScaleReading(of: path, on: scan.classID, in: scan.source)
            try scan.forEachCluster(handlesEach: true) { try part.add($0, $1) }
            return part.tally
        }
        return parts.dropFirst().reduce(into: parts.first ?? ScaleTally()) { $0.merge($1) }
    }

    package static func tally(
        of keys: [ObjectKey], of classID: ClassID, in source: any ColumnSource, _ path: BoundPath
    ) throws -> ScaleTally {
        var all = ScaleReading(of: path, on: classID, in: source)
        for key in keys { try all.add(key) }
        return all.tally
    }

    private mutating func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        guard let property else {
            let first = Int64(cluster.firstKey)
            return try mask.forEach { try add(ObjectKey(first + Int64($0))) }
        }
        let leaf = try cluster.leaf(property)
        var tally = ScaleTally()
        swap(&tally, &self.tally)
        defer { swap(&tally, &self.tally) }
        try leaf.forEachPosition(mask) {
            tally.add($0)
        } others: {
            tally.add(other: leaf.value(at: $0).distinctForm)
        }
    }

    private mutating func add(_ key: ObjectKey) throws {
        let value = try reader.single(key) ?? .null
        if let position = value.scalePosition {
            tally.add(position)
        } else {
            tally.add(other: value.distinctForm)
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
        case .int: visit { int(at: $0).scalePosition }
        case .float: visit { Double(float(at: $0)) }
        case .double: visit { double(at: $0) }
        case .date: visit { date(at: $0).scalePosition }
        case .list, .set, .map: throw .kindMismatch
        default: visit { value(at: $0).scalePosition ?? .nan }
        }
    }
}
