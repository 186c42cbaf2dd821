public import Foundation
import ObjectModel

/// An IEEE 754-2008 decimal number of up to 34 digits.
public final class Decimal128: Sendable, Hashable, Comparable, SignedNumeric, Codable, CustomStringConvertible,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
    let raw: StoredDecimal

    init(raw: StoredDecimal) { self.raw = raw }

    /// Zero.
    public init() { raw = .zero }

    /// From a number or a text; null is NaN. Traps for anything else.
    public init(value: Any) {
        raw = raising {
            if value is NSNull { return .nan }
            guard case .decimal(let number)? = Conversion.plain(value, as: StoredType(.decimal128)) else {
                throw RealmException("Cannot convert value '\(value)' of type '\(type(of: value))' to decimal128")
            }
            return number
        }
    }

    public init(number: NSNumber) { raw = StoredDecimal(number.stringValue) ?? .nan }

    /// From digits with a point and an exponent, `NaN` or `Infinity`. Throws for any other text.
    public init(string: String) throws {
        guard let number = StoredDecimal(string) else {
            throw Realm.Error(.invalidInput, "Invalid Decimal128 string '\(string)'")
        }
        raw = number
    }

    public init(integerLiteral value: Int64) { raw = StoredDecimal(value) }
    public init(floatLiteral value: Double) { raw = StoredDecimal(shortest: value) }
    public init(stringLiteral value: String) { raw = StoredDecimal(value) ?? .nan }

    /// The whole number; nil if that has more than 34 digits.
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

    public var isNaN: Bool { raw.isNaN }
    public var isSignaling: Bool { raw.isNaN }
    public var isSignalingNaN: Bool { raw.isNaN }
    public var isInfinite: Bool { raw.isInfinite }
    public var magnitude: Decimal128 { raw.isNegative ? Decimal128(raw: -raw) : self }
    public var description: String { raw.description }
    public var stringValue: String { raw.description }
    /// The nearest double.
    public var doubleValue: Double { raw.double }
    /// As a number of Foundation, which has up to 38 digits but a smaller range of exponents.
    public var decimalValue: Decimal { Decimal(string: raw.description) ?? .nan }

    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(raw: a.raw + b.raw) }
    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(raw: a.raw - b.raw) }
    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(raw: a.raw * b.raw) }
    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 { Decimal128(raw: a.raw / b.raw) }
    public static prefix func - (a: Decimal128) -> Decimal128 { Decimal128(raw: -a.raw) }
    public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }
    public static func /= (a: inout Decimal128, b: Decimal128) { a = a / b }

    /// What has to be added to get to another one is one, too.
    public typealias Stride = Decimal128

    /// What has to be added to get to `other`.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// The sum of both.
    public func advanced(by n: Decimal128) -> Decimal128 { self + n }

    /// By number: `1` and `1.00` are equal, NaN is equal to nothing.
    public static func == (a: Decimal128, b: Decimal128) -> Bool {
        !a.isNaN && !b.isNaN && StoredDecimal.order(a.raw, b.raw) == 0
    }

    public static func < (a: Decimal128, b: Decimal128) -> Bool {
        !a.isNaN && !b.isNaN && StoredDecimal.order(a.raw, b.raw) < 0
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(raw.canonical) }

    /// From a text or a number.
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
