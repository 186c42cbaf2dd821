import CDecimal

/// A decimal number of 34 significant digits with an exponent from -6143 to 6144, also NaN and the infinities: IEEE
/// 754-2008 decimal128 in its binary integer encoding, as Intel's library and Realm store it.
///
/// Equality and hashing compare encodings: 1.0 and 1.00 differ. For the numeric order see `order(_:_:)` and
/// `Value.order(_:_:)`; values that are equal in it have equal `canonical` forms.
package struct Decimal128: Hashable, Sendable {
    /// Sign, exponent and the upper part of the digits.
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static let zero = Decimal128(high: 0x3040_0000_0000_0000, low: 0)
    package static let nan = Decimal128(high: 0x7C00_0000_0000_0000, low: 0)
    package static let infinity = Decimal128(high: 0x7800_0000_0000_0000, low: 0)

    package var isNaN: Bool { high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 }
    package var isInfinite: Bool { high & 0x7C00_0000_0000_0000 == 0x7800_0000_0000_0000 }
    package var isFinite: Bool { high & 0x7800_0000_0000_0000 != 0x7800_0000_0000_0000 }
    package var isNegative: Bool { high >> 63 == 1 }
    package var isZero: Bool { isFinite && digits == 0 }
}

extension Decimal128 {
    /// The maximum number of digits.
    static let precision = 34
    package static let digitsLimit: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000
    static let exponents = -6176...6111

    /// The digits of a finite number as a whole number; its value is `digits` times ten to `exponent`.
    package var digits: UInt128 {
        // By IEEE 754, an encoding of more than 34 digits represents zero; so does one with these two bits set, which
        // would have more.
        guard high & 0x6000_0000_0000_0000 != 0x6000_0000_0000_0000 else { return 0 }
        let digits = UInt128(high & 0x0001_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return digits < Self.digitsLimit ? digits : 0
    }

    /// The exponent of a finite number: see `digits`.
    package var exponent: Int {
        let shift: UInt64 = high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 ? 47 : 49
        return Int(high >> shift & 0x3FFF) - 6176
    }

    /// Makes a number of parts that are within `digitsLimit` and `exponents`.
    package init(isNegative: Bool, digits: UInt128, exponent: Int) {
        high =
            (isNegative ? 1 << 63 : 0) | UInt64(truncatingIfNeeded: exponent + 6176) << 49
            | UInt64(truncatingIfNeeded: digits >> 64)
        low = UInt64(truncatingIfNeeded: digits)
    }

    /// The one encoding that represents all numbers of equal value: without trailing zeros, zero without sign and
    /// exponent, and one NaN. Two decimals are equal in the numeric order exactly when their canonical forms are equal.
    package var canonical: Decimal128 {
        if isNaN { return .nan }
        if isInfinite { return isNegative ? -.infinity : .infinity }
        var digits = digits
        guard digits != 0 else { return .zero }
        var exponent = exponent
        while exponent < Self.exponents.upperBound {
            let (shorter, last) = digits.quotientAndRemainder(dividingBy: 10)
            guard last == 0 else { break }
            digits = shorter
            exponent += 1
        }
        // At the largest exponent zeros may remain, but such a number has only one encoding.
        return Decimal128(isNegative: isNegative, digits: digits, exponent: exponent)
    }
}

extension Decimal128 {
    /// The library's type, for the files that call it.
    var words: cdecimal { cdecimal(low: low, high: high) }

    init(_ words: cdecimal) { self.init(high: words.high, low: words.low) }
}

extension Decimal128 {
    /// An integer whose unsigned order is that of `order(_:_:)`: equal exactly where decimals are equal by value, NaN
    /// lowest.
    package var orderKey: UInt128 {
        let middle: UInt128 = 1 << 127
        if isNaN { return 0 }
        var magnitude: UInt128 = 0
        if isInfinite {
            magnitude = 0x3FFF << 113
        } else if digits != 0 {
            // With all 34 digits the exponent decides first. It needs 14 bits, and the digits 113.
            var digits = digits
            var exponent = exponent
            for (power, factor) in Self.factors where digits < Self.digitsLimit / factor {
                digits *= factor
                exponent -= power
            }
            magnitude = UInt128(exponent - Self.exponents.lowerBound + Self.precision) << 113 | digits
        }
        return isNegative ? middle - magnitude : middle + magnitude
    }

    /// Powers of ten that together scale a single digit to its place.
    private static let factors: [(power: Int, factor: UInt128)] = [
        (16, 10_000_000_000_000_000), (8, 100_000_000), (4, 10_000), (2, 100), (1, 10), (1, 10), (1, 10),
    ]
}
