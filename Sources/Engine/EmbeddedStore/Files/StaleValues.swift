import LMDBStorage
import StorageEngine
import ObjectModel

/// Removes the values of deleted objects from leaves that have not been written since, and the old values from the
/// change log, before a file is compacted, so that the compacted file contains nothing that was deleted or replaced.
/// Earlier versions cannot be reconstructed across a compaction then.
enum StaleValues {
    /// Changes neither readable data nor the version. Cost: each cluster with dead slots, the leaves with stale values,
    /// and the change log. Throws `LMDBError`, `DamagedRecord`, `LeafError`, `StoreError`.
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
