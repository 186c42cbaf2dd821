import StoredRecords
import ObjectModel
import StoreContract

/// The end of a migration: deletes the data that only the old schema had, and checks the constraints that must hold
/// again.
struct MigrationClosing {
    private let member: MigratingTransaction
    private let session: WriteSession
    private let layout: MigrationLayout
    private let schemas: MigrationSchema

    init(_ member: MigratingTransaction) {
        self.member = member
        session = member.session
        layout = MigrationLayout(member.session)
        schemas = member.schemas
    }

    /// Throws `migrationFailed`.
    func run() throws {
        try member.checkRenames()
        try clearReferences()
        try settleEmbeddedObjects()
        try checkPrimaryKeys()
        try layout.change(to: schemas.new)
    }

    // MARK: References

    /// Sets mixed values to null that refer to objects of classes that were removed or are embedded now.
    private func clearReferences() throws {
        for classID in schemas.unreferable {
            for origin in schemas.new.classes {
                for property in origin.storedProperties where property.type.isMixed {
                    var prefix = TreeKey.entries(of: origin.id, property.id)
                    prefix.append(classID.rawValue)
                    let origins = try session.transaction.origins(session.trees.backlinks, prefix: prefix.bytes)
                    guard !origins.isEmpty, let objectClass = session.objectClass(origin.id),
                        let column = objectClass.column(property.id)
                    else { continue }
                    for key in Set(origins).sorted(by: { $0.rawValue < $1.rawValue }) {
                        let value = try session.value(objectClass, key, column)
                        let cleared = value.withoutReferences(to: classID)
                        session.redo?.append(.changed(origin.id, key, column.id, .assigned(cleared, edit: nil)))
                        try session.assign(objectClass, key, column, cleared)
                    }
                }
            }
        }
    }

    // MARK: Embedded objects

    /// Deletes embedded objects that lost their owner; those of a class that became embedded must have one.
    private func settleEmbeddedObjects() throws {
        let becoming = Set(schemas.becomingEmbedded.map(\.id))
        var orphans: [(MutableClass, ObjectKey)] = []
        for objectClass in schemas.new.classes where objectClass.isEmbedded {
            guard schemas.old[objectClass.id] != nil, let open = session.objectClass(objectClass.id) else { continue }
            guard becoming.contains(objectClass.id) || hasLostOwners(objectClass) else { continue }
            let owners = ownerProperties(of: objectClass, in: schemas.new)
            try layout.forEachObject(of: objectClass.id) { key in
                var links = 0
                for (origin, property) in owners {
                    links += try session.backlinks(to: key, from: origin, property).count
                }
                if links == 1 { return }
                if links == 0, !becoming.contains(objectClass.id) { return orphans.append((open, key)) }
                throw Self.unowned(key, objectClass, links)
            }
        }
        for (objectClass, key) in orphans where try session.exists(objectClass, key) {
            try member.remove(objectClass, key)
        }
    }

    private static func unowned(_ key: ObjectKey, _ objectClass: ClassSchema, _ links: Int) -> StoreError {
        StoreError(
            .migrationFailed,
            "Class '\(objectClass.name)' cannot be embedded: \(links == 0 ? "nothing links" : "\(links) links lead") to its object with object key \(key.rawValue), but there must be exactly one. Delete the object, or link to it from its owner."
        )
    }

    private func hasLostOwners(_ objectClass: ClassSchema) -> Bool {
        ownerProperties(of: objectClass, in: schemas.old).contains { schemas.new[$0]?[$1] == nil }
    }

    private func ownerProperties(of objectClass: ClassSchema, in schema: Schema) -> [(ClassID, PropertyID)] {
        schema.classes.flatMap { origin in
            origin.storedProperties.filter { $0.type.isLink && $0.targetClass == objectClass.id }.map {
                (origin.id, $0.id)
            }
        }
    }

    // MARK: Primary keys

    private func checkPrimaryKeys() throws {
        for classID in schemas.relaxed {
            guard let objectClass = schemas.new[classID], let property = objectClass.primaryKeyProperty,
                let open = session.objectClass(classID), let column = open.column(property.id)
            else { continue }
            var seen: Set<Value> = []
            try layout.forEachObject(of: classID) { key in
                let value = try session.value(open, key, column)
                guard seen.insert(value).inserted else {
                    throw StoreError(
                        .migrationFailed,
                        "Primary key property '\(objectClass.name).\(property.name)' has duplicate values after migration. One of them is '\(value.text)'.",
                        property: property.name)
                }
            }
        }
    }
}

extension Value {
    /// The value with null where a mixed value refers to an object of the class; in a set such elements are removed.
    fileprivate func withoutReferences(to classID: ClassID) -> Value {
        switch self {
        case .reference(let target): target.classID == classID ? .null : self
        case .list(let elements): .list(elements.map { $0.withoutReferences(to: classID) })
        case .set(let elements):
            .set(
                elements.filter {
                    if case .reference(let target) = $0 { return target.classID != classID }
                    return true
                })
        case .dictionary(let map): .dictionary(map.mapValues { $0.withoutReferences(to: classID) })
        default: self
        }
    }
}
