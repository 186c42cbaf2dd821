import StoredRecords
import LMDBStorage
import Columnar
package import ObjectModel
import QueryLanguage
import StoreContract

// The clusters that the transaction has decoded, and when they are written.
extension WriteSession {
    package func location(_ objectClass: MutableClass, _ key: ObjectKey) -> (LeafAddress, slot: Int) {
        let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: capacity)
        return (LeafAddress(classID: objectClass.schema.id, cluster: cluster), slot)
    }

    func cluster(_ address: LeafAddress, _ objectClass: MutableClass) throws -> MutableCluster {
        try decoded.cluster(address) {
            var mask = MutableLiveMask()
            if let bytes = try transaction.get(trees.leaves, address.key(FileFormat.liveMaskColumn)) {
                mask = MutableLiveMask(decoding: try LiveMask(validating: bytes))
            }
            return MutableCluster(
                liveMask: mask, columnCount: objectClass.columns.count, isAsAtStart: !written.contains(address))
        }
    }

    func openLeaf(_ address: LeafAddress, _ column: ColumnLayout) throws -> MutableLeaf {
        guard let written = try writtenLeaf(address, column) else { return MutableLeaf(kind: column.kind) }
        let leaf = MutableLeaf(decoding: written)
        decoded.state.pointee.byteCount += leaf.byteCount
        return leaf
    }

    /// The leaf in the transaction, valid until the next write: to read one value of it without decoding all.
    func writtenLeaf(_ address: LeafAddress, _ column: ColumnLayout) throws -> Leaf? {
        guard let bytes = try leafCursor.value(address.key(column.id)) else {
            // Only a cluster that was never written has no leaf; any other missing leaf is damage.
            guard try transaction.get(trees.leaves, address.key(FileFormat.liveMaskColumn)) == nil else {
                throw StoreError.damaged(path)
            }
            return nil
        }
        return try Leaf(validating: bytes, kind: column.kind)
    }
}

/// Writing the session's decoded data to the file.
extension WriteSession {
    /// Writes the decoded clusters' changes and the class counters into the transaction.
    package func flush() throws {
        try closeCollection()
        try keyIndex.flush()
        for (address, cluster) in decoded.dirty {
            guard let objectClass = objectClass(address.classID) else { continue }
            try write(cluster, address, objectClass)
        }
        for case let open? in mutableClasses where open.isDirty {
            var key = TreeKey(capacity: 4)
            key.append(open.schema.id.rawValue)
            try transaction.put(trees.classes, key.bytes, open.state.record)
            classes[open.schema.id] = open.state
            open.isDirty = false
        }
    }

    /// Writes a full cluster and releases it: a bulk load does not return to it.
    func writeOut(_ address: LeafAddress, _ objectClass: MutableClass) throws {
        guard let cluster = decoded.release(address) else { return }
        try write(cluster, address, objectClass)
    }

    func write(_ cluster: MutableCluster, _ address: LeafAddress, _ objectClass: MutableClass) throws {
        written.insert(address)
        try cluster.writeDirty { column, bytes in
            let id = column.map { objectClass.columns[$0].id } ?? FileFormat.liveMaskColumn
            try transaction.put(trees.leaves, address.key(id), bytes)
        }
    }

    /// Writes everything and releases the decoded clusters: to bound memory, and before columns are added or dropped.
    func writeOutClusters() throws {
        try flush()
        decoded.releaseAll()
    }

    /// Writes everything out when too many clusters are decoded.
    func boundMutableClusters() throws {
        if decoded.areTooMany { try writeOutClusters() }
    }
}
