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
        case created(ClassLayout, ObjectKey)
        case assigned(ClassLayout, ObjectKey, ColumnLayout, old: Value)
        case deleted(ClassLayout, ObjectKey, [Value])
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

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { try session.exists(layout(classID), key) }

    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        let layout = try layout(classID)
        guard let column = layout.primaryKey else { return nil }
        return try session.lookUp(primaryKey, layout, column)
    }

    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        let layout = try existing(classID, key)
        return try session.value(layout, key, column(property, layout))
    }

    func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        try session.queryView().select(query, window)
    }

    // MARK: Changing

    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        let layout = try layout(classID)
        var row: [Value] = []
        row.reserveCapacity(layout.columns.count)
        var used = 0
        for column in layout.columns {
            let given = values[column.id]
            if given != nil { used += 1 }
            guard let value = given ?? column.initialValue else {
                throw StoreError(
                    .missingValue,
                    "Missing value for property '\(layout.schema.name).\(column.property.name)'. Give its primary key.",
                    property: column.property.name)
            }
            try checkValue(value, column, layout)
            if column.isPrimaryKey { try checkUnique(value, column, layout) }
            row.append(value)
        }
        if used < values.count { for id in values.keys { _ = try column(id, layout) } }
        let key = try session.append(layout, row)
        journal.append(.created(layout, key))
        changes[classID, default: ClassChanges()].recordInsertion(key)
        return key
    }

    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        let layout = try existing(classID, key)
        // All are checked before any is assigned, in a fixed order so that the first fault reported is always
        // the same one.
        var assignments: [(ColumnLayout, Value)] = []
        for id in values.keys.sorted() {
            let column = try column(id, layout)
            guard let value = values[id] else { continue }
            try checkValue(value, column, layout)
            if column.isPrimaryKey, try session.value(layout, key, column) != value {
                throw StoreError(
                    .keyImmutable,
                    "Primary key can't be changed after an object is inserted. Delete the object and create a new one.",
                    property: column.property.name)
            }
            assignments.append((column, value))
        }
        for (column, value) in assignments { try assign(layout, key, column, value) }
    }

    func delete(_ classID: ClassID, _ key: ObjectKey) throws {
        let layout = try existing(classID, key)
        for origin in session.schema.classes {
            guard origin.properties.contains(where: { $0.targetClass == classID }),
                let other = session.layout(origin.id)
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
        journal.append(.deleted(layout, key, try layout.columns.map { try session.value(layout, key, $0) }))
        try session.remove(layout, key)
        changes[classID, default: ClassChanges()].recordDeletion(key)
    }

    private func assign(_ layout: ClassLayout, _ key: ObjectKey, _ column: ColumnLayout, _ value: Value) throws {
        journal.append(.assigned(layout, key, column, old: try session.value(layout, key, column)))
        try session.assign(layout, key, column, value)
        changes[layout.schema.id, default: ClassChanges()].recordModification(key, column.id)
    }

    /// Takes back everything, latest first. Keys given out are not given out again, which keeps the rule that
    /// keys are never reused.
    func rollBack() throws {
        for step in journal.reversed() {
            switch step {
            case .created(let layout, let key): try session.remove(layout, key)
            case .assigned(let layout, let key, let column, let old): try session.assign(layout, key, column, old)
            case .deleted(let layout, let key, let values): try session.restore(layout, key, values)
            }
        }
        journal.removeAll()
        changes.removeAll()
    }

    // MARK: Rules

    private func layout(_ classID: ClassID) throws -> ClassLayout {
        guard let layout = session.layout(classID) else { throw StoreError.unknownClass(classID) }
        return layout
    }

    private func existing(_ classID: ClassID, _ key: ObjectKey) throws -> ClassLayout {
        let layout = try layout(classID)
        guard try session.exists(layout, key) else { throw StoreError.notFound(key, in: layout.schema) }
        return layout
    }

    private func column(_ id: PropertyID, _ layout: ClassLayout) throws -> ColumnLayout {
        guard let column = layout.column(id) else { throw StoreError.unknownProperty(id, in: layout.schema) }
        return column
    }

    private func checkUnique(_ value: Value, _ column: ColumnLayout, _ layout: ClassLayout) throws {
        guard try session.lookUp(value, layout, column) == nil else {
            throw StoreError(
                .duplicateKey,
                "Attempting to create an object of type '\(layout.schema.name)' with an existing primary key value '\(value.text)'.",
                property: column.property.name)
        }
    }

    private func checkValue(_ value: Value, _ column: ColumnLayout, _ layout: ClassLayout) throws {
        guard column.accepts(value) else {
            throw StoreError(
                .invalidValue,
                "Invalid value of type '\(value.typeName)' for '\(column.property.type)' property '\(layout.schema.name).\(column.property.name)'.",
                property: column.property.name)
        }
        switch value {
        case .string(let text) where text.utf8.count > Self.maximumStringBytes:
            throw StoreError(
                .valueTooLarge,
                "String too big: property '\(layout.schema.name).\(column.property.name)' holds at most \(Self.maximumStringBytes) bytes.",
                property: column.property.name)
        case .link(let key):
            guard let target = try column.property.targetClass.map({ try self.layout($0) }),
                try session.exists(target, key)
            else {
                throw StoreError(
                    .invalidValue,
                    "Property '\(layout.schema.name).\(column.property.name)' cannot link to an object that does not exist.",
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
        }
    }
}
