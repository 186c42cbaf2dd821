import ObjectModel
import StoreContract

/// A migration of a model store. Until the end, rows keep the properties that only the old schema has, under their old
/// numbers, so that a rename only assigns a number again.
final class ModelMigration: ModelTransaction, MigrationTransaction {
    let old: any Snapshot
    private let schemaBefore: Schema
    private var after: Schema { didSet { state.schema = working } }
    private var renames: MigrationRenames

    init(_ base: ModelState, _ plan: MigrationPlan) {
        old = ModelSnapshot(base)
        schemaBefore = base.schema
        after = plan.new
        renames = plan.renames
        super.init(base)
        state.schema = working
        for objectClass in plan.new.classes where state.tables[objectClass.id] == nil {
            state.tables[objectClass.id] = ModelState.Table()
        }
        for id in state.tables.keys { state.tables[id]?.created = nil }
    }

    override var schema: Schema { after }

    /// The new schema, in which objects of classes that become embedded, or cease to be, need no owner.
    private var working: Schema {
        Schema(
            version: after.version,
            numberedClasses: after.classes.map { objectClass in
                var free = objectClass
                free.isEmbedded = objectClass.isEmbedded && schemaBefore[objectClass.id]?.isEmbedded != false
                return (free, free.id, free.properties.map(\.id), free.nextPropertyID)
            }, nextClassID: after.nextClassID)
    }

    /// The schema including the properties that only the old one has, whose links and embedded objects are maintained
    /// as long as a rename may keep them.
    override var linkSchema: Schema {
        typealias Entry = (class: ClassSchema, id: ClassID, propertyIDs: [PropertyID], nextPropertyID: UInt16)
        var entries: [Entry] = working.classes.map { objectClass in
            var whole = objectClass
            let deleted = schemaBefore[objectClass.id]?.storedProperties.filter { objectClass[$0.id] == nil } ?? []
            whole.properties += deleted.map { property in
                var renamed = property
                renamed.name = "$\(property.id.rawValue)"
                return renamed
            }
            return (whole, whole.id, whole.properties.map(\.id), whole.nextPropertyID)
        }
        for deleted in schemaBefore.classes where after[deleted.id] == nil {
            entries.append((deleted, deleted.id, deleted.properties.map(\.id), deleted.nextPropertyID))
        }
        return Schema(version: after.version, numberedClasses: entries, nextClassID: after.nextClassID)
    }

    override var keysAreFree: Bool { true }

    func renameProperty(of className: String, from: String, to: String) throws {
        guard let finished = try renames.rename(class: className, from: from, to: to),
            let id = schemaBefore[className]?[finished.from]?.id
        else { return }
        after = after.renumbering(finished.to, of: className, to: id)
    }

    @discardableResult
    func deleteData(of className: String) throws -> Bool {
        guard let classID = after[className]?.id ?? schemaBefore[className]?.id else { return false }
        remove(state.keys(of: classID).map { ObjectReference(classID, $0) })
        return true
    }

    // MARK: End of the migration

    /// The state under the new schema alone. Throws `migrationFailed`.
    func finish() throws -> ModelState {
        try renames.checkFinished()
        clearReferences()
        try settleEmbeddedObjects()
        try checkPrimaryKeys()
        var finished = ModelState(version: state.version, state.tag, schema: after)
        for objectClass in after.classes {
            var table = state.tables[objectClass.id] ?? ModelState.Table()
            table.rows = table.rows.mapValues { row in
                Dictionary(
                    objectClass.storedProperties.map { ($0.id, row[$0.id] ?? $0.type.zeroValue) },
                    uniquingKeysWith: { first, _ in first })
            }
            if table.keys.isEmpty { table.created = [:] }
            finished.tables[objectClass.id] = table
        }
        return finished
    }

    /// References to objects that cannot be referred to any more become null, or are removed from their set.
    private func clearReferences() {
        let lost = schemaBefore.classes.filter { !$0.isEmbedded && after[$0.id]?.isEmbedded != false }.map(\.id)
        func cleared(_ value: Value) -> Value {
            switch value {
            case .reference(let target): lost.contains(target.classID) ? .null : value
            case .list(let elements): .list(elements.map(cleared))
            case .set(let elements): .set(elements.filter { cleared($0) == $0 })
            case .dictionary(let map): .dictionary(map.mapValues(cleared))
            default: value
            }
        }
        for objectClass in after.classes {
            for property in objectClass.storedProperties where property.type.isMixed {
                for key in state.keys(of: objectClass.id) {
                    guard let value = state.tables[objectClass.id]?.rows[key]?[property.id] else { continue }
                    state.tables[objectClass.id]?.rows[key]?[property.id] = cleared(value)
                }
            }
        }
    }

    /// Embedded objects without an owner are deleted; those of a class that became embedded must have one.
    private func settleEmbeddedObjects() throws {
        var owners: [ObjectReference: Int] = [:]
        for objectClass in after.classes {
            for property in objectClass.storedProperties where property.ownsTarget {
                guard let target = property.targetClass else { continue }
                for row in state.tables[objectClass.id]?.rows.values.map({ $0[property.id] ?? .null }) ?? [] {
                    for key in row.linkedKeys { owners[ObjectReference(target, key), default: 0] += 1 }
                }
            }
        }
        for objectClass in after.classes where objectClass.isEmbedded {
            let became = schemaBefore[objectClass.id]?.isEmbedded == false
            for key in state.keys(of: objectClass.id) {
                let object = ObjectReference(objectClass.id, key)
                let count = owners[object] ?? 0
                if count == 1 { continue }
                guard count == 0, !became else {
                    throw StoreError(
                        .migrationFailed,
                        "Class '\(objectClass.name)' cannot be embedded: \(count) links lead to its object with object key \(key.rawValue), where there must be exactly one."
                    )
                }
                remove([object])
            }
        }
    }

    private func checkPrimaryKeys() throws {
        for objectClass in after.classes {
            guard let property = objectClass.primaryKeyProperty else { continue }
            var seen: Set<Value> = []
            for key in state.keys(of: objectClass.id) {
                guard seen.insert(try state.value(objectClass.id, key, property.id)).inserted else {
                    throw StoreError(
                        .migrationFailed,
                        "Primary key property '\(objectClass.name).\(property.name)' has duplicate values after migration.",
                        property: property.name)
                }
            }
        }
    }
}
