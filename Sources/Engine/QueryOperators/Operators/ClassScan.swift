package import Columnar
package import ObjectModel

/// A class, or a range of its clusters, and the operators that select from it, ready to run. Used by one thread at a
/// time.
package final class ClassScan {
    let source: any ColumnSource
    let classID: ClassID
    package var root: any Operator
    private let clusters: Range<Int>
    private var isPrepared = false

    package init(_ source: any ColumnSource, _ classID: ClassID, _ root: any Operator) {
        self.source = source
        self.classID = classID
        self.root = root
        clusters = 0..<source.clusterCount(of: classID)
    }

    private init(_ scan: ClassScan, _ clusters: Range<Int>) {
        source = scan.source
        classID = scan.classID
        root = scan.root.copy()
        self.clusters = clusters
        isPrepared = true
    }

    /// Lets the operators prepare their lookups; one call is enough.
    package func prepared() throws -> ClassScan {
        if !isPrepared { try root.prepare() }
        isPrepared = true
        return self
    }

    /// Calls `body` with each cluster, ascending, that has matches, and their mask; stops when it says so or throws.
    ///
    /// - Parameters:
    ///   - lastFirst: whether the clusters come in descending order instead.
    ///   - mayMatter: tells by the headers of leaves whether the matches of a cluster can matter; the operators are not
    ///     run on the others.
    ///   - countsObjects: whether the objects of each cluster count as work; false if `body` counts its own work.
    ///   - handlesEach: whether `body` processes each match.
    package func forEachCluster(
        from first: Int = 0, countsObjects: Bool = true, handlesEach: Bool = false, lastFirst: Bool = false,
        mayMatter: ((ClusterView) throws -> Bool)? = nil, until stop: (() -> Bool)? = nil,
        _ body: (ClusterView, SelectionMask) throws -> Void
    ) throws {
        let mask = SelectionMask(capacity: source.clusterCapacity)
        let range = max(first, clusters.lowerBound)..<max(first, clusters.upperBound)
        func visit(_ index: Int) throws {
            guard let live = try source.liveMask(of: classID, cluster: index), live.liveCount > 0 else { return }
            guard live.slotCount <= source.clusterCapacity else { throw LeafError.malformed }
            if countsObjects { try source.willLook(at: live.liveCount, nanoseconds: root.cost) }
            let cluster = ClusterView(source: source, classID: classID, index: index, live: live)
            if let mayMatter, try !mayMatter(cluster) { return }
            mask.reset(to: live)
            try root.narrow(mask, in: cluster)
            if mask.isEmpty { return }
            if handlesEach { try source.willHandle(mask.population) }
            try body(cluster, mask)
        }
        if let candidates = root.candidateClusters() {
            for offset in candidates.indices {
                let index = candidates[lastFirst ? candidates.count - 1 - offset : offset]
                guard range.contains(index) else { continue }
                if let stop, stop() { return }
                try visit(index)
            }
        } else {
            if stop == nil { try willScanAll() }
            for index in range {
                if let stop, stop() { return }
                try visit(lastFirst ? range.lowerBound + (range.upperBound - 1 - index) : index)
            }
        }
    }

    /// The first and the last cluster; nil if there are not two, or one of them has no objects.
    package func endClusters() throws -> (first: ClusterView, last: ClusterView)? {
        guard clusters.count > 1, let first = try view(clusters.lowerBound),
            let last = try view(clusters.upperBound - 1)
        else { return nil }
        return (first, last)
    }

    private func view(_ index: Int) throws -> ClusterView? {
        guard let live = try source.liveMask(of: classID, cluster: index), live.liveCount > 0 else { return nil }
        guard live.slotCount <= source.clusterCapacity else { throw LeafError.malformed }
        return ClusterView(source: source, classID: classID, index: index, live: live)
    }

    /// Calls `body` with the values of a property in each cluster, ascending, that has objects, all of them selected.
    func forEachLeaf(_ property: PropertyID, _ body: (Leaf, SelectionMask) throws -> Void) throws {
        let mask = SelectionMask(capacity: source.clusterCapacity)
        let capacity = source.clusterCapacity
        try willScanAll()
        try source.forEachLeaf(of: classID, property, in: clusters) { live, leaf in
            guard live.liveCount > 0 else { return }
            // As with `ClusterView`: in a damaged file the sizes may differ.
            guard live.slotCount <= capacity, leaf.count == live.slotCount else { throw LeafError.malformed }
            try source.willLook(at: live.liveCount, nanoseconds: root.cost)
            mask.reset(to: live)
            try body(leaf, mask)
        }
    }

    private func willScanAll() throws {
        let objects = min(source.objectCount(of: classID), clusters.count * source.clusterCapacity)
        try source.willScan(objects, nanoseconds: root.cost)
    }

    /// Whether every object is a match.
    var selectsAll: Bool { (root as? ConstantOperator)?.value ?? false }

    /// The number of matches.
    package func count() throws -> Int {
        try inParts(cost: 0) { scan in
            var count = 0
            if let column = scan.root as? any ColumnOperator {
                try scan.forEachLeaf(column.property) { leaf, mask in
                    try column.narrow(mask, leaf)
                    count += mask.population
                }
                return count
            }
            try scan.forEachCluster { count += $1.population }
            return count
        }.reduce(0, +)
    }

    /// The matches, as a set.
    package func keys() throws -> KeyBitmap {
        var keys = KeyBitmap(limit: source.clusterCount(of: classID) * source.clusterCapacity)
        try forEachCluster { cluster, mask in keys.insert(mask, firstKey: cluster.firstKey) }
        return keys
    }

    /// The matches in creation order, at most `limit`, that follow `after` and then another `skipping` matches.
    package func list(after: ObjectKey? = nil, skipping: Int = 0, limit: Int = .max) throws -> [ObjectKey] {
        guard limit > 0 else { return [] }
        let lowest = after.map { $0.rawValue < .max ? max(0, $0.rawValue + 1) : .max } ?? 0
        if limit == .max, lowest == 0, skipping == 0 {
            let parts = try inParts(cost: 1) { try $0.list(from: 0, skipping: 0, limit: .max) }
            return parts.count == 1 ? parts[0] : parts.flatMap(\.self)
        }
        return try list(from: lowest, skipping: skipping, limit: limit)
    }

    private func list(from lowest: Int64, skipping: Int, limit: Int) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        var left = skipping
        let firstCluster = Int(lowest) / source.clusterCapacity
        // If every object matches, only the listed ones are examined.
        let all = selectsAll
        try forEachCluster(from: firstCluster, countsObjects: !all, until: { keys.count >= limit }) { cluster, mask in
            let first = Int64(cluster.firstKey)
            if first < lowest { mask.remove(below: Int(lowest - first)) }
            if left > 0 {
                // A cluster whose matches are all skipped is skipped by their number.
                let matches = mask.population
                guard matches > left else {
                    left -= matches
                    return
                }
            }
            let before = keys.count
            mask.forEach(skipping: left, limit: limit - before) { keys.append(ObjectKey(first + Int64($0))) }
            left = 0
            let listed = keys.count - before
            if all { try source.willLook(at: listed, nanoseconds: .infinity) } else { try source.willHandle(listed) }
        }
        return keys
    }

    // MARK: Several threads

    /// Runs `body` over parts of the class, on several threads where that pays, and returns its results in the order of
    /// the clusters. `cost` is the cost in addition to the operators, in nanoseconds per object.
    package func inParts<R>(cost: Double, _ body: (ClassScan) throws -> R) throws -> [R] {
        let expected = Double(clusters.count * source.clusterCapacity) * (root.cost + cost)
        guard ScanThreads.count > 1, expected > ScanThreads.worthwhileNanoseconds,
            clusters.count >= Self.clusterThreshold,
            root.candidateClusters().map({ $0.count >= Self.clusterThreshold }) ?? true,
            source.mayUseOtherThreads
        else { return [try body(self)] }
        return try inParts(ScanThreads.count * 4, body)
    }

    /// Runs `body` over that many parts.
    package func inParts<R>(_ count: Int, _ body: (ClassScan) throws -> R) throws -> [R] {
        let count = max(1, min(count, clusters.count))
        let first = clusters.lowerBound
        let parts = (0..<count).map { part in
            ClassScan(
                self, first + clusters.count * part / count..<first + clusters.count * (part + 1) / count)
        }
        return try ScanThreads.map(count) { try body(parts[$0]) }
    }

    /// Below that many, a thread has too little to do.
    private static let clusterThreshold = 32
}
