import Glibc

/// One value of a property, outside any store.
///
/// Equality is structural: `.int(1)` and `.double(1)` differ, and a NaN equals itself by bit pattern. For the order
/// that sorting, distinct, minimum and maximum use, see `Value.order(_:_:)`; QueryLanguage defines comparisons in
/// queries.
package enum Value: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(String)
    case date(Timestamp)
    case objectId(ObjectId)
    case uuid(UUIDValue)
    case data([UInt8])
    case decimal(Decimal128)
    /// A link to an object of the class that the property's type names.
    case link(ObjectKey)
    /// A link in a mixed value, which may be to an object of any class that is not embedded.
    case reference(ObjectReference)
    /// The elements of a list, or a list in a mixed value.
    case list([Value])
    /// The elements of a set: ascending by `Value.order(_:_:)`, no two of them equal by it.
    case set([Value])
    /// The entries of a map, or a dictionary in a mixed value.
    case dictionary(ValueMap)
    /// A new embedded object by its properties. It is only an input to a store, which makes the object and returns its
    /// link.
    case embedded([PropertyID: Value])

    package var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// Whether the value is a NaN.
    package var isNaN: Bool {
        switch self {
        case .float(let number): number.isNaN
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }
}

extension Value: Hashable {
    package static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.date(let a), .date(let b)): a == b
        case (.objectId(let a), .objectId(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.link(let a), .link(let b)): a == b
        case (.data(let a), .data(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a == b
        case (.reference(let a), .reference(let b)): a == b
        case (.list(let a), .list(let b)): a == b
        case (.set(let a), .set(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        case (.embedded(let a), .embedded(let b)): a == b
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value.bitPattern)
        case .double(let value): hasher.combine(value.bitPattern)
        // Realm compares strings byte by byte, while Swift's == equates canonically equivalent text.
        case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .date(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .link(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .list(let value): hasher.combine(value)
        case .set(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        case .embedded(let value): hasher.combine(value)
        }
    }
}

extension Value {
    /// The total order of values; returns a negative number, zero or a positive one. Null is first, numbers are ordered
    /// by value across numeric types with NaN below all others, strings and data by bytes, false before true, links by
    /// class and key. Kinds that are not comparable are ranked bool, numbers, string, data, date, objectId, uuid,
    /// links, list, set, dictionary; two collections of the same kind are equal in this order.
    package static func order(_ a: Value, _ b: Value) -> Int {
        let rankA = a.kindRank
        let rankB = b.kindRank
        guard rankA == rankB else { return rankA < rankB ? -1 : 1 }
        switch (a, b) {
        case (.bool(let a), .bool(let b)): return (a ? 1 : 0) - (b ? 1 : 0)
        case (.string(let a), .string(let b)): return orderBytes(a, b)
        case (.date(let a), .date(let b)): return order(a, b)
        case (.objectId(let a), .objectId(let b)): return order(a, b)
        case (.uuid(let a), .uuid(let b)): return order(a, b)
        case (.link(let a), .link(let b)): return order(a, b)
        case (.reference(let a), .reference(let b)): return order(a, b)
        case (.link, .reference): return -1
        case (.reference, .link): return 1
        case (.data(let a), .data(let b)): return orderBytes(a, b)
        case (.list, _), (.set, _), (.dictionary, _), (.embedded, _): return 0
        default: return orderNumbers(a, b)
        }
    }

    /// Orders two strings by their UTF-8 bytes; a prefix sorts first.
    package static func orderBytes(_ a: String, _ b: String) -> Int {
        var a = a
        var b = b
        return a.withUTF8 { left in
            b.withUTF8 { right in
                let shorter = min(left.count, right.count)
                // An empty text may have no address.
                let order =
                    if shorter > 0, let a = left.baseAddress, let b = right.baseAddress {
                        Int(memcmp(a, b, shorter))
                    } else {
                        0
                    }
                return order != 0 ? order : left.count - right.count
            }
        }
    }

    /// Orders two runs of bytes; a prefix sorts first.
    package static func orderBytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
        for index in 0..<min(a.count, b.count) where a[index] != b[index] { return a[index] < b[index] ? -1 : 1 }
        return a.count - b.count
    }

    /// Orders an Int and a Double exactly, without rounding either; NaN is below every number.
    package static func order(_ a: Int64, _ b: Double) -> Int {
        if b.isNaN { return 1 }
        // 2^63 is exact in a Double; every Double in between truncates to an Int64 without trapping.
        if b >= 9_223_372_036_854_775_808 { return -1 }
        if b < -9_223_372_036_854_775_808 { return 1 }
        let whole = b.rounded(.towardZero)
        let integer = Int64(whole)
        if a != integer { return a < integer ? -1 : 1 }
        return whole < b ? -1 : (whole > b ? 1 : 0)
    }

    private static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (b < a ? 1 : 0) }

    private static func orderNumbers(_ a: Value, _ b: Value) -> Int {
        switch (a, b) {
        case (.int(let a), .int(let b)): order(a, b)
        case (.decimal(let a), .decimal(let b)): Decimal128.order(a, b)
        case (.decimal(let a), .int(let b)): Decimal128.order(a, Decimal128(b))
        case (.int(let a), .decimal(let b)): Decimal128.order(Decimal128(a), b)
        case (.decimal(let a), _): Decimal128.order(a, b.floating)
        case (_, .decimal(let b)): -Decimal128.order(b, a.floating)
        case (.int(let a), _): order(a, b.floating)
        case (_, .int(let b)): -order(b, a.floating)
        default: orderFloating(a.floating, b.floating)
        }
    }

    private static func orderFloating(_ a: Double, _ b: Double) -> Int {
        if a.isNaN || b.isNaN { return (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1) }
        return order(a, b)
    }

    private var floating: Double {
        switch self {
        case .float(let value): Double(value)
        case .double(let value): value
        case .int(let value): Double(value)
        default: 0
        }
    }

    /// The rank of the value's kind in the total order; numbers of all types are one kind.
    package var kindRank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .float, .double, .decimal: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectId: 6
        case .uuid: 7
        case .link, .reference: 8
        case .list: 9
        case .set: 10
        case .dictionary: 11
        case .embedded: 12
        }
    }

    /// The type name that query errors use: `int`, `string`, `timestamp`, …
    package var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .date: "timestamp"
        case .objectId: "objectId"
        case .uuid: "uuid"
        case .link, .reference: "link"
        case .data: "binary"
        case .decimal: "decimal128"
        case .list: "list"
        case .set: "set"
        case .dictionary: "dictionary"
        case .embedded: "object"
        }
    }
}
