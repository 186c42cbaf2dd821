import ObjectModel
import StoreContract

/// One value of an exported object.
enum ExportedValue: Equatable {
    case value(Value)
    /// A link, by the primary key of its target.
    case link(primaryKey: Value)
}

/// Collects the rows that a snapshot reads, with links turned into the primary keys of their targets.
struct ExportRows: RowSink {
    private let snapshot: any Snapshot
    private let targets: [(classID: ClassID, key: PropertyID)?]
    private var row: [ExportedValue]
    /// The primary keys of link targets that were looked up; a few airports have most of the flights.
    private var known: [Target: Value] = [:]

    private struct Target: Hashable {
        var classID: ClassID
        var key: ObjectKey
    }

    /// What was read, in the order of the keys asked for.
    private(set) var rows: [[ExportedValue]] = []
    /// The first fault of a look-up, which a sink cannot throw.
    private(set) var fault: (any Error)?

    /// Throws `CommandFailure` for a link whose target has no primary key to write.
    init(_ properties: [PropertySchema], of snapshot: any Snapshot) throws {
        self.snapshot = snapshot
        row = Array(repeating: .value(.null), count: properties.count)
        targets = try properties.map { property in
            guard property.type.isToOneLink else { return nil }
            guard let target = property.targetClass.flatMap({ snapshot.schema[$0] }),
                let key = target.primaryKeyProperty
            else {
                throw CommandFailure(
                    "'\(property.name)' links to a class without a primary key, so its links cannot be exported. Leave it out with --fields."
                )
            }
            return (target.id, key.id)
        }
    }

    mutating func removeAll() { rows.removeAll(keepingCapacity: true) }

    mutating func beginObject(_ key: ObjectKey) {}
    mutating func null(_ column: Int) { row[column] = .value(.null) }
    mutating func bool(_ column: Int, _ value: Bool) { row[column] = .value(.bool(value)) }
    mutating func int(_ column: Int, _ value: Int64) { row[column] = .value(.int(value)) }
    mutating func float(_ column: Int, _ value: Float) { row[column] = .value(.float(value)) }
    mutating func double(_ column: Int, _ value: Double) { row[column] = .value(.double(value)) }
    mutating func string(_ column: Int, _ utf8: UnsafeBufferPointer<UInt8>) {
        row[column] = .value(.string(String(decoding: utf8, as: UTF8.self)))
    }
    mutating func date(_ column: Int, _ value: Timestamp) { row[column] = .value(.date(value)) }
    mutating func objectId(_ column: Int, _ value: ObjectId) { row[column] = .value(.objectId(value)) }
    mutating func uuid(_ column: Int, _ value: UUIDValue) { row[column] = .value(.uuid(value)) }

    mutating func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>) { null(column) }

    mutating func decimal(_ column: Int, _ value: Decimal128) { null(column) }

    mutating func value(_ column: Int, _ value: Value) { null(column) }

    mutating func link(_ column: Int, _ target: ObjectKey) {
        guard let (classID, property) = targets[column] else { return }
        let address = Target(classID: classID, key: target)
        if known[address] == nil {
            do {
                // Bounded, for classes with more targets than fit in memory.
                if known.count >= 100_000 { known.removeAll(keepingCapacity: true) }
                known[address] = try snapshot.value(classID, target, property)
            } catch {
                fault = fault ?? error
            }
        }
        row[column] = .link(primaryKey: known[address] ?? .null)
    }

    mutating func endObject() { rows.append(row) }
}
