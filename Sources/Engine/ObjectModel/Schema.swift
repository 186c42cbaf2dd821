/// A property of a class.
package struct PropertySchema: Hashable, Sendable {
    /// The maximum length of a name, in bytes of UTF-8.
    package static let nameLimit = 63

    package var name: String
    package var type: PropertyType
    package var isIndexed: Bool
    /// Whether the words of the text are indexed, for `TEXT`.
    package var isFullTextIndexed: Bool
    /// The value of a new object that gives none; nil means null or the type's zero value.
    package var defaultValue: Value?
    /// The stable number; see `Schema.adoptingIdentities(of:)`.
    package internal(set) var id = PropertyID(0)
    /// The target of a link, or the class that a linking-objects property reads. Set when the schema is numbered.
    package internal(set) var targetClass: ClassID?
    /// For a linking-objects property, the link that it inverts. Set when the schema is numbered.
    package internal(set) var originProperty: PropertyID?
    /// Whether the property links to embedded objects, which it owns. Set when the schema is numbered.
    package internal(set) var ownsTarget = false

    package init(
        _ name: String, _ type: PropertyType, isIndexed: Bool = false, isFullTextIndexed: Bool = false,
        defaultValue: Value? = nil
    ) {
        self.name = name
        self.type = type
        self.isIndexed = isIndexed
        self.isFullTextIndexed = isFullTextIndexed
        self.defaultValue = defaultValue
    }

    /// The value of a new object's property when neither the caller nor the schema gives one: null when optional,
    /// otherwise the type's zero value.
    package var initialValue: Value {
        if let defaultValue { return defaultValue }
        return type.zeroValue
    }
}

extension PropertyType {
    /// An empty collection; for single values null when optional, otherwise zero, false, empty text or data, 1970 or
    /// all-zero bytes.
    package var zeroValue: Value {
        switch collection {
        case .list: return .list([])
        case .set: return .set([])
        case .map: return .dictionary(ValueMap())
        case .single: break
        }
        if isOptional { return .null }
        switch base {
        case .bool: return .bool(false)
        case .int: return .int(0)
        case .float: return .float(0)
        case .double: return .double(0)
        case .string: return .string("")
        case .date: return .date(.epoch)
        case .objectId: return .objectId(ObjectId(high: 0, low: 0))
        case .uuid: return .uuid(UUIDValue(high: 0, low: 0))
        case .data: return .data([])
        case .decimal128: return .decimal(.zero)
        case .link, .linkingObjects, .mixed: return .null
        }
    }
}

extension PropertyType {
    /// Whether the values of a property of type `older` can stay unchanged when this becomes its type.
    package func keepsValues(of older: PropertyType) -> Bool {
        base == older.base && collection == older.collection && (isOptional || !older.isOptional)
    }
}

/// A class: its properties in declaration order.
package struct ClassSchema: Hashable, Sendable {
    /// The maximum length of a name, in bytes of UTF-8.
    package static let nameLimit = 57

    package var name: String
    /// The name of the primary key property.
    package var primaryKey: String?
    package var isEmbedded: Bool
    package var properties: [PropertySchema] { didSet { reindex() } }
    /// The stable number; see `Schema.adoptingIdentities(of:)`.
    package internal(set) var id = ClassID(0)
    /// The number that the next new property gets. It never decreases; 0 when all have been assigned.
    package internal(set) var nextPropertyID: UInt16 = 1

    private var positions: [String: Int] = [:]
    private var positionsByID: [PropertyID: Int] = [:]

    package init(_ name: String, primaryKey: String? = nil, isEmbedded: Bool = false, properties: [PropertySchema]) {
        self.name = name
        self.primaryKey = primaryKey
        self.isEmbedded = isEmbedded
        self.properties = properties
        reindex()
    }

    /// The property of that name. Cost: one hash look-up.
    package subscript(name: String) -> PropertySchema? { positions[name].map { properties[$0] } }

    /// The property with that stable number. Cost: at most one hash look-up, and none in a class that lost no property.
    package subscript(id: PropertyID) -> PropertySchema? {
        let usual = Int(id.rawValue) - 1
        if properties.indices.contains(usual), properties[usual].id == id { return properties[usual] }
        return positionsByID[id].map { properties[$0] }
    }

    /// Whether the class has a property with that stable number, and stores its values. Cost: as that of the subscript,
    /// without a copy of the property.
    package func stores(_ id: PropertyID) -> Bool {
        let usual = Int(id.rawValue) - 1
        let isUsual = properties.indices.contains(usual) && properties[usual].id == id
        guard let position = isUsual ? usual : positionsByID[id] else { return false }
        return !properties[position].type.isComputed
    }

    package var primaryKeyProperty: PropertySchema? { primaryKey.flatMap { self[$0] } }

    /// The properties that are stored, in declaration order.
    package var storedProperties: [PropertySchema] { properties.filter { !$0.type.isComputed } }

    private mutating func reindex() {
        positions = Dictionary(properties.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        positionsByID = Dictionary(properties.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
    }
}

/// The classes of a store.
///
/// Classes and properties have stable numbers, under which columns, indexes and the change log are stored. A newly
/// parsed schema has fresh numbers; a store makes it adopt the numbers of the schema that it replaces. Numbers of two
/// schemas mean the same only if one adopted the other's.
package struct Schema: Hashable, Sendable {
    /// The version that the application gives; it must rise for changes that drop or convert data.
    package var version: UInt64
    package private(set) var classes: [ClassSchema]
    /// The number that the next new class gets. It never decreases.
    package private(set) var nextClassID: UInt32 = 1

    private var positions: [String: Int] = [:]
    private var positionsByID: [ClassID: Int] = [:]

    package static let empty = Schema(version: 0, classes: [])

    /// Assigns fresh numbers: classes from 1 in order, properties of each class from 1 in order.
    package init(version: UInt64, classes: [ClassSchema]) {
        self.version = version
        self.classes = classes
        number(after: nil)
    }

    /// Makes a schema from a store's own record, which has the numbers.
    package init(
        version: UInt64,
        numberedClasses: [(class: ClassSchema, id: ClassID, propertyIDs: [PropertyID], nextPropertyID: UInt16)],
        nextClassID: UInt32
    ) {
        self.version = version
        self.nextClassID = nextClassID
        classes = numberedClasses.map { entry in
            var numbered = entry.class
            numbered.id = entry.id
            numbered.nextPropertyID = entry.nextPropertyID
            var properties = numbered.properties
            for (index, id) in zip(properties.indices, entry.propertyIDs) { properties[index].id = id }
            numbered.properties = properties
            return numbered
        }
        resolve()
    }

    /// The class of that name. Cost: one hash look-up.
    package subscript(name: String) -> ClassSchema? { positions[name].map { classes[$0] } }

    /// The class with that stable number. Cost: at most one hash look-up, and none in a schema that lost no class.
    package subscript(id: ClassID) -> ClassSchema? {
        let usual = Int(id.rawValue) - 1
        if classes.indices.contains(usual), classes[usual].id == id { return classes[usual] }
        return positionsByID[id].map { classes[$0] }
    }

    /// This schema with the numbers of `older` for the classes and properties that both have, by name or after
    /// `renames`, and new numbers for the rest. A property whose values cannot stay unchanged, because it has another
    /// type or no longer accepts null, counts as a new one.
    package func adoptingIdentities(of older: Schema, renames: PropertyRenames = PropertyRenames()) -> Schema {
        var numbered = self
        numbered.number(after: older, renames)
        return numbered
    }

    /// This schema with another number for a property; its former number is not assigned again.
    package func renumbering(_ property: String, of className: String, to id: PropertyID) -> Schema {
        var schema = self
        for index in schema.classes.indices where schema.classes[index].name == className {
            var properties = schema.classes[index].properties
            for position in properties.indices where properties[position].name == property {
                properties[position].id = id
            }
            schema.classes[index].properties = properties
        }
        schema.resolve()
        return schema
    }

    private mutating func number(after older: Schema?, _ renames: PropertyRenames = PropertyRenames()) {
        nextClassID = older?.nextClassID ?? 1
        for index in classes.indices {
            let before = older?[classes[index].name]
            if let before {
                classes[index].id = before.id
            } else {
                classes[index].id = ClassID(nextClassID)
                nextClassID += 1
            }
            classes[index].nextPropertyID = before?.nextPropertyID ?? 1
            var properties = classes[index].properties
            for position in properties.indices {
                let name = renames.oldName(of: properties[position].name, in: classes[index].name)
                if let same = before?[name ?? properties[position].name],
                    properties[position].type.keepsValues(of: same.type)
                {
                    properties[position].id = same.id
                } else {
                    properties[position].id = PropertyID(classes[index].nextPropertyID)
                    // 0 means that the numbers are used up, which is a fault of the schema.
                    if classes[index].nextPropertyID != 0 { classes[index].nextPropertyID &+= 1 }
                }
            }
            classes[index].properties = properties
        }
        resolve()
    }

    /// Fills in the look-up tables and the targets of links.
    private mutating func resolve() {
        positions = Dictionary(classes.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        positionsByID = Dictionary(classes.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
        for index in classes.indices {
            var properties = classes[index].properties
            for position in properties.indices {
                switch properties[position].type.base {
                case .link(let target):
                    properties[position].targetClass = self[target]?.id
                    properties[position].ownsTarget = self[target]?.isEmbedded ?? false
                case .linkingObjects(let fromClass, let origin):
                    properties[position].targetClass = self[fromClass]?.id
                    properties[position].originProperty = self[fromClass]?[origin]?.id
                default:
                    break
                }
            }
            classes[index].properties = properties
        }
    }
}
