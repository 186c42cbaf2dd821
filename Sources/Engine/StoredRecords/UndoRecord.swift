package import Columnar
import ObjectModel
package import QueryExecution

/// The undo data of a version, as the last section of its record in the change log: the number of steps, then each in
/// the order of execution.
///
/// A step begins with a byte: its kind in the low three bits, and whether the class (bit 3), the object (4) and the
/// property (5) are those of the step before it. Where they are not, class, object (as a distance from the one before
/// it) and property follow, and then the old value. Setting an Int takes some 7 bytes here, its neighbour's 5; deleting
/// an object takes as much as its values; creating objects takes nothing.
package enum UndoRecord {
    private enum Kind: UInt8 {
        case assigned = 0
        case deleted, inserted, replaced, removed, removedKey
    }

    /// The section for these steps.
    package static func encode(_ steps: [UndoStep]) -> [UInt8]? {
        var writer = Writer(limit: .max)
        for step in steps { writer.append(step) }
        return writer.section
    }

    /// Collects the steps one by one, in the order of execution.
    package struct Writer {
        private let limit: Int
        private var bytes = ByteWriter()
        private var stepCount = 0
        private var classID: ClassID?
        private var key = ObjectKey(0)
        private var property: PropertyID?
        /// A run of elements inserted side by side is one step, which is written when it ends.
        private var run: Range<Int>?
        /// Whether a value with more elements than the limit has bytes was added.
        private var isRefused = false

        package init(limit: Int) { self.limit = limit }

        package var isFull: Bool { isRefused || bytes.bytes.count > limit }

        /// Nil when the steps exceed the limit.
        package var section: [UInt8]? {
            mutating get {
                endRun()
                guard !isFull else { return nil }
                var section = ByteWriter()
                section.count(stepCount)
                section.append(bytes.bytes)
                return section.bytes
            }
        }

        package mutating func append(_ step: UndoStep) {
            switch step.change {
            case .assigned(let property, let old):
                begin(.assigned, step, property)
                value(old)
            case .deleted(let values):
                begin(.deleted, step, nil)
                bytes.count(values.count)
                for old in values { value(old) }
            case .inserted(let property, let range):
                if let run, classID == step.classID, key == step.key, self.property == property,
                    range.lowerBound >= run.lowerBound, range.lowerBound <= run.upperBound
                {
                    self.run = run.lowerBound..<run.upperBound + range.count
                    return
                }
                begin(.inserted, step, property)
                run = range
            case .replaced(let property, let position, let old):
                begin(.replaced, step, property)
                bytes.count(position)
                value(old)
            case .removed(let property, let position, let mapKey, let old):
                begin(mapKey == nil ? .removed : .removedKey, step, property)
                bytes.count(position)
                if let mapKey { bytes.text(mapKey) }
                value(old)
            }
        }

        private mutating func begin(_ kind: Kind, _ step: UndoStep, _ property: PropertyID?) {
            endRun()
            stepCount += 1
            let isSameClass = classID == step.classID
            let isSameObject = isSameClass && key == step.key
            let isSameProperty = isSameClass && property != nil && property == self.property
            bytes.byte(
                kind.rawValue | (isSameClass ? 8 : 0) | (isSameObject ? 16 : 0) | (isSameProperty ? 32 : 0))
            if !isSameClass {
                bytes.unsigned(UInt64(step.classID.rawValue))
                classID = step.classID
            }
            if !isSameObject {
                bytes.signed(step.key.rawValue &- key.rawValue)
                key = step.key
            }
            if let property, !isSameProperty {
                bytes.unsigned(UInt64(property.rawValue))
                self.property = property
            }
        }

        private mutating func endRun() {
            guard let run else { return }
            bytes.count(run.lowerBound)
            bytes.count(run.count)
            self.run = nil
        }

        private mutating func value(_ value: Value) {
            switch value {
            // Each element takes at least a byte; a value that cannot fit is rejected before it is written.
            case .list(let elements), .set(let elements):
                if elements.count > limit { return isRefused = true }
                ValueRecord.encode(.list(elements), into: &bytes)
            case .dictionary(let map) where map.count > limit: isRefused = true
            case .data(let data) where data.count > limit: isRefused = true
            default: ValueRecord.encode(value, into: &bytes)
            }
        }
    }

    /// The steps in the order of execution. They need not fit any schema.
    package static func decode(_ reader: inout ByteReader) throws(DamagedRecord) -> [UndoStep] {
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
