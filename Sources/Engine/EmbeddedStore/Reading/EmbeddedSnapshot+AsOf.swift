import Columnar
import ObjectModel
import QueryExecution
import StoreContract

extension EmbeddedSnapshot {
    /// See `Store.asOf`. The log is read as of this version. The result keeps this version pinned.
    func asOf(_ version: Version) throws -> AsOfState? {
        // The records are borrowed from the map, so that they can be decoded while others read.
        guard let records = try reading({ try ChangeLog.records(after: version, upTo: self.version, $0, trees) })
        else { return nil }
        do {
            var versions: [(changes: ChangeSet, undo: [UndoStep])] = []
            // The newest first: a changed schema, or missing old values, end it early.
            for record in records.reversed() {
                guard let decoded = try ChangeSetRecord.decodeWithUndo(record.bytes, version: record.version),
                    !decoded.changes.schemaChanged
                else { return nil }
                versions.append(decoded)
            }
            versions.reverse()
            let changes = try AsOfChanges(
                since: version, versions, schema: schema, clusterCapacity: clusterCapacity)
            return AsOfState(
                reads: AsOfReads(version, tag, AsOfSource(self, self, changes)), changes: changes.merged)
        } catch is DamagedRecord {
            throw StoreError.damaged(path)
        } catch is LeafError {
            throw StoreError.damaged(path)
        }
    }
}
