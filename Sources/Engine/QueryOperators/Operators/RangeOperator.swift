import Columnar
package import ObjectModel

/// The closed range of a column's values that is equivalent to a comparison with a constant.
package enum ColumnRange: Hashable {
    case integers(Int64, Int64)
    case doubles(Double, Double)
    case floats(Float, Float)
    case dates(Timestamp, Timestamp)
    case decimals(DecimalRange)

    /// The values in both; nil for ranges of different kinds.
    package func intersection(_ other: ColumnRange) -> ColumnRange? {
        switch (self, other) {
        case (.integers(let a, let b), .integers(let c, let d)): .integers(max(a, c), min(b, d))
        case (.doubles(let a, let b), .doubles(let c, let d)): .doubles(max(a, c), min(b, d))
        case (.floats(let a, let b), .floats(let c, let d)): .floats(max(a, c), min(b, d))
        case (.dates(let a, let b), .dates(let c, let d)): .dates(max(a, c), min(b, d))
        case (.decimals(let a), .decimals(let b)): .decimals(a.intersection(b))
        default: nil
        }
    }

    var words: String {
        switch self {
        case .integers(let low, let high):
            low == high
                ? "\(low)" : "\(low == .min ? "lowest" : "\(low)")...\(high == .max ? "highest" : "\(high)")"
        case .doubles(let low, let high): low == high ? "\(low)" : "\(low)...\(high)"
        case .floats(let low, let high): low == high ? "\(low)" : "\(low)...\(high)"
        case .dates(let low, let high):
            low == high
                ? low.rfc3339
                : "\(low == .lowest ? "lowest" : low.rfc3339)...\(high == .highest ? "highest" : high.rfc3339)"
        case .decimals(let range): range.words
        }
    }
}

extension Leaf {
    /// Keeps the slots whose value lies in the range, or, inverted, all others with the nulls.
    func narrow(_ mask: SelectionMask, _ range: ColumnRange, inverted: Bool, scratch: SelectionMask) throws {
        switch (range, kind) {
        case (.integers(let low, let high), .int), (.integers(let low, let high), .bool),
            (.integers(let low, let high), .link):
            narrow(mask, integers: low, through: high, inverted: inverted, scratch: scratch)
        case (.doubles(let low, let high), .double):
            narrow(mask, doubles: low, through: high, inverted: inverted, scratch: scratch)
        case (.floats(let low, let high), .float):
            narrow(mask, floats: low, through: high, inverted: inverted, scratch: scratch)
        case (.dates(let low, let high), .date):
            narrow(mask, dates: low, through: high, inverted: inverted, scratch: scratch)
        case (.decimals(let range), .decimal128):
            narrow(mask, decimals: DecimalTable(range), inverted: inverted, scratch: scratch)
        default:
            throw LeafError.kindMismatch
        }
    }

    /// The fraction of the slots that the range keeps, estimated from the header: exactly 0 or 1 when that is certain.
    func share(_ range: ColumnRange) -> Double {
        switch range {
        case .integers(let low, let high): share(integers: low, through: high)
        case .doubles(let low, let high): share(floating: low, through: high)
        case .floats(let low, let high): share(floating: Double(low), through: Double(high))
        case .dates(let low, let high): share(dates: low, through: high)
        case .decimals(let range): share(decimals: range)
        }
    }
}

/// Keeps the objects whose number, date, bool or link lies in a range, or, inverted, all others with the nulls. The
/// minimum and maximum in each leaf's header decide whole clusters; the kernels do the rest.
package final class RangeOperator: ColumnOperator {
    package let property: PropertyID
    package let range: ColumnRange
    package let inverted: Bool
    private let capacity: Int
    private let scratch: SelectionMask
    /// Made once, for decimals.
    private let table: DecimalTable?

    package init(_ property: PropertyID, _ range: ColumnRange, inverted: Bool, capacity: Int) {
        self.property = property
        self.range = range
        self.inverted = inverted
        self.capacity = capacity
        scratch = SelectionMask(capacity: capacity)
        if case .decimals(let range) = range { table = DecimalTable(range) } else { table = nil }
    }

    package var cost: Double {
        switch range {
        case .integers: 0.05
        case .floats: 0.1
        case .doubles: 0.2
        case .dates: 0.3
        case .decimals: 2
        }
    }

    func narrow(_ mask: SelectionMask, _ leaf: Leaf) throws {
        if let table {
            guard leaf.kind == .decimal128 else { throw LeafError.kindMismatch }
            leaf.narrow(mask, decimals: table, inverted: inverted, scratch: scratch)
        } else {
            try leaf.narrow(mask, range, inverted: inverted, scratch: scratch)
        }
    }

    package func share(of cluster: ClusterView) throws -> Double {
        let share = try cluster.leaf(property).share(range)
        return inverted ? 1 - share : share
    }

    package func decidesByHeaders(_ cluster: ClusterView) throws -> Bool {
        let share = try cluster.leaf(property).share(range)
        return share == 0 || share == 1
    }

    package func copy() -> any Operator { RangeOperator(property, range, inverted: inverted, capacity: capacity) }

    package func words(_ names: ExplainNames) -> String {
        "scan \(names[property]) \(inverted ? "not in" : "in") \(range.words), zones first"
    }
}

/// Keeps the objects without a value, or those with one.
package final class NullOperator: ColumnOperator {
    let property: PropertyID
    private let wantsNull: Bool

    package init(_ property: PropertyID, isNull: Bool) {
        self.property = property
        wantsNull = isNull
    }

    package var cost: Double { 0.01 }

    func narrow(_ mask: SelectionMask, _ leaf: Leaf) { leaf.narrow(mask, toNulls: wantsNull) }

    package func share(of cluster: ClusterView) throws -> Double {
        let leaf = try cluster.leaf(property)
        guard leaf.count > 0 else { return 0 }
        let nulls = Double(leaf.nullCount) / Double(leaf.count)
        return wantsNull ? nulls : 1 - nulls
    }

    package func decidesByHeaders(_ cluster: ClusterView) throws -> Bool { try cluster.leaf(property).nullCount == 0 }

    package func copy() -> any Operator { NullOperator(property, isNull: wantsNull) }

    package func words(_ names: ExplainNames) -> String {
        "null mask of \(names[property]): \(wantsNull ? "null" : "not null")"
    }
}
