import StoredRecords
import Columnar
package import ObjectModel
import QueryOperators
package import StoreContract

/// The values of one cluster's objects in a snapshot. A column's leaf is looked up when it is first read.
final class StoredRowAccessor: LeafRowAccessor {
    /// Not retained, so that unused objects do not keep a version alive: the user of the accessor retains it.
    private unowned(unsafe) let snapshot: EmbeddedSnapshot
    private let classID: ClassID
    private let cluster: Int
    private let properties: [PropertyID]
    private let live: LiveMask
    /// The leaves by column; empty ones at first. In separate memory, so that a leaf is read without being copied, also
    /// by users of the pointer.
    private let table: UnsafeMutablePointer<Leaf>
    let firstKey: Int64
    let rowCount: Int

    init(
        _ snapshot: EmbeddedSnapshot, _ classID: ClassID, cluster: Int, live: LiveMask, _ properties: [PropertyID]
    ) {
        self.snapshot = snapshot
        self.classID = classID
        self.cluster = cluster
        self.live = live
        self.properties = properties
        table = .allocate(capacity: properties.count)
        table.initialize(repeating: Leaf(emptyAt: table), count: properties.count)
        firstKey = Int64(cluster * snapshot.clusterCapacity)
        rowCount = snapshot.clusterCapacity
    }

    deinit {
        // Leaves are trivial: numbers, and pointers into the file.
        table.deallocate()
    }

    var leaves: UnsafePointer<Leaf> { UnsafePointer(table) }

    var isCurrent: Bool { true }

    func contains(_ row: Int) -> Bool { live.isLive(row) }

    func value(_ row: Int, _ column: Int) -> Value? {
        if table[column].count == 0, !read(column) { return nil }
        return leaves.plainValue(column, at: row)
    }

    /// Looks the leaf up. Returns false when it cannot be read in place, and for a damaged one, which a read by the
    /// snapshot reports.
    private func read(_ column: Int) -> Bool {
        let schema = snapshot.schema[classID]
        guard schema?[properties[column]]?.leafKind != nil,
            let leaf = try? snapshot.storedLeaf(of: classID, cluster: cluster, properties[column]),
            leaf.count >= live.slotCount, leaf.count > 0
        else { return false }
        table[column] = leaf
        return true
    }

    func assign(_ value: Value, _ row: Int, _ column: Int) throws -> Bool { false }

    func assign(utf8 text: UnsafeBufferPointer<UInt8>, _ row: Int, _ column: Int) throws -> Bool { false }
}

extension EmbeddedSnapshot {
    package func cells(of classID: ClassID, around key: ObjectKey, _ properties: [PropertyID]) throws -> (
        any RowAccessor
    )? {
        guard let (cluster, _) = location(of: key, in: classID),
            let live = try liveMask(of: classID, cluster: cluster)
        else { return nil }
        return StoredRowAccessor(self, classID, cluster: cluster, live: live, properties)
    }
}
