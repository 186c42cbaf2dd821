import ObjectModel

/// What a class stores.
public struct ObjectSchema: Equatable {
    public let className: String
    public let properties: [Property]
    public let primaryKeyProperty: Property?
    public let isEmbedded: Bool
    public let objectClass: AnyClass?

    init(_ model: ClassModel) {
        className = model.name
        properties = model.properties.map(Property.init)
        primaryKeyProperty = model.primaryKey.map(Property.init)
        isEmbedded = model.isEmbedded
        objectClass = model.type
    }

    public subscript(name: String) -> Property? { properties.first { $0.name == name } }

    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        a.className == b.className && a.properties == b.properties && a.isEmbedded == b.isEmbedded
    }
}

/// A property of a class.
public struct Property: Equatable {
    public let name: String
    public let columnName: String
    public let type: PropertyType
    public let isArray: Bool
    public let isSet: Bool
    public let isMap: Bool
    public let isIndexed: Bool
    public let isOptional: Bool
    public let objectClassName: String?

    init(_ model: PropertyModel) {
        name = model.name
        columnName = model.column
        type = PropertyKind(model.type.base).type
        isArray = model.type.collection == .list
        isSet = model.type.collection == .set
        isMap = model.type.collection == .map
        isIndexed = model.isIndexed || model.isPrimaryKey
        isOptional = model.type.isOptional
        objectClassName = PropertyKind(model.type.base).className
    }
}

/// The kinds of values.
public enum PropertyType: Int, Sendable {
    case int = 0
    case bool = 1
    case string = 2
    case data = 3
    case any = 9
    case date = 4
    case float = 5
    case double = 6
    case object = 7
    case linkingObjects = 8
    case objectId = 10
    case decimal128 = 11
    case UUID = 12
}

/// What Realm calls the base types.
struct PropertyKind {
    let type: PropertyType
    let text: String
    let className: String?

    init(_ base: BaseType) {
        var className: String?
        switch base {
        case .int: (type, text) = (.int, "int")
        case .bool: (type, text) = (.bool, "bool")
        case .string: (type, text) = (.string, "string")
        case .data: (type, text) = (.data, "data")
        case .mixed: (type, text) = (.any, "mixed")
        case .date: (type, text) = (.date, "date")
        case .float: (type, text) = (.float, "float")
        case .double: (type, text) = (.double, "double")
        case .objectId: (type, text) = (.objectId, "object id")
        case .decimal128: (type, text) = (.decimal128, "decimal128")
        case .uuid: (type, text) = (.UUID, "uuid")
        case .link(let target):
            (type, text) = (.object, "object")
            className = target
        case .linkingObjects(let origin, _):
            (type, text) = (.linkingObjects, "linking objects")
            className = origin
        }
        self.className = className
    }
}
