import Columnar
import ObjectModel

/// Reads one property of objects in any order and caches the leaves that it has read. Its results borrow bytes of the
/// source. Used by one thread at a time.
final class ColumnReader {
    let classID: ClassID
    let property: PropertyID
    private let source: any ColumnSource
    private let capacity: Int
    /// Leaves by cluster; allocated when a second cluster is read, so that reading one object stays cheap.
    private var leaves: [Leaf?] = []
    private var last: (cluster: Int, leaf: Leaf)?

    init(_ source: any ColumnSource, _ classID: ClassID, _ property: PropertyID) {
        self.source = source
        self.classID = classID
        self.property = property
        capacity = source.clusterCapacity
    }

    /// Returns null when the slot does not exist, which only a damaged file can cause; also for a collection.
    @inline(__always)
    func view(_ key: ObjectKey) throws -> ValueView {
        guard let (leaf, slot) = try location(key) else { return .null }
        return ValueView(leaf, slot)
    }

    func link(_ key: ObjectKey) throws -> ObjectKey? {
        guard let (leaf, slot) = try location(key), leaf.kind == .link, !leaf.isNull(slot) else { return nil }
        return leaf.link(at: slot)
    }

    /// Returns nil when the property is not a collection.
    func collection(_ key: ObjectKey) throws -> StoredCollection? {
        guard let (leaf, slot) = try location(key), leaf.kind.collection != .single else { return nil }
        return StoredCollection(leaf, slot, source, classID, key, property)
    }

    /// The leaf that holds the object's value, and its slot.
    @inline(__always)
    func location(_ key: ObjectKey) throws -> (leaf: Leaf, slot: Int)? {
        guard key.rawValue >= 0 else { return nil }
        let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: capacity)
        if let last, last.cluster == cluster { return slot < last.leaf.count ? (last.leaf, slot) : nil }
        return try find(cluster, slot)
    }

    private func find(_ cluster: Int, _ slot: Int) throws -> (leaf: Leaf, slot: Int)? {
        if leaves.isEmpty {
            let count = source.clusterCount(of: classID)
            guard cluster < count else { return nil }
            if last != nil { leaves = [Leaf?](repeating: nil, count: count) }
        }
        guard leaves.isEmpty || cluster < leaves.count else { return nil }
        let leaf: Leaf
        if !leaves.isEmpty, let known = leaves[cluster] {
            leaf = known
        } else {
            leaf = try source.leaf(of: classID, cluster: cluster, property)
            if !leaves.isEmpty { leaves[cluster] = leaf }
        }
        last = (cluster, leaf)
        return slot < leaf.count ? (leaf, slot) : nil
    }
}
