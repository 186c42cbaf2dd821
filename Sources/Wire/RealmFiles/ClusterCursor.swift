/// Some objects of a table with neighbouring keys.
struct Cluster {
    /// The node with the values of all columns. Slot 0 does not belong to a column.
    let slots: Slots
    let count: Int
    /// The offset of the keys and, unless they are 0, 1, 2 and so on, the keys themselves.
    let offset: Int64
    fileprivate let keys: [Int64]?

    func key(at index: Int) -> Int64 { offset &+ (keys.map { $0[index] } ?? Int64(index)) }
}

/// Visits the clusters of a tree in the order of their keys. It keeps the nodes on the way to the current cluster in
/// memory.
struct ClusterCursor {
    private struct Level {
        let ref: Int64
        let children: Slots
        let starts: [Int64]
        let offset: Int64
        let depth: UInt64
        let total: Int
        var next = 0
        var count = 0
    }

    /// The first slots of an inner node, which are not children.
    private static let preamble = 3

    /// Realm's trees have 3 levels for 16 million objects. Realm's tests build trees with 4 children for each node.
    private static let depthLimit: UInt64 = 64

    private let isOrdered: Bool
    private var levels: [Level] = []
    private var pending: (ref: Int64, offset: Int64)?
    private var last: Int64?

    /// - Parameter isOrdered: whether keys must ascend from 0, as the keys of objects do. The keys of a map's entries in
    ///   formats 21 and 22 are hashes.
    init(root: Int64, isOrdered: Bool = true) {
        self.isOrdered = isOrdered
        pending = root == 0 ? nil : (root, 0)
    }

    /// One cluster that was found before.
    init(_ cluster: Int64, offset: Int64) {
        isOrdered = true
        pending = (cluster, offset)
    }

    /// Nil at the end.
    mutating func next(_ reader: NodeReader) throws(RealmFileError) -> Cluster? {
        while true {
            if let (ref, offset) = pending {
                pending = nil
                let node = try reader.node(at: ref)
                if node.isInner {
                    try open(node, offset, reader)
                } else {
                    return try cluster(node, offset, reader)
                }
            }
            guard let level = levels.last else { return nil }
            if level.next < level.starts.count {
                let child = level.children[Self.preamble + level.next]
                pending = (child, level.offset &+ level.starts[level.next])
                levels[levels.count - 1].next += 1
            } else {
                guard level.count == level.total else {
                    throw reader.damaged("it says \(level.total) objects and has \(level.count)", at: level.ref)
                }
                levels.removeLast()
                if !levels.isEmpty { levels[levels.count - 1].count += level.count }
            }
        }
    }

    private mutating func open(_ node: Node, _ offset: Int64, _ reader: NodeReader) throws(RealmFileError) {
        let slots = try reader.slots(node, atLeast: Self.preamble + 1)
        let depth = try reader.tagged(slots, 1)
        // Each level is above the next, so the descent ends.
        guard depth >= 1, depth < levels.last?.depth ?? Self.depthLimit + 1 else {
            throw reader.damaged("it says that it is \(depth) levels above the objects", at: node.ref)
        }
        let number = slots.count - Self.preamble
        let starts: [Int64]
        if slots[0] == 0 {
            // A shift by 64 bits or more leaves nothing, and keys would not ascend.
            starts = (0..<number).map { Int64($0) << (8 * Int64(depth)) }
        } else {
            starts = try reader.integers(at: slots[0], isUnsigned: true)
            guard starts.count == number else {
                throw reader.damaged("it has \(number) children and \(starts.count) offsets", at: node.ref)
            }
        }
        levels.append(
            Level(
                ref: node.ref, children: slots, starts: starts, offset: offset, depth: depth,
                total: try reader.count(slots, 2)))
    }

    private mutating func cluster(
        _ node: Node, _ offset: Int64, _ reader: NodeReader
    ) throws(RealmFileError) -> Cluster {
        let slots = try reader.slots(node, atLeast: 1)
        let cluster: Cluster
        if slots[0] & 1 == 1 {
            let count = try reader.count(slots, 0)
            guard count <= NodeReader.emptyLimit, case .granted = reader.budget.reserve(bytes: 0, elements: count)
            else {
                throw reader.damaged("it claims \(count) objects", at: node.ref)
            }
            cluster = Cluster(slots: slots, count: count, offset: offset, keys: nil)
        } else {
            let keys = try reader.integers(at: slots[0], isUnsigned: true)
            guard zip(keys, keys.dropFirst()).allSatisfy({ UInt64(bitPattern: $0) < UInt64(bitPattern: $1) }) else {
                throw reader.damaged("the keys do not ascend", at: node.ref)
            }
            cluster = Cluster(slots: slots, count: keys.count, offset: offset, keys: keys)
        }
        if isOrdered, cluster.count > 0 {
            let first = cluster.key(at: 0)
            let end = cluster.key(at: cluster.count - 1)
            // Within a cluster the offsets ascend as unsigned numbers; so do the keys, unless they wrap.
            guard first > last ?? -1, end >= first else { throw reader.damaged("the keys do not ascend", at: node.ref) }
            last = end
        }
        if !levels.isEmpty { levels[levels.count - 1].count += cluster.count }
        return cluster
    }
}
