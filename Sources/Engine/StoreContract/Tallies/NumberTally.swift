package import ObjectModel
import QueryLanguage

/// Count and sum of values that come and go, by the rules of `AggregateRequest`.
package struct NumberTally: Sendable {
    private enum Sum {
        case integers(Int128)
        case floating(BinarySum)
        case decimals(DecimalSum)
        /// Values without a sum.
        case none
    }

    private var count = 0
    private var sum: Sum

    /// For values of a property of that type.
    package init(of base: BaseType) {
        sum =
            switch base {
            case .int: .integers(0)
            case .float, .double: .floating(BinarySum())
            case .decimal128, .mixed: .decimals(DecimalSum())
            default: .none
            }
    }

    /// Adds a value; with `sign` -1 it removes one that was added. Nulls, NaN and what is not a number are skipped.
    package mutating func add(_ value: Value, sign: Int) {
        if value.isNaN { return }
        switch sum {
        case .integers(let total):
            guard case .int(let number) = value else { return }
            sum = .integers(total &+ Int128(number) * Int128(sign))
        case .floating(var total):
            let number: Double
            switch value {
            case .float(let float): number = Double(float)
            case .double(let double): number = double
            default: return
            }
            // Not shared while it changes.
            sum = .none
            total.add(number, sign: sign)
            sum = .floating(total)
        case .decimals(var total):
            guard let number = Self.decimal(value) else { return }
            sum = .none
            total.add(number, sign: sign)
            sum = .decimals(total)
        case .none: return
        }
        count += sign
    }

    /// Adds that many integers with that sum.
    package mutating func add(_ amount: Int128, count: Int) {
        guard case .integers(let total) = sum else { return }
        sum = .integers(total &+ amount)
        self.count += count
    }

    /// Adds that many floating-point numbers.
    package mutating func add(_ amount: BinarySum, count: Int) {
        guard case .floating(var total) = sum else { return }
        total.merge(amount)
        sum = .floating(total)
        self.count += count
    }

    /// Adds the values of another tally of the same type.
    package mutating func merge(_ other: NumberTally) {
        switch other.sum {
        case .integers(let amount): add(amount, count: other.count)
        case .floating(let amount): add(amount, count: other.count)
        case .decimals(let amount):
            guard case .decimals(var total) = sum else { return }
            total.merge(amount)
            sum = .decimals(total)
            count += other.count
        case .none: break
        }
    }

    private static func decimal(_ value: Value) -> Decimal128? {
        switch value {
        case .decimal(let number): number
        case .int(let number): Decimal128(number)
        case .float(let number): Decimal128(number)
        case .double(let number): Decimal128(number)
        default: nil
        }
    }

    /// The sum; nil where it depends on the order of addition.
    ///
    /// - Parameter isChecked: whether to throw for an integer that does not fit a property.
    package func total(isChecked: Bool) throws -> Value? {
        switch sum {
        case .integers(let total):
            if isChecked, Int64(exactly: total) == nil { throw StoreError.sumOverflow }
            return .int(Int64(truncatingIfNeeded: total))
        case .floating(let total): return total.value.map { .double($0) }
        case .decimals(let total): return total.value.map { .decimal($0) }
        case .none: return .int(0)
        }
    }

    /// The average; nil where it depends on the order of addition.
    package var average: Value? {
        guard count > 0 else { return .null }
        return switch sum {
        case .integers(let total): .double(Double(total) / Double(count))
        case .floating(let total): total.value.map { .double($0 / Double(count)) }
        case .decimals(let total):
            total.value.map { Decimal128.average(sum: $0, count: count).map { .decimal($0) } ?? .null }
        case .none: .null
        }
    }
}
