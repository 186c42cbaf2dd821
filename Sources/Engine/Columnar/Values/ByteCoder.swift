/// Writes the small records of a file: little-endian base-128 integers and length-prefixed text.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// A writer that has memory for that many bytes.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    package mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package mutating func count(_ value: Int) { unsigned(UInt64(value)) }

    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    package mutating func fixed(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func fixed32(_ value: UInt32) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func text(_ value: String) {
        count(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    /// Writes small numbers of either sign in few bytes.
    package mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    package mutating func data(_ value: [UInt8]) {
        count(value.count)
        bytes.append(contentsOf: value)
    }

    package mutating func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }
}

/// A record whose bytes do not follow the format.
package struct DamagedRecord: Error {
    package init() {}
}

/// Reads the output of `ByteWriter`; throws `DamagedRecord` where the bytes end early or are invalid.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    /// The number of bytes that have been read.
    package var offset: Int { position }

    package mutating func byte() throws(DamagedRecord) -> UInt8 {
        guard position < bytes.count else { throw DamagedRecord() }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func unsigned() throws(DamagedRecord) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 64 else { throw DamagedRecord() }
            value |= UInt64(next & 0x7F) << shift
            if next & 0x80 == 0 { return value }
            shift += 7
        }
    }

    /// The number of elements that follow, each at least one byte long.
    package mutating func count() throws(DamagedRecord) -> Int {
        let value = try unsigned()
        guard value <= UInt64(bytes.count - position) else { throw DamagedRecord() }
        return Int(value)
    }

    package mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(DamagedRecord) -> T {
        guard let value = T(exactly: try unsigned()) else { throw DamagedRecord() }
        return value
    }

    /// The same, for the type of all keys: other modules call the generic function with its type, which takes ten times
    /// as long.
    package mutating func integer(_: Int64.Type) throws(DamagedRecord) -> Int64 {
        let value = try unsigned()
        guard value <= UInt64(Int64.max) else { throw DamagedRecord() }
        return Int64(value)
    }

    package mutating func fixed() throws(DamagedRecord) -> UInt64 {
        guard position + 8 <= bytes.count else { throw DamagedRecord() }
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    package mutating func fixed32() throws(DamagedRecord) -> UInt32 {
        guard position + 4 <= bytes.count else { throw DamagedRecord() }
        defer { position += 4 }
        return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    }

    package mutating func signed() throws(DamagedRecord) -> Int64 {
        let bits = try unsigned()
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    package mutating func data() throws(DamagedRecord) -> [UInt8] { Array(try span()) }

    /// The bytes of a text or of data, borrowed.
    mutating func span() throws(DamagedRecord) -> UnsafeBufferPointer<UInt8> {
        let length = try count()
        defer { position += length }
        guard let start = bytes.baseAddress else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: (start + position).assumingMemoryBound(to: UInt8.self), count: length)
    }

    mutating func skip(_ length: Int) throws(DamagedRecord) {
        guard length >= 0, length <= bytes.count - position else { throw DamagedRecord() }
        position += length
    }

    package mutating func text() throws(DamagedRecord) -> String {
        guard let text = String(validating: try span(), as: UTF8.self) else { throw DamagedRecord() }
        return text
    }
}
