/// A decimal number of 34 significant digits with an exponent from -6143 to 6144, also NaN and the infinities:
/// IEEE 754-2008 decimal128 in its binary integer encoding, as Intel's library and Realm keep it.
///
/// Equality and hashing are of the encoding: 1.0 and 1.00 differ. For the numeric order see `Value.order(_:_:)`.
package struct Decimal128: Hashable, Sendable {
    /// Sign, exponent and the upper part of the digits.
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static let zero = Decimal128(high: 0x3040_0000_0000_0000, low: 0)
}
