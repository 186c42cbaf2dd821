extension Decimal128 {
    /// A number whose order among unsigned integers is that of `order(_:_:)`: equal exactly where decimals are equal
    /// by value, NaN lowest.
    package var orderKey: UInt128 {
        let middle: UInt128 = 1 << 127
        if isNaN { return 0 }
        var magnitude: UInt128 = 0
        if isInfinite {
            magnitude = 0x3FFF << 113
        } else if digits != 0 {
            // With all 34 digits the exponent decides first. It takes 14 bits, and the digits 113.
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

    /// Powers of ten that together bring a single digit to its place.
    private static let factors: [(power: Int, factor: UInt128)] = [
        (16, 10_000_000_000_000_000), (8, 100_000_000), (4, 10_000), (2, 100), (1, 10), (1, 10), (1, 10),
    ]
}
