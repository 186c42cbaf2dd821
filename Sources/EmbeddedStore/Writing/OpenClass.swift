import Columnar
import ObjectModel

/// A stored property as the writer needs it for every object: no look-ups by name or hash, no copies of the schema.
final class ColumnLayout: Sendable {
    let property: PropertySchema
    let kind: LeafKind
    /// The place among the class's columns.
    let position: Int
    let isPrimaryKey: Bool
    /// Whether the value has entries in the index tree.
    let isIndexed: Bool
    private let isOptional: Bool
    /// What a new object gets when nothing is given; nil for a primary key that must be given.
    let initialValue: Value?

    var id: PropertyID { property.id }
    var isLink: Bool { kind == .link }

    /// Whether the value can be stored as it is; the same as `PropertyType.accepts` without copying the type.
    func accepts(_ value: Value) -> Bool { value.isNull ? isOptional : kind.accepts(value) }

    init(_ property: PropertySchema, kind: LeafKind, position: Int, isPrimaryKey: Bool) {
        self.property = property
        self.kind = kind
        self.position = position
        self.isPrimaryKey = isPrimaryKey
        isIndexed = property.isIndexed || isPrimaryKey
        isOptional = property.type.isOptional
        initialValue = isPrimaryKey && !property.type.isOptional ? nil : property.initialValue
    }
}

/// A class as the writer needs it, with its counters.
final class OpenClass {
    let schema: ClassSchema
    /// The stored properties in declaration order.
    let columns: [ColumnLayout]
    let primaryKey: ColumnLayout?
    var state: ClassState { didSet { isDirty = true } }
    /// Whether the counters differ from what the transaction holds.
    var isDirty = false
    /// Positions by property number; -1 where there is no such stored property.
    private let positions: [Int]

    init(_ schema: ClassSchema, _ state: ClassState) {
        self.schema = schema
        self.state = state
        var columns: [ColumnLayout] = []
        var positions: [Int] = []
        for property in schema.storedProperties {
            guard let kind = property.leafKind else { continue }
            while positions.count <= Int(property.id.rawValue) { positions.append(-1) }
            positions[Int(property.id.rawValue)] = columns.count
            columns.append(
                ColumnLayout(
                    property, kind: kind, position: columns.count, isPrimaryKey: property.name == schema.primaryKey))
        }
        self.columns = columns
        self.positions = positions
        primaryKey = columns.first { $0.isPrimaryKey }
    }

    func column(_ id: PropertyID) -> ColumnLayout? {
        let number = Int(id.rawValue)
        guard number < positions.count, positions[number] >= 0 else { return nil }
        return columns[positions[number]]
    }
}
