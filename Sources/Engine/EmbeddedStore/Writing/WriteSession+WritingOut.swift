import CLMDB
import Columnar
import ObjectModel
import StoreContract

/// Writing the session's decoded data to the file.
extension WriteSession {
    /// Writes the decoded clusters' changes and the class counters into the transaction.
    func flush() throws {
        try closeCollection()
        try keyIndex.flush()
        let dirty = clusters.filter { $0.value.isDirty }.sorted {
            ($0.key.classID, $0.key.cluster) < ($1.key.classID, $1.key.cluster)
        }
        for (address, cluster) in dirty {
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
        guard let cluster = clusters.removeValue(forKey: address) else { return }
        if current?.address == address { current = nil }
        arrangementPlace.pointee += 1
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
        clusters.removeAll(keepingCapacity: true)
        current = nil
        arrangementPlace.pointee += 1
    }

    /// Writes everything out when too many clusters are decoded.
    func boundMutableClusters() throws {
        if clusters.count > Self.mutableClusterLimit { try writeOutClusters() }
    }
}
