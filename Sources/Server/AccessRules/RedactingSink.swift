import ObjectModel
import StoreContract

/// Passes rows on with the links that one caller can see.
struct RedactingSink<Sink: RowSink>: RowSink {
    private(set) var sink: Sink
    /// The property of each column whose links may have to be hidden; nil for others.
    private let masked: [PropertySchema?]
    private let redaction: ValueRedaction
    /// The first error; values after it are null.
    private(set) var fault: (any Error)?

    init(_ sink: Sink, _ masked: [PropertySchema?], _ redaction: ValueRedaction) {
        self.sink = sink
        self.masked = masked
        self.redaction = redaction
    }

    var isFull: Bool { sink.isFull }

    mutating func wants(_ size: () throws -> Int) throws -> Bool { try sink.wants(size) }

    mutating func link(_ column: Int, _ target: ObjectKey) {
        guard let property = masked[column] else { return sink.link(column, target) }
        switch shown(.link(target), property) {
        case .link(let key): sink.link(column, key)
        default: sink.null(column)
        }
    }

    mutating func value(_ column: Int, _ value: Value) {
        guard let property = masked[column] else { return sink.value(column, value) }
        let shown = shown(value, property)
        if shown.isNull { sink.null(column) } else { sink.value(column, shown) }
    }

    private mutating func shown(_ value: Value, _ property: PropertySchema) -> Value {
        do {
            return try redaction.shown(value, of: property)
        } catch {
            fault = fault ?? error
            return .null
        }
    }

    mutating func beginObject(_ key: ObjectKey) { sink.beginObject(key) }
    mutating func null(_ column: Int) { sink.null(column) }
    mutating func bool(_ column: Int, _ value: Bool) { sink.bool(column, value) }
    mutating func int(_ column: Int, _ value: Int64) { sink.int(column, value) }
    mutating func float(_ column: Int, _ value: Float) { sink.float(column, value) }
    mutating func double(_ column: Int, _ value: Double) { sink.double(column, value) }
    mutating func string(_ column: Int, _ utf8: UnsafeBufferPointer<UInt8>) { sink.string(column, utf8) }
    mutating func date(_ column: Int, _ value: Timestamp) { sink.date(column, value) }
    mutating func objectId(_ column: Int, _ value: ObjectId) { sink.objectId(column, value) }
    mutating func uuid(_ column: Int, _ value: UUIDValue) { sink.uuid(column, value) }
    mutating func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>) { sink.data(column, bytes) }
    mutating func decimal(_ column: Int, _ value: Decimal128) { sink.decimal(column, value) }
    mutating func endObject() { sink.endObject() }
}

/// Collects the targets of to-one links.
struct TargetCollector: RowSink {
    private let targets: [ClassID?]
    private(set) var found: [ClassID: Set<ObjectKey>] = [:]

    /// - Parameter targets: the target class of each column.
    init(_ targets: [ClassID?]) { self.targets = targets }

    mutating func link(_ column: Int, _ target: ObjectKey) {
        if let classID = targets[column] { found[classID, default: []].insert(target) }
    }

    mutating func beginObject(_ key: ObjectKey) {}
    mutating func null(_ column: Int) {}
    mutating func bool(_ column: Int, _ value: Bool) {}
    mutating func int(_ column: Int, _ value: Int64) {}
    mutating func float(_ column: Int, _ value: Float) {}
    mutating func double(_ column: Int, _ value: Double) {}
    mutating func string(_ column: Int, _ utf8: UnsafeBufferPointer<UInt8>) {}
    mutating func date(_ column: Int, _ value: Timestamp) {}
    mutating func objectId(_ column: Int, _ value: ObjectId) {}
    mutating func uuid(_ column: Int, _ value: UUIDValue) {}
    mutating func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>) {}
    mutating func decimal(_ column: Int, _ value: Decimal128) {}
    mutating func value(_ column: Int, _ value: Value) {}
    mutating func endObject() {}
}
