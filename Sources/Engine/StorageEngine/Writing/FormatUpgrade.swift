package import LMDBStorage
import Columnar
import ObjectModel

/// Upgrades a file of an older format to the present one, atomically, in the transaction that opens it.
package enum FormatUpgrade {
    /// The oldest format that can be upgraded.
    package static let oldest: UInt32 = 1

    /// Format 1 had one index entry per object for Int primary keys, which blocks replace. Cost: linear in the objects
    /// of classes with such keys. Throws `LMDBError`, `DamagedRecord`, `LeafError`.
    package static func run(_ transaction: LMDBTransaction, _ trees: Trees, path: String) throws {
        let catalogue = try Catalogue(transaction, trees)
        let session = try WriteSession(transaction, trees, catalogue, path: path)
        for declared in catalogue.schema.classes {
            guard let objectClass = session.objectClass(declared.id), let column = objectClass.primaryKey,
                column.usesKeyBlocks
            else { continue }
            try transaction.deleteAll(trees.index, prefix: TreeKey.entries(of: declared.id, column.id).bytes)
            for cluster in 0..<objectClass.state.clusterCount(capacity: session.capacity) {
                let address = LeafAddress(classID: declared.id, cluster: cluster)
                guard let mask = try transaction.get(trees.leaves, address.key(FileFormat.liveMaskColumn)),
                    let leaf = try transaction.get(trees.leaves, address.key(column.id))
                else { continue }
                let live = MutableLiveMask(decoding: try LiveMask(validating: mask))
                let values = MutableLeaf(decoding: try Leaf(validating: leaf, kind: column.kind))
                for slot in 0..<min(live.slotCount, values.count) where live.isLive(slot) {
                    let key = ObjectKey(Int64(cluster * session.capacity + slot))
                    try session.references.addIndex(objectClass, key, column, values.value(at: slot))
                }
            }
        }
        try session.flush()
        try transaction.put(trees.meta, FileFormat.formatKey, FileFormat.formatRecord)
    }
}
