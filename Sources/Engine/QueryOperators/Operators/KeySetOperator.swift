package import Columnar
package import ObjectModel

/// Keeps objects whose keys were found elsewhere: in an index, or by following backlinks.
package final class KeySetOperator: Operator {
    private let keys: [ObjectKey]
    private let capacity: Int
    private let origin: String
    private let found: SelectionMask
    /// The offset of each cluster's keys in `keys`.
    private var starts: [Int: Int] = [:]

    /// `keys` in any order, possibly repeated; `origin` describes their source for people.
    package init(_ keys: [ObjectKey], capacity: Int, origin: String) {
        self.capacity = capacity
        self.origin = origin
        self.keys = Self.isAscending(keys) ? keys : Set(keys).sorted()
        found = SelectionMask(capacity: capacity)
        for (position, key) in self.keys.enumerated() {
            let cluster = Int(key.rawValue) / capacity
            if starts[cluster] == nil { starts[cluster] = position }
        }
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

    package func candidateClusters() -> [Int]? { starts.keys.sorted() }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) {
        guard let start = starts[cluster.index] else { return mask.removeAll() }
        found.reset(slotCount: mask.slotCount)
        for key in keys[start...] {
            let slot = Int(key.rawValue) - cluster.index * capacity
            guard slot < capacity else { break }
            if slot >= 0, slot < found.slotCount { found.insert(slot) }
        }
        mask.formIntersection(found)
    }

    package func share(of cluster: ClusterView) -> Double { 0 }

    func another() -> KeySetOperator { KeySetOperator(keys, capacity: capacity, origin: origin) }

    package func copy() -> any Operator { another() }

    package func words(_ names: ExplainNames) -> String {
        "\(origin): \(keys.count) object\(keys.count == 1 ? "" : "s")"
    }

    private static func isAscending(_ keys: [ObjectKey]) -> Bool {
        zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
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
