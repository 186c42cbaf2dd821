import Basics

/// Finds the objects of a table by their keys. Not sendable: it keeps what it read last.
package final class RealmObjectLookup {
    /// The keys in a cluster, and its position in the file.
    private struct ClusterRange {
        let first: Int64
        let last: Int64
        let ref: Int64
        let offset: Int64
    }

    private struct Recent {
        let number: Int
        let keys: [Int64]
        let columns: [[RealmValue]]
        let cost: Int
    }

    private let reader: NodeReader
    private let objects: ObjectReader
    private let clusterRanges: [ClusterRange]
    /// The number of objects.
    package let count: Int
    /// The length of the file.
    private let length: Int
    /// The clusters that were read last, the latest at the end.
    private var recent: [Recent] = []
    /// What may still be read; see `cost`.
    private var left: Int

    /// Owners that were created one after the other own objects that were, too.
    private static let recentLimit = 16

    init(
        _ table: RealmTable, _ columns: Set<Int>?, _ reader: NodeReader, length: Int
    ) throws(RealmFileError) {
        self.reader = reader
        self.length = length
        // For a file whose objects are looked up in random order: each look-up reads a cluster.
        left = length * 128 + 64 * 1_048_576
        objects = ObjectReader(table, reader, columns: columns)
        reader.subject = "table '\(table.name)'"
        var clusterRanges: [ClusterRange] = []
        var count = 0
        var clusters = ClusterCursor(root: table.objects)
        while let cluster = try clusters.next(reader) {
            reader.budget.forget()
            guard cluster.count > 0 else { continue }
            count += cluster.count
            clusterRanges.append(
                ClusterRange(
                    first: cluster.key(at: 0), last: cluster.key(at: cluster.count - 1), ref: cluster.slots.ref,
                    offset: cluster.offset))
        }
        self.clusterRanges = clusterRanges
        self.count = count
    }

    /// The object with a key; nil if there is none. Cost: reads its cluster, unless that was read recently.
    package func object(_ key: Int64) throws(RealmFileError) -> RealmObject? {
        let after = clusterRanges.partitioningIndex { $0.first > key }
        guard after > 0, clusterRanges[after - 1].last >= key else { return nil }
        let cluster = try cluster(after - 1)
        let row = cluster.keys.partitioningIndex { $0 >= key }
        guard row < cluster.keys.count, cluster.keys[row] == key else { return nil }
        return RealmObject(key: key, values: cluster.columns.map { $0[row] })
    }

    private func cluster(_ number: Int) throws(RealmFileError) -> Recent {
        if let index = recent.lastIndex(where: { $0.number == number }) {
            if index < recent.count - 1 { recent.append(recent.remove(at: index)) }
            return recent[recent.count - 1]
        }
        let budget = ReadingBudget(length: length)
        reader.budget = budget
        let range = clusterRanges[number]
        var clusters = ClusterCursor(range.ref, offset: range.offset)
        guard let cluster = try clusters.next(reader) else {
            throw reader.damaged("a cluster is not there", at: range.ref)
        }
        let columns = try objects.columns(of: cluster)
        let spent = ReadingCost(from: budget, to: reader.budget)
        let cost = spent.elements + spent.bytes / 8
        left -= cost
        guard left >= 0 else { throw reader.damaged("its objects have too much in them", at: range.ref) }
        let read = Recent(
            number: number, keys: (0..<cluster.count).map { cluster.key(at: $0) }, columns: columns, cost: cost)
        recent.append(read)
        // What is kept is smaller than the file, or is one cluster.
        while recent.count > 1, recent.count > Self.recentLimit || recent.reduce(0, { $0 + $1.cost }) > length / 8 {
            recent.removeFirst()
        }
        return read
    }
}
