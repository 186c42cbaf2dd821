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

    /// The offsets with an object, one bit each.
    private var offsets: SIMD4<UInt64> = .zero
    /// Object key - offset, the same for all entries, as long as there are no `keys`.
    private var base: Int64 = 0
    /// The object keys by offset, where they are not all on one line. Blocks of keys from a counter never need them.
    private var keys: [Int64] = []

    package init() {}

    /// The number of an integer's block, and its offset in it.
    package static func location(of value: Int64) -> (block: Int64, offset: Int) { (value >> 8, Int(value & 255)) }

    package var count: Int { offsets.indices.reduce(0) { $0 + offsets[$1].nonzeroBitCount } }

    package subscript(offset: Int) -> ObjectKey? {
        get { has(offset) ? ObjectKey(key(offset)) : nil }
        set {
            guard let key = newValue?.rawValue else { return offsets[offset >> 6] &= ~(1 << UInt64(offset & 63)) }
            if offsets == .zero {
                base = key &- Int64(offset)
                keys = []
            } else if keys.isEmpty, key &- Int64(offset) != base {
                keys = (0..<Int64(Self.size)).map { base &+ $0 }
            }
            if !keys.isEmpty { keys[offset] = key }
            offsets[offset >> 6] |= 1 << UInt64(offset & 63)
        }
    }

    private func has(_ offset: Int) -> Bool { offsets[offset >> 6] >> UInt64(offset & 63) & 1 != 0 }

    /// The object key of an offset that has one.
    private func key(_ offset: Int) -> Int64 { keys.isEmpty ? base &+ Int64(offset) : keys[offset] }

    private func forEachOffset<E: Error>(_ body: (Int) throws(E) -> Void) throws(E) {
        for index in offsets.indices {
            var word = offsets[index]
            while word != 0 {
                try body(index << 6 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }

    /// The lowest and the highest offset with an object; nil when there is none.
    private var ends: (first: Int, last: Int)? {
        guard let low = offsets.indices.first(where: { offsets[$0] != 0 }),
            let high = offsets.indices.last(where: { offsets[$0] != 0 })
        else { return nil }
        return (low << 6 + offsets[low].trailingZeroBitCount, high << 6 + 63 - offsets[high].leadingZeroBitCount)
    }

    /// Returns nil when the block is empty and has no record.
    package func encode(block: Int64) -> [UInt8]? {
        guard let (first, last) = ends else { return nil }
        let count = self.count
        let base = key(first) &- Int64(first)
        var isLine = true
        if !keys.isEmpty { forEachOffset { if keys[$0] &- Int64($0) != base { isLine = false } } }
        // Enough for a line, and for a list of keys up to billions.
        var writer = ByteWriter(capacity: keys.isEmpty ? 48 : 6 * count)
        if isLine, last - first + 1 == count {
            writer.byte(2)
            writer.byte(UInt8(first))
            writer.byte(UInt8(count - 1))
            writer.signed(base &- block << 8)
        } else if isLine, count > 8 {
            writer.byte(1)
            writer.signed(base &- block << 8)
            for index in offsets.indices { writer.fixed(offsets[index]) }
        } else {
            writer.byte(0)
            writer.byte(UInt8(count - 1))
            forEachOffset {
                writer.byte(UInt8($0))
                writer.unsigned(UInt64(key($0)))
            }
        }
        return writer.bytes
    }

    package init(decoding bytes: UnsafeRawBufferPointer, block: Int64) throws(DamagedRecord) {
        var reader = ByteReader(bytes)
        switch try reader.byte() {
        case 0:
            var (offsets, keys) = (SIMD4<UInt64>.zero, [Int64](repeating: 0, count: Self.size))
            for _ in 0...Int(try reader.byte()) {
                let offset = Int(try reader.byte())
                keys[offset] = try reader.integer(Int64.self)
                offsets[offset >> 6] |= 1 << UInt64(offset & 63)
            }
            (self.offsets, self.keys) = (offsets, keys)
        case 1:
            base = try reader.signed() &+ block << 8
            for index in offsets.indices { offsets[index] = try reader.fixed() }
        case 2:
            let first = Int(try reader.byte())
            let last = first + Int(try reader.byte())
            guard last < Self.size else { throw DamagedRecord() }
            base = try reader.signed() &+ block << 8
            for index in offsets.indices {
                offsets[index] = maskWordLimit(index, last + 1) & ~maskWordLimit(index, first)
            }
        default: throw DamagedRecord()
        }
        // Those between the ends of a line are between their keys.
        if let (first, last) = ends, min(key(first), key(last)) < 0 { throw DamagedRecord() }
        guard reader.isAtEnd else { throw DamagedRecord() }
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
