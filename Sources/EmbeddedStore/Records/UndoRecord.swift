import Columnar
import ObjectModel
import QueryExecution

/// What takes the changes of a version back, as the last section of its record in the change log: the number of steps,
/// then each as it was done.
///
/// A step begins with a byte: what it is in the low three bits, and whether the class (bit 3), the object (4) and the
/// property (5) are those of the step before it. Then class, object, as a distance from the one before it, and property
/// where they are not, and what was there before. Setting an Int takes some 7 bytes here, its neighbour's 5; deleting an object
/// what its values take; creating objects nothing.
enum UndoRecord {
    private enum Kind: UInt8 {
        case assigned = 0
        case deleted, inserted, replaced, removed, removedKey
    }

    /// The section for what the member did; nil when it would be longer than `limit`. Objects that the member created
    /// are left out, and of a property that was assigned what was done to it after that. Cost: a pass over the steps.
    static func encode(_ member: MemberTransaction, limit: Int) -> [UInt8]? {
        var steps = Writer(limit: limit)
        var assigned: Set<Place> = []
        /// Whether what was there before this is not of interest.
        func isSettled(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout?) -> Bool {
            if member.changes[objectClass.schema.id]?.isCreated(key) == true { return true }
            guard let column, !assigned.isEmpty else { return false }
            return assigned.contains(Place(objectClass.schema.id, key, column.id))
        }
        for step in member.journal {
            switch step {
            case .created: continue
            case .assigned(let objectClass, let key, let column, let old):
                if isSettled(objectClass, key, column) { continue }
                assigned.insert(Place(objectClass.schema.id, key, column.id))
                steps.begin(.assigned, objectClass, key, column)
                steps.value(old)
            case .deleted(let objectClass, let key, let values):
                if isSettled(objectClass, key, nil) { continue }
                steps.begin(.deleted, objectClass, key, nil)
                steps.count(values.count)
                for value in values { steps.value(value) }
            case .inserted(let objectClass, let key, let column, let position):
                if isSettled(objectClass, key, column) { continue }
                steps.inserted(objectClass, key, column, position)
            case .replaced(let objectClass, let key, let column, let position, let old):
                if isSettled(objectClass, key, column) { continue }
                steps.begin(.replaced, objectClass, key, column)
                steps.count(position)
                steps.value(old)
            case .removed(let objectClass, let key, let column, let position, let mapKey, let old):
                if isSettled(objectClass, key, column) { continue }
                steps.begin(mapKey == nil ? .removed : .removedKey, objectClass, key, column)
                steps.count(position)
                if let mapKey { steps.text(mapKey) }
                steps.value(old)
            }
            if steps.isFull { return nil }
        }
        return steps.section
    }

    private struct Place: Hashable {
        let classID: ClassID
        let key: ObjectKey
        let property: PropertyID

        init(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) {
            self.classID = classID
            self.key = key
            self.property = property
        }
    }

    private struct Writer {
        private let limit: Int
        private var bytes = ByteWriter()
        private var stepCount = 0
        private var classID: ClassID?
        private var key = ObjectKey(0)
        private var property: PropertyID?
        /// Elements put in side by side, one after the other, are one step, which is written when it ends.
        private var run: Range<Int>?
        /// Whether a value was found that is longer than the limit.
        private var isRefused = false

        init(limit: Int) { self.limit = limit }

        var isFull: Bool { isRefused || bytes.bytes.count > limit }

        var section: [UInt8]? {
            mutating get {
                endRun()
                guard !isFull else { return nil }
                var section = ByteWriter()
                section.count(stepCount)
                section.append(bytes.bytes)
                return section.bytes
            }
        }

        mutating func begin(_ kind: Kind, _ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout?) {
            endRun()
            stepCount += 1
            let isSameClass = classID == objectClass.schema.id
            let isSameObject = isSameClass && self.key == key
            let isSameProperty = isSameClass && column != nil && column?.id == property
            bytes.byte(
                kind.rawValue | (isSameClass ? 8 : 0) | (isSameObject ? 16 : 0) | (isSameProperty ? 32 : 0))
            if !isSameClass {
                bytes.unsigned(UInt64(objectClass.schema.id.rawValue))
                classID = objectClass.schema.id
            }
            if !isSameObject {
                bytes.signed(key.rawValue &- self.key.rawValue)
                self.key = key
            }
            if let column, !isSameProperty {
                bytes.unsigned(UInt64(column.id.rawValue))
                property = column.id
            }
        }

        mutating func inserted(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ position: Int) {
            if let run, classID == objectClass.schema.id, self.key == key, property == column.id,
                position >= run.lowerBound, position <= run.upperBound
            {
                self.run = run.lowerBound..<run.upperBound + 1
                return
            }
            begin(.inserted, objectClass, key, column)
            run = position..<position + 1
        }

        private mutating func endRun() {
            guard let run else { return }
            bytes.count(run.lowerBound)
            bytes.count(run.count)
            self.run = nil
        }

        mutating func count(_ count: Int) { bytes.count(count) }

        mutating func text(_ text: String) { bytes.text(text) }

        mutating func value(_ value: Value) {
            switch value {
            // Each element takes a byte at least; what cannot have a place is not written first.
            case .list(let elements), .set(let elements):
                if elements.count > limit { return isRefused = true }
                ValueRecord.encode(.list(elements), into: &bytes)
            case .dictionary(let map) where map.count > limit: isRefused = true
            case .data(let data) where data.count > limit: isRefused = true
            default: ValueRecord.encode(value, into: &bytes)
            }
        }
    }

    /// The steps as they were done. What they say need not fit any schema.
    static func decode(_ reader: inout ByteReader) throws(DamagedRecord) -> [UndoStep] {
        var steps: [UndoStep] = []
        var classID: ClassID?
        var key = ObjectKey(0)
        var property: PropertyID?
        for _ in 0..<(try reader.count()) {
            let first = try reader.byte()
            guard first < 64, let kind = Kind(rawValue: first & 7) else { throw DamagedRecord() }
            if first & 8 == 0 { classID = ClassID(try reader.integer(UInt32.self)) }
            if first & 16 == 0 {
                let (raw, overflow) = key.rawValue.addingReportingOverflow(try reader.signed())
                guard !overflow, raw >= 0 else { throw DamagedRecord() }
                key = ObjectKey(raw)
            }
            if kind != .deleted, first & 32 == 0 { property = PropertyID(try reader.integer(UInt16.self)) }
            guard let classID else { throw DamagedRecord() }
            steps.append(UndoStep(classID, key, try change(kind, property, &reader)))
        }
        guard reader.isAtEnd else { throw DamagedRecord() }
        return steps
    }

    private static func change(
        _ kind: Kind, _ property: PropertyID?, _ reader: inout ByteReader
    ) throws(DamagedRecord) -> UndoStep.Change {
        if kind == .deleted {
            var values: [Value] = []
            for _ in 0..<(try reader.count()) { values.append(try ValueRecord.decode(&reader)) }
            return .deleted(values)
        }
        guard let property else { throw DamagedRecord() }
        if kind == .assigned { return .assigned(property, old: try ValueRecord.decode(&reader)) }
        let position = Int(try reader.integer(UInt32.self))
        switch kind {
        case .inserted:
            return .inserted(property, position..<position + Int(try reader.integer(UInt32.self)))
        case .replaced: return .replaced(property, at: position, old: try ValueRecord.decode(&reader))
        case .removed:
            return .removed(property, at: position, mapKey: nil, old: try ValueRecord.decode(&reader))
        case .removedKey:
            let mapKey = try reader.text()
            return .removed(property, at: position, mapKey: mapKey, old: try ValueRecord.decode(&reader))
        case .assigned, .deleted: throw DamagedRecord()
        }
    }
}
