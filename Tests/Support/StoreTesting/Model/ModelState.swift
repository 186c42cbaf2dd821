import ObjectModel
import StoreContract

/// The content of a model store at one version. A value: a copy is a snapshot.
struct ModelState: Sendable {
    struct Table: Sendable {
        /// Ascending.
        var keys: [ObjectKey] = []
        var rows: [ObjectKey: [PropertyID: Value]] = [:]
        var nextKey: Int64 = 0
        /// The object that was created last with each primary key, which may be deleted by now. Nil once primary keys
        /// can have come otherwise, in a migration: then they are searched for.
        var created: [Value: ObjectKey]? = [:]
    }

    var version: Version
    var tag: HistoryTag
    var schema: Schema
    var tables: [ClassID: Table] = [:]
    /// The side records.
    var records: [[UInt8]: (bytes: [UInt8], expiry: Timestamp)] = [:]

    init(version: Version, _ tag: HistoryTag = .another(), schema: Schema) {
        self.version = version
        self.tag = tag
        self.schema = schema
        for objectClass in schema.classes { tables[objectClass.id] = Table() }
    }

    func objectClass(_ id: ClassID) throws -> ClassSchema {
        guard let found = schema[id] else {
            throw StoreError(.unknownClass, "There is no class number \(id.rawValue).")
        }
        return found
    }

    /// A property that has a column.
    func storedProperty(_ id: PropertyID, of objectClass: ClassSchema) throws -> PropertySchema {
        guard let property = objectClass[id], !property.type.isComputed else {
            throw StoreError(
                .unknownProperty, "Class '\(objectClass.name)' has no stored property number \(id.rawValue).")
        }
        return property
    }

    func row(_ classID: ClassID, _ key: ObjectKey) throws -> [PropertyID: Value] {
        let objectClass = try objectClass(classID)
        guard let row = tables[classID]?.rows[key] else {
            throw StoreError(.notFound, "Class '\(objectClass.name)' has no object with key \(key.rawValue).")
        }
        return row
    }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        let objectClass = try objectClass(classID)
        guard let property = objectClass.primaryKeyProperty else {
            throw StoreError(.unknownProperty, "Class '\(objectClass.name)' has no primary key.")
        }
        guard let table = tables[classID] else { return nil }
        func hasKey(_ key: ObjectKey) -> Bool {
            table.rows[key].map { ($0[property.id] ?? property.type.zeroValue) == primaryKey } ?? false
        }
        guard let created = table.created else { return table.keys.first(where: hasKey) }
        return created[primaryKey].flatMap { hasKey($0) ? $0 : nil }
    }
}

extension ModelState: RowSource {
    func keys(of classID: ClassID) -> [ObjectKey] { tables[classID]?.keys ?? [] }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        _ = try objectClass(classID)
        return tables[classID]?.rows[key] != nil
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        let stored = try storedProperty(property, of: try objectClass(classID))
        return try row(classID, key)[property] ?? stored.type.zeroValue
    }

    /// All elements of a collection, in its order.
    func elements(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> [Value] {
        let objectClass = try objectClass(classID)
        let stored = try storedProperty(property, of: objectClass)
        guard stored.type.isCollection else { throw StoreError.notACollection(stored, of: objectClass) }
        return try value(classID, key, property).elements
    }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        let all = try elements(classID, key, property)
        return Array(all[range.clamped(to: 0..<all.count)])
    }
}

extension StoreError {
    static func notACollection(_ property: PropertySchema, of objectClass: ClassSchema) -> StoreError {
        StoreError(
            .notACollection,
            "Property '\(objectClass.name).\(property.name)' of type '\(property.type)' is not such a collection.",
            property: property.name)
    }
}

extension Value {
    /// The elements of a list or set, the values of a map in the order of its keys; none for other values.
    var elements: [Value] {
        switch self {
        case .list(let elements), .set(let elements): elements
        case .dictionary(let map): map.entries.map(\.value)
        default: []
        }
    }
}
