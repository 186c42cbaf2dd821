import ObjectModel
import QueryLanguage
import StoreContract

/// Count and sum of values that come and go, by the rules of `AggregateRequest`.
struct NumberTally: Sendable {
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
    init(of base: BaseType) {
        sum =
            switch base {
            case .int: .integers(0)
            case .float, .double: .floating(BinarySum())
            case .decimal128, .mixed: .decimals(DecimalSum())
            default: .none
            }
    }

    /// Adds a value; with `sign` -1 it removes one that was added. Nulls, NaN and what is no number are skipped.
    mutating func add(_ value: Value, sign: Int) {
        if value.isNaN { return }
        switch sum {
        case .integers(let total):
            guard case .int(let number) = value else { return }
            sum = .integers(total &+ Int128(number) * Int128(sign))
        case .floating(var total):
            switch value {
            case .float(let number): total.add(Double(number), sign: sign)
            case .double(let number): total.add(number, sign: sign)
            default: return
            }
            sum = .floating(total)
        case .decimals(var total):
            guard let number = Self.decimal(value) else { return }
            // Not shared while it changes.
            sum = .none
            total.add(number, sign: sign)
            sum = .decimals(total)
        case .none: return
        }
        count += sign
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
    func total(isChecked: Bool) throws -> Value? {
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
    var average: Value? {
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
