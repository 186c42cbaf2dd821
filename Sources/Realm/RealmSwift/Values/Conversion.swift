import Foundation
import ObjectModel

/// Converts untyped values: in dictionaries and arrays, as arguments of predicates, and from subscripts.
enum Conversion {
    /// Returns the stored form of a plain value for a property of that type; nil if it does not fit. All number types
    /// accept integers, and `NSNumber` fits the types that can hold its value.
    static func plain(_ value: Any?, as type: StoredType) -> Value? {
        guard let value = value.flatMap({ flattened($0) }), !(value is NSNull) else {
            return type.acceptsNull ? .null : nil
        }
        guard let plain = natural(value) else { return nil }
        return fitted(plain, to: type.base)
    }

    /// Returns the stored form of a plain value by its own type; nil for objects, and for types that no property has.
    static func natural(_ value: Any) -> Value? {
        switch value {
        case let value as String: return .string(value)
        case let value as any _Scalar: return value._scalar.value
        case let value as NSNumber: return number(value)
        case let value as any PersistableEnum:
            func raw<E: PersistableEnum>(_ value: E) -> Value { value.rawValue._scalar.value }
            return raw(value)
        case let value as any _CustomPersistable:
            func raw<C: _CustomPersistable>(_ value: C) -> Value? { natural(value.persistableValue) }
            return raw(value)
        case let value as any BinaryInteger: return Int64(exactly: value).map { .int($0) }
        case let value as NSString: return .string(String(describing: value))
        case let value as NSDate: return .date(Timestamp(Date(timeIntervalSince1970: value.timeIntervalSince1970)))
        case let value as NSData: return .data(Array(Data(referencing: value)))
        case let value as Decimal: return StoredDecimal(value.description).map { .decimal($0) }
        case is NSNull: return .null
        default: return nil
        }
    }

    private static func number(_ number: NSNumber) -> Value {
        switch CFNumberKind(number) {
        case .bool: .bool(number.boolValue)
        case .float: .float(number.floatValue)
        case .double: .double(number.doubleValue)
        case .int: .int(number.int64Value)
        }
    }

    private enum CFNumberKind {
        case bool, int, float, double

        init(_ number: NSNumber) {
            switch UInt8(bitPattern: number.objCType.pointee) {
            // Foundation on Linux gives Booleans the type of C's `char`, which it gives no number.
            case UInt8(ascii: "B"), UInt8(ascii: "c"): self = .bool
            case UInt8(ascii: "f"): self = .float
            case UInt8(ascii: "d"): self = .double
            default: self = .int
            }
        }
    }

    /// Converts a number to another number type if that loses no significant digits; returns other values unchanged.
    static func fitted(_ value: Value, to base: BaseType) -> Value? {
        switch (base, value) {
        case (.int, .int), (.bool, .bool), (.float, .float), (.double, .double), (.string, .string), (.data, .data),
            (.date, .date), (.decimal128, .decimal), (.objectId, .objectId), (.uuid, .uuid), (.mixed, _):
            return value
        case (.int, .double(let number)): return Int64(exactly: number).map { .int($0) }
        case (.int, .float(let number)): return Int64(exactly: number).map { .int($0) }
        case (.int, .bool(let flag)): return .int(flag ? 1 : 0)
        case (.bool, .int(let number)): return number == 0 || number == 1 ? .bool(number == 1) : nil
        case (.double, .int(let number)): return .double(Double(number))
        case (.double, .float(let number)): return .double(Double(number))
        case (.float, .int(let number)): return .float(Float(number))
        case (.float, .double(let number)):
            return number.isNaN || !Float(number).isInfinite || number.isInfinite ? .float(Float(number)) : nil
        case (.decimal128, .int(let number)): return .decimal(StoredDecimal(number))
        case (.decimal128, .double(let number)): return .decimal(StoredDecimal(plain: number))
        case (.decimal128, .float(let number)): return StoredDecimal(plain: number).map { .decimal($0) }
        case (.decimal128, .string(let text)): return StoredDecimal(text).map { .decimal($0) }
        case (.objectId, .string(let text)): return StoredObjectId(hex: text).map { .objectId($0) }
        case (.uuid, .string(let text)): return UUIDValue(text: text).map { .uuid($0) }
        default: return nil
        }
    }
}
