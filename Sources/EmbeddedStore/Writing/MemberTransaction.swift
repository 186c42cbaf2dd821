import ObjectModel
import QueryLanguage
import StoreContract

/// One piece of work within a group commit: checks the rules, records what changes, and can take everything back.
final class MemberTransaction: WriteTransaction {
    let version: Version
    private var changes: [ClassID: ClassChangeRecorder] = [:]
    private let session: WriteSession
    private var journal: [Step] = []

    /// What undoes one change.
    private enum Step {
        case created(OpenClass, ObjectKey)
        case assigned(OpenClass, ObjectKey, ColumnLayout, old: Value)
        case deleted(OpenClass, ObjectKey, [Value])
    }

    init(_ session: WriteSession, version: Version) {
        self.session = session
        self.version = version
    }

    /// What the work has done so far.
    var changeSet: ChangeSet {
        ChangeSet(version: version, classes: changes.mapValues(\.changes).filter { !$0.value.isEmpty })
    }

    var schema: Schema { session.schema }

    // MARK: Reading

    func count(of classID: ClassID) -> Int { session.objectClass(classID)?.state.objectCount ?? 0 }

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { try session.exists(objectClass(classID), key) }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        let objectClass = try objectClass(classID)
        guard let column = objectClass.primaryKey else { return nil }
        return try session.lookUp(primaryKey, objectClass, column)
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        let objectClass = try existing(classID, key)
        return try session.value(objectClass, key, column(property, objectClass))
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        try session.queryView().select(query, window)
    }

    func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int { 0 }

    func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] { [] }

    func backlinks(to key: ObjectKey, from origin: ClassID, _ property: PropertyID) throws -> [ObjectKey] {
        try session.backlinks(to: key, from: origin, property)
    }

    // MARK: Changing

    func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool { false }

    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        let objectClass = try objectClass(classID)
        var row: [Value] = []
        row.reserveCapacity(objectClass.columns.count)
        var used = 0
        for column in objectClass.columns {
            let given = values[column.id]
            if given != nil { used += 1 }
            guard let value = given ?? column.initialValue else {
                throw StoreError(
                    .missingValue,
                    "Missing value for property '\(objectClass.schema.name).\(column.property.name)'. Give its primary key.",
                    property: column.property.name)
            }
            try checkValue(value, column, objectClass)
            if column.isPrimaryKey { try checkUnique(value, column, objectClass) }
            row.append(value)
        }
        if used < values.count { for id in values.keys { _ = try column(id, objectClass) } }
        let key = try session.append(objectClass, row)
        journal.append(.created(objectClass, key))
        changes[classID, default: ClassChangeRecorder()].recordInsertion(key)
        return key
    }

    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        let objectClass = try existing(classID, key)
        // All are checked before any is assigned, in a fixed order so that the first fault reported is always
        // the same one.
        var assignments: [(ColumnLayout, Value)] = []
        for id in values.keys.sorted() {
            let column = try column(id, objectClass)
            guard let value = values[id] else { continue }
            try checkValue(value, column, objectClass)
            if column.isPrimaryKey, try session.value(objectClass, key, column) != value {
                throw StoreError(
                    .keyImmutable,
                    "Primary key can't be changed after an object is inserted. Delete the object and create a new one.",
                    property: column.property.name)
            }
            assignments.append((column, value))
        }
        for (column, value) in assignments { try assign(objectClass, key, column, value) }
    }

    func delete(_ classID: ClassID, _ key: ObjectKey) throws {
        let objectClass = try existing(classID, key)
        for origin in session.schema.classes {
            guard origin.properties.contains(where: { $0.targetClass == classID }),
                let other = session.objectClass(origin.id)
            else {
                continue
            }
            for column in other.columns where column.isLink && column.property.targetClass == classID {
                for source in try session.backlinks(to: key, from: origin.id, column.id)
                where (origin.id, source) != (classID, key) {
                    try assign(other, source, column, .null)
                }
            }
        }
        journal.append(
            .deleted(objectClass, key, try objectClass.columns.map { try session.value(objectClass, key, $0) }))
        try session.remove(objectClass, key)
        changes[classID, default: ClassChangeRecorder()].recordDeletion(key)
    }

    private func assign(_ objectClass: OpenClass, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        journal.append(.assigned(objectClass, key, column, old: try session.value(objectClass, key, column)))
        try session.assign(objectClass, key, column, value)
        changes[objectClass.schema.id, default: ClassChangeRecorder()].recordModification(key, column.id)
    }

    /// Takes back everything, latest first. Keys given out are not given out again, which keeps the rule that
    /// keys are never reused.
    func rollBack() throws {
        for step in journal.reversed() {
            switch step {
            case .created(let objectClass, let key): try session.remove(objectClass, key)
            case .assigned(let objectClass, let key, let column, let old):
                try session.assign(objectClass, key, column, old)
            case .deleted(let objectClass, let key, let values): try session.restore(objectClass, key, values)
            }
        }
        journal.removeAll()
        changes.removeAll()
    }

    // MARK: Rules

    private func objectClass(_ classID: ClassID) throws -> OpenClass {
        guard let objectClass = session.objectClass(classID) else { throw StoreError.unknownClass(classID) }
        return objectClass
    }

    private func existing(_ classID: ClassID, _ key: ObjectKey) throws -> OpenClass {
        let objectClass = try objectClass(classID)
        guard try session.exists(objectClass, key) else { throw StoreError.notFound(key, in: objectClass.schema) }
        return objectClass
    }

    private func column(_ id: PropertyID, _ objectClass: OpenClass) throws -> ColumnLayout {
        guard let column = objectClass.column(id) else { throw StoreError.unknownProperty(id, in: objectClass.schema) }
        return column
    }

    private func checkUnique(_ value: Value, _ column: ColumnLayout, _ objectClass: OpenClass) throws {
        guard try session.lookUp(value, objectClass, column) == nil else {
            throw StoreError(
                .duplicateKey,
                "Attempting to create an object of type '\(objectClass.schema.name)' with an existing primary key value '\(value.text)'.",
                property: column.property.name)
        }
    }

    private func checkValue(_ value: Value, _ column: ColumnLayout, _ objectClass: OpenClass) throws {
        guard column.accepts(value) else {
            throw StoreError(
                .invalidValue,
                "Invalid value of type '\(value.typeName)' for '\(column.property.type)' property '\(objectClass.schema.name).\(column.property.name)'.",
                property: column.property.name)
        }
        switch value {
        case .string(let text) where text.utf8.count > Self.maximumStringBytes:
            throw StoreError(
                .valueTooLarge,
                "String too big: property '\(objectClass.schema.name).\(column.property.name)' holds at most \(Self.maximumStringBytes) bytes.",
                property: column.property.name)
        case .link(let key):
            guard let target = try column.property.targetClass.map({ try self.objectClass($0) }),
                try session.exists(target, key)
            else {
                throw StoreError(
                    .invalidValue,
                    "Property '\(objectClass.schema.name).\(column.property.name)' cannot link to an object that does not exist.",
                    property: column.property.name)
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
        case .data, .decimal, .reference, .list, .set, .dictionary, .embedded: typeName
        }
    }
}
