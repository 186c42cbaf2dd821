import Columnar
import ObjectModel
import QueryLanguage

/// Minimum, maximum, sum and average of values that come one by one, with the rules of `AggregateRequest`. Partial
/// aggregates of parts of the values can be merged.
struct ValueAggregate {
    /// How values add up; fixed by the type of the values, so that nothing, too, has a sum of the right type.
    private enum Addition {
        case integers
        case floating
        case decimals
        /// The numbers among mixed values.
        case mixed
        case none
    }

    private let addition: Addition
    /// How many values were added up.
    private var count = 0
    // Sums of 2^64 Ints fit: the average is exact where the sum wraps.
    private var integers: Int128 = 0
    private var floating = 0.0
    private var decimals = Decimal128.zero
    private var least: ValueView?
    private var greatest: ValueView?

    /// Of values of that type, of one or in collections.
    init(of base: BaseType) {
        switch base {
        case .int: addition = .integers
        case .float, .double: addition = .floating
        case .decimal128: addition = .decimals
        case .mixed: addition = .mixed
        default: addition = .none
        }
    }

    /// Of the values of a path.
    init(of path: BoundPath) {
        self.init(of: path.valueBase)
    }

    /// Nulls and NaN are passed over. The bytes of the view must outlive the aggregate.
    @inline(__always)
    mutating func add(_ value: ValueView) {
        if value.isNull || value.isNaN { return }
        if let best = least {
            if ValueView.order(value, best) < 0 { least = value }
        } else {
            least = value
        }
        if let best = greatest {
            if ValueView.order(value, best) > 0 { greatest = value }
        } else {
            greatest = value
        }
        addUp(value)
    }

    @inline(__always)
    private mutating func addUp(_ value: ValueView) {
        switch (addition, value) {
        case (.integers, .int(let number)): integers += Int128(number)
        case (.floating, .double(let number)): floating += number
        case (.floating, .float(let number)): floating += Double(number)
        case (.decimals, .decimal(let number)), (.mixed, .decimal(let number)): decimals += number
        case (.mixed, .int(let number)): decimals += Decimal128(number)
        case (.mixed, .float(let number)): decimals += Decimal128(number)
        case (.mixed, .double(let number)): decimals += Decimal128(number)
        default: return
        }
        count += 1
    }

    /// Adds what another one has seen, which came after it.
    mutating func merge(_ other: ValueAggregate) {
        count += other.count
        integers += other.integers
        floating += other.floating
        decimals += other.decimals
        if let value = other.least, least.map({ ValueView.order(value, $0) < 0 }) ?? true { least = value }
        if let value = other.greatest, greatest.map({ ValueView.order(value, $0) > 0 }) ?? true { greatest = value }
    }

    /// Of equal values the first is the minimum, and the maximum.
    func result(_ function: AggregateRequest.Function) -> ValueView {
        switch (function, addition) {
        case (.minimum, _): least ?? .null
        case (.maximum, _): greatest ?? .null
        case (.sum, .integers): .int(Int64(truncatingIfNeeded: integers))
        case (.sum, .floating): .double(floating)
        case (.sum, .decimals), (.sum, .mixed): .decimal(decimals)
        case (.sum, .none): .int(0)
        case (.average, .integers): count == 0 ? .null : .double(Double(integers) / Double(count))
        case (.average, .floating): count == 0 ? .null : .double(floating / Double(count))
        case (.average, .decimals), (.average, .mixed):
            Decimal128.average(sum: decimals, count: count).map { .decimal($0) } ?? .null
        case (.average, .none): .null
        }
    }
}

extension BoundPath {
    /// The type of the values that the path leads to; a link for objects.
    var valueBase: BaseType {
        for step in steps.reversed() {
            switch step {
            case .size, .length: return .int
            case .typeName, .keys: return .string
            case .elements: continue
            }
        }
        switch end {
        case .property(_, let type): return type.base
        case .object: return .link("")
        case .count: return .int
        }
    }
}

/// `nums.@sum` of one object after the other.
final class RowAggregate {
    private let function: AggregateRequest.Function
    private let reader: PathReader
    private let empty: ValueAggregate

    init(_ aggregate: BoundAggregate, on classID: ClassID, in source: any ColumnSource) {
        function = aggregate.function
        reader = PathReader(aggregate.path, from: classID, in: source)
        empty = ValueAggregate(of: aggregate.path)
    }

    func value(_ key: ObjectKey) throws -> ValueView {
        var aggregate = empty
        _ = try reader.forEach(key) { value in
            aggregate.add(value)
            return true
        }
        return aggregate.result(function)
    }
}
