import ObjectModel
import RealmFiles
import StoreContract

/// The schema of a store after an import: its own classes, and those of the file.
///
/// A class that both have keeps its definition in the store, and gets the properties that only the file has. If the
/// types of a property differ, the store's type stays if it can represent the values of the file. Otherwise the
/// property gets the file's type by the rules of migrations: the file must have a higher schema version, and no values
/// may be lost. A class keeps its nature: another primary key, an embedded class that is not embedded on the other
/// side, and a stored property in place of linking objects are refused, also without objects.
struct MergedSchema {
    /// The merged schema with new numbers; a store keeps its own.
    let schema: Schema
    /// The changes to classes of the store, as sentences.
    let notes: [String]

    /// Throws `differentClass` with everything that is incompatible.
    ///
    /// - Parameter store: the state that gets the objects. Whether values would be lost depends on its objects, so only
    ///   the state that the writer sees decides.
    init(adding added: RealmClasses, to store: any Snapshot) throws(RealmImportError) {
        try self.init(adding: added, to: store.schema) { name in
            store.schema[name].map { store.count(of: $0.id) > 0 } ?? false
        }
    }

    /// - Parameter hasObjects: called with the names of classes of the store.
    init(
        adding added: RealmClasses, to present: Schema, hasObjects: (String) -> Bool
    ) throws(RealmImportError) {
        let style = added.style
        var classes = present.classes
        var obstacles: [RealmObstacle] = []
        for new in added.schema.classes {
            if let index = classes.firstIndex(where: { $0.name == new.name }) {
                obstacles += Self.otherKind(new, than: classes[index], added)
                classes[index] = Self.merged(new, into: classes[index])
            } else {
                classes.append(new)
            }
        }
        // A new database gets the version of the file. An existing one keeps its own if possible.
        let isNew = present.classes.isEmpty && present.version == 0
        let unversioned = Schema(version: isNew ? added.schema.version : present.version, classes: classes)
        let difference = MigrationPlan(from: present, to: unversioned, steps: []).difference
        let reasons = difference.migrationReasons(hasObjects: hasObjects)
        let losses = reasons.filter { $0.effect == .losesData }
        guard obstacles.isEmpty, losses.isEmpty else {
            let loss = losses.isEmpty ? "" : ", and its objects would lose values"
            throw RealmImportError(
                .differentClass,
                "The database has classes of these names in another form\(loss). Nothing was written.",
                obstacles + losses.map { Self.obstacle($0, added) }, style)
        }
        let version = added.schema.version
        guard reasons.isEmpty || version > present.version else {
            throw RealmImportError(
                .differentClass,
                "The database has classes of these names with objects in another form. The change is a migration, which needs a higher schema version than \(present.version), and the file has \(version). Change the schema of the database first, or leave out or rename what differs. Nothing was written.",
                reasons.map { Self.obstacle($0, added) }, style)
        }
        // Two valid schemas can be invalid together, for example with a cycle of embedded classes.
        let faults = unversioned.adoptingIdentities(of: present).faults()
        guard faults.isEmpty else {
            throw RealmImportError(
                .differentClass,
                "The classes of the database and those of the file contradict each other. Leave out or rename what differs, or change the schema of the database first. Nothing was written.",
                faults.map { RealmObstacle($0) }, style)
        }
        schema = reasons.isEmpty ? unversioned : Schema(version: version, classes: classes)
        var notes = difference.changes.compactMap(Self.note)
        if !reasons.isEmpty {
            notes.append("The schema version of the database rises from \(present.version) to \(version).")
        }
        self.notes = notes
    }

    private static func merged(_ new: ClassSchema, into present: ClassSchema) -> ClassSchema {
        var properties = present.properties
        for property in new.properties {
            guard let index = properties.firstIndex(where: { $0.name == property.name }) else {
                properties.append(property)
                continue
            }
            let (old, type) = (properties[index].type, property.type)
            // Refused otherwise.
            guard !old.isComputed, !old.keepsValues(of: type) else { continue }
            if old.base == type.base, old.collection == type.collection {
                // The store decides about the index and the default value.
                properties[index].type = type
            } else {
                // They need not fit another type.
                properties[index] = property
            }
        }
        return ClassSchema(
            present.name, primaryKey: present.primaryKey, isEmbedded: present.isEmbedded, properties: properties)
    }

    // MARK: Obstacles

    /// Why a class of the file is incompatible with that of the store, whatever the objects are.
    private static func otherKind(
        _ new: ClassSchema, than present: ClassSchema, _ added: RealmClasses
    ) -> [RealmObstacle] {
        func words(_ key: String?) -> String { key.map { "the primary key '\($0)'" } ?? "no primary key" }
        func words(_ isEmbedded: Bool) -> String { isEmbedded ? "embedded" : "not embedded" }
        var obstacles: [RealmObstacle] = []
        let source = added.source(of: new.name)
        if new.isEmbedded != present.isEmbedded {
            obstacles.append(
                .renaming(
                    source,
                    "Class '\(new.name)' of the database is \(words(present.isEmbedded)), and that of the file is \(words(new.isEmbedded))."
                ))
        } else if new.primaryKey != present.primaryKey {
            obstacles.append(
                .renaming(
                    source,
                    "Class '\(new.name)' of the database has \(words(present.primaryKey)), and that of the file has \(words(new.primaryKey))."
                ))
        }
        for property in new.properties {
            guard let old = present[property.name], old.type.isComputed != property.type.isComputed else { continue }
            obstacles.append(
                .leavingOut(
                    added.source(of: property.name, in: new.name),
                    "Property '\(new.name).\(property.name)' of the database is computed (\(old.type)), and that of the file has values."
                ))
        }
        return obstacles
    }

    /// A change that the objects of the store do not allow, with the remedy.
    private static func obstacle(_ change: SchemaDifference.Change, _ added: RealmClasses) -> RealmObstacle {
        // Without its primary key it would be a different class.
        guard let property = change.property, added.schema[change.className]?.primaryKey != property else {
            return .renaming(added.source(of: change.className), change.sentence)
        }
        return .leavingOut(added.source(of: property, in: change.className), change.sentence)
    }

    /// Describes a change to a class of the store; nil for a new class.
    private static func note(_ change: SchemaDifference.Change) -> String? {
        switch change.kind {
        case .propertyAdded:
            "Class '\(change.className)' of the database gets the property '\(change.property ?? "")'."
        case .becameOptional: "Property '\(change.path)' of the database becomes optional."
        case .becameRequired: "Property '\(change.path)' of the database becomes required: the class has no objects."
        case .typeChanged(let from, let to):
            "Property '\(change.path)' of the database has the type '\(to)' instead of '\(from)': the class has no objects."
        default: nil
        }
    }
}

extension RealmClasses {
    /// The name of a class in the file.
    func source(of className: String) -> String {
        tables.first { $0.name == className }.map { $0.table.className ?? $0.table.name } ?? className
    }

    /// The name of a property in the file: `Class.property`.
    package func source(of property: String, in className: String) -> String {
        tables.first { $0.name == className }?.columns.first { $0.name == property }?.path
            ?? "\(className).\(property)"
    }
}
