/// Writes the small records of the file: little-endian base-128 integers and length-prefixed text.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func count(_ value: Int) { unsigned(UInt64(value)) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func fixed(_ value: UInt64) { withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) } }

    mutating func text(_ value: String) {
        count(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }
}

/// A record whose bytes are not what the format says.
struct DamagedRecord: Error {}

/// Reads what `ByteWriter` wrote; throws `DamagedRecord` where the bytes end early or make no sense.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(DamagedRecord) -> UInt8 {
        guard position < bytes.count else { throw DamagedRecord() }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func unsigned() throws(DamagedRecord) -> UInt64 {
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

    /// A number of things that follow, each at least one byte long.
    mutating func count() throws(DamagedRecord) -> Int {
        let value = try unsigned()
        guard value <= UInt64(bytes.count - position) else { throw DamagedRecord() }
        return Int(value)
    }

    mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(DamagedRecord) -> T {
        guard let value = T(exactly: try unsigned()) else { throw DamagedRecord() }
        return value
    }

    mutating func fixed() throws(DamagedRecord) -> UInt64 {
        guard position + 8 <= bytes.count else { throw DamagedRecord() }
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    mutating func text() throws(DamagedRecord) -> String {
        let length = try count()
        defer { position += length }
        guard let text = String(validating: bytes[position..<position + length], as: UTF8.self) else {
            throw DamagedRecord()
        }
        return text
    }
}
