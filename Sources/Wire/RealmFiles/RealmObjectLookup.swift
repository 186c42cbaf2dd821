import Basics

/// Finds the objects of a table by their keys. Not sendable: it keeps what it read last.
package final class RealmObjectLookup {
    /// Where a cluster is, and which keys are in it.
    private struct Place {
        let first: Int64
        let last: Int64
        let ref: Int64
        let offset: Int64
    }

    private struct Recent {
        let place: Int
        let keys: [Int64]
        let columns: [[RealmValue]]
        let cost: Int
    }

    private let reader: NodeReader
    private let objects: ObjectReader
    private let places: [Place]
    /// The number of objects.
    package let count: Int
    /// The length of the file.
    private let length: Int
    /// The clusters that were read last, the latest at the end.
    private var recent: [Recent] = []
    /// What may still be read; see `cost`.
    private var left: Int

    /// Owners that were made one after the other own objects that were.
    private static let recentLimit = 16

    init(
        _ table: RealmTable, _ columns: Set<Int>?, _ reader: NodeReader, length: Int
    ) throws(RealmFileFault) {
        self.reader = reader
        self.length = length
        // For a file whose objects are asked for in no order at all: each reads a cluster.
        left = length * 128 + 64 * 1_048_576
        objects = ObjectReader(table, reader, columns: columns)
        reader.subject = "table '\(table.name)'"
        var places: [Place] = []
        var count = 0
        var clusters = ClusterCursor(root: table.objects)
        while let cluster = try clusters.next(reader) {
            reader.budget.forget()
            guard cluster.count > 0 else { continue }
            count += cluster.count
            places.append(
                Place(
                    first: cluster.key(at: 0), last: cluster.key(at: cluster.count - 1), ref: cluster.slots.ref,
                    offset: cluster.offset))
        }
        self.places = places
        self.count = count
    }

    /// The object with a key; nil if there is none. Cost: that of reading its cluster, unless that was done lately.
    package func object(_ key: Int64) throws(RealmFileFault) -> RealmObject? {
        let after = places.partitioningIndex { $0.first > key }
        guard after > 0, places[after - 1].last >= key else { return nil }
        let cluster = try cluster(after - 1)
        let row = cluster.keys.partitioningIndex { $0 >= key }
        guard row < cluster.keys.count, cluster.keys[row] == key else { return nil }
        return RealmObject(key: key, values: cluster.columns.map { $0[row] })
    }

    private func cluster(_ number: Int) throws(RealmFileFault) -> Recent {
        if let place = recent.lastIndex(where: { $0.place == number }) {
            if place < recent.count - 1 { recent.append(recent.remove(at: place)) }
            return recent[recent.count - 1]
        }
        let budget = ReadingBudget(length: length)
        reader.budget = budget
        let place = places[number]
        var clusters = ClusterCursor(place.ref, offset: place.offset)
        guard let cluster = try clusters.next(reader) else {
            throw reader.damaged("a cluster is not there", at: place.ref)
        }
        let columns = try objects.columns(of: cluster)
        let spent = ReadingCost(from: budget, to: reader.budget)
        let cost = spent.elements + spent.bytes / 8
        left -= cost
        guard left >= 0 else { throw reader.damaged("its objects have too much in them", at: place.ref) }
        let read = Recent(
            place: number, keys: (0..<cluster.count).map { cluster.key(at: $0) }, columns: columns, cost: cost)
        recent.append(read)
        // What is kept is less than the file, or one cluster.
        while recent.count > 1, recent.count > Self.recentLimit || recent.reduce(0, { $0 + $1.cost }) > length / 8 {
            recent.removeFirst()
        }
        return read
    }
}
