import ObjectModel
import StoreContract

/// A class of a realm's schema with the Swift model of its objects.
final class BoundClass {
    let id: ClassID
    /// The name in Swift.
    let name: String
    /// The name in the file.
    let storedName: String
    let isEmbedded: Bool
    /// The properties by slot: those of the model in its order, or the stored ones if there is no model.
    let properties: [BoundProperty]
    /// The Swift class; nil for a class that only the store defines, whose objects are dynamic.
    let model: ClassModel?
    let primaryKey: BoundProperty?
    /// For each stored property, in the order of the store's columns: its slot, or its value in a new object if the
    /// model does not have the property.
    let columns: [(slot: Int?, initial: Value)]
    /// The columns' values in a new object for which no values are given; nil if not all are constants.
    let initialRow: [Value]?
    /// The column of each property, by slot; nil for a property that is not stored.
    let columnsBySlot: [Int?]
    /// The target classes of links, by slot.
    let targets: [ClassID?]
    /// The properties whose values belong to their unmanaged object: embedded objects and collections.
    let heldProperties: [BoundProperty]
    /// The cached cells of the objects that are in use.
    let cells: RowAccessorCache
    private let slots: [String: Int]

    init(_ stored: ClassSchema, _ model: ClassModel?) throws {
        id = stored.id
        name = model?.name ?? stored.name
        storedName = stored.name
        isEmbedded = stored.isEmbedded
        self.model = model
        if let model {
            properties = try model.properties.enumerated().map { slot, property in
                guard let column = stored[property.column] else {
                    throw RealmException("Property '\(stored.name).\(property.name)' is not in the Realm's schema.")
                }
                return BoundProperty(slot: slot, name: property.name, column, of: stored)
            }
        } else {
            properties = stored.properties.enumerated().map { BoundProperty(slot: $0, name: $1.name, $1, of: stored) }
        }
        primaryKey = properties.first(where: \.isPrimaryKey)
        let slots = Dictionary(properties.map { ($0.id, $0.slot) }) { first, _ in first }
        let columns = stored.storedProperties.map { (slot: slots[$0.id], initial: $0.initialValue) }
        self.columns = columns
        initialRow = model.flatMap { Self.initialRow(columns, $0) }
        columnsBySlot = properties.map { property in columns.firstIndex { $0.slot == property.slot } }
        targets = properties.map(\.targetClass)
        heldProperties = properties.filter { $0.ownsTarget || $0.type.isCollection }
        cells = RowAccessorCache(id, properties.map(\.id))
        self.slots = Dictionary(properties.map { ($0.name, $0.slot) }) { first, _ in first }
    }

    private static func initialRow(_ columns: [(slot: Int?, initial: Value)], _ model: ClassModel) -> [Value]? {
        var row: [Value] = []
        for column in columns {
            if let slot = column.slot {
                guard let constant = model.properties[slot].constantDefault else { return nil }
                row.append(constant)
            } else {
                row.append(column.initial)
            }
        }
        return row
    }

    subscript(name: String) -> BoundProperty? { slots[name].map { properties[$0] } }

    /// Returns a new instance of the model, or a dynamic object if `type` asks for one or there is no model.
    func instance(as type: ObjectBase.Type) -> ObjectBase {
        if let modelType = model?.type, modelType == type { return modelType.init() }
        return type is DynamicObject.Type ? type.init() : model?.type.init() ?? DynamicObject()
    }
}

/// A property of a realm's class.
struct BoundProperty {
    let slot: Int
    /// The name in Swift.
    let name: String
    /// The stored name.
    let column: String
    let id: PropertyID
    let type: StoredType
    let targetClass: ClassID?
    let originProperty: PropertyID?
    let ownsTarget: Bool
    let isPrimaryKey: Bool
    let isIndexed: Bool

    init(slot: Int, name: String, _ stored: PropertySchema, of objectClass: ClassSchema) {
        self.slot = slot
        self.name = name
        column = stored.name
        id = stored.id
        type = stored.type
        targetClass = stored.targetClass
        originProperty = stored.originProperty
        ownsTarget = stored.ownsTarget
        isPrimaryKey = stored.name == objectClass.primaryKey
        isIndexed = stored.isIndexed
    }

    /// Adds the target class to a link; returns other values unchanged.
    func reference(_ value: Value) -> Value {
        guard case .link(let key) = value, let targetClass else { return value }
        return .reference(ObjectReference(targetClass, key))
    }
}

/// The classes of a realm: those of the store, with the models of the realm's configuration.
final class ModelSet {
    /// The schema with Swift's names and the store's identifiers. Queries are bound against it.
    let schema: StoredSchema
    private let byID: [BoundClass?]
    private let byName: [String: BoundClass]
    private let byType: [ObjectIdentifier: BoundClass]
    /// The classes in the order of the store's schema.
    let all: [BoundClass]
    /// Whether a property has another name in Swift than in the store.
    let renamesProperties: Bool

    init(_ stored: StoredSchema, _ models: [ClassModel]) throws {
        let names = StoredNames(models, in: stored)
        let models = Dictionary(models.map { (names[$0.name], $0) }) { first, _ in first }
        var classes: [BoundClass] = []
        for objectClass in stored.classes { classes.append(try BoundClass(objectClass, models[objectClass.name])) }
        var byID: [BoundClass?] = []
        for boundClass in classes {
            let number = Int(boundClass.id.rawValue)
            while byID.count <= number { byID.append(nil) }
            byID[number] = boundClass
        }
        self.byID = byID
        byType = Dictionary(
            classes.compactMap { boundClass in boundClass.model.map { (ObjectIdentifier($0.type), boundClass) } }
        ) { first, _ in first }
        // A class that the file has by an earlier name has both.
        let named = classes.map { ($0.name, $0) } + classes.map { ($0.storedName, $0) }
        byName = Dictionary(named) { first, _ in first }
        all = classes
        renamesProperties = classes.contains { $0.properties.contains { $0.name != $0.column } }
        schema = stored.renaming {
            models[$0]?.name ?? $0
        } properties: { objectClass, column in
            models[objectClass]?.properties.first { $0.column == column }?.name ?? column
        }
    }

    subscript(id: ClassID) -> BoundClass? {
        let number = Int(id.rawValue)
        return number < byID.count ? byID[number] : nil
    }

    /// The class whose model is exactly this type.
    subscript(type: ObjectBase.Type) -> BoundClass? { byType[ObjectIdentifier(type)] }

    subscript(name: String) -> BoundClass? { byName[name] }
}

extension StoredSchema {
    /// Returns the schema with renamed classes and properties and the same identifiers.
    fileprivate func renaming(
        _ className: (String) -> String, properties name: (_ class: String, _ column: String) -> String
    ) -> StoredSchema {
        StoredSchema(
            version: version,
            numberedClasses: classes.map { stored in
                var objectClass = ClassSchema(
                    className(stored.name), primaryKey: stored.primaryKey.map { name(stored.name, $0) },
                    isEmbedded: stored.isEmbedded, properties: stored.properties)
                for index in objectClass.properties.indices {
                    let property = stored.properties[index]
                    objectClass.properties[index].name = name(stored.name, property.name)
                    switch property.type.base {
                    case .link(let target): objectClass.properties[index].type.base = .link(className(target))
                    case .linkingObjects(let origin, let column):
                        objectClass.properties[index].type.base = .linkingObjects(
                            fromClass: className(origin), property: name(origin, column))
                    default: continue
                    }
                }
                return (objectClass, stored.id, stored.properties.map(\.id), stored.nextPropertyID)
            },
            nextClassID: nextClassID)
    }
}
