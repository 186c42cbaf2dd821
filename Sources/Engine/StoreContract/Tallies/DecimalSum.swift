package import ObjectModel

/// The sum of decimal numbers that come and go, as long as it does not depend on the order of addition.
///
/// All numbers are counted in one unit, a power of ten. While the sum of their magnitudes has at most 34 digits, nothing
/// is ever rounded, and a scan of the numbers gives the same sum: with the exponent that is the smallest of theirs and
/// zero, as IEEE 754 has it.
package struct DecimalSum: Sendable {
    private var total: Int128 = 0
    /// The sum of the absolute values.
    private var magnitude: Int128 = 0
    /// The exponent of the unit: at most that of any number since there were none, and zero.
    private var unit = 0
    private var exponents = ExponentCounts()
    private var (positiveInfinities, negativeInfinities) = (0, 0)
    /// Whether the numbers did not fit; until there are none.
    private var isLost = false

    package init() {}

    /// Adds a number, which is not NaN; with `sign` -1 it removes one that was added.
    package mutating func add(_ number: Decimal128, sign: Int) {
        if number.isInfinite {
            if number.isNegative { negativeInfinities += sign } else { positiveInfinities += sign }
            return
        }
        let exponent = number.exponent
        exponents.add(exponent, sign)
        if exponents.lowest == nil {
            (total, magnitude, unit, isLost) = (0, 0, 0, false)
            return
        }
        guard !number.isZero, !isLost else { return }
        guard let amount = scaled(Int128(number.digits), exponent) else {
            isLost = true
            return
        }
        total += number.isNegative ? -amount * Int128(sign) : amount * Int128(sign)
        magnitude += amount * Int128(sign)
        if magnitude >= Self.most { isLost = true }
    }

    /// Adds the numbers of another sum.
    package mutating func merge(_ other: DecimalSum) {
        positiveInfinities += other.positiveInfinities
        negativeInfinities += other.negativeInfinities
        exponents.merge(other.exponents)
        if other.isLost { isLost = true }
        guard !isLost, other.magnitude > 0 else { return }
        guard let amount = scaled(other.magnitude, other.unit), let factor = Self.power(other.unit - unit) else {
            isLost = true
            return
        }
        total += other.total * factor
        magnitude += amount
        if magnitude >= Self.most { isLost = true }
    }

    /// The sum; nil where it depends on the order of addition.
    package var value: Decimal128? {
        guard !isLost else { return nil }
        let lowest = min(0, exponents.lowest ?? 0)
        // Zeros may have exponents below the unit.
        guard let factor = Self.power(lowest - min(unit, lowest)),
            let finer = Self.power(max(unit - lowest, 0)),
            case let (digits, overflows) = (magnitude / factor).multipliedReportingOverflow(by: finer), !overflows,
            digits < Int128(Decimal128.digitsLimit)
        else { return nil }
        if positiveInfinities > 0 { return negativeInfinities > 0 ? .nan : .infinity }
        if negativeInfinities > 0 { return -.infinity }
        return Decimal128(
            isNegative: total < 0, digits: total.magnitude / UInt128(factor) * UInt128(finer), exponent: lowest)
    }

    /// Bounds the numbers, so that no sum of two overflows.
    private static let most: Int128 = 1 << 125

    /// `digits` times ten to `exponent` in units, which become smaller where necessary; nil if they do not fit.
    private mutating func scaled(_ digits: Int128, _ exponent: Int) -> Int128? {
        if exponent < unit {
            guard let factor = Self.power(unit - exponent), magnitude < Self.most / factor else { return nil }
            total *= factor
            magnitude *= factor
            unit = exponent
        }
        guard let factor = Self.power(exponent - unit), digits < Self.most / factor else { return nil }
        return digits * factor
    }

    /// A power of ten; nil if it is too large.
    private static func power(_ exponent: Int) -> Int128? {
        guard exponent < 37 else { return nil }
        return (0..<exponent).reduce(Int128(1)) { power, _ in power * 10 }
    }
}
