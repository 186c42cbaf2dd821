import StoredRecords
package import LMDBStorage
import Columnar
package import ObjectModel

/// The counters of a class, besides its leaves.
package struct ClassState: Hashable, Sendable {
    /// The key of the next new object.
    package var nextKey: Int64 = 0
    package var objectCount = 0

    package init() {}

    package init(_ bytes: UnsafeRawBufferPointer) {
        nextKey = Int64(bitPattern: bytes.bigEndian(at: 0, as: UInt64.self))
        objectCount = Int(truncatingIfNeeded: bytes.bigEndian(at: 8, as: UInt64.self))
    }

    package var record: [UInt8] {
        var record = TreeKey(capacity: 16)
        record.append(UInt64(bitPattern: nextKey))
        record.append(UInt64(objectCount))
        return record.bytes
    }

    package func clusterCount(capacity: Int) -> Int { (Int(nextKey) + capacity - 1) / capacity }
}

/// The start state of every transaction: read from the `meta` and `classes` trees.
package struct Catalogue: Sendable {
    package var version: Version
    package var schema: Schema
    package var classes: [ClassID: ClassState]
    package var capacity: Int
    package var history: HistoryRecord

    package init(
        version: Version, schema: Schema, classes: [ClassID: ClassState], capacity: Int, history: HistoryRecord
    ) {
        self.version = version
        self.schema = schema
        self.classes = classes
        self.capacity = capacity
        self.history = history
    }

    /// Throws `LMDBError` or `DamagedRecord`. `known` saves decoding the schema when its bytes are still the same.
    package init(_ transaction: LMDBTransaction, _ trees: Trees, known: KnownSchema? = nil) throws {
        guard let version = try transaction.get(trees.meta, FileFormat.versionKey),
            let schema = try transaction.get(trees.meta, FileFormat.schemaKey),
            let capacity = try transaction.get(trees.meta, FileFormat.capacityKey)
        else { throw DamagedRecord() }
        self.version = Version(version.bigEndian(at: 0))
        history = try HistoryRecord(transaction, trees.meta)
        self.capacity = Int(capacity.bigEndian(at: 0, as: UInt32.self))
        guard self.capacity > 0, self.capacity % 64 == 0, self.capacity <= 65_472 else { throw DamagedRecord() }
        if let known, known.matches(schema) {
            self.schema = known.schema
        } else {
            self.schema = try SchemaRecord.decode(schema)
        }
        var classes: [ClassID: ClassState] = [:]
        try transaction.scan(trees.classes, prefix: []) { key, value in
            classes[ClassID(key.bigEndian(at: 0))] = ClassState(value)
            return true
        }
        self.classes = classes
    }

    package static func versionRecord(_ version: Version) -> [UInt8] {
        var record = TreeKey(capacity: 8)
        record.append(version.rawValue)
        return record.bytes
    }
}

/// A schema together with the record that it was decoded from.
package struct KnownSchema: Sendable {
    package let schema: Schema
    private let record: [UInt8]

    package init(_ schema: Schema) {
        self.schema = schema
        record = SchemaRecord.encode(schema)
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.count == record.count && bytes.hasPrefix(record) }
}
