import Columnar
package import ObjectModel
package import QueryLanguage
import StoreContract

/// One aggregate under construction, by the rules of `AggregateRequest`.
package struct AggregateState {
    /// The number type of the sum.
    private enum Domain {
        case integer
        case floating
        case decimal
        /// Values without a sum.
        case none
    }

    package let function: AggregateRequest.Function
    private let domain: Domain
    private var count = 0
    private var integers: Int128 = 0
    private var floating = 0.0
    private var decimals = Decimal128.zero
    private var best: Value?

    /// For values of a property, or of elements, of that type.
    package init(_ function: AggregateRequest.Function, of base: BaseType) {
        self.function = function
        domain =
            switch base {
            case .int: .integer
            case .float, .double: .floating
            case .decimal128, .mixed: .decimal
            default: .none
            }
    }

    var isBest: Bool { function == .minimum || function == .maximum }

    /// Adds a value. Nulls and NaN are skipped.
    package mutating func add(_ value: Value) {
        if value.isNull || value.isNaN { return }
        if isBest { return improve(value) }
        switch (domain, value) {
        case (.integer, .int(let number)): integers &+= Int128(number)
        case (.floating, .float(let number)): floating += Double(number)
        case (.floating, .double(let number)): floating += number
        case (.decimal, .decimal(let number)): decimals += number
        case (.decimal, .int(let number)): decimals += Decimal128(number)
        case (.decimal, .float(let number)): decimals += Decimal128(number)
        case (.decimal, .double(let number)): decimals += Decimal128(number)
        default: return
        }
        count += 1
    }

    /// Adds a value that is read in place.
    @inline(__always)
    mutating func add(_ view: ValueView) {
        switch (domain, view) {
        case (.integer, .int(let number)) where !isBest:
            integers &+= Int128(number)
            count += 1
        case (.floating, .double(let number)) where !isBest && !number.isNaN:
            floating += number
            count += 1
        default: add(view.value)
        }
    }

    /// Adds `count` Ints with that sum.
    mutating func add(_ sum: Int128, count: Int) {
        integers &+= sum
        self.count += count
    }

    /// Adds `count` floating values with that sum.
    mutating func add(_ sum: Double, count: Int) {
        floating += sum
        self.count += count
    }

    /// Adds `count` decimals with that sum.
    mutating func add(_ sum: Decimal128, count: Int) {
        decimals += sum
        self.count += count
    }

    /// Adds the smallest and the largest of some values.
    mutating func add(bounds: (minimum: Value, maximum: Value)) {
        improve(function == .minimum ? bounds.minimum : bounds.maximum)
    }

    /// Adds the state of another aggregate of the same kind, over other values.
    mutating func merge(_ other: AggregateState) {
        count += other.count
        integers &+= other.integers
        floating += other.floating
        if domain == .decimal, !isBest { decimals += other.decimals }
        if let best = other.best { improve(best) }
    }

    private mutating func improve(_ value: Value) {
        guard let best else {
            best = value
            return
        }
        let order = Value.order(value, best)
        if function == .minimum ? order < 0 : order > 0 { self.best = value }
    }

    /// Throws when an integer sum does not fit a property.
    func checked() throws -> Value {
        if function == .sum, domain == .integer, Int64(exactly: integers) == nil { throw StoreError.sumOverflow }
        return result
    }

    /// The result; sums of integers wrap, as they do in Realm.
    package var result: Value {
        switch function {
        case .minimum, .maximum: return best ?? .null
        case .sum:
            switch domain {
            case .integer, .none: return .int(Int64(truncatingIfNeeded: integers))
            case .floating: return .double(floating.withOneNaN)
            case .decimal: return .decimal(decimals.withOneNaN)
            }
        case .average:
            guard count > 0 else { return .null }
            switch domain {
            case .integer, .none: return .double(Double(integers) / Double(count))
            case .floating: return .double((floating / Double(count)).withOneNaN)
            case .decimal:
                return Decimal128.average(sum: decimals, count: count).map { .decimal($0.withOneNaN) } ?? .null
            }
        }
    }
}

// A sum of infinities is not a number. Its bit pattern depends on the processor and on the order of additions, and
// equal answers would differ by it.

extension Double {
    fileprivate var withOneNaN: Double { isNaN ? .nan : self }
}

extension Decimal128 {
    fileprivate var withOneNaN: Decimal128 { isNaN ? .nan : self }
}

extension Value {
    package var isDecimal: Bool {
        if case .decimal = self { return true }
        return false
    }
}
