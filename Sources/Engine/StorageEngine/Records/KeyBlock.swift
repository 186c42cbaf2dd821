package import Columnar
package import ObjectModel

/// The objects of 256 neighbouring integer primary keys: the index entry of a class keyed by Int, which has no entry
/// per object.
///
/// Keys that ascend with the objects, as from a counter, are one run: 14 bytes of key and at
/// most 13 of record for 256 objects. The record, by its first byte:
///
///     0  list    number of entries - 1, then for each its offset within the block and its object key
///     1  line    object key - primary key, the same for all, then one bit per offset (32 bytes)
///     2  run     first offset, number of entries - 1, then object key - primary key, the same for all
package struct KeyBlock {
    package static let size = 256

    /// The object keys by offset; -1 where there is no object with that primary key.
    private var keys: [Int64]
    package private(set) var count = 0

    package init() { keys = [Int64](repeating: -1, count: Self.size) }

    /// The number of an integer's block, and its offset in it.
    package static func location(of value: Int64) -> (block: Int64, offset: Int) { (value >> 8, Int(value & 255)) }

    package subscript(offset: Int) -> ObjectKey? {
        get { keys[offset] < 0 ? nil : ObjectKey(keys[offset]) }
        set {
            count += (newValue == nil ? 0 : 1) - (keys[offset] < 0 ? 0 : 1)
            keys[offset] = newValue?.rawValue ?? -1
        }
    }

    /// Returns nil when the block is empty and has no record.
    package func encode(block: Int64) -> [UInt8]? {
        guard let first = keys.firstIndex(where: { $0 >= 0 }) else { return nil }
        let start = block << 8
        let line = keys[first] &- (start &+ Int64(first))
        var isLine = true
        var last = first
        for offset in first..<Self.size where keys[offset] >= 0 {
            last = offset
            if keys[offset] &- (start &+ Int64(offset)) != line { isLine = false }
        }
        var writer = ByteWriter()
        if isLine, last - first + 1 == count {
            writer.byte(2)
            writer.byte(UInt8(first))
            writer.byte(UInt8(count - 1))
            writer.signed(line)
            return writer.bytes
        }
        if isLine, count > 8 {
            writer.byte(1)
            writer.signed(line)
            for word in 0..<Self.size / 64 {
                var bits: UInt64 = 0
                for bit in 0..<64 where keys[word << 6 + bit] >= 0 { bits |= 1 << UInt64(bit) }
                writer.fixed(bits)
            }
            return writer.bytes
        }
        writer.byte(0)
        writer.byte(UInt8(count - 1))
        for offset in first...last where keys[offset] >= 0 {
            writer.byte(UInt8(offset))
            writer.unsigned(UInt64(keys[offset]))
        }
        return writer.bytes
    }

    package init(decoding bytes: UnsafeRawBufferPointer, block: Int64) throws(DamagedRecord) {
        self.init()
        var reader = ByteReader(bytes)
        let start = block << 8
        switch try reader.byte() {
        case 0:
            for _ in 0...Int(try reader.byte()) {
                let offset = Int(try reader.byte())
                self[offset] = ObjectKey(try reader.integer(Int64.self))
            }
        case 1:
            let line = try reader.signed()
            for word in 0..<Self.size / 64 {
                let bits = try reader.fixed()
                for bit in 0..<64 where bits >> UInt64(bit) & 1 != 0 {
                    let offset = word << 6 + bit
                    keys[offset] = start &+ Int64(offset) &+ line
                    count += 1
                }
            }
        case 2:
            let first = Int(try reader.byte())
            let last = first + Int(try reader.byte())
            let line = try reader.signed()
            guard last < Self.size else { throw DamagedRecord() }
            for offset in first...last { keys[offset] = start &+ Int64(offset) &+ line }
            count = last - first + 1
        default: throw DamagedRecord()
        }
        // Also rejects an entry whose key is -1, which represents none.
        guard reader.isAtEnd, keys.allSatisfy({ $0 >= -1 }), keys.count(where: { $0 >= 0 }) == count else {
            throw DamagedRecord()
        }
    }

    /// One entry of a record, without decoding the others.
    static func find(_ value: Int64, in bytes: UnsafeRawBufferPointer) throws(DamagedRecord) -> ObjectKey? {
        let (_, offset) = location(of: value)
        var reader = ByteReader(bytes)
        var found: Int64?
        switch try reader.byte() {
        case 0:
            for _ in 0...Int(try reader.byte()) {
                let other = Int(try reader.byte())
                let key = try reader.integer(Int64.self)
                if other == offset { found = key }
            }
        case 1:
            let line = try reader.signed()
            for word in 0..<size / 64 {
                let bits = try reader.fixed()
                if word == offset >> 6, bits >> UInt64(offset & 63) & 1 != 0 { found = value &+ line }
            }
        case 2:
            let first = Int(try reader.byte())
            let last = first + Int(try reader.byte())
            let line = try reader.signed()
            if first <= offset, offset <= last { found = value &+ line }
        default: throw DamagedRecord()
        }
        guard found ?? 0 >= 0 else { throw DamagedRecord() }
        return found.map { ObjectKey($0) }
    }
}
