package import ObjectModel

/// A set of objects whose changes can affect a view.
package enum LiveWatch: Hashable, Sendable {
    /// Any object of a class.
    case objects(of: ClassID)
    /// The objects of a class that satisfy a condition before or after the change.
    case satisfying(of: ClassID, MembershipCondition)
    /// One object, and no other of its class.
    case object(ObjectReference)
    /// The objects on the paths from one object of the tree's class.
    case ways(DependencyTree, from: ObjectKey)
}

extension Set<LiveWatch> {
    /// The classes of the watched objects.
    package var classes: Set<ClassID> {
        reduce(into: []) { classes, watch in
            switch watch {
            case .objects(let classID), .satisfying(let classID, _): classes.insert(classID)
            case .object(let object): classes.insert(object.classID)
            case .ways(let tree, _): classes.formUnion(tree.nodes.lazy.map(\.classID))
            }
        }
    }
}
