import Basics
package import Columnar
package import ObjectModel

/// Keeps objects whose keys were found elsewhere: in an index, or by following backlinks.
package final class KeySetOperator: Operator {
    private let keys: [ObjectKey]
    private let capacity: Int
    private let origin: String
    private let found: SelectionMask
    /// The clusters that have keys, ascending.
    private let clusters: [Int]
    /// For each of these the offset of its first key in `keys`.
    private let starts: [Int]

    /// `keys` in any order, possibly repeated; `origin` describes their source for people.
    package init(_ keys: [ObjectKey], capacity: Int, origin: String) {
        self.capacity = capacity
        self.origin = origin
        let keys = Self.isAscending(keys) ? keys : Self.ascending(keys)
        self.keys = keys
        found = SelectionMask(capacity: capacity)
        var clusters: [Int] = []
        var starts: [Int] = []
        for (position, key) in keys.enumerated() {
            let cluster = Int(key.rawValue) / capacity
            guard cluster != clusters.last else { continue }
            clusters.append(cluster)
            starts.append(position)
        }
        self.clusters = clusters
        self.starts = starts
    }

    private init(_ other: KeySetOperator) {
        capacity = other.capacity
        origin = other.origin
        keys = other.keys
        found = SelectionMask(capacity: other.capacity)
        clusters = other.clusters
        starts = other.starts
    }

    /// The objects of `classID` whose links in `property` lead to one of `targets`, looked up one by one.
    static func linking(
        to targets: KeyBitmap, of targetClass: ClassID, from classID: ClassID, _ property: PropertyID,
        in source: any ColumnSource
    ) throws -> KeySetOperator {
        var found = KeyBitmap(limit: source.clusterCount(of: classID) * source.clusterCapacity)
        for key in targets.keys {
            for origin in try source.backlinks(to: ObjectReference(targetClass, key), from: classID, property) {
                found.insert(origin)
            }
        }
        return KeySetOperator(found.keys, capacity: source.clusterCapacity, origin: "objects that link there")
    }

    package var cost: Double { 0 }

    package func candidateClusters() -> [Int]? { clusters }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) {
        let index = index(of: cluster.index)
        guard index < clusters.count, clusters[index] == cluster.index else { return mask.removeAll() }
        found.reset(slotCount: mask.slotCount)
        let end = index + 1 < starts.count ? starts[index + 1] : keys.count
        for position in starts[index]..<end {
            let slot = Int(keys[position].rawValue) - cluster.index * capacity
            if slot >= 0, slot < found.slotCount { found.insert(slot) }
        }
        mask.formIntersection(found)
    }

    /// The index of a cluster among those that have keys, or of the next one.
    private func index(of cluster: Int) -> Int {
        clusters.partitioningIndex { $0 >= cluster }
    }

    package func share(of cluster: ClusterView) -> Double { 0 }

    func another() -> KeySetOperator { KeySetOperator(self) }

    package func copy() -> any Operator { another() }

    package func words(_ names: ExplainNames) -> String {
        "\(origin): \(keys.count) object\(keys.count == 1 ? "" : "s")"
    }

    private static func isAscending(_ keys: [ObjectKey]) -> Bool {
        zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
    }

    private static func ascending(_ keys: [ObjectKey]) -> [ObjectKey] {
        var distinct: [ObjectKey] = []
        distinct.reserveCapacity(keys.count)
        for key in keys.sorted() where key != distinct.last { distinct.append(key) }
        return distinct
    }
}

/// Keeps the objects whose integer or link is one of many.
package final class IntegerSetOperator: Operator {
    private let property: PropertyID
    private let members: Set<Int64>

    package init(_ property: PropertyID, _ members: Set<Int64>) {
        self.property = property
        self.members = members
    }

    package var cost: Double { 20 }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        let leaf = try cluster.leaf(property)
        switch leaf.kind {
        case .int: leaf.narrow(mask, inverted: false) { members.contains(leaf.int(at: $0)) }
        case .link: leaf.narrow(mask, inverted: false) { members.contains(leaf.link(at: $0).rawValue) }
        default: throw LeafError.kindMismatch
        }
    }

    package func copy() -> any Operator { IntegerSetOperator(property, members) }

    package func words(_ names: ExplainNames) -> String { "scan \(names[property]): one of \(members.count) numbers" }
}
