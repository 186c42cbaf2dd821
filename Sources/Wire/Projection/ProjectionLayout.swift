package import ObjectModel

/// The tables that show the objects of a schema: one for each class, and one for each list, set and map.
package struct ProjectionLayout: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        package let name: String
        package let type: SQLType
    }

    /// The columns of one property, or of the elements of a collection.
    struct Field: Hashable, Sendable {
        let id: PropertyID
        let property: PropertyType
        /// One, or three for a date.
        let columns: [Column]
    }

    package struct Table: Hashable, Sendable {
        package let name: String
        /// The source of the rows, for the comment of the table.
        package let subject: String
        package let columns: [Column]
        /// The columns of the primary key.
        package let key: [String]
        let content: Content
        let classID: ClassID
        /// A column with an index of its own: the class's primary key.
        let indexed: String?
    }

    enum Content: Hashable, Sendable {
        /// A row for each object.
        case objects([Field])
        /// A row for each element.
        case elements(Field)
    }

    /// In the order of the schema.
    package let tables: [Table]

    package init(_ schema: Schema) {
        var names = UniqueNames()
        // Classes first, so that a class keeps its name when a collection's table would have the same.
        let classes = schema.classes.map { ($0, names.add($0.name)) }
        var tables: [Table] = []
        for (model, name) in classes {
            tables.append(Self.table(of: model, named: name))
            for property in model.storedProperties where property.type.collection != .single {
                tables.append(Self.table(of: property, in: model, named: names.add("\(model.name).\(property.name)")))
            }
        }
        self.tables = tables
    }

    private static func table(of model: ClassSchema, named name: String) -> Table {
        var names = UniqueNames()
        var columns = [Column(name: names.add(oid), type: .bigint)]
        var fields: [Field] = []
        var indexed: String?
        for property in model.storedProperties where property.type.collection == .single {
            let field = Field(
                id: property.id, property: property.type,
                columns: Self.columns(for: property.type, named: property.name, &names))
            if property.name == model.primaryKey { indexed = field.columns.first?.name }
            columns += field.columns
            fields.append(field)
        }
        return Table(
            name: name, subject: "class \(model.name)", columns: columns, key: [oid], content: .objects(fields),
            classID: model.id, indexed: indexed)
    }

    private static func table(of property: PropertySchema, in model: ClassSchema, named name: String) -> Table {
        var names = UniqueNames()
        var columns = [
            Column(name: names.add(owner), type: .bigint), Column(name: names.add(position), type: .integer),
        ]
        if property.type.collection == .map { columns.append(Column(name: names.add(key), type: .text)) }
        let element = PropertyType(property.type.base, isOptional: property.type.isOptional)
        let field = Field(
            id: property.id, property: element, columns: Self.columns(for: element, named: "value", &names))
        return Table(
            name: name, subject: "\(property.type.collection.inWords) \(model.name).\(property.name)",
            columns: columns + field.columns, key: [owner, position], content: .elements(field), classID: model.id,
            indexed: nil)
    }

    /// The columns that every table of a class or of a collection has. Properties of the same name get another column.
    static let oid = "_oid"
    static let owner = "_owner"
    static let position = "_index"
    static let key = "_key"

    private static func columns(for type: PropertyType, named name: String, _ names: inout UniqueNames) -> [Column] {
        let first = Column(name: names.add(name), type: SQLType(type.base))
        guard type.base == .date else { return [first] }
        return [
            first, Column(name: names.add(name + ".seconds"), type: .bigint),
            Column(name: names.add(name + ".nanoseconds"), type: .integer),
        ]
    }

    /// A text that two layouts have in common only when their tables are the same.
    package var text: String {
        tables.map { table in
            let columns = table.columns.map { "\($0.name.debugDescription) \($0.type.rawValue)" }
            return "\(table.name.debugDescription) (\(columns.joined(separator: ", ")))"
        }.joined(separator: "\n")
    }
}

extension CollectionKind {
    fileprivate var inWords: String {
        switch self {
        case .single: "property"
        case .list: "list"
        case .set: "set"
        case .map: "map"
        }
    }
}

/// The types of PostgreSQL that values are shown as, with the names that its catalogue has.
package enum SQLType: String, Hashable, Sendable {
    case boolean, integer, bigint, real, text, bytea, numeric, uuid, jsonb
    case double = "double precision"
    case timestamp = "timestamp with time zone"

    init(_ base: BaseType) {
        switch base {
        case .bool: self = .boolean
        case .int, .link, .linkingObjects: self = .bigint
        case .float: self = .real
        case .double: self = .double
        case .string, .objectId: self = .text
        case .data: self = .bytea
        case .date: self = .timestamp
        case .decimal128: self = .numeric
        case .uuid: self = .uuid
        case .mixed: self = .jsonb
        }
    }
}
