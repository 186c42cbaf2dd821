import JSONCoding
import ObjectModel

/// Writes rows of one table as a JSON array, in parts that one statement takes.
struct RowText {
    private let table: ProjectionLayout.Table
    private let schema: Schema
    private let writer = JSONWriter()
    private var names: [[UInt8]] = []
    private var next = 0
    private(set) var rows = 0

    /// After so many bytes a part is sent.
    static let limit = 1 << 20

    init(_ table: ProjectionLayout.Table, _ schema: Schema) {
        self.table = table
        self.schema = schema
        names = table.columns.map { JSONWriter.escapedName($0.name) }
    }

    var isEmpty: Bool { rows == 0 }
    var isFull: Bool { writer.count >= Self.limit }

    /// The rows since the last call.
    mutating func takeBytes() -> [UInt8] {
        writer.endArray()
        defer {
            writer.removeAll()
            rows = 0
        }
        return writer.bytes
    }

    mutating func begin(_ key: ObjectKey) {
        if rows == 0 { writer.beginArray() }
        rows += 1
        writer.beginObject()
        next = 0
        name()
        writer.int(key.rawValue)
    }

    mutating func end() { writer.endObject() }

    mutating func position(_ index: Int) {
        name()
        writer.int(index)
    }

    mutating func text(_ text: String) {
        name()
        writer.string(text.utf8.contains(0) ? text.replacingZeros : text)
    }

    private mutating func name() {
        writer.name(escaped: names[next])
        next += 1
    }

    /// Writes a value into the columns of its field.
    mutating func value(_ value: Value, _ field: ProjectionLayout.Field) {
        if field.property.base == .date { return date(value) }
        name()
        switch value {
        case .null: writer.null()
        // A mixed value is JSON in JSON: jsonb has the inner one.
        case _ where field.property.base == .mixed: mixed(value.replacingZeros)
        case .string(let text): writer.string(text.utf8.contains(0) ? text.replacingZeros : text)
        case .data(let bytes): writer.plainString(Self.hexadecimal(bytes))
        default: writer.value(value)
        }
    }

    private func mixed(_ value: Value) {
        let schema = schema
        writer.mixed(value) { [writer] link in
            guard case .reference(let target) = link else { return writer.null() }
            writer.link(class: schema[target.classID]?.name ?? "", key: target.key)
        }
    }

    /// A date is a point in time for people, in microseconds, and exact numbers beside it.
    private mutating func date(_ value: Value) {
        guard case .date(let date) = value else {
            for _ in 0..<3 {
                name()
                writer.null()
            }
            return
        }
        let (seconds, fraction) = date.floored
        name()
        if seconds < Self.firstSecond {
            writer.plainString("-infinity")
        } else if seconds > Self.lastSecond {
            writer.plainString("infinity")
        } else {
            writer.date(Timestamp(floorSeconds: seconds, fraction: fraction / 1000 * 1000))
        }
        name()
        writer.int(date.seconds)
        name()
        writer.int(Int(date.nanoseconds))
    }

    /// The years 1 to 9999, whose dates every program can read.
    private static let firstSecond: Int64 = -62_135_596_800
    private static let lastSecond: Int64 = 253_402_300_799

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text = Array("\\\\x".utf8)
        text.reserveCapacity(3 + 2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Value {
    /// The value with no zero bytes in its texts; see `String.replacingZeros`.
    fileprivate var replacingZeros: Value {
        switch self {
        case .string(let text) where text.utf8.contains(0): .string(text.replacingZeros)
        case .list(let elements): .list(elements.map(\.replacingZeros))
        case .dictionary(let map):
            .dictionary(ValueMap(map.entries.map { ($0.key.replacingZeros, $0.value.replacingZeros) }))
        default: self
        }
    }
}
