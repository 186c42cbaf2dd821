import Basics
import JSONCoding
import ObjectModel

/// Converts values to CSV text and back.
enum FieldText {
    /// Parses a value of a scalar type. Throws `RecordError` with the reason.
    static func parse(_ text: String, as type: PropertyType) throws(RecordError) -> Value {
        let value: Value? =
            switch type.base {
            case .bool: bool(text)
            case .int: Int64(text).map(Value.int)
            case .float: Float(text).map(Value.float)
            case .double: Double(text).map(Value.double)
            case .string: .string(text)
            case .date: Timestamp(rfc3339: text).map(Value.date)
            case .objectId: ObjectId(hex: text).map(Value.objectId)
            case .uuid: UUIDValue(text: text).map(Value.uuid)
            case .data: Base64.standard.decode(text).map(Value.data)
            case .decimal128: Decimal128(text).map(Value.decimal)
            case .link, .linkingObjects, .mixed: nil
            }
        guard let value else { throw RecordError("'\(text.abbreviated)' is not \(expectation(of: type.base)).") }
        return value
    }

    /// Returns the text that `parse` reads as the same value; nil for null. Links and collections have no text of their
    /// own.
    static func text(of value: Value) -> String? {
        switch value {
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .float(let value): number(value)
        case .double(let value): number(value)
        case .string(let value): value
        case .date(let value): value.rfc3339
        case .objectId(let value): value.hex
        case .uuid(let value): value.text
        case .data(let value): Base64.standard.encode(value)
        case .decimal(let value): value.description
        case .null, .link, .reference, .list, .set, .dictionary, .embedded: nil
        }
    }

    /// Returns a primary key as JSON.
    static func json(ofKey key: Value) -> JSONValue {
        if case .int(let number) = key { return .int(number) }
        return text(of: key).map { .string($0) } ?? .null
    }

    private static func bool(_ text: String) -> Value? {
        switch text {
        case "true", "TRUE", "True", "1": .bool(true)
        case "false", "FALSE", "False", "0": .bool(false)
        default: nil
        }
    }

    /// Writes infinities as the gateway's JSON does; Swift parses these too.
    private static func number<T: BinaryFloatingPoint & LosslessStringConvertible>(_ value: T) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return value.description
    }

    private static func expectation(of base: BaseType) -> String {
        switch base {
        case .bool: "a bool (true, false, 1 or 0)"
        case .int: "a 64-bit whole number"
        case .float, .double: "a number"
        case .date: "a date such as 2026-01-31T12:00:00Z"
        case .objectId: "an object id (24 hexadecimal digits)"
        case .uuid: "a UUID"
        case .data: "base64 text"
        case .decimal128: "a decimal number"
        default: "a value of type \(base.name)"
        }
    }
}

extension String {
    /// The text as a message or an example quotes it: at most 40 characters of it.
    var abbreviated: String { count <= 40 ? self : prefix(40) + "…" }
}
