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

    /// The sum divided by their number; nil when there are none.
    package static func average(sum: Decimal128, count: Int) -> Decimal128? {
        count == 0 ? nil : sum / Decimal128(Int64(count))
    }
}

extension Decimal128 {
    /// Exact.
    package init(_ value: Int64) { self.init(cdecimal_from_int64(value)) }

    /// The nearest decimal, half to even: the 34 leading digits of the binary number, so that 0.1 has a tail. NaN and
    /// the infinities stay what they are.
    package init(_ value: Double) { self.init(cdecimal_from_double(value)) }

    /// As from a `Double`, which every `Float` is exactly.
    package init(_ value: Float) { self.init(Double(value)) }

    /// The fewest digits that name this double among all others, as JSON and program texts write it: 0.1 has no tail.
    package init(shortest value: Double) { self = Decimal128(value.description) ?? Decimal128(value) }

    /// The nearest double, half to even.
    package var double: Double { cdecimal_to_double(words) }

    /// The double that this is; nil where the nearest one has another value.
    package var exactDouble: Double? {
        let nearest = double
        return Self.order(self, nearest) == 0 ? nearest : nil
    }

    /// The whole number that this is; nil when it has a fraction, lies beyond 64 bits or is none at all.
    package var exactInt64: Int64? {
        var result: Int64 = 0
        return cdecimal_to_int64(words, &result) ? result : nil
    }
}

extension Decimal128 {
    /// By value, as negative, zero or positive: NaN lowest and equal to itself, 1.0 equal to 1.00, -0 equal to 0.
    package static func order(_ a: Decimal128, _ b: Decimal128) -> Int {
        if a.isNaN || b.isNaN { return (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1) }
        return Int(cdecimal_compare(a.words, b.words))
    }

    /// By value and exactly, though a double may have far more digits than a decimal.
    ///
    /// No decimal lies strictly between the two that enclose the double, so where those differ the double is equal
    /// to no decimal, and above all that do not exceed the lower one.
    package static func order(_ a: Decimal128, _ b: Double) -> Int {
        if a.isNaN || b.isNaN { return (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1) }
        let below = cdecimal_from_double_down(b)
        let above = cdecimal_from_double_up(b)
        if cdecimal_compare(below, above) == 0 { return Int(cdecimal_compare(a.words, below)) }
        return cdecimal_compare(a.words, below) <= 0 ? -1 : 1
    }
}
