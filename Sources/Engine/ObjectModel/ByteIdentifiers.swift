import Basics
import Glibc
import Synchronization

/// A 12-byte identifier in the layout of MongoDB and Realm: 4 bytes of seconds, 5 random bytes, 3 bytes of counter.
package struct ObjectId: Hashable, Comparable, Sendable {
    /// The first 4 bytes, big endian.
    package let high: UInt32
    /// The last 8 bytes, big endian.
    package let low: UInt64

    package init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 24 hexadecimal digits of either case; nil for anything else.
    package init?(hex: some StringProtocol) {
        guard let bytes = decodeHex(hex.utf8), bytes.count == 12 else { return nil }
        self.init(bytes: bytes)
    }

    /// Makes one of exactly 12 bytes; nil for any other number.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 12 else { return nil }
        high = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        low = bytes.dropFirst(4).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A new identifier, unique across processes with overwhelming likelihood and ascending by the second.
    package static func generate() -> ObjectId {
        let number = UInt64(counter.wrappingAdd(1, ordering: .relaxed).oldValue & 0xFF_FFFF)
        return ObjectId(
            high: UInt32(truncatingIfNeeded: Timestamp.now().seconds), low: processPart << 24 | number)
    }

    /// 40 random bits that distinguish this process from others.
    private static let processPart = UInt64.random(in: 0..<1 << 40)
    /// The start leaves room before the counter wraps after 24 bits: until then, generated identifiers ascend.
    private static let counter = Atomic(UInt32.random(in: 0..<1 << 20))

    package var bytes: [UInt8] { bigEndianBytes(high) + bigEndianBytes(low) }

    /// 24 lower-case hexadecimal digits.
    package var hex: String { encodeHex(bytes) }

    package static func < (a: ObjectId, b: ObjectId) -> Bool { a.high != b.high ? a.high < b.high : a.low < b.low }
}

/// A 16-byte UUID, ordered by its bytes.
package struct UUIDValue: Hashable, Comparable, Sendable {
    /// The first 8 bytes, big endian.
    package let high: UInt64
    /// The last 8 bytes, big endian.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the 8-4-4-4-12 form in either case; nil for anything else.
    package init?(text: some StringProtocol) {
        let utf8 = Array(text.utf8)
        guard utf8.count == 36, [8, 13, 18, 23].allSatisfy({ utf8[$0] == 0x2D }),
            let bytes = decodeHex(utf8.enumerated().filter { ![8, 13, 18, 23].contains($0.offset) }.map(\.element))
        else { return nil }
        self.init(bytes: bytes)
    }

    /// Makes one of exactly 16 bytes; nil for any other number.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A random UUID, version 4 of RFC 9562.
    package static func generate() -> UUIDValue {
        let high = UInt64.random(in: UInt64.min...UInt64.max)
        let low = UInt64.random(in: UInt64.min...UInt64.max)
        return UUIDValue(high: high & ~0xF000 | 0x4000, low: low & ~(3 << 62) | (2 << 62))
    }

    package var bytes: [UInt8] { bigEndianBytes(high) + bigEndianBytes(low) }

    /// The 8-4-4-4-12 form in lower case.
    package var text: String {
        let hex = Array(encodeHex(bytes).utf8)
        let parts = [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]]
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    package static func < (a: UUIDValue, b: UUIDValue) -> Bool { a.high != b.high ? a.high < b.high : a.low < b.low }
}

private func bigEndianBytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}
