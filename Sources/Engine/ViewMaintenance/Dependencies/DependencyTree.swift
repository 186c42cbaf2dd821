package import ObjectModel
import StoreContract

/// The paths from an object of a class along links, in either direction, to the properties that are read of it and of
/// the objects there.
///
/// It finds the objects of that class for which one of these properties changed, by following the paths backwards from
/// the changed objects. If the values that a path reads differ, there is a first changed object on it, and up to that
/// one the path is the same before and after. So it suffices to walk back in one of the two states.
package struct DependencyTree: Hashable, Sendable {
    enum Edge: Hashable, Sendable {
        /// Along a link property, single, in a collection or in mixed values.
        case forward(PropertyID)
        /// To the objects of the node's class that link with that property of theirs.
        case backward(PropertyID)
    }

    struct Node: Hashable, Sendable {
        let classID: ClassID
        /// The parent node and the edge from it; nil at the root.
        let arrival: Arrival?
        /// The properties that are read of the objects here.
        fileprivate(set) var reads = PropertySet()
        fileprivate var next: [Step: Int] = [:]
    }

    struct Arrival: Hashable, Sendable {
        let parent: Int
        let edge: Edge
    }

    fileprivate struct Step: Hashable, Sendable {
        let edge: Edge
        let classID: ClassID
    }

    static let root = 0

    /// The nodes, each after its parent.
    private(set) var nodes: [Node]

    init(from classID: ClassID) { nodes = [Node(classID: classID, arrival: nil)] }

    /// The class of the requested objects.
    var classID: ClassID { nodes[Self.root].classID }

    mutating func read(_ property: PropertyID, at node: Int) { nodes[node].reads.insert(property) }

    /// The node that an edge leads to, existing or new; the properties of forward edges are read.
    mutating func follow(_ edge: Edge, from node: Int, to classID: ClassID) -> Int {
        let step = Step(edge: edge, classID: classID)
        if case .forward(let property) = edge { read(property, at: node) }
        if let known = nodes[node].next[step] { return known }
        nodes.append(Node(classID: classID, arrival: Arrival(parent: node, edge: edge)))
        nodes[node].next[step] = nodes.count - 1
        return nodes.count - 1
    }

    /// Whether only properties of the root's objects themselves are read.
    package var isLocal: Bool { nodes.allSatisfy { $0.arrival == nil || !$0.isBackward && $0.reads.isEmpty } }

    /// The classes whose changes can matter.
    var classes: Set<ClassID> {
        Set(nodes.lazy.filter { $0.arrival == nil || $0.isBackward || !$0.reads.isEmpty }.map(\.classID))
    }

    /// Whether the changes can matter at all. Cost: the changes.
    package func isTouched(by changes: ChangeSet) -> Bool {
        nodes.contains { node in
            guard let changes = changes.classes[node.classID] else { return false }
            if node.isBackward, !changes.insertions.isEmpty || !changes.deletions.isEmpty { return true }
            let watched = node.watched
            return !watched.isEmpty && changes.modifications.values.contains { $0.intersects(watched) }
        }
    }
}

extension DependencyTree.Node {
    fileprivate var isBackward: Bool {
        if case .backward = arrival?.edge { return true }
        return false
    }

    /// The properties that are read, and the link that leads back.
    fileprivate var watched: PropertySet {
        guard case .backward(let link) = arrival?.edge else { return reads }
        var watched = reads
        watched.insert(link)
        return watched
    }
}

// MARK: Walking back

extension DependencyTree {
    /// The objects at the root that exist before and after the delta and for which something changed, themselves or on
    /// a path. Nil when there are more than `limit` objects on the paths back. Cost: those.
    func reached(by step: VersionDelta, limit: Int = .max) throws -> Set<ObjectKey>? {
        let walk = LinkWalk(step)
        var changed = [Set<ObjectKey>](repeating: [], count: nodes.count)
        var met = 0
        for index in nodes.indices.reversed() {
            let node = nodes[index]
            let changes = step.changes.classes[node.classID]
            if let changes, !node.reads.isEmpty {
                for (key, properties) in changes.modifications where properties.intersects(node.reads) {
                    changed[index].insert(key)
                }
            }
            guard let arrival = node.arrival else { continue }
            let parent = nodes[arrival.parent].classID
            for key in changed[index] {
                let before =
                    switch arrival.edge {
                    case .forward(let link):
                        try walk.holders(of: ObjectReference(node.classID, key), in: parent, link)
                    case .backward(let link): try walk.targets(of: node.classID, key, link, in: parent)
                    }
                met += before.count
                guard met <= limit else { return nil }
                changed[arrival.parent].formUnion(before)
            }
            if case .backward(let link) = arrival.edge, let changes {
                let targets = try LinkDifference(step, of: node.classID, link, changes).targets(in: parent)
                met += targets.count
                guard met <= limit else { return nil }
                changed[arrival.parent].formUnion(targets.lazy.filter { walk.exists(parent, $0) })
            }
            changed[index] = []
        }
        var found = changed[Self.root]
        if let changes = step.changes.classes[classID] {
            found.subtract(changes.insertions)
            found.subtract(changes.deletions)
        }
        return found.count <= limit ? found : nil
    }
}

// MARK: Walking forwards

extension DependencyTree {
    /// Whether something changed for one object at the root, itself or on a path. Cost: everything on the paths.
    func isReached(from key: ObjectKey, by step: VersionDelta) throws -> Bool {
        let walk = LinkWalk(step)
        guard walk.exists(classID, key) else { return false }
        var there = [Set<ObjectKey>](repeating: [], count: nodes.count)
        there[Self.root] = [key]
        for (index, node) in nodes.enumerated() {
            let changes = step.changes.classes[node.classID]
            if let arrival = node.arrival {
                let parent = nodes[arrival.parent].classID
                let holders = there[arrival.parent]
                for holder in holders {
                    switch arrival.edge {
                    case .forward(let link):
                        there[index].formUnion(try walk.targets(of: parent, holder, link, in: node.classID))
                    case .backward(let link):
                        there[index].formUnion(
                            try walk.holders(of: ObjectReference(parent, holder), in: node.classID, link))
                    }
                }
                if case .backward(let link) = arrival.edge, let changes, !holders.isEmpty,
                    try !LinkDifference(step, of: node.classID, link, changes).targets(in: parent)
                        .isDisjoint(with: holders)
                {
                    return true
                }
            }
            if let changes, !node.reads.isEmpty, changes.modifications.isTouched(there[index], node.reads) {
                return true
            }
        }
        return false
    }
}

extension [ObjectKey: PropertySet] {
    /// Whether one of the properties was assigned on one of the objects. Cost: the smaller of both sets.
    fileprivate func isTouched(_ keys: Set<ObjectKey>, _ properties: PropertySet) -> Bool {
        keys.count < count
            ? keys.contains { self[$0]?.intersects(properties) == true }
            : contains { $0.value.intersects(properties) && keys.contains($0.key) }
    }
}
