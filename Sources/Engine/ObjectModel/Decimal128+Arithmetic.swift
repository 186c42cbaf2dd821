import CDecimal

// Results are rounded to 34 digits, half to even; a result beyond the range is an infinity, and one without a value,
// such as 0 / 0, is NaN.
extension Decimal128 {
    package static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(cdecimal_add(a.words, b.words))
    }

    package static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(cdecimal_subtract(a.words, b.words))
    }

    package static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(cdecimal_multiply(a.words, b.words))
    }

    package static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(cdecimal_divide(a.words, b.words))
    }

    package static func += (a: inout Decimal128, b: Decimal128) { a = a + b }

    package static prefix func - (a: Decimal128) -> Decimal128 { Decimal128(high: a.high ^ 1 << 63, low: a.low) }

    /// The sum divided by the count; nil for a count of zero.
    package static func average(sum: Decimal128, count: Int) -> Decimal128? {
        count == 0 ? nil : sum / Decimal128(Int64(count))
    }
}

extension Decimal128 {
    /// Converts exactly.
    package init(_ value: Int64) { self.init(cdecimal_from_int64(value)) }

    /// The nearest decimal, half to even: the 34 leading digits of the binary number, so that 0.1 gets a tail of
    /// digits. NaN and the infinities are preserved.
    package init(_ value: Double) { self.init(cdecimal_from_double(value)) }

    /// Converts as from a `Double`, which represents every `Float` exactly.
    package init(_ value: Float) { self.init(Double(value)) }

    /// The shortest decimal that identifies this double among all others, as JSON and program texts write it: 0.1 has
    /// no tail of digits.
    package init(shortest value: Double) { self = Decimal128(value.description) ?? Decimal128(value) }

    /// The nearest double, half to even.
    package var double: Double { cdecimal_to_double(words) }

    /// The double of equal value; nil where the nearest double has another value.
    package var exactDouble: Double? {
        let nearest = double
        return Self.order(self, nearest) == 0 ? nearest : nil
    }

    /// The whole number of equal value; nil for a fraction, a number beyond 64 bits, NaN and the infinities.
    package var exactInt64: Int64? {
        var result: Int64 = 0
        return cdecimal_to_int64(words, &result) ? result : nil
    }
}

extension Decimal128 {
    /// Compares by value; returns a negative number, zero or a positive one. NaN is lowest and equal to itself, 1.0
    /// equals 1.00, -0 equals 0.
    package static func order(_ a: Decimal128, _ b: Decimal128) -> Int {
        if a.isNaN || b.isNaN { return (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1) }
        return Int(cdecimal_compare(a.words, b.words))
    }

    /// Compares by value and exactly, though a double may have far more digits than a decimal.
    ///
    /// No decimal lies strictly between the two that enclose the double. So where those two differ, the double is equal
    /// to no decimal, and above all decimals up to and including the lower one.
    package static func order(_ a: Decimal128, _ b: Double) -> Int {
        if a.isNaN || b.isNaN { return (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1) }
        let below = cdecimal_from_double_down(b)
        let above = cdecimal_from_double_up(b)
        if cdecimal_compare(below, above) == 0 { return Int(cdecimal_compare(a.words, below)) }
        return cdecimal_compare(a.words, below) <= 0 ? -1 : 1
    }
}
