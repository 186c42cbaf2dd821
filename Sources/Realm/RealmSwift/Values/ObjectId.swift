public import Foundation
import ObjectModel

/// A 12-byte identifier: seconds since 1970, a random part and a counter. Ordered by its bytes.
///
/// ```swift
/// let id = ObjectId.generate()
/// let same = try ObjectId(string: id.stringValue)
/// print(same == id, id.timestamp)
/// ```
public final class ObjectId: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    let raw: StoredObjectId

    init(raw: StoredObjectId) { self.raw = raw }

    /// All bytes zero.
    public init() { raw = StoredObjectId(high: 0, low: 0) }

    /// Creates an identifier from 24 hexadecimal digits. Throws for any other string.
    public init(string: String) throws {
        guard let value = StoredObjectId(hex: string) else {
            throw Realm.Error(.invalidInput, "Invalid Object ID string '\(string)': must be 24 hex digits")
        }
        raw = value
    }

    /// Creates an identifier from a literal of 24 hexadecimal digits. Traps for any other string.
    public convenience init(_ text: StaticString) {
        let value = trapOnError { try ObjectId(string: text.description) }
        self.init(raw: value.raw)
    }

    /// Creates an identifier from the lower three bytes of `machineId`, the lower two of `processId`, and a counter.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let seconds = UInt32(truncatingIfNeeded: Int64(timestamp.timeIntervalSince1970))
        let counter = StoredObjectId.generate().low & 0xFF_FFFF
        let machine = UInt64(truncatingIfNeeded: machineId) & 0xFF_FFFF
        let process = UInt64(truncatingIfNeeded: processId) & 0xFFFF
        raw = StoredObjectId(high: seconds, low: machine << 40 | process << 24 | counter)
    }

    /// Returns a new identifier with the present time.
    public static func generate() -> ObjectId { ObjectId(raw: .generate()) }

    /// The time of its creation, to the second.
    public var timestamp: Date { Date(timeIntervalSince1970: TimeInterval(raw.high)) }

    /// 24 hexadecimal digits.
    public var stringValue: String { raw.hex }

    public var description: String { raw.hex }

    public static func == (a: ObjectId, b: ObjectId) -> Bool { a.raw == b.raw }
    public static func < (a: ObjectId, b: ObjectId) -> Bool { a.raw < b.raw }
    public func hash(into hasher: inout Hasher) { hasher.combine(raw) }

    /// Decodes a string of 24 hexadecimal digits.
    public convenience init(from decoder: any Decoder) throws {
        try self.init(string: decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
