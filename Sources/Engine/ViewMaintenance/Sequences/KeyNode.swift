import ObjectModel

/// A node of a tree of keys: either a leaf with keys or an inner node with children of equal depth. A value whose
/// arrays are shared with copies until one is changed.
///
/// No node except the root is empty, and no inner node except the root keeps a single child for long.
struct KeyNode: Sendable {
    /// A leaf is split beyond this. Small enough to be copied quickly, large enough that the rest of the tree is small.
    static let maximumKeys = 512
    static let maximumChildren = 32

    /// The number of keys in or below the node.
    private(set) var count: Int
    private(set) var keys: [ObjectKey] = []
    private(set) var children: [KeyNode] = []
    /// The first key of a non-empty node. Kept here, so that a search reads only the nodes on its path.
    private(set) var firstKey = ObjectKey(0)

    init(keys: [ObjectKey]) {
        self.keys = keys
        count = keys.count
        noteFirst()
    }

    init(children: [KeyNode]) {
        self.children = children
        defer { noteFirst() }
        count = children.reduce(0) { $0 + $1.count }
    }

    /// The child that holds the position, which becomes relative to it; the last child for the end.
    @inline(__always)
    func child(at position: inout Int) -> Int {
        let last = children.count - 1
        var child = 0
        while child < last, position >= children[child].count {
            position -= children[child].count
            child += 1
        }
        return child
    }

    func key(at index: Int) -> ObjectKey {
        if children.isEmpty { return keys[index] }
        var rest = index
        let child = child(at: &rest)
        return children[child].key(at: rest)
    }

    private mutating func noteFirst() {
        if let first = children.first?.firstKey ?? keys.first { firstKey = first }
    }

    /// Returns the right half when the node had to be split.
    mutating func insert(_ key: ObjectKey, at index: Int) -> KeyNode? {
        count += 1
        if index == 0 { firstKey = key }
        if children.isEmpty {
            keys.insert(key, at: index)
            guard keys.count > Self.maximumKeys else { return nil }
            // Appends are mostly followed by more: the left part stays full.
            let cut = index == keys.count - 1 ? keys.count - 1 : keys.count / 2
            let right = KeyNode(keys: Array(keys[cut...]))
            keys.removeSubrange(cut...)
            count = cut
            return right
        }
        var rest = index
        let child = child(at: &rest)
        guard let split = children[child].insert(key, at: rest) else { return nil }
        children.insert(split, at: child + 1)
        guard children.count > Self.maximumChildren else { return nil }
        let cut = child + 2 == children.count ? children.count - 1 : children.count / 2
        let right = KeyNode(children: Array(children[cut...]))
        children.removeSubrange(cut...)
        count -= right.count
        return right
    }

    mutating func remove(at index: Int) -> ObjectKey {
        count -= 1
        defer { if index == 0 { noteFirst() } }
        if children.isEmpty { return keys.remove(at: index) }
        var rest = index
        let child = child(at: &rest)
        let key = children[child].remove(at: rest)
        joinIfSmall(child)
        return key
    }

    /// Merges a child that became small with a neighbour, where one node can hold both.
    private mutating func joinIfSmall(_ child: Int) {
        if children[child].count == 0 {
            children.remove(at: child)
            return
        }
        guard children[child].isSmall, children.count > 1 else { return }
        let left = child > 0 ? child - 1 : child
        let (size, most) =
            children[left].children.isEmpty
            ? (children[left].keys.count + children[left + 1].keys.count, Self.maximumKeys)
            : (children[left].children.count + children[left + 1].children.count, Self.maximumChildren)
        // Some room is left, so that the next insertion does not split it again.
        guard size <= most * 3 / 4 else { return }
        let right = children.remove(at: left + 1)
        children[left].append(right)
    }

    private var isSmall: Bool {
        children.isEmpty ? keys.count < Self.maximumKeys / 4 : children.count < Self.maximumChildren / 4
    }

    private mutating func append(_ other: KeyNode) {
        keys += other.keys
        children += other.children
        count += other.count
    }
}

/// Builds a tree of keys in order, with nodes that have a little room.
struct KeyTreeBuilder {
    private static let keysPerLeaf = KeyNode.maximumKeys * 7 / 8
    private static let childrenPerNode = KeyNode.maximumChildren * 7 / 8

    private var leaf: [ObjectKey] = []
    private var leaves: [KeyNode] = []

    mutating func append(_ key: ObjectKey) {
        if leaf.isEmpty { leaf.reserveCapacity(Self.keysPerLeaf) }
        leaf.append(key)
        if leaf.count == Self.keysPerLeaf {
            leaves.append(KeyNode(keys: leaf))
            leaf = []
        }
    }

    /// Returns the root.
    consuming func finished() -> KeyNode {
        if leaves.isEmpty { return KeyNode(keys: leaf) }
        if !leaf.isEmpty { leaves.append(KeyNode(keys: leaf)) }
        var level = leaves
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: Self.childrenPerNode).map {
                KeyNode(children: Array(level[$0..<min($0 + Self.childrenPerNode, level.count)]))
            }
        }
        return level[0]
    }
}
