public import Foundation
import ObjectModel
import Synchronization

/// An IEEE 754-2008 decimal number of up to 34 digits.
///
/// ```swift
/// let price: Decimal128 = "12.50"
/// print(price * 3, price == 12.5)  // 37.5 true
/// ```
public final class Decimal128: Sendable, Hashable, Comparable, SignedNumeric, Codable, CustomStringConvertible,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
    private let content: Mutex<StoredDecimal>

    var raw: StoredDecimal { content.withLock { $0 } }

    init(raw: StoredDecimal) { content = Mutex(raw) }

    /// Zero.
    public convenience init() { self.init(raw: .zero) }

    /// Creates a number from a number or a string. Null, and strings that are not numbers, are NaN. Traps for other
    /// types.
    public convenience init(value: Any) {
        let raw: StoredDecimal = trapOnError {
            if value is NSNull { return .nan }
            if let text = value as? String { return StoredDecimal(text) ?? .nan }
            guard case .decimal(let number)? = Conversion.plain(value, as: StoredType(.decimal128)) else {
                throw RealmException("Cannot convert value '\(value)' of type '\(type(of: value))' to decimal128")
            }
            return number
        }
        self.init(raw: raw)
    }

    /// Creates a number from the decimal description of a Foundation number; NaN if that is none.
    public convenience init(number: NSNumber) {
        self.init(raw: StoredDecimal(plain: number.stringValue) ?? .nan)
    }

    /// Creates a number from digits with a decimal point and an exponent, `NaN` or `Infinity`; any other string is NaN.
    /// Never throws, although it is marked so: check `isNaN` for user input.
    public convenience init(string: String) throws { self.init(raw: StoredDecimal(string) ?? .nan) }

    public convenience init(integerLiteral value: Int64) { self.init(raw: StoredDecimal(value)) }
    public convenience init(floatLiteral value: Double) { self.init(raw: StoredDecimal(plain: value)) }
    public convenience init(stringLiteral value: String) { self.init(raw: StoredDecimal(value) ?? .nan) }

    /// Creates a number from an integer; nil if that has more than 34 digits.
    public convenience init?<T: BinaryInteger>(exactly source: T) {
        let digits = String(source.magnitude).reversed().drop { $0 == "0" }
        guard digits.count <= 34, let number = StoredDecimal(String(source)) else { return nil }
        self.init(raw: number)
    }

    /// The smallest finite number.
    public static var min: Decimal128 {
        Decimal128(raw: StoredDecimal("-9.999999999999999999999999999999999E6144") ?? .nan)
    }
    /// The largest finite number.
    public static var max: Decimal128 {
        Decimal128(raw: StoredDecimal("9.999999999999999999999999999999999E6144") ?? .nan)
    }

    /// Whether this is not a number.
    public var isNaN: Bool { raw.isNaN }
    /// The same as `isNaN`: quiet and signaling NaN are not distinguished.
    public var isSignaling: Bool { raw.isNaN }
    /// The same as `isNaN`: quiet and signaling NaN are not distinguished.
    public var isSignalingNaN: Bool { raw.isNaN }
    /// Whether this is positive or negative infinity.
    public var isInfinite: Bool { raw.isInfinite }
    public var magnitude: Decimal128 { raw.isNegative ? Decimal128(raw: -raw) : self }
    /// The digits with a decimal point or, for large and small numbers, with an exponent: `1.10`, `1.23E45`, `2E-7`;
    /// `Inf`, `-Inf` or `NaN` for what is not finite.
    public var description: String {
        if isInfinite { return raw.isNegative ? "-Inf" : "Inf" }
        return raw.description.replacing("E+", with: "E")
    }
    /// The same as `description`.
    public var stringValue: String { description }
    /// The nearest double.
    public var doubleValue: Double { raw.double }
    /// The number as Foundation's `Decimal`, which has up to 38 digits but a smaller range of exponents.
    public var decimalValue: Decimal { Decimal(string: raw.description) ?? .nan }

    // Results have no zeros at the end of a fraction: 1.5 * 2 is 3, and 0.1 * -10 is -1.

    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(raw: (a.raw + b.raw).reduced) }
    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(raw: (a.raw - b.raw).reduced) }
    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(raw: (a.raw * b.raw).reduced) }
    /// Returns the quotient, rounded to 34 digits. Division by zero is infinite, or NaN for zero by zero; it never
    /// traps.
    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(raw: (a.raw / b.raw).reduced) }
    public static prefix func - (a: Decimal128) -> Decimal128 { Decimal128(raw: -a.raw) }
    /// Negates this instance, which all its holders see.
    public func negate() { content.withLock { $0 = -$0 } }
    public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }
    /// Assigns the quotient. The variable then has a new instance; other holders of the old one do not see it.
    public static func /= (a: inout Decimal128, b: Decimal128) { a = a / b }

    /// The distance between two numbers is a number.
    public typealias Stride = Decimal128

    /// Returns the difference to `other`.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// Returns the sum.
    public func advanced(by n: Decimal128) -> Decimal128 { self + n }

    /// Compares by value: `1` and `1.00` are equal, NaN is not equal to anything.
    public static func == (a: Decimal128, b: Decimal128) -> Bool {
        !a.isNaN && !b.isNaN && StoredDecimal.order(a.raw, b.raw) == 0
    }

    /// Compares by value; NaN is less than all others, as in the database's order.
    public static func < (a: Decimal128, b: Decimal128) -> Bool {
        if a.isNaN || b.isNaN { return a.isNaN && !b.isNaN }
        return StoredDecimal.order(a.raw, b.raw) < 0
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(raw.canonical) }

    /// Decodes a string or a number.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self.init(integerLiteral: number)
        } else if let number = try? container.decode(Double.self) {
            self.init(floatLiteral: number)
        } else {
            try self.init(string: container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension StoredDecimal {
    /// The number without zeros at the end of its digits, except those of a whole number of 64 bits: 1.50 as 1.5, 2.0 as
    /// 2, 100 as it is.
    var reduced: StoredDecimal { exactInt64.map { StoredDecimal($0) } ?? canonical }

    /// The shortest decimal that identifies this number; a whole number has no fraction.
    init(plain value: Double) { self = StoredDecimal(plain: value.description) ?? StoredDecimal(shortest: value) }

    /// See `init(plain:)`; nil for a number without a decimal.
    init?(plain value: Float) { self.init(plain: value.description) }

    /// Parses the description of a number. Swift and Foundation write the fraction of a whole one.
    fileprivate init?(plain text: String) { self.init(text.hasSuffix(".0") ? String(text.dropLast(2)) : text) }
}
