import ObjectModel
import QueryLanguage
import StoreContract

/// One piece of work within a group commit: checks the rules, records what changes, and can take everything back.
final class MemberTransaction: WriteTransaction {
    let version: Version
    private var changes: [ClassID: ClassChanges] = [:]
    private let session: WriteSession
    private var journal: [Step] = []

    /// What undoes one change.
    private enum Step {
        case created(ClassID, ObjectKey)
        case assigned(ClassID, ObjectKey, PropertySchema, old: Value)
        case deleted(ClassID, ObjectKey, [Value])
    }

    init(_ session: WriteSession, version: Version) {
        self.session = session
        self.version = version
    }

    /// What the work has done so far.
    var changeSet: ChangeSet { ChangeSet(version: version, classes: changes.filter { !$0.value.isEmpty }) }

    var schema: Schema { session.schema }

    // MARK: Reading

    func count(of classID: ClassID) -> Int { session.state(classID).objectCount }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        _ = try objectClass(classID)
        return try session.exists(classID, key)
    }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        guard let property = try objectClass(classID).primaryKeyProperty else { return nil }
        return try session.lookUp(primaryKey, classID, property).first
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        let objectClass = try existing(classID, key)
        return try session.value(classID, key, stored(property, in: objectClass))
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        try session.queryView().select(query, window)
    }

    // MARK: Changing

    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        let objectClass = try objectClass(classID)
        for id in values.keys { _ = try stored(id, in: objectClass) }
        let properties = objectClass.storedProperties
        var row: [Value] = []
        row.reserveCapacity(properties.count)
        for property in properties {
            let isKey = property.name == objectClass.primaryKey
            guard let value = values[property.id] ?? (isKey && !property.type.isOptional ? nil : property.initialValue)
            else {
                throw StoreError(
                    .missingValue,
                    "Missing value for property '\(objectClass.name).\(property.name)'. Give its primary key.",
                    property: property.name)
            }
            try checkValue(value, property, objectClass)
            if isKey { try checkUnique(value, property, objectClass) }
            row.append(value)
        }
        let key = try session.append(classID, properties, row)
        journal.append(.created(classID, key))
        changes[classID, default: ClassChanges()].recordInsertion(key)
        return key
    }

    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        let objectClass = try existing(classID, key)
        // All are checked before any is assigned, in declaration order so that the first fault reported is
        // always the same one.
        var assignments: [(PropertySchema, Value)] = []
        for id in values.keys.sorted() {
            let property = try stored(id, in: objectClass)
            guard let value = values[id] else { continue }
            try checkValue(value, property, objectClass)
            if property.name == objectClass.primaryKey, try session.value(classID, key, property) != value {
                throw StoreError(
                    .keyImmutable,
                    "Primary key can't be changed after an object is inserted. Delete the object and create a new one.",
                    property: property.name)
            }
            assignments.append((property, value))
        }
        for (property, value) in assignments { try assign(classID, key, property, value) }
    }

    func delete(_ classID: ClassID, _ key: ObjectKey) throws {
        let objectClass = try existing(classID, key)
        for origin in session.schema.classes {
            for property in origin.storedProperties where property.type.isToOneLink && property.targetClass == classID {
                for source in try session.backlinks(to: key, from: origin.id, property.id)
                where (origin.id, source) != (classID, key) {
                    try assign(origin.id, source, property, .null)
                }
            }
        }
        let properties = objectClass.storedProperties
        let values = try properties.map { try session.value(classID, key, $0) }
        journal.append(.deleted(classID, key, values))
        try session.remove(classID, key, properties)
        changes[classID, default: ClassChanges()].recordDeletion(key)
    }

    private func assign(_ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema, _ value: Value) throws {
        journal.append(.assigned(classID, key, property, old: try session.value(classID, key, property)))
        try session.assign(classID, key, property, value)
        changes[classID, default: ClassChanges()].recordModification(key, property.id)
    }

    /// Takes back everything, latest first. Keys given out are not given out again, which keeps the rule that
    /// keys are never reused.
    func rollBack() throws {
        for step in journal.reversed() {
            switch step {
            case .created(let classID, let key):
                try session.remove(classID, key, schema[classID]?.storedProperties ?? [])
            case .assigned(let classID, let key, let property, let old):
                try session.assign(classID, key, property, old)
            case .deleted(let classID, let key, let values):
                try session.restore(classID, key, schema[classID]?.storedProperties ?? [], values)
            }
        }
        journal.removeAll()
        changes.removeAll()
    }

    // MARK: Rules

    private func objectClass(_ classID: ClassID) throws -> ClassSchema {
        guard let objectClass = session.schema[classID] else { throw StoreError.unknownClass(classID) }
        return objectClass
    }

    private func existing(_ classID: ClassID, _ key: ObjectKey) throws -> ClassSchema {
        let objectClass = try objectClass(classID)
        guard try session.exists(classID, key) else { throw StoreError.notFound(key, in: objectClass) }
        return objectClass
    }

    private func stored(_ id: PropertyID, in objectClass: ClassSchema) throws -> PropertySchema {
        guard let property = objectClass[id], property.leafKind != nil else {
            throw StoreError.unknownProperty(id, in: objectClass)
        }
        return property
    }

    private func checkUnique(_ value: Value, _ property: PropertySchema, _ objectClass: ClassSchema) throws {
        guard try session.lookUp(value, objectClass.id, property).isEmpty else {
            throw StoreError(
                .duplicateKey,
                "Attempting to create an object of type '\(objectClass.name)' with an existing primary key value '\(value.text)'.",
                property: property.name)
        }
    }

    private func checkValue(_ value: Value, _ property: PropertySchema, _ objectClass: ClassSchema) throws {
        guard property.type.accepts(value) else {
            throw StoreError(
                .invalidValue,
                "Invalid value of type '\(value.typeName)' for '\(property.type)' property '\(objectClass.name).\(property.name)'.",
                property: property.name)
        }
        switch value {
        case .string(let text) where text.utf8.count > Self.maximumStringBytes:
            throw StoreError(
                .valueTooLarge,
                "String too big: property '\(objectClass.name).\(property.name)' holds at most \(Self.maximumStringBytes) bytes.",
                property: property.name)
        case .link(let target):
            guard let targetClass = property.targetClass, try session.exists(targetClass, target) else {
                throw StoreError(
                    .invalidValue,
                    "Property '\(objectClass.name).\(property.name)' cannot link to an object that does not exist.",
                    property: property.name)
            }
        default:
            break
        }
    }

    /// Realm's limit (data-model.md §1).
    private static let maximumStringBytes = 16_777_199
}

extension Value {
    /// The value as a person reads it in a message; long strings are cut.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .int(let value): String(value)
        case .float(let value): String(value)
        case .double(let value): String(value)
        case .string(let value): value.count > 80 ? value.prefix(80) + "…" : value
        case .date(let value): value.rfc3339
        case .objectId(let value): value.hex
        case .uuid(let value): value.text
        case .link(let value): "object \(value.rawValue)"
        }
    }
}
