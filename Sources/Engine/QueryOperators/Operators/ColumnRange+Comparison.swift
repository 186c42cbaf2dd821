package import ObjectModel
import QueryLanguage
package import QuerySyntax

extension ColumnRange {
    /// The values of a column of type `base` for which `operation` with the constant holds; `!=` gives the range of
    /// `==`, to be inverted. The range may be empty. Nil for constants of another kind and for operators that are not
    /// order comparisons.
    package init?(_ operation: ComparisonOperator, _ constant: Value, base: BaseType) {
        switch (base, constant) {
        case (.int, .int(let value)): self = .integer(operation, value)
        case (.int, .double(let value)): self = .integer(operation, value)
        case (.int, .float(let value)): self = .integer(operation, Double(value))
        case (.bool, .bool(let value)): self = .integer(operation, Int64(value ? 1 : 0))
        case (.link, .reference(let object)): self = .integer(operation, object.key.rawValue)
        case (.double, .double(let value)): self = .double(operation, value)
        case (.double, .float(let value)): self = .double(operation, Double(value))
        case (.double, .int(let value)): self = .double(operation, value)
        case (.float, .double(let value)): self = Self.double(operation, value).narrowedToFloat
        case (.float, .float(let value)): self = Self.double(operation, Double(value)).narrowedToFloat
        case (.float, .int(let value)): self = Self.double(operation, value).narrowedToFloat
        case (.date, .date(let value)): self = .date(operation, value)
        case (.decimal128, .decimal(let value)): self = .decimal(operation, value)
        case (.decimal128, .int(let value)): self = .decimal(operation, Decimal128(value))
        default: return nil
        }
        if operation.isStringOperator { return nil }
    }

    private static let noInteger = ColumnRange.integers(1, 0)
    private static let noDouble = ColumnRange.doubles(1, 0)
    private static let noDate = ColumnRange.dates(.highest, .lowest)

    private static func integer(_ operation: ComparisonOperator, _ value: Int64) -> ColumnRange {
        switch operation {
        case .less: value == .min ? noInteger : .integers(.min, value - 1)
        case .lessOrEqual: .integers(.min, value)
        case .greater: value == .max ? noInteger : .integers(value + 1, .max)
        case .greaterOrEqual: .integers(value, .max)
        default: .integers(value, value)
        }
    }

    /// An integer column against a constant that may have a fraction, or lie beyond all integers.
    private static func integer(_ operation: ComparisonOperator, _ value: Double) -> ColumnRange {
        if value.isNaN { return noInteger }
        let roundsUp = operation == .less || operation == .greaterOrEqual
        let whole = value.rounded(roundsUp ? .up : .down)
        let isAbove = whole >= 0x1p63
        let isBelow = whole < -0x1p63
        switch operation {
        case .less, .lessOrEqual:
            if isAbove { return .integers(.min, .max) }
            if isBelow { return noInteger }
        case .greater, .greaterOrEqual:
            if isAbove { return noInteger }
            if isBelow { return .integers(.min, .max) }
        default:
            if isAbove || isBelow || whole != value { return noInteger }
        }
        return integer(operation, Int64(whole))
    }

    private static func double(_ operation: ComparisonOperator, _ value: Double) -> ColumnRange {
        if value.isNaN { return noDouble }
        switch operation {
        case .less: return value == -.infinity ? noDouble : .doubles(-.infinity, value.nextDown)
        case .lessOrEqual: return .doubles(-.infinity, value)
        case .greater: return value == .infinity ? noDouble : .doubles(value.nextUp, .infinity)
        case .greaterOrEqual: return .doubles(value, .infinity)
        default: return .doubles(value, value)
        }
    }

    /// A floating column against an integer that may have no exact double.
    private static func double(_ operation: ComparisonOperator, _ value: Int64) -> ColumnRange {
        let nearest = Double(value)
        let order = Value.order(value, nearest)
        if order == 0 { return double(operation, nearest) }
        // The integer lies strictly between `nearest` and its neighbour, so equality is impossible.
        switch operation {
        case .less, .lessOrEqual: return .doubles(-.infinity, order < 0 ? nearest.nextDown : nearest)
        case .greater, .greaterOrEqual: return .doubles(order < 0 ? nearest : nearest.nextUp, .infinity)
        default: return noDouble
        }
    }

    /// The floats within a range of doubles.
    private var narrowedToFloat: ColumnRange {
        guard case .doubles(let low, let high) = self, low <= high else { return .floats(1, 0) }
        var first = Float(low)
        if Double(first) < low { first = first.nextUp }
        var last = Float(high)
        if Double(last) > high { last = last.nextDown }
        return .floats(first, last)
    }

    private static func date(_ operation: ComparisonOperator, _ value: Timestamp) -> ColumnRange {
        switch operation {
        case .less: value.previous.map { .dates(.lowest, $0) } ?? noDate
        case .lessOrEqual: .dates(.lowest, value)
        case .greater: value.next.map { .dates($0, .highest) } ?? noDate
        case .greaterOrEqual: .dates(value, .highest)
        default: .dates(value, value)
        }
    }

    private static func decimal(_ operation: ComparisonOperator, _ value: Decimal128) -> ColumnRange {
        switch operation {
        case .less: .decimals(DecimalRange(below: value, closed: false))
        case .lessOrEqual: .decimals(DecimalRange(below: value, closed: true))
        case .greater: .decimals(DecimalRange(above: value, closed: false))
        case .greaterOrEqual: .decimals(DecimalRange(above: value, closed: true))
        default:
            .decimals(DecimalRange(above: value, closed: true).intersection(DecimalRange(below: value, closed: true)))
        }
    }
}

extension Timestamp {
    static let lowest = Timestamp(seconds: .min, nanoseconds: -999_999_999) ?? Timestamp(seconds: .min)
    static let highest = Timestamp(seconds: .max, nanoseconds: 999_999_999) ?? Timestamp(seconds: .max)

    /// The next nanosecond; nil after the last.
    var next: Timestamp? {
        if seconds >= 0 {
            if nanoseconds < 999_999_999 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1) }
            return seconds == .max ? nil : Timestamp(seconds: seconds + 1)
        }
        if nanoseconds < 0 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1) }
        return Timestamp(seconds: seconds + 1, nanoseconds: -999_999_999)
    }

    /// The nanosecond before; nil before the first.
    var previous: Timestamp? {
        if seconds <= 0 {
            if nanoseconds > -999_999_999 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds - 1) }
            return seconds == .min ? nil : Timestamp(seconds: seconds - 1)
        }
        if nanoseconds > 0 { return Timestamp(seconds: seconds, nanoseconds: nanoseconds - 1) }
        return Timestamp(seconds: seconds - 1, nanoseconds: 999_999_999)
    }
}
