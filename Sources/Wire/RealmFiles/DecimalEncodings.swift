import ObjectModel

/// The decimal numbers of IEEE 754 with 128, 64 and 32 bits in their binary encoding, and the values that Realm uses
/// for null.
enum DecimalEncodings {
    /// Nil for null.
    static func decimal128(low: UInt64, high: UInt64) -> Decimal128? {
        high == 0x7C00_0000_0000_0000 && low == 0xAA ? nil : Decimal128(high: high, low: low)
    }

    /// Nil for null.
    static func decimal64(_ word: UInt64) -> Decimal128? {
        if word == 0x7C00_0000_0000_00AA { return nil }
        let isNegative = word >> 63 == 1
        if let special = special(word >> 58 & 0x1F, isNegative) { return special }
        if word >> 61 & 3 == 3 {
            return decimal(
                isNegative, 1 << 53 | word & (1 << 51 - 1), below: 10_000_000_000_000_000, word >> 51 & 0x3FF, 398)
        }
        return decimal(isNegative, word & (1 << 53 - 1), below: .max, word >> 53 & 0x3FF, 398)
    }

    /// Nil for null.
    static func decimal32(_ word: UInt32) -> Decimal128? {
        if word == 0x7C00_00AA { return nil }
        let word = UInt64(word)
        let isNegative = word >> 31 == 1
        if let special = special(word >> 26 & 0x1F, isNegative) { return special }
        if word >> 29 & 3 == 3 {
            return decimal(isNegative, 1 << 23 | word & (1 << 21 - 1), below: 10_000_000, word >> 21 & 0xFF, 101)
        }
        return decimal(isNegative, word & (1 << 23 - 1), below: .max, word >> 23 & 0xFF, 101)
    }

    private static func special(_ bits: UInt64, _ isNegative: Bool) -> Decimal128? {
        switch bits {
        case 0x1E: isNegative ? -.infinity : .infinity
        case 0x1F: isNegative ? -.nan : .nan
        default: nil
        }
    }

    /// A number with more digits than its encoding allows counts as zero.
    private static func decimal(
        _ isNegative: Bool, _ digits: UInt64, below limit: UInt64, _ exponent: UInt64, _ bias: UInt64
    ) -> Decimal128 {
        let high = (isNegative ? 1 << 63 : 0) | (exponent + 6176 - bias) << 49
        return Decimal128(high: high, low: digits < limit ? digits : 0)
    }
}
