import ObjectModel

/// The description of a class.
public struct ObjectSchema: Equatable, CustomStringConvertible {
    /// The name of the class: Swift's, or the stored one for a class that only the file has.
    public let className: String
    /// The stored properties.
    public let properties: [Property]
    /// The linking-objects properties.
    private let computed: [Property]
    /// The primary key; nil if the class has none.
    public let primaryKeyProperty: Property?
    /// Whether the class derives from `EmbeddedObject`.
    public let isEmbedded: Bool
    /// The Swift class; nil for a class that only the file has.
    public let objectClass: AnyClass?

    init(_ model: ClassModel) {
        className = model.name
        properties = model.properties.filter { !$0.type.isComputed }.map(Property.init)
        computed = model.properties.filter(\.type.isComputed).map(Property.init)
        primaryKeyProperty = model.primaryKey.map(Property.init)
        isEmbedded = model.isEmbedded
        objectClass = model.type
    }

    /// Describes a class that only the store defines.
    init(_ boundClass: BoundClass) {
        className = boundClass.name
        properties = boundClass.properties.filter { !$0.type.isComputed }.map(Property.init)
        computed = boundClass.properties.filter(\.type.isComputed).map(Property.init)
        primaryKeyProperty = boundClass.primaryKey.map(Property.init)
        isEmbedded = boundClass.isEmbedded
        objectClass = nil
    }

    public var description: String {
        "\(className) {\n" + properties.map { "\t" + $0.description.indented }.joined(separator: "\n") + "\n}"
    }

    /// Returns the property with that name, which can also be of linking objects; nil if there is none.
    public subscript(name: String) -> Property? {
        properties.first { $0.name == name } ?? computed.first { $0.name == name }
    }

    public static func == (a: ObjectSchema, b: ObjectSchema) -> Bool {
        a.className == b.className && a.properties == b.properties && a.computed == b.computed
            && a.isEmbedded == b.isEmbedded
    }
}

/// The description of a property.
public struct Property: Equatable, CustomStringConvertible {
    /// The name in Swift.
    public let name: String
    /// The name in the file, which differs from `name` by `propertiesMapping()`.
    public let columnName: String
    /// The type of the value, or of the elements of a collection.
    public let type: PropertyType
    /// Whether the property is a `List`.
    public let isArray: Bool
    /// Whether the property is a `MutableSet`.
    public let isSet: Bool
    /// Whether the property is a `Map`.
    public let isMap: Bool
    /// Whether the property has an index. A primary key has one.
    public let isIndexed: Bool
    /// Whether the value, or an element of the collection, can be null.
    public let isOptional: Bool
    /// The class of linked objects, or of the objects that link here; nil for other types.
    public let objectClassName: String?
    let isPrimaryKey: Bool
    /// The name of the link property that linking objects invert.
    let linkOriginPropertyName: String?

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
        isPrimaryKey = model.isPrimaryKey
        linkOriginPropertyName = PropertyKind(model.type.base).origin
    }

    init(_ bound: BoundProperty) {
        name = bound.name
        columnName = bound.column
        type = PropertyKind(bound.type.base).type
        isArray = bound.type.collection == .list
        isSet = bound.type.collection == .set
        isMap = bound.type.collection == .map
        isIndexed = bound.isIndexed || bound.isPrimaryKey
        isOptional = bound.type.isOptional
        objectClassName = PropertyKind(bound.type.base).className
        isPrimaryKey = bound.isPrimaryKey
        linkOriginPropertyName = PropertyKind(bound.type.base).origin
    }

    public var description: String {
        var lines = ["\(name) {", "\ttype = \(type);"]
        if let objectClassName {
            lines.append("\tobjectClassName = \(objectClassName);")
            lines.append("\tlinkOriginPropertyName = \(linkOriginPropertyName ?? "(null)");")
        }
        lines.append("\tcolumnName = \(columnName);")
        lines.append("\tindexed = \(isIndexed ? "YES" : "NO");")
        lines.append("\tisPrimary = \(isPrimaryKey ? "YES" : "NO");")
        lines.append("\tarray = \(isArray ? "YES" : "NO");")
        lines.append("\tset = \(isSet ? "YES" : "NO");")
        lines.append("\tdictionary = \(isMap ? "YES" : "NO");")
        lines.append("\toptional = \(isOptional ? "YES" : "NO");")
        return lines.joined(separator: "\n") + "\n}"
    }
}

/// The types of values.
public enum PropertyType: Int, Sendable, CustomStringConvertible {
    /// Integers of up to 64 bits.
    case int = 0
    /// `Bool`.
    case bool = 1
    /// `String`.
    case string = 2
    /// `Data`.
    case data = 3
    /// `AnyRealmValue`.
    case any = 9
    /// `Date`.
    case date = 4
    /// `Float`.
    case float = 5
    /// `Double`.
    case double = 6
    /// Links to objects, and embedded objects.
    case object = 7
    /// `LinkingObjects`, which are computed and not stored.
    case linkingObjects = 8
    /// `ObjectId`.
    case objectId = 10
    /// `Decimal128`.
    case decimal128 = 11
    /// `UUID`.
    case UUID = 12

    public var description: String {
        switch self {
        case .int: "int"
        case .bool: "bool"
        case .string: "string"
        case .data: "data"
        case .any: "mixed"
        case .date: "date"
        case .float: "float"
        case .double: "double"
        case .object: "object"
        case .linkingObjects: "linking objects"
        case .objectId: "object id"
        case .decimal128: "decimal128"
        case .UUID: "uuid"
        }
    }
}

/// The base types, with Realm's names.
struct PropertyKind {
    let type: PropertyType
    let text: String
    let className: String?
    let origin: String?

    init(_ base: BaseType) {
        var className: String?
        var origin: String?
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
        case .linkingObjects(let originClass, let property):
            (type, text) = (.linkingObjects, "linking objects")
            className = originClass
            origin = property
        }
        self.className = className
        self.origin = origin
    }
}
