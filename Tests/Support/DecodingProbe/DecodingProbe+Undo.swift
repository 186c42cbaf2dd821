import Columnar
@testable import StoredRecords
import ObjectModel
@testable import QueryExecution
import StoreTesting
import TestBasics

/// Decodes the undo data of a version and applies it to objects that it may not fit at all.
extension DecodingProbe {
    /// One property of each kind that undo distinguishes.
    private static let undoSchema = Schema(
        version: 1,
        classes: ["A", "B"].map { name in
            ClassSchema(
                name,
                properties: [
                    PropertySchema("int", PropertyType(.int)), PropertySchema("any", PropertyType(.mixed)),
                    PropertySchema("list", PropertyType(.mixed, collection: .list)),
                    PropertySchema("set", PropertyType(.mixed, collection: .set)),
                    PropertySchema("map", PropertyType(.mixed, collection: .map)),
                ])
        })

    func readUndo(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = ByteReader(bytes)
        let steps = try UndoRecord.decode(&reader)
        try again(UndoRecord.encode(steps) ?? []) { bytes in
            var reader = ByteReader(bytes)
            // Elements that were inserted side by side may be one step now.
            return try UndoRecord.decode(&reader).count <= steps.count
        }
        // Each by itself: one that does not fit ends the loop.
        for step in steps {
            let changes = try? AsOfChanges(
                since: Version(6), [(ChangeSet(version: Version(7)), [step])], schema: Self.undoSchema,
                clusterCapacity: 64)
            guard let changes else { continue }
            for (_, objects) in changes.classes {
                for (_, column) in objects.columns {
                    precondition(column.values.count == column.keys.values.reduce(0) { $0 + $1.count })
                }
            }
        }
        for isMap in [false, true] {
            let numbers = (0..<5).map { Value.int($0) }
            var elements = AsOfElements(
                isMap
                    ? .dictionary(ValueMap(numbers.enumerated().map { ("\($0.offset)", $0.element) })) : .list(numbers))
            for step in steps { try? elements.revert(step.change) }
            precondition(elements.all.count <= numbers.count + steps.count)
        }
    }

    static func undo(_ random: inout SeededRandom) -> [UInt8] {
        var steps: [UndoStep] = []
        for _ in 0..<random.below(15) {
            let property = PropertyID(UInt16(1 + random.below(6)))
            let position = random.below(random.oneIn(5) ? 300 : 6)
            let change: UndoStep.Change =
                switch random.below(6) {
                case 0: .deleted((0..<5).map { _ in RandomValues.mixed(&random) })
                case 1: .inserted(property, position..<position + 1 + random.below(3))
                case 2: .replaced(property, at: position, old: RandomValues.mixed(&random))
                case 3: .removed(property, at: position, mapKey: nil, old: RandomValues.mixed(&random))
                case 4:
                    .removed(
                        property, at: position, mapKey: RandomValues.mapKey(&random), old: RandomValues.mixed(&random))
                default: .assigned(property, old: RandomValues.mixed(&random))
                }
            steps.append(
                UndoStep(ClassID(UInt32(1 + random.below(2))), ObjectKey(Int64(random.below(200))), change))
        }
        return UndoRecord.encode(steps) ?? []
    }
}
