package import ObjectModel

/// A value that is read in place, without a copy of its text or elements. Its source documents how long the bytes stay
/// valid. Damaged bytes read as null, or as empty.
package enum ValueView {
    package typealias Bytes = UnsafeBufferPointer<UInt8>

    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case decimal(Decimal128)
    /// UTF-8.
    case string(Bytes)
    case data(Bytes)
    case date(Timestamp)
    case objectId(ObjectId)
    case uuid(UUIDValue)
    /// A link to an object of the class that the property's type names.
    case link(ObjectKey)
    case reference(ObjectReference)
    /// A list in a mixed value.
    case list(NestedList)
    /// A dictionary in a mixed value.
    case dictionary(NestedDictionary)

    @inline(__always)
    package var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// A slot of a leaf of values that are not collections. Its bytes stay valid as long as the leaf's.
    @inline(__always)
    package init(_ leaf: Leaf, _ slot: Int) {
        if leaf.isNull(slot) {
            self = .null
            return
        }
        switch leaf.kind {
        case .bool: self = .bool(leaf.bool(at: slot))
        case .int: self = .int(leaf.int(at: slot))
        case .float: self = .float(leaf.float(at: slot))
        case .double: self = .double(leaf.double(at: slot))
        case .string: self = .string(leaf.utf8(at: slot))
        case .date: self = .date(leaf.date(at: slot))
        case .objectId: self = .objectId(leaf.objectId(at: slot))
        case .uuid: self = .uuid(leaf.uuid(at: slot))
        case .link: self = .link(leaf.link(at: slot))
        case .data: self = .data(leaf.utf8(at: slot))
        case .decimal128: self = .decimal(leaf.decimal(at: slot))
        case .mixed: self.init(record: UnsafeRawBufferPointer(leaf.utf8(at: slot)))
        case .list, .set, .map: self = .null
        }
    }

    /// One value as `ValueRecord` writes it.
    package init(record: UnsafeRawBufferPointer) {
        var reader = ByteReader(record)
        self = (try? Self.read(&reader)) ?? .null
    }

    static func read(_ reader: inout ByteReader) throws(DamagedRecord) -> ValueView {
        try read(tag: try reader.byte(), &reader)
    }

    /// Reads one value after its tag. For a nested collection the reader stays at its beginning.
    @inline(__always)
    static func read(tag: UInt8, _ reader: inout ByteReader) throws(DamagedRecord) -> ValueView {
        switch tag {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .int(try reader.signed())
        case 4: return .float(Float(bitPattern: try reader.fixed32()))
        case 5: return .double(Double(bitPattern: try reader.fixed()))
        case 6: return .string(try reader.span())
        case 7: return .data(try reader.span())
        case 13: return .list(NestedList(reader))
        case 14: return .dictionary(NestedDictionary(reader))
        default:
            switch try ValueRecord.decodeContent(tag: tag, &reader) {
            case .date(let date): return .date(date)
            case .objectId(let id): return .objectId(id)
            case .uuid(let id): return .uuid(id)
            case .decimal(let number): return .decimal(number)
            case .reference(let object): return .reference(object)
            case .link(let key): return .link(key)
            default: throw DamagedRecord()
            }
        }
    }

    /// The value as an independent copy.
    package var value: Value {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value)
        case .string(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .data(let bytes): .data(Array(bytes))
        case .date(let value): .date(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        case .link(let key): .link(key)
        case .reference(let object): .reference(object)
        case .list(let list): list.value
        case .dictionary(let dictionary): dictionary.value
        }
    }
}

extension ValueView {
    /// The total order, as `Value.order`.
    package static func order(_ a: ValueView, _ b: ValueView) -> Int {
        switch (a, b) {
        case (.int(let a), .int(let b)): return a < b ? -1 : (a > b ? 1 : 0)
        case (.string(let a), .string(let b)), (.data(let a), .data(let b)): return TextPattern.order(a, b)
        default:
            let rankA = a.kindRank
            let rankB = b.kindRank
            guard rankA == rankB else { return rankA < rankB ? -1 : 1 }
            switch a {
            // Two collections of a kind are equal, and the kind alone decides.
            case .list, .dictionary, .null: return 0
            // The other values have no bytes of their own: nothing is copied.
            default: return Value.order(a.value, b.value)
            }
        }
    }

    /// As `Value.kindRank`.
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
        case .dictionary: 11
        }
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
