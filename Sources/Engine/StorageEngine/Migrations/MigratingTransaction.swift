import ObjectModel
import QueryLanguage
import StoreContract

/// The transaction of a migration: writes under the new schema, without the constraints that must hold only at its end.
///
/// It is alone in its LMDB transaction, which is not committed when anything fails, so it keeps no journal and records
/// no changes.
final class MigratingTransaction: MemberTransaction, MigrationTransaction {
    let old: any Snapshot
    private let layout: MigrationLayout
    private(set) var schemas: MigrationSchema
    private var renames: MigrationRenames
    /// What a row of a class is, for those that rows were created of.
    private var rowForms: [ClassID: RowForm] = [:]

    private struct RowForm {
        let properties: [PropertySchema]
        /// The index of the primary key.
        let key: Int?
    }

    /// Adds the new columns; those that only the old schema has stay until `MigrationClosing`.
    init(_ session: WriteSession, version: Version, old: any Snapshot, plan: MigrationPlan) throws {
        self.old = old
        layout = MigrationLayout(session)
        schemas = MigrationSchema(from: old.schema, to: plan.new)
        renames = plan.renames
        super.init(session, at: version, journalLimit: .max)
        try layout.change(to: schemas.union)
    }

    override var schema: Schema { schemas.new }
    override var validationSchema: Schema { schemas.working }

    override func record(_ step: Step) { changes.removeAll(keepingCapacity: true) }

    /// Returns none: a migration assigns values by rules of its own.
    override func cells(
        of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID], over base: (any RowAccessor)?
    ) throws -> (any RowAccessor)? { nil }

    // MARK: Primary keys

    override func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        let objectClass = try objectClass(classID)
        guard let key = schemas.new[classID]?.primaryKeyProperty, let column = objectClass.column(key.id) else {
            return nil
        }
        return try session.lookUp(primaryKey, objectClass, column)
    }

    override func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        guard let objectClass = schemas.new[classID] else { throw StoreError.unknownClass(classID) }
        if let key = objectClass.primaryKeyProperty {
            guard let value = values[key.id] ?? (key.type.isOptional ? .null : nil) else {
                throw StoreError(
                    .missingValue,
                    "Missing value for property '\(objectClass.name).\(key.name)'. Give its primary key.",
                    property: key.name)
            }
            try makeRoom(for: value, classID)
        }
        return try super.create(classID, try freed(values, classID))
    }

    override func create(_ classID: ClassID, given values: PropertyValues) throws -> ObjectKey {
        try create(classID, values.dictionary)
    }

    /// The row is that of the new schema; there may be more columns.
    override func create(_ classID: ClassID, row: [Value]) throws -> ObjectKey {
        let form = try rowForm(of: classID)
        guard row.count == form.properties.count else {
            throw StoreError.wrongRowLength(row.count, of: schemas.new[classID])
        }
        // With as many columns as properties the columns are those of the new schema, and in its order.
        guard let objectClass = session.objectClass(classID), objectClass.columns.count == row.count,
            schemas.becomingEmbedded.isEmpty
        else {
            return try create(classID, Dictionary(uniqueKeysWithValues: zip(form.properties.map(\.id), row)))
        }
        if let index = form.key, objectClass.primaryKey != nil { try makeRoom(for: row[index], classID) }
        return try super.create(classID, row: row)
    }

    private func rowForm(of classID: ClassID) throws -> RowForm {
        if let form = rowForms[classID] { return form }
        guard let objectClass = schemas.new[classID] else { throw StoreError.unknownClass(classID) }
        let properties = objectClass.storedProperties
        let form = RowForm(
            properties: properties, key: properties.firstIndex { $0.name == objectClass.primaryKey })
        rowForms[classID] = form
        return form
    }

    override func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        if let property = schemas.new[classID]?.primaryKeyProperty, let value = values[property.id] {
            try makeRoom(for: value, classID)
        }
        try super.set(classID, key, try freed(values, classID))
    }

    @discardableResult
    override func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool {
        let own: CollectionOperation =
            switch operation {
            case .insert(let value, let position): .insert(try freed(value, classID, property), at: position)
            case .append(let value): .append(try freed(value, classID, property))
            case .replace(let value, let position): .replace(try freed(value, classID, property), at: position)
            case .put(let value, let mapKey): .put(try freed(value, classID, property), key: mapKey)
            default: operation
            }
        return try super.edit(classID, key, property, own)
    }

    // MARK: Classes that become embedded

    private func freed(_ values: [PropertyID: Value], _ classID: ClassID) throws -> [PropertyID: Value] {
        guard !schemas.becomingEmbedded.isEmpty else { return values }
        return Dictionary(
            uniqueKeysWithValues: try values.map { ($0.key, try freed($0.value, classID, $0.key)) })
    }

    /// Until the end, objects of a class that becomes embedded are objects of their own: those that are given by their
    /// properties are created, and the value links to them.
    private func freed(_ value: Value, _ classID: ClassID, _ property: PropertyID) throws -> Value {
        guard let target = schemas.new[classID]?[property]?.targetClass,
            schemas.becomingEmbedded.contains(where: { $0.id == target })
        else { return value }
        switch value {
        case .embedded(let values): return .link(try create(target, values))
        case .list(let elements): return .list(try elements.map { try freed($0, classID, property) })
        case .dictionary(let map): return .dictionary(try map.mapValues { try freed($0, classID, property) })
        default: return value
        }
    }

    override func checkUnique(_ value: Value, _ column: ColumnLayout, _ objectClass: MutableClass) throws {}

    override func checkKeyChange(
        to value: Value, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout
    ) throws {}

    /// Permits duplicate primary keys when the first one occurs.
    private func makeRoom(for value: Value, _ classID: ClassID) throws {
        guard !schemas.relaxed.contains(classID), try key(of: classID, primaryKey: value) != nil,
            schemas.relax(classID)
        else { return }
        try layout.change(to: schemas.union)
    }

    // MARK: Hiding what only the old schema has

    override func existing(_ classID: ClassID, _ key: ObjectKey) throws -> MutableClass {
        guard schemas.new[classID] != nil else { throw StoreError.unknownClass(classID) }
        return try super.existing(classID, key)
    }

    override func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        guard schemas.new[classID] != nil else { throw StoreError.unknownClass(classID) }
        return try super.exists(classID, key)
    }

    override func count(of classID: ClassID) -> Int {
        schemas.new[classID] == nil ? 0 : super.count(of: classID)
    }

    override func column(_ id: PropertyID, _ objectClass: MutableClass) throws -> ColumnLayout {
        guard schemas.new[objectClass.schema.id]?[id] != nil else {
            throw StoreError.unknownProperty(id, in: objectClass.schema)
        }
        return try super.column(id, objectClass)
    }

    // MARK: Migrating

    func renameProperty(of className: String, from: String, to: String) throws {
        guard let finished = try renames.rename(class: className, from: from, to: to),
            let id = schemas.old[className]?[finished.from]?.id
        else { return }
        schemas.new = schemas.new.renumbering(finished.to, of: className, to: id)
        rowForms.removeAll()
        try layout.change(to: schemas.union)
    }

    func checkRenames() throws { try renames.checkFinished() }

    @discardableResult
    func deleteData(of className: String) throws -> Bool {
        guard let classID = schemas.new[className]?.id ?? schemas.old[className]?.id else { return false }
        guard let objectClass = session.objectClass(classID) else { return true }
        try layout.forEachObject(of: classID) { key in
            // It may have been deleted with another object of the class that embedded it.
            if try session.exists(objectClass, key) { try remove(objectClass, key) }
        }
        return true
    }
}
