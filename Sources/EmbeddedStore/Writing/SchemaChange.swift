import Columnar
import ObjectModel
import StoreContract

/// Replaces the schema of a write session.
///
/// By themselves: new classes, removed ones without objects, new properties (existing objects get null or zero,
/// not the declared default, as in Realm), indexes added and removed. What would lose data needs a higher
/// schema version: removing a property, or a class that still has objects. Everything else needs a migration.
struct SchemaChange {
    private let session: WriteSession
    private let old: Schema
    private let new: Schema

    /// Throws `schemaInvalid`, `schemaVersionTooLow`, `migrationRequired`; nothing has been changed then.
    init(_ session: WriteSession, to requested: Schema) throws {
        self.session = session
        old = session.schema
        new = requested.adoptingIdentities(of: old)
        try StoreError.check(requested)
        guard new.version >= old.version else {
            throw StoreError(
                .schemaVersionTooLow,
                "Provided schema version \(new.version) is less than last set version \(old.version).")
        }
        try checkMigration()
    }

    func apply(version: Version) throws -> ChangeSet {
        // The decoded clusters have a place for each column of the old schema.
        try session.writeOutClusters()
        for before in old.classes where new[before.id] == nil { try drop(before) }
        session.schema = new
        for after in new.classes {
            guard let before = old[after.id] else { continue }
            for property in before.storedProperties where after[property.id] == nil {
                try dropEntries(session.trees.index, after.id, property)
                try dropEntries(session.trees.backlinks, after.id, property)
                try dropColumn(after.id, property)
            }
            for property in after.storedProperties {
                let was = before[property.id]
                if was == nil { try addColumn(after, property) }
                let isIndexed = property.isIndexed || after.primaryKey == property.name
                let wasIndexed = was.map { $0.isIndexed || before.primaryKey == $0.name } ?? false
                if isIndexed, !wasIndexed { try buildIndex(after, property) }
                if wasIndexed, !isIndexed { try dropEntries(session.trees.index, after.id, property) }
            }
        }
        try session.transaction.put(session.trees.meta, FileFormat.schemaKey, SchemaRecord.encode(new))
        return ChangeSet(version: version, schemaChanged: true)
    }

    // MARK: Rules

    private func checkMigration() throws {
        var losses: [String] = []
        var conversions: [String] = []
        for before in old.classes {
            let objectCount = session.objectClass(before.id)?.state.objectCount ?? 0
            guard let after = new[before.id] else {
                if objectCount > 0 {
                    losses.append("Class '\(before.name)', which has \(objectCount) objects, has been removed.")
                }
                continue
            }
            if before.primaryKey != after.primaryKey, objectCount > 0 {
                conversions.append(
                    "Primary Key for class '\(before.name)' has been \(after.primaryKey == nil ? "removed" : before.primaryKey == nil ? "added" : "changed")."
                )
            }
            guard objectCount > 0 else { continue }
            for property in before.storedProperties {
                let path = "\(before.name).\(property.name)"
                guard let same = after[property.name] else {
                    losses.append("Property '\(path)' has been removed.")
                    continue
                }
                if same.type != property.type {
                    conversions.append("Property '\(path)' has been changed from '\(property.type)' to '\(same.type)'.")
                }
            }
        }
        if !conversions.isEmpty {
            throw StoreError(
                .migrationRequired,
                "Migration is required due to the following errors, and this version cannot convert data in place "
                    + "(export the class, delete its objects, change the schema and import them again):\n"
                    + conversions.map { "- \($0)" }.joined(separator: "\n"))
        }
        if !losses.isEmpty, new.version == old.version {
            throw StoreError(
                .migrationRequired,
                "Migration is required due to the following errors (give a schemaVersion above \(old.version) to let this data go):\n"
                    + losses.map { "- \($0)" }.joined(separator: "\n"))
        }
    }

    // MARK: Columns

    private func drop(_ objectClass: ClassSchema) throws {
        var prefix = TreeKey(capacity: 4)
        prefix.append(objectClass.id.rawValue)
        for tree in [session.trees.leaves, session.trees.index, session.trees.backlinks] {
            try deleteAll(tree, prefix: prefix.bytes)
        }
        try session.forget(objectClass.id)
    }

    private func addColumn(_ objectClass: ClassSchema, _ property: PropertySchema) throws {
        guard let kind = property.leafKind else { return }
        for (cluster, slotCount) in try clusters(of: objectClass.id) {
            var leaf = MutableLeaf(kind: kind)
            for _ in 0..<slotCount { try leaf.append(property.type.zeroValue) }
            let address = LeafAddress(classID: objectClass.id, cluster: cluster)
            try session.transaction.put(session.trees.leaves, address.key(property.id), leaf.encode())
        }
    }

    private func dropColumn(_ classID: ClassID, _ property: PropertySchema) throws {
        for (cluster, _) in try clusters(of: classID) {
            let address = LeafAddress(classID: classID, cluster: cluster)
            try session.transaction.delete(session.trees.leaves, address.key(property.id))
        }
    }

    /// Drops what a property has in the index or the backlinks; both trees' keys begin with class and property.
    private func dropEntries(_ tree: LMDBDatabase, _ classID: ClassID, _ property: PropertySchema) throws {
        try deleteAll(tree, prefix: TreeKey.entries(of: classID, property.id).bytes)
    }

    private func buildIndex(_ objectClass: ClassSchema, _ property: PropertySchema) throws {
        let view = try session.queryView()
        var entries: [(ObjectKey, Value)] = []
        for cluster in 0..<view.clusterCount(of: objectClass.id) {
            guard let mask = try view.liveMask(of: objectClass.id, cluster: cluster) else { continue }
            let leaf = try view.leaf(of: objectClass.id, cluster: cluster, property.id)
            for slot in 0..<mask.slotCount where mask.isLive(slot) {
                entries.append((ObjectKey(Int64(cluster * view.clusterCapacity + slot)), leaf.value(at: slot)))
            }
        }
        guard let open = session.objectClass(objectClass.id), let column = open.column(property.id) else { return }
        for (key, value) in entries { try session.references.addIndex(open, key, column, value) }
    }

    /// The clusters that are stored, with their slot counts.
    private func clusters(of classID: ClassID) throws -> [(cluster: Int, slotCount: Int)] {
        let view = try session.queryView()
        return try (0..<view.clusterCount(of: classID)).compactMap { cluster in
            try view.liveMask(of: classID, cluster: cluster).map { (cluster, $0.slotCount) }
        }
    }

    private func deleteAll(_ tree: LMDBDatabase, prefix: [UInt8]) throws {
        var doomed: [[UInt8]] = []
        try session.transaction.scan(tree, prefix: prefix) { key, _ in
            doomed.append(Array(key))
            return true
        }
        for key in doomed { try session.transaction.delete(tree, key) }
    }
}
