import ObjectModel
import QueryLanguage
import StoreContract

/// One piece of work on a model store: changes a copy of the state, which the writer keeps or drops.
final class ModelTransaction: WriteTransaction {
    /// The longest string that Realm stores, in bytes.
    private static let stringBytesMax = 16_777_199

    private(set) var state: ModelState
    private(set) var changes: [ClassID: ClassChanges] = [:]

    init(_ base: ModelState) {
        state = base
        state.version = base.version.next
    }

    var schema: Schema { state.schema }
    var version: Version { state.version }

    var changeSet: ChangeSet { ChangeSet(version: version, classes: changes.filter { !$0.value.isEmpty }) }

    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        let objectClass = try state.objectClass(classID)
        try check(values, for: objectClass)
        if let primaryKey = objectClass.primaryKeyProperty {
            guard let value = values[primaryKey.id] ?? (primaryKey.type.isOptional ? .null : nil) else {
                throw StoreError(
                    .missingValue, "Give a value for the primary key '\(objectClass.name).\(primaryKey.name)'.",
                    property: primaryKey.name)
            }
            if try state.key(of: classID, primaryKey: value) != nil {
                throw StoreError(
                    .duplicateKey, "Class '\(objectClass.name)' has an object with this primary key already.",
                    property: primaryKey.name)
            }
        }
        var row: [PropertyID: Value] = [:]
        for property in objectClass.storedProperties {
            row[property.id] = values[property.id] ?? property.initialValue
        }
        var table = state.tables[classID] ?? ModelState.Table()
        let key = ObjectKey(table.nextKey)
        table.nextKey += 1
        table.keys.append(key)
        table.rows[key] = row
        state.tables[classID] = table
        changes[classID, default: ClassChanges()].recordInsertion(key)
        return key
    }

    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        let objectClass = try state.objectClass(classID)
        let row = try state.row(classID, key)
        try check(values, for: objectClass)
        if let primaryKey = objectClass.primaryKeyProperty, let value = values[primaryKey.id],
            value != row[primaryKey.id]
        {
            throw StoreError(
                .keyImmutable,
                "The primary key '\(objectClass.name).\(primaryKey.name)' of an object cannot be changed.",
                property: primaryKey.name)
        }
        for (property, value) in values {
            state.tables[classID]?.rows[key]?[property] = value
            changes[classID, default: ClassChanges()].recordModification(key, property)
        }
    }

    func delete(_ classID: ClassID, _ key: ObjectKey) throws {
        _ = try state.row(classID, key)
        for origin in schema.classes {
            for link in origin.properties where link.type.isToOneLink && link.targetClass == classID {
                for holder in try state.backlinks(to: key, from: origin.id, link.id) {
                    state.tables[origin.id]?.rows[holder]?[link.id] = .null
                    changes[origin.id, default: ClassChanges()].recordModification(holder, link.id)
                }
            }
        }
        state.tables[classID]?.rows[key] = nil
        state.tables[classID]?.keys.removeAll { $0 == key }
        changes[classID, default: ClassChanges()].recordDeletion(key)
    }

    func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool { false }

    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int { 0 }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] { [] }

    func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] { [] }

    func count(of classID: ClassID) -> Int { state.keys(of: classID).count }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { try state.exists(classID, key) }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try state.key(of: classID, primaryKey: primaryKey)
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try state.value(classID, key, property)
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        _ = try state.objectClass(query.classID)
        return try ReferenceEvaluator(state).select(query, window)
    }

    /// Everything that can be wrong with assigned values, before anything is changed.
    private func check(_ values: [PropertyID: Value], for objectClass: ClassSchema) throws {
        for (id, value) in values {
            guard let property = objectClass[id] else {
                throw StoreError(
                    .unknownProperty, "Class '\(objectClass.name)' has no property number \(id.rawValue).")
            }
            guard !property.type.isComputed, property.type.accepts(value) else {
                throw StoreError(
                    .invalidValue,
                    "Property '\(objectClass.name).\(property.name)' of type '\(property.type)' does not take a value of type '\(value.typeName)'.",
                    property: property.name)
            }
            if case .link(let target) = value {
                guard let targetClass = property.targetClass, try state.exists(targetClass, target) else {
                    throw StoreError(
                        .invalidValue,
                        "Property '\(objectClass.name).\(property.name)' cannot link to object \(target.rawValue), which does not exist.",
                        property: property.name)
                }
            }
            if case .string(let text) = value, text.utf8.count > Self.stringBytesMax {
                throw StoreError(
                    .valueTooLarge,
                    "The text for '\(objectClass.name).\(property.name)' is longer than \(Self.stringBytesMax) bytes.",
                    property: property.name)
            }
        }
    }
}
