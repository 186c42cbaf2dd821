import StoredRecords
package import Columnar
package import ObjectModel

/// What a column stores without a check of anything but the value, as plain data, so that a row is checked without counted
/// references.
struct PlainColumn {
    let kind: LeafKind
    let isOptional: Bool
    /// The class of the objects that a single link leads to; nil for links that own their targets, and for all else.
    let target: ClassID?
}

/// A stored property prepared for the writer: no look-ups by name or hash, no copies of the schema.
package final class ColumnLayout: Sendable {
    package let property: PropertySchema
    package let kind: LeafKind
    /// The position among the class's columns.
    package let position: Int
    let isPrimaryKey: Bool
    /// Whether the value has entries in the index tree.
    package let isIndexed: Bool
    /// Whether these entries are blocks of integers.
    package let usesKeyBlocks: Bool
    /// Whether the words of the value are indexed.
    package let isFullTextIndexed: Bool
    /// Whether values can hold links, which have entries in the backlinks.
    package let holdsLinks: Bool
    let isMixed: Bool
    /// The class that links lead to, unless they are mixed.
    let targetClass: ClassID?
    /// Whether links lead to embedded objects, which belong to the object that holds them.
    package let ownsTarget: Bool
    private let isOptional: Bool
    /// The value of a new object when none is given; nil for a primary key that must be given.
    let initialValue: Value?

    package var id: PropertyID { property.id }

    /// Whether derived data outside the leaf is maintained for the value.
    var hasReferences: Bool { isIndexed || holdsLinks || isFullTextIndexed }

    /// Whether a value can be stored unchanged because its type has no limits or links: the common case, without
    /// further checks.
    package func acceptsPlainly(_ value: Value) -> Bool {
        switch value {
        case .null: isOptional
        case .bool, .int, .float, .double, .date, .objectId, .uuid, .decimal: kind.accepts(value)
        case .string(let text): kind == .string && text.utf8.count <= OverflowTree.limit
        default: false
        }
    }

    fileprivate var plain: PlainColumn {
        PlainColumn(kind: kind, isOptional: isOptional, target: kind == .link && !ownsTarget ? targetClass : nil)
    }

    /// Whether a value that is a run of bytes certainly fits the leaf, without encoding it.
    func staysInLeaf(_ value: Value) -> Bool {
        switch value {
        case .null: true
        case .string(let text): kind == .string && text.utf8.count <= OverflowTree.limit
        case .data(let bytes): kind == .data && bytes.count <= OverflowTree.limit
        default: false
        }
    }

    init(_ property: PropertySchema, kind: LeafKind, position: Int, isPrimaryKey: Bool) {
        self.property = property
        self.kind = kind
        self.position = position
        self.isPrimaryKey = isPrimaryKey
        isIndexed = property.isIndexed || isPrimaryKey
        usesKeyBlocks = isPrimaryKey && kind == .int
        isFullTextIndexed = property.isFullTextIndexed
        isMixed = property.type.isMixed
        holdsLinks = property.type.isMixed || property.type.isLink
        targetClass = property.targetClass
        ownsTarget = property.ownsTarget
        isOptional = property.type.acceptsNull && kind.collection == .single
        initialValue = isPrimaryKey && !property.type.isOptional ? nil : property.initialValue
    }
}

/// A class prepared for the writer, with its counters.
package final class MutableClass {
    package let schema: ClassSchema
    /// The stored properties in declaration order.
    package let columns: [ColumnLayout]
    package let primaryKey: ColumnLayout?
    /// The properties that own embedded objects.
    let owningColumns: [ColumnLayout]
    /// The properties whose values are runs of bytes.
    let byteColumns: [ColumnLayout]
    /// The properties with entries outside the leaves.
    let referenceColumns: [ColumnLayout]
    /// The properties whose values are not stored as they are given.
    let materialisedColumns: [ColumnLayout]
    let plainColumns: [PlainColumn]
    package let isEmbedded: Bool
    package var state: ClassState { didSet { isDirty = true } }
    /// Whether the counters differ from those in the transaction.
    var isDirty = false
    /// Positions by property number; -1 where there is no such stored property.
    private let positions: [Int]

    package init(_ schema: ClassSchema, _ state: ClassState) {
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
        owningColumns = columns.filter { $0.ownsTarget }
        materialisedColumns = columns.filter { $0.ownsTarget || $0.kind == .set }
        plainColumns = columns.map(\.plain)
        byteColumns = columns.filter { $0.kind.isBytes }
        referenceColumns = columns.filter { $0.hasReferences }
        isEmbedded = schema.isEmbedded
    }

    package func column(_ id: PropertyID) -> ColumnLayout? {
        let number = Int(id.rawValue)
        guard number < positions.count, positions[number] >= 0 else { return nil }
        return columns[positions[number]]
    }
}
