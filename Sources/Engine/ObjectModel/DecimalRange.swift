/// The decimals between two bounds, each of which may be missing or excluded. No range contains NaN.
package struct DecimalRange: Hashable, Sendable {
    /// A finite bound, as a whole number times ten to the exponent.
    private struct End: Hashable {
        var coefficient: Int128
        var exponent: Int
        var isOpen: Bool

        var negated: End { End(coefficient: -coefficient, exponent: exponent, isOpen: isOpen) }
    }

    /// The bounds as order keys, inclusive.
    private var lowKey: UInt128
    private var highKey: UInt128
    /// Nil where the keys suffice: without a bound, or with an infinite one.
    private var low: End?
    private var high: End?
    private var lowWords = "lowest"
    private var highWords = "highest"

    /// The range as text for people.
    package var words: String { lowWords == highWords ? lowWords : "\(lowWords)...\(highWords)" }

    package static let all = DecimalRange()
    package static let none: DecimalRange = {
        var range = DecimalRange()
        range.lowKey = .max
        range.highKey = 0
        return range
    }()

    private init() {
        lowKey = (-Decimal128.infinity).orderKey
        highKey = Decimal128.infinity.orderKey
    }

    /// All decimals above the number, and with `closed` the number itself.
    package init(above number: Decimal128, closed: Bool) {
        self.init()
        if number.isNaN {
            self = .none
            return
        }
        lowKey = number.orderKey + (closed ? 0 : 1)
        low = Self.end(number, isOpen: !closed)
        lowWords = "\(number)"
    }

    /// All decimals below the number, and with `closed` the number itself.
    package init(below number: Decimal128, closed: Bool) {
        self.init()
        if number.isNaN {
            self = .none
            return
        }
        highKey = number.orderKey - (closed ? 0 : 1)
        high = Self.end(number, isOpen: !closed)
        highWords = "\(number)"
    }

    private static func end(_ number: Decimal128, isOpen: Bool) -> End? {
        guard number.isFinite else { return nil }
        let digits = Int128(number.digits)
        return End(coefficient: number.isNegative ? -digits : digits, exponent: number.exponent, isOpen: isOpen)
    }

    package var isEmpty: Bool { lowKey > highKey }

    package func contains(_ number: Decimal128) -> Bool {
        let key = number.orderKey
        return lowKey <= key && key <= highKey
    }

    /// The decimals in both ranges.
    package func intersection(_ other: DecimalRange) -> DecimalRange {
        var both = self
        if other.lowKey > lowKey { (both.lowKey, both.low, both.lowWords) = (other.lowKey, other.low, other.lowWords) }
        if other.highKey < highKey {
            (both.highKey, both.high, both.highWords) = (other.highKey, other.high, other.highWords)
        }
        return both
    }

    // MARK: By coefficient

    /// The whole numbers that, times ten to the exponent, lie in the range, among those that a decimal can have; for an
    /// empty range the lower bound is above the upper one.
    package func coefficients(exponent: Int) -> (low: Int128, high: Int128) {
        let limit = Int128(Decimal128.digitsLimit)
        if isEmpty { return (limit, -limit) }
        let first = low.map { Self.lowest($0, exponent) } ?? (lowKey == Decimal128.infinity.orderKey ? limit : -limit)
        let last =
            high.map { -Self.lowest($0.negated, exponent) }
            ?? (highKey == (-Decimal128.infinity).orderKey ? -limit : limit)
        return (first, last)
    }

    /// The lowest whole number that, times ten to the exponent, is not below the bound.
    private static func lowest(_ end: End, _ exponent: Int) -> Int128 {
        let limit = Int128(Decimal128.digitsLimit)
        let step: Int128 = end.isOpen ? 1 : 0
        if end.coefficient == 0 { return step }
        let shift = end.exponent - exponent
        if shift >= 0 {
            let (product, overflow) =
                shift > Decimal128.precision
                ? (0, true) : end.coefficient.multipliedReportingOverflow(by: powerOfTen(shift))
            if overflow { return end.coefficient > 0 ? limit : -limit }
            return max(-limit, min(limit, product + step))
        }
        // Below one in magnitude when there are more places than digits.
        if -shift > Decimal128.precision { return end.coefficient > 0 ? 1 : 0 }
        let (quotient, rest) = end.coefficient.quotientAndRemainder(dividingBy: powerOfTen(-shift))
        if rest == 0 { return quotient + step }
        // Division truncates towards zero.
        return rest > 0 ? quotient + 1 : quotient
    }

    /// Powers up to ten to the 34.
    private static func powerOfTen(_ power: Int) -> Int128 {
        var result: Int128 = 1
        var factor: Int128 = 10
        var rest = power
        while rest > 0 {
            if rest & 1 == 1 { result *= factor }
            rest >>= 1
            if rest > 0 { factor *= factor }
        }
        return result
    }
}
