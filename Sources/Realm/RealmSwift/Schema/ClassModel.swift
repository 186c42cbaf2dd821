@_spi(Reflection) import Swift
import ObjectModel
import Synchronization

/// The description of a model class, computed once from its stored properties and one instance.
///
/// The standard library's reflection interface gives the offset and type of each field, so that neither a macro nor a
/// registration is needed.
final class ClassModel: Sendable {
    let type: ObjectBase.Type
    let name: String
    /// The Swift class's own name, if `name` is longer by the names of the classes around it; see `StoredNames`.
    let ownName: String?
    let isEmbedded: Bool
    /// Whether its objects are only sent to a gateway.
    let isAsymmetric: Bool
    /// The properties in declaration order, those of base classes first.
    let properties: [PropertyModel]
    /// The byte offsets of the property wrappers, by slot. Empty for a class whose properties have none; see
    /// `_UnwrappedProperty`.
    let offsets: [Int]
    let isUnwrapped: Bool
    /// The slots of the single properties that may hold another object.
    let holdingSlots: [Int]
    private let slots: [String: Int]

    /// Returns the model of a class. Cost: one dictionary lookup, except the first time.
    static func of(_ type: ObjectBase.Type) throws -> ClassModel {
        let id = ObjectIdentifier(type)
        if let known = models.withLock({ $0[id] }) { return known }
        let model = try ClassModel(type)
        models.withLock { $0[id] = model }
        return model
    }

    private static let models = Mutex<[ObjectIdentifier: ClassModel]>([:])

    /// Throws a `RealmException` for classes that cannot be stored.
    private init(_ type: ObjectBase.Type) throws {
        self.type = type
        name = type.className()
        let own = String(describing: type)
        ownName = name != own && name == NestedName.of(type) ? own : nil
        isEmbedded = type is EmbeddedObject.Type
        isAsymmetric = type is AsymmetricObject.Type
        let mapping = type.propertiesMapping()
        let sample = type.init()
        let base = UnsafeRawPointer(Unmanaged.passUnretained(sample).toOpaque())
        var found: [PropertyModel] = []
        let fields = Field.all(of: type)
        let isUnwrapped = !fields.contains { $0.type is any _PersistedProperty.Type }
        let ignored = isUnwrapped ? ClassModel.ignoredProperties(of: type) : []
        let declaredKey = (type as? Object.Type)?.primaryKey() ?? (type as? AsymmetricObject.Type)?.primaryKey()
        let indexed = Set((type as? Object.Type)?.indexedProperties() ?? [])
        for field in fields where !ignored.contains(field.name) {
            let bare = isUnwrapped ? field.type as? any _UnwrappedProperty.Type : nil
            guard let wrapper = bare?._wrapper ?? field.type as? any _PersistedProperty.Type else { continue }
            // That of a wrapper begins with an underscore that the property's does not have.
            let label = bare == nil && field.name.hasPrefix("_") ? String(field.name.dropFirst()) : field.name
            var marks = wrapper.marks(at: base + field.offset)
            if label == declaredKey { marks.isPrimaryKey = true }
            if indexed.contains(label) { marks.isIndexed = true }
            found.append(
                PropertyModel(
                    name: label, column: mapping[label] ?? label, offset: field.offset, wrapper: wrapper, marks: marks))
        }
        withExtendedLifetime(sample) {}
        if found.isEmpty {
            throw RealmException(
                "No properties are defined for '\(name)'. Did you remember to mark them with '@Persisted'?")
        }
        if let declaredKey, !found.contains(where: { $0.name == declaredKey }) {
            throw RealmException("Primary key property '\(declaredKey)' does not exist on object '\(name)'")
        }
        if let leading = found.first(where: { $0.linked is AsymmetricObject.Type }) {
            throw RealmException(
                "Property '\(name).\(leading.name)' of type '\(leading.type)' cannot be a link to an asymmetric object."
            )
        }
        let keys = found.filter(\.isPrimaryKey)
        if isAsymmetric, keys.isEmpty {
            throw RealmException("There must be a primary key property on the asymmetric class '\(name)'.")
        }
        if keys.count > 1 {
            throw RealmException(
                "Properties '\(keys[0].name)' and '\(keys[1].name)' are both marked as the primary key of '\(name)'")
        }
        properties = found
        offsets = isUnwrapped ? [] : found.map(\.offset)
        self.isUnwrapped = isUnwrapped
        holdingSlots = found.indices.filter {
            found[$0].type.collection == .single && (found[$0].type.isLink || found[$0].type.isMixed)
        }
        slots = Dictionary(found.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
    }

    private static func ignoredProperties(of type: ObjectBase.Type) -> Set<String> {
        Set(
            (type as? Object.Type)?.ignoredProperties() ?? (type as? EmbeddedObject.Type)?.ignoredProperties()
                ?? (type as? AsymmetricObject.Type)?.ignoredProperties() ?? [])
    }

    var primaryKey: PropertyModel? { properties.first(where: \.isPrimaryKey) }

    func slot(of name: String) -> Int? { slots[name] }

    /// The class with stored names, for the store's schema.
    var schema: ClassSchema {
        ClassSchema(
            name, primaryKey: primaryKey?.column, isEmbedded: isEmbedded, properties: properties.map(\.schema))
    }
}

/// One `@Persisted` property of a class.
struct PropertyModel: Sendable {
    /// The name in Swift.
    let name: String
    /// The stored name.
    let column: String
    /// The byte offset of the wrapper in an instance.
    let offset: Int
    let wrapper: any _PersistedProperty.Type
    let isPrimaryKey: Bool
    let isIndexed: Bool
    let type: StoredType
    let linked: ObjectBase.Type?
    /// The type, if its values are mostly plain values.
    let plain: (any PlainValue.Type)?
    /// The default value of a new object, if it is a constant plain value.
    let plainDefault: Value?
    /// Whether the class declares a default.
    let hasDefault: Bool

    init(name: String, column: String, offset: Int, wrapper: any _PersistedProperty.Type, marks: PersistedMarks) {
        self.name = name
        self.column = column
        self.offset = offset
        self.wrapper = wrapper
        isPrimaryKey = marks.isPrimaryKey
        isIndexed = marks.isIndexed
        plain = wrapper.isUnwrapped ? nil : wrapper.valueType as? any PlainValue.Type
        hasDefault = marks.hasDefault
        plainDefault = marks.hasDefault ? nil : plain?.plainDefault
        let stored = wrapper.valueType._propertyType
        var type = stored.type
        linked = stored.linked
        if case .linkingObjects = type.base, let linked, let origin = marks.origin {
            let column = linked.propertiesMapping()[origin] ?? origin
            type.base = .linkingObjects(fromClass: linked.className(), property: column)
        }
        self.type = type
    }

    var schema: PropertySchema { PropertySchema(column, type, isIndexed: isIndexed && !isPrimaryKey) }

    /// The stored value in a new object for which none is given, if it is a constant.
    var constantDefault: Value? {
        if let plainDefault { return plainDefault }
        return type.isCollection && !hasDefault ? type.zeroValue : nil
    }

    func context(in className: String) -> _PropertyContext {
        _PropertyContext(className: className, property: name, type: type)
    }
}

/// A stored property of a class with its byte offset.
struct Field {
    let name: String
    let offset: Int
    let type: Any.Type

    /// `_EachFieldOptions.classType`, which is declared as a variable.
    private static let classFields: UInt32 = 1

    /// Returns the fields in declaration order, those of base classes first.
    static func all(of type: AnyClass) -> [Field] {
        var fields: [Field] = []
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: classFields)) { name, offset, type, _ in
            fields.append(Field(name: String(cString: name), offset: offset, type: type))
            return true
        }
        return fields
    }
}
