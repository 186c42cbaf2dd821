package import ObjectModel
package import QueryLanguage
package import StoreContract

/// The related data that is shown with each object. For observers without key paths, its changes count as modifications
/// of the object.
package struct LiveShape: Hashable, Sendable {
    /// The objects that a path from the object leads to; the path begins with one of its properties.
    package struct Node: Hashable, Sendable {
        fileprivate let branch: Int?
        fileprivate let index: Int

        /// The object itself.
        package static let object = Node(branch: nil, index: DependencyTree.root)
    }

    /// The class of the object.
    package let classID: ClassID
    package private(set) var branches: [LiveKeyPath.Branch] = []

    package init(of classID: ClassID) { self.classID = classID }

    /// Adds a shown property of the objects at a node.
    package mutating func show(_ property: PropertyID, at node: Node) {
        let branch = branch(for: property, at: node)
        branches[branch].tree.read(property, at: node.index)
    }

    /// The objects that a property of those at a node links to.
    package mutating func follow(_ property: PropertyID, to target: ClassID, from node: Node) -> Node {
        follow(.forward(property), property, to: target, from: node)
    }

    /// The objects that link to those at a node with a property.
    ///
    /// - Parameter link: the property that they link with.
    package mutating func follow(
        linking property: PropertyID, to origin: ClassID, by link: PropertyID, from node: Node
    ) -> Node { follow(.backward(link), property, to: origin, from: node) }

    private mutating func follow(
        _ edge: DependencyTree.Edge, _ property: PropertyID, to target: ClassID, from node: Node
    ) -> Node {
        let branch = branch(for: property, at: node)
        return Node(branch: branch, index: branches[branch].tree.follow(edge, from: node.index, to: target))
    }

    /// Adds the values of a path.
    package mutating func show(_ path: BoundPath) {
        var node = Node.object
        for link in path.links {
            switch link {
            case .forward(let property, let target), .elements(let property, let target, _):
                node = follow(property, to: target, from: node)
            case .backward(let origin, let property):
                node = follow(linking: property, to: origin, by: property, from: node)
            case .rowSecurity: break
            }
        }
        if case .property(let property, _) = path.end { show(property, at: node) }
    }

    private mutating func branch(for property: PropertyID, at node: Node) -> Int {
        if let branch = node.branch { return branch }
        if let known = branches.firstIndex(where: { $0.property == property }) { return known }
        branches.append(LiveKeyPath.Branch(property: property, tree: DependencyTree(from: classID)))
        return branches.count - 1
    }

    /// The shape without the data that observers of results and collections are notified of anyway: everything within
    /// three links.
    package var beyondReach: LiveShape { keeping { $0.goesBeyond(links: DeepChangeChecker.depth) } }

    /// The shape without the data that observers of one object are notified of anyway: its own properties.
    package var beyondObject: LiveShape { keeping { $0.goesBeyond(links: 0) } }

    private func keeping(_ isKept: (DependencyTree) -> Bool) -> LiveShape {
        var result = self
        result.branches.removeAll { !isKept($0.tree) }
        return result
    }

    package var isEmpty: Bool { branches.isEmpty }

    package var classes: Set<ClassID> { branches.reduce(into: []) { $0.formUnion($1.tree.classes) } }

    /// The objects that exist before and after the delta and whose shown data differ.
    package func modifiedRoots(by step: VersionDelta) throws -> Set<ObjectKey> {
        var roots: Set<ObjectKey> = []
        for branch in branches { roots.formUnion(try step.roots(of: branch.tree)) }
        return roots
    }

    /// Throws `unknownClass` or `unknownProperty` if a part of it does not exist under the schema.
    package func check(_ schema: Schema) throws(StoreError) {
        for branch in branches { try branch.tree.check(schema) }
    }
}

extension DependencyTree {
    /// Whether it reads properties of objects that are further away, or of objects that link here.
    fileprivate func goesBeyond(links: Int) -> Bool {
        var distances = [0]
        for node in nodes.dropFirst() {
            guard let arrival = node.arrival, case .forward = arrival.edge else { return true }
            let distance = distances[arrival.parent] + 1
            if distance > links, !node.reads.isEmpty { return true }
            distances.append(distance)
        }
        return false
    }
}
