import ObjectModel
import StoreContract

/// Collects the rows that a snapshot reads, as values.
struct ExportRows: RowSink {
    private var row: [Value]

    /// The rows in the order of the requested keys.
    private(set) var rows: [[Value]] = []

    /// - Parameter width: the number of properties.
    init(width: Int) { row = Array(repeating: .null, count: width) }

    mutating func removeAll() { rows.removeAll(keepingCapacity: true) }

    mutating func beginObject(_ key: ObjectKey) {}
    mutating func null(_ column: Int) { row[column] = .null }
    mutating func bool(_ column: Int, _ value: Bool) { row[column] = .bool(value) }
    mutating func int(_ column: Int, _ value: Int64) { row[column] = .int(value) }
    mutating func float(_ column: Int, _ value: Float) { row[column] = .float(value) }
    mutating func double(_ column: Int, _ value: Double) { row[column] = .double(value) }
    mutating func string(_ column: Int, _ utf8: UnsafeBufferPointer<UInt8>) {
        row[column] = .string(String(decoding: utf8, as: UTF8.self))
    }
    mutating func date(_ column: Int, _ value: Timestamp) { row[column] = .date(value) }
    mutating func objectId(_ column: Int, _ value: ObjectId) { row[column] = .objectId(value) }
    mutating func uuid(_ column: Int, _ value: UUIDValue) { row[column] = .uuid(value) }
    mutating func link(_ column: Int, _ target: ObjectKey) { row[column] = .link(target) }
    mutating func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>) { row[column] = .data(Array(bytes)) }
    mutating func decimal(_ column: Int, _ value: Decimal128) { row[column] = .decimal(value) }
    mutating func value(_ column: Int, _ value: Value) { row[column] = value }
    mutating func endObject() { rows.append(row) }
}
