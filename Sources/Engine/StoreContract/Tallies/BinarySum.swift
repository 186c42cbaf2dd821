/// The sum of floating-point numbers that come and go, as long as it does not depend on the order of addition.
///
/// All numbers are counted in one unit, a power of two that divides each of them. While the sum of their magnitudes is
/// less than 2^53 units and no more than the largest `Double`, every partial sum in every order is a `Double`: nothing
/// is ever rounded or infinite, and a scan of the numbers gives the same sum.
package struct BinarySum: Sendable {
    private var total: Int128 = 0
    /// The sum of the absolute values.
    private var magnitude: Int128 = 0
    /// The exponent of the unit: the lowest of those that divide a number. Nil if there is none but zeros.
    private var unit: Int?
    private var exponents = ExponentCounts()
    private var (positiveInfinities, negativeInfinities) = (0, 0)
    /// Whether the numbers did not fit; until there are none.
    private var isLost = false

    package init() {}

    /// Adds a number, which is not NaN; with `sign` -1 it removes one that was added.
    package mutating func add(_ number: Double, sign: Int) {
        if number.isInfinite {
            if number > 0 { positiveInfinities += sign } else { negativeInfinities += sign }
            return
        }
        guard number != 0 else { return }
        var digits = number.significandBitPattern
        var exponent = -1074
        if number.exponentBitPattern > 0 {
            digits |= 1 << 52
            exponent = Int(number.exponentBitPattern) - 1075
        }
        let zeros = digits.trailingZeroBitCount
        digits >>= UInt64(zeros)
        exponent += zeros
        exponents.add(exponent, sign)
        guard let lowest = exponents.lowest else {
            (total, magnitude, unit, isLost) = (0, 0, nil, false)
            return
        }
        guard !isLost else { return }
        guard let amount = scaled(Int128(digits), exponent) else {
            isLost = true
            return
        }
        total += number < 0 ? -amount * Int128(sign) : amount * Int128(sign)
        magnitude += amount * Int128(sign)
        if magnitude >= Self.most { isLost = true }
        if let unit, unit < lowest {
            // The numbers that needed the smaller unit have left; all that are there are multiples of the larger one.
            total >>= Int128(lowest - unit)
            magnitude >>= Int128(lowest - unit)
            self.unit = lowest
        }
    }

    /// Adds the numbers of another sum.
    package mutating func merge(_ other: BinarySum) {
        positiveInfinities += other.positiveInfinities
        negativeInfinities += other.negativeInfinities
        exponents.merge(other.exponents)
        if other.isLost { isLost = true }
        guard !isLost, let unit = other.unit else { return }
        // The magnitude comes first: the total is no larger, so it fits as well.
        guard let amount = scaled(other.magnitude, unit), case let shift = unit - (self.unit ?? unit) else {
            isLost = true
            return
        }
        total += other.total << Int128(shift)
        magnitude += amount
        if magnitude >= Self.most { isLost = true }
    }

    /// The sum; nil where it depends on the order of addition.
    package var value: Double? {
        guard !isLost, magnitude < 1 << 53, number(magnitude).isFinite else { return nil }
        if positiveInfinities > 0 { return negativeInfinities > 0 ? .nan : .infinity }
        if negativeInfinities > 0 { return -.infinity }
        return number(total)
    }

    private func number(_ units: Int128) -> Double {
        Double(sign: .plus, exponent: unit ?? 0, significand: Double(units))
    }

    /// Bounds the numbers, so that no sum of two overflows.
    private static let most: Int128 = 1 << 120

    /// `digits` times two to `exponent` in units, which become smaller where necessary; nil if they do not fit.
    private mutating func scaled(_ digits: Int128, _ exponent: Int) -> Int128? {
        let unit = unit ?? exponent
        if exponent < unit {
            let shift = unit - exponent
            guard shift < 120, magnitude < Self.most >> Int128(shift) else { return nil }
            total <<= Int128(shift)
            magnitude <<= Int128(shift)
        }
        self.unit = min(unit, exponent)
        let shift = max(exponent - unit, 0)
        guard shift < 120, digits < Self.most >> Int128(shift) else { return nil }
        return digits << Int128(shift)
    }
}
