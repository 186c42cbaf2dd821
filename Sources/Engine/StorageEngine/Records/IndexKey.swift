import Basics
import LMDBStorage
import ObjectModel

/// A value as part of an index key: bytes whose order is the order of the values. No encoding is a prefix of another
/// one of the same property.
///
/// Null is one zero byte, so it sorts first; anything else starts with 1. Strings escape zero bytes and end in 0 1.
/// LMDB keys hold 511 bytes, so only the start and a hash of a long string are stored: such an entry is a candidate,
/// and the reader compares the value.
enum IndexKey {
    /// The longest encoded string that is stored completely.
    static let wholeStringLimit = 400

    /// The encoding for the key of a property, which may be mixed. Nil for a value that such a property does not index.
    static func encode(_ value: Value, isMixed: Bool) -> [UInt8]? { isMixed ? encode(mixed: value) : encode(value) }

    /// The encoding for the key of a mixed property, whose values may be of any kind: the kind's rank in `Value.order`,
    /// then the value. Equal numbers of different types have one encoding, and so do all collections of a kind; here
    /// the order of the bytes is not that of the values. Nil for values that cannot be mixed.
    static func encode(mixed value: Value) -> [UInt8]? {
        func key(_ rank: UInt8, _ content: [UInt8]) -> [UInt8] { [rank] + content }
        switch value {
        case .null: return [0]
        case .bool, .date, .objectId, .uuid, .string:
            return encode(value).map { key(UInt8(value.kindRank), $0) }
        case .data(let bytes): return key(UInt8(value.kindRank), encode(bytes))
        case .int, .float, .double, .decimal: return key(UInt8(value.kindRank), number(value))
        case .reference(let target):
            var key = TreeKey()
            key.append(UInt8(value.kindRank))
            key.append(target.classID.rawValue)
            key.append(target.key)
            return key.bytes
        case .list, .dictionary: return [UInt8(value.kindRank)]
        case .link, .set, .embedded: return nil
        }
    }

    /// The one encoding of all numbers that are equal by value: as an integer if it is one, otherwise as a double if it
    /// is one exactly, otherwise as a decimal.
    private static func number(_ value: Value) -> [UInt8] {
        var key = TreeKey()
        let double: Double? =
            switch value {
            case .float(let value): Double(value)
            case .double(let value): value
            case .decimal(let value): value.exactDouble
            default: nil
            }
        if case .int(let integer) = value {
            key.append(UInt8(1))
            key.append(flipped(integer))
        } else if let double, double.isNaN {
            key.append(UInt8(0))
        } else if let double, let integer = Int64(exactly: double) {
            key.append(UInt8(1))
            key.append(flipped(integer))
        } else if case .decimal(let decimal) = value, let integer = decimal.exactInt64 {
            key.append(UInt8(1))
            key.append(flipped(integer))
        } else if let double {
            key.append(UInt8(2))
            key.append(double.bitPattern)
        } else if case .decimal(let decimal) = value {
            key.append(UInt8(3))
            key.append(decimal.canonical.high)
            key.append(decimal.canonical.low)
        }
        return key.bytes
    }

    /// The whole key of the entry of a text in one allocation: the class and property, the text as `encode` writes it, and
    /// the object's key. Nil for a text that is not stored as it is.
    static func entry(_ text: String, of classID: ClassID, _ property: PropertyID, _ key: ObjectKey) -> [UInt8]? {
        var text = text
        return text.withUTF8 { text in
            guard text.count + 2 <= wholeStringLimit, !text.contains(0) else { return nil }
            return [UInt8](unsafeUninitializedCapacity: text.count + 17) { bytes, count in
                let bytes = UnsafeMutableRawBufferPointer(bytes)
                bytes.storeBytes(of: classID.rawValue.bigEndian, toByteOffset: 0, as: UInt32.self)
                bytes.storeBytes(of: property.rawValue.bigEndian, toByteOffset: 4, as: UInt16.self)
                bytes[6] = 1
                UnsafeMutableRawBufferPointer(rebasing: bytes[7...]).copyBytes(from: text)
                bytes[text.count + 7] = 0
                bytes[text.count + 8] = 1
                bytes.storeBytes(
                    of: UInt64(bitPattern: key.rawValue).bigEndian, toByteOffset: text.count + 9, as: UInt64.self)
                count = text.count + 17
            }
        }
    }

    /// Nil for a value that cannot be indexed.
    static func encode(_ value: Value) -> [UInt8]? {
        var key = TreeKey()
        switch value {
        case .null:
            key.append(UInt8(0))
        case .bool(let value):
            key.append(UInt8(1))
            key.append(UInt8(value ? 1 : 0))
        case .int(let value):
            key.append(UInt8(1))
            key.append(flipped(value))
        case .date(let value):
            key.append(UInt8(1))
            key.append(flipped(value.seconds))
            key.append(UInt32(bitPattern: value.nanoseconds) ^ 0x8000_0000)
        case .objectId(let value):
            key.append(UInt8(1))
            key.append(value.high)
            key.append(value.low)
        case .uuid(let value):
            key.append(UInt8(1))
            key.append(value.high)
            key.append(value.low)
        case .string(let value):
            key.append(UInt8(1))
            key.append(contentsOf: encode(value.utf8))
        case .float, .double, .link, .data, .decimal, .reference, .list, .set, .dictionary, .embedded:
            return nil
        }
        return key.bytes
    }

    /// Whether an equal encoding proves an equal value.
    static func isExact(_ value: Value) -> Bool {
        switch value {
        case .string(let text): encode(text.utf8).count <= wholeStringLimit
        case .data(let bytes): encode(bytes).count <= wholeStringLimit
        case .list, .dictionary: false
        default: true
        }
    }

    private static func flipped(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    private static func encode(_ text: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(text.count, wholeStringLimit) + 2)
        for byte in text.prefix(wholeStringLimit) {
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
        if bytes.count + 2 <= wholeStringLimit, text.count <= wholeStringLimit {
            bytes += [0, 1]
            return bytes
        }
        bytes.removeLast(max(0, bytes.count - wholeStringLimit))
        bytes += [0, 2]
        withUnsafeBytes(of: FNV1a.hash(text).bigEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }
}

extension LMDBTransaction {
    /// The origins of the backlinks whose keys start with `prefix`, ascending; each as often as it links.
    func origins(_ database: LMDBDatabase, prefix: [UInt8], upTo limit: Int = .max) throws(LMDBError) -> [ObjectKey] {
        var origins: [ObjectKey] = []
        try scan(database, prefix: prefix) { key, value in
            // No file holds so many links of one object to another: a damaged count must not exhaust the memory.
            for _ in 0..<min(value.linkCount, 1 << 24) { origins.append(key.trailingObjectKey) }
            return origins.count < limit
        }
        return origins
    }
}
