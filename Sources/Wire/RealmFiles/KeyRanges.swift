import Basics

/// The keys of a table's objects, as runs of numbers without a gap.
struct KeyRanges: Sendable {
    private var starts: [Int64] = []
    private var ends: [Int64] = []
    private(set) var count = 0

    init(root: Int64, _ reader: NodeReader) throws(RealmFileError) {
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
        let after = starts.partitioningIndex { $0 > key }
        return after > 0 && ends[after - 1] >= key
    }
}
