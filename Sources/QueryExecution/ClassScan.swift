import Columnar
import ObjectModel

/// A class and the operators that select from it, ready to run over its clusters.
final class ClassScan {
    let source: any ColumnSource
    let classID: ClassID
    var root: any Operator
    private var isPrepared = false

    init(_ source: any ColumnSource, _ classID: ClassID, _ root: any Operator) {
        self.source = source
        self.classID = classID
        self.root = root
    }

    /// Lets the operators find out what they need to know beforehand; once is enough.
    func prepared() throws -> ClassScan {
        if !isPrepared { try root.prepare() }
        isPrepared = true
        return self
    }

    /// Calls `body` with each cluster, ascending, that has matches, and their mask; stops when it says so or throws.
    func forEachCluster(
        from first: Int = 0, until stop: () -> Bool = { false }, _ body: (ClusterView, SelectionMask) throws -> Void
    ) throws {
        let count = source.clusterCount(of: classID)
        let mask = SelectionMask(capacity: source.clusterCapacity)
        func visit(_ index: Int) throws {
            guard let live = try source.liveMask(of: classID, cluster: index), live.liveCount > 0 else { return }
            guard live.slotCount <= source.clusterCapacity else { throw LeafError.malformed }
            let cluster = ClusterView(source: source, classID: classID, index: index, live: live)
            mask.reset(to: live)
            try root.narrow(mask, in: cluster)
            if !mask.isEmpty { try body(cluster, mask) }
        }
        if let candidates = root.candidateClusters() {
            for index in candidates where index >= first && index < count {
                if stop() { return }
                try visit(index)
            }
        } else {
            for index in min(first, count)..<count {
                if stop() { return }
                try visit(index)
            }
        }
    }

    /// The number of matches.
    func count() throws -> Int {
        var count = 0
        try forEachCluster { count += $1.population }
        return count
    }

    /// The matches, as a set.
    func keys() throws -> KeyBitmap {
        var keys = KeyBitmap(limit: source.clusterCount(of: classID) * source.clusterCapacity)
        try forEachCluster { cluster, mask in keys.insert(mask, firstKey: cluster.firstKey) }
        return keys
    }

    /// The matches in creation order, at most `limit`, after skipping those up to and with `after`.
    func list(after: ObjectKey? = nil, limit: Int = .max) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        guard limit > 0 else { return keys }
        let lowest = after.map { $0.rawValue < .max ? max(0, $0.rawValue + 1) : .max } ?? 0
        let firstCluster = Int(lowest) / source.clusterCapacity
        try forEachCluster(from: firstCluster, until: { keys.count >= limit }) { cluster, mask in
            let first = Int64(cluster.firstKey)
            mask.forEach { slot in
                let key = first + Int64(slot)
                if key >= lowest, keys.count < limit { keys.append(ObjectKey(key)) }
            }
        }
        return keys
    }
}
