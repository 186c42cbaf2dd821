import StoredRecords
import LMDBStorage
import Columnar
package import ObjectModel

/// Changes the stored layout to fit another schema: adds and drops columns, indexes and whole classes. Values stay
/// unchanged in every property that both schemas have by its number.
package struct MigrationLayout {
    private let session: WriteSession
    private var transaction: LMDBTransaction { session.transaction }
    private var trees: Trees { session.trees }

    /// The number of clusters that are decoded at once while an index is built.
    private static let batch = 64

    package init(_ session: WriteSession) { self.session = session }

    /// Replaces the session's schema. Cost: the column of each property that is added, dropped or newly indexed.
    package func change(to new: Schema) throws {
        let old = session.schema
        session.redo?.append(.layout(new))
        // The decoded clusters have an entry for each column of the old schema.
        try session.writeOutClusters()
        for before in old.classes where new[before.id] == nil { try drop(before) }
        session.schema = new
        for after in new.classes {
            guard let before = old[after.id] else { continue }
            for property in before.storedProperties where after[property.id] == nil { try drop(property, of: after.id) }
            for property in after.storedProperties where before[property.id] == nil { try add(property, of: after.id) }
            for property in after.storedProperties {
                try reindex(
                    property, of: after.id, from: before[property.id].map { Indexes($0, in: before) } ?? Indexes(),
                    to: Indexes(property, in: after))
            }
        }
    }

    /// Visits the keys of the objects of a class, ascending, cluster by cluster; the body may change the objects.
    package func forEachObject(of classID: ClassID, _ body: (ObjectKey) throws -> Void) throws {
        for (index, cluster) in try clusters(of: classID).enumerated() {
            if index % Self.batch == Self.batch - 1 { try session.writeOutClusters() }
            for slot in cluster.liveSlots {
                try body(ObjectKey(Int64(cluster.number * session.capacity + slot)))
            }
        }
    }

    // MARK: Columns

    private func drop(_ objectClass: ClassSchema) throws {
        var prefix = TreeKey(capacity: 4)
        prefix.append(objectClass.id.rawValue)
        for tree in [trees.leaves, trees.overflow, trees.index, trees.words, trees.backlinks] {
            try transaction.deleteAll(tree, prefix: prefix.bytes)
        }
        try session.forget(objectClass.id)
    }

    /// Writes zero, null or empty to every slot.
    private func add(_ property: PropertySchema, of classID: ClassID) throws {
        guard let kind = property.leafKind else { return }
        for cluster in try clusters(of: classID) {
            var leaf = MutableLeaf(kind: kind)
            leaf.reserveCapacity(cluster.slotCount)
            for _ in 0..<cluster.slotCount { try leaf.append(property.type.zeroValue) }
            let address = LeafAddress(classID: classID, cluster: cluster.number)
            try transaction.put(trees.leaves, address.key(property.id), leaf.encode())
        }
    }

    private func drop(_ property: PropertySchema, of classID: ClassID) throws {
        for cluster in try clusters(of: classID) {
            let address = LeafAddress(classID: classID, cluster: cluster.number)
            try transaction.delete(trees.leaves, address.key(property.id))
        }
        // In all these trees keys begin with class and property.
        let prefix = TreeKey.entries(of: classID, property.id).bytes
        for tree in [trees.overflow, trees.index, trees.words, trees.backlinks] {
            try transaction.deleteAll(tree, prefix: prefix)
        }
    }

    // MARK: Indexes

    private struct Indexes: Equatable {
        enum Entries { case none, values, keyBlocks }
        var entries = Entries.none
        var hasWords = false

        init() {}

        init(_ property: PropertySchema, in objectClass: ClassSchema) {
            let isPrimaryKey = objectClass.primaryKey == property.name
            if isPrimaryKey, property.leafKind == .int {
                entries = .keyBlocks
            } else if isPrimaryKey || property.isIndexed {
                entries = .values
            }
            hasWords = property.isFullTextIndexed
        }
    }

    private func reindex(
        _ property: PropertySchema, of classID: ClassID, from old: Indexes, to new: Indexes
    ) throws {
        let prefix = TreeKey.entries(of: classID, property.id).bytes
        if old.entries != new.entries, old.entries != .none { try transaction.deleteAll(trees.index, prefix: prefix) }
        if old.hasWords, !new.hasWords { try transaction.deleteAll(trees.words, prefix: prefix) }
        let needsEntries = new.entries != .none && old.entries != new.entries
        let needsWords = new.hasWords && !old.hasWords
        guard needsEntries || needsWords, let objectClass = session.objectClass(classID),
            let column = objectClass.column(property.id)
        else { return }
        try forEachObject(of: classID) { key in
            let value = try session.value(objectClass, key, column)
            if needsEntries { try session.references.addIndex(objectClass, key, column, value) }
            if needsWords { try session.references.addWords(objectClass, key, column, value) }
        }
    }

    // MARK: Clusters

    private struct StoredCluster {
        let number: Int
        let slotCount: Int
        let liveSlots: [Int]
    }

    private func clusters(of classID: ClassID) throws -> [StoredCluster] {
        try session.flush()
        var clusters: [StoredCluster] = []
        let count = session.objectClass(classID)?.state.clusterCount(capacity: session.capacity) ?? 0
        for number in 0..<count {
            let address = LeafAddress(classID: classID, cluster: number)
            guard let bytes = try transaction.get(trees.leaves, address.key(FileFormat.liveMaskColumn)) else {
                continue
            }
            let mask = try LiveMask(validating: bytes)
            clusters.append(
                StoredCluster(
                    number: number, slotCount: mask.slotCount,
                    liveSlots: (0..<mask.slotCount).filter { mask.isLive($0) }))
        }
        return clusters
    }
}
