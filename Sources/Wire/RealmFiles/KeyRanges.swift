/// The keys of a table's objects, as runs of numbers without a gap.
struct KeyRanges: Sendable {
    private var starts: [Int64] = []
    private var ends: [Int64] = []
    private(set) var count = 0

    init(root: Int64, _ reader: NodeReader) throws(RealmFileFault) {
        var clusters = ClusterCursor(root: root)
        while let cluster = try clusters.next(reader) {
            for index in 0..<cluster.count {
                let key = cluster.key(at: index)
                if let last = ends.last, last &+ 1 == key {
                    ends[ends.count - 1] = key
                } else {
                    starts.append(key)
                    ends.append(key)
                }
            }
            count += cluster.count
            reader.budget.forget()
        }
    }

    func contains(_ key: Int64) -> Bool {
        var low = 0
        var high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= key { low = middle + 1 } else { high = middle }
        }
        return low > 0 && ends[low - 1] >= key
    }
}
