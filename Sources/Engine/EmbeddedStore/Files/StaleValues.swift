import ObjectModel

/// What deleted objects left in leaves that nobody has written since, and the old values in the change log: taken out
/// before a file is compacted, so that the compacted one holds nothing that was deleted or replaced. Earlier versions
/// cannot be told across a compaction then.
enum StaleValues {
    /// Nothing that can be read changes, nor does the version. Cost: a look at each cluster with dead slots,
    /// the leaves that hold something stale, and the change log. Throws `LMDBError`, `DamagedRecord`, `LeafError`,
    /// `StoreError`.
    static func clear(_ file: OpenFile, path: String) throws {
        let transaction = try file.environment.begin(readOnly: false)
        defer { transaction.abort() }
        let catalogue = try Catalogue(transaction, file.trees)
        let session = try WriteSession(transaction, file.trees, catalogue, path: path)
        var found = try ChangeLog.dropUndo(transaction, file.trees)
        for declared in catalogue.schema.classes {
            guard let objectClass = session.objectClass(declared.id) else { continue }
            for cluster in 0..<objectClass.state.clusterCount(capacity: session.capacity) {
                if try session.clearDead(objectClass, cluster) { found = true }
            }
        }
        guard found else { return }
        try session.flush()
        try transaction.commit()
    }
}
