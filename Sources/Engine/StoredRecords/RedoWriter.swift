import Columnar
import ObjectModel
import QueryExecution

/// The kinds of steps in a `RedoRecord`.
enum RedoKind: UInt8 {
    case layout = 0
    case created, deleted, assigned, edited, inserted, insertedKey, replaced, removed, moved, recordStored, forgotten,
        pinned, unpinned

    static let sameClass: UInt8 = 16
    static let sameObject: UInt8 = 32
    static let sameProperty: UInt8 = 64
}

/// Collects the steps of one version, in the order of execution.
package final class RedoWriter {
    private var writer = ByteWriter()
    private(set) var stepCount = 0
    private var classID: ClassID?
    private var key = ObjectKey(0)
    private var property: PropertyID?

    package init() {}

    package var bytes: [UInt8] { writer.bytes }

    package func append(_ step: RedoStep) {
        switch step {
        case .layout(let schema):
            begin(.layout)
            writer.data(SchemaRecord.encode(schema))
        case .created(let classID, let key, let row):
            begin(.created, classID, key, nil)
            writer.count(row.count)
            for value in row { append(value) }
        case .deleted(let classID, let key): begin(.deleted, classID, key, nil)
        case .changed(let classID, let key, let property, let change): append(change, classID, key, property)
        case .recordStored(let key, let bytes, let expiry):
            begin(.recordStored)
            writer.data(key)
            writer.data(bytes)
            writer.unsigned(expiry)
        case .forgotten(let key):
            begin(.forgotten)
            writer.data(key)
        case .pinned(let id, let note):
            begin(.pinned)
            writer.data(id)
            writer.data(note)
        case .unpinned(let id):
            begin(.unpinned)
            writer.data(id)
        }
    }

    private func append(_ change: RedoStep.Change, _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) {
        switch change {
        case .assigned(let value, let edit):
            begin(edit == nil ? .assigned : .edited, classID, key, property)
            append(value)
            if let edit { CollectionEditRecord.encode(edit, into: &writer) }
        case .inserted(let value, let mapKey, let position):
            begin(mapKey == nil ? .inserted : .insertedKey, classID, key, property)
            writer.count(position)
            if let mapKey { writer.text(mapKey) }
            append(value)
        case .replaced(let value, let position):
            begin(.replaced, classID, key, property)
            writer.count(position)
            append(value)
        case .removed(let position):
            begin(.removed, classID, key, property)
            writer.count(position)
        case .moved(let from, let to):
            begin(.moved, classID, key, property)
            writer.count(from)
            writer.count(to)
        }
    }

    private func begin(_ kind: RedoKind) {
        stepCount += 1
        writer.byte(kind.rawValue)
    }

    private func begin(_ kind: RedoKind, _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID?) {
        stepCount += 1
        let isSameClass = self.classID == classID
        let expected = kind == .created ? self.key.rawValue &+ 1 : self.key.rawValue
        let isSameObject = isSameClass && key.rawValue == expected
        let isSameProperty = isSameClass && property != nil && property == self.property
        writer.byte(
            kind.rawValue | (isSameClass ? RedoKind.sameClass : 0) | (isSameObject ? RedoKind.sameObject : 0)
                | (isSameProperty ? RedoKind.sameProperty : 0))
        if !isSameClass { writer.unsigned(UInt64(classID.rawValue)) }
        if !isSameObject { writer.signed(key.rawValue &- self.key.rawValue) }
        if let property, !isSameProperty { writer.unsigned(UInt64(property.rawValue)) }
        self.classID = classID
        self.key = key
        if let property { self.property = property }
    }

    /// A set is written as a list: its property says which it is.
    private func append(_ value: Value) {
        if case .set(let elements) = value {
            ValueRecord.encode(.list(elements), into: &writer)
        } else {
            ValueRecord.encode(value, into: &writer)
        }
    }
}

/// Reads the steps that a `RedoWriter` wrote, one after the other.
struct RedoReader {
    private var classID: ClassID?
    private var key = ObjectKey(0)
    private var property: PropertyID?

    mutating func next(_ reader: inout ByteReader) throws(DamagedRecord) -> RedoStep {
        let first = try reader.byte()
        guard first < 128, let kind = RedoKind(rawValue: first & 15) else { throw DamagedRecord() }
        switch kind {
        case .layout: return .layout(try Self.schema(&reader))
        case .recordStored:
            let key = try reader.data()
            let bytes = try reader.data()
            return .recordStored(key, bytes: bytes, expiry: try reader.unsigned())
        case .forgotten: return .forgotten(try reader.data())
        case .pinned:
            let id = try reader.data()
            return .pinned(id: id, note: try reader.data())
        case .unpinned: return .unpinned(id: try reader.data())
        default: break
        }
        let isSameClass = first & RedoKind.sameClass != 0
        if !isSameClass { classID = ClassID(try reader.integer(UInt32.self)) }
        let step = first & RedoKind.sameObject == 0 ? try reader.signed() : kind == .created ? 1 : 0
        let (raw, overflow) = key.rawValue.addingReportingOverflow(step)
        guard let classID, !overflow, raw >= 0, raw < .max else { throw DamagedRecord() }
        key = ObjectKey(raw)
        switch kind {
        case .created:
            var row: [Value] = []
            for _ in 0..<(try reader.count()) { row.append(try ValueRecord.decode(&reader)) }
            return .created(classID, key, row)
        case .deleted: return .deleted(classID, key)
        default: break
        }
        if first & RedoKind.sameProperty == 0 { property = PropertyID(try reader.integer(UInt16.self)) }
        guard let property else { throw DamagedRecord() }
        return .changed(classID, key, property, try Self.change(kind, &reader))
    }

    private static func change(
        _ kind: RedoKind, _ reader: inout ByteReader
    ) throws(DamagedRecord) -> RedoStep.Change {
        switch kind {
        case .assigned: return .assigned(try ValueRecord.decode(&reader), edit: nil)
        case .edited:
            let value = try ValueRecord.decode(&reader)
            return .assigned(value, edit: try CollectionEditRecord.decode(&reader))
        case .inserted:
            let position = try position(&reader)
            return .inserted(try ValueRecord.decode(&reader), mapKey: nil, at: position)
        case .insertedKey:
            let position = try position(&reader)
            let mapKey = try reader.text()
            return .inserted(try ValueRecord.decode(&reader), mapKey: mapKey, at: position)
        case .replaced:
            let position = try position(&reader)
            return .replaced(try ValueRecord.decode(&reader), at: position)
        case .removed: return .removed(at: try position(&reader))
        case .moved:
            let from = try position(&reader)
            return .moved(from: from, to: try position(&reader))
        default: throw DamagedRecord()
        }
    }

    private static func position(_ reader: inout ByteReader) throws(DamagedRecord) -> Int {
        Int(try reader.integer(UInt32.self))
    }

    private static func schema(_ reader: inout ByteReader) throws(DamagedRecord) -> Schema {
        let bytes = try reader.data()
        do {
            return try bytes.withUnsafeBytes { try SchemaRecord.decode($0) }
        } catch {
            throw DamagedRecord()
        }
    }
}
