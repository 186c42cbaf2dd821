package import ObjectModel
import StoreContract

/// The paths on which changes of other objects, or of links, count as changes of objects of one class.
package struct ChangePaths: Hashable, Sendable {
    private var trees: Set<DependencyTree> = []
    /// The objects within its reach count, too.
    private var reach: DeepChangeChecker?

    package init() {}

    /// Adds the paths of a tree. One that reads only the objects themselves has none.
    package mutating func add(_ tree: DependencyTree) { if !tree.isLocal { trees.insert(tree) } }

    /// Adds the links that the checker follows, if there are any.
    package mutating func add(_ reach: DeepChangeChecker) {
        if reach.returns || reach.classes.count > 1 { self.reach = reach }
    }

    /// The classes of the objects on the paths.
    var classes: Set<ClassID> { trees.reduce(into: reach?.classes ?? []) { $0.formUnion($1.classes) } }

    /// Whether the changes can matter at all. Cost: the changes.
    func isTouched(by changes: ChangeSet) -> Bool {
        trees.contains { $0.isTouched(by: changes) } || reach?.isTouched(by: changes) == true
    }

    /// The objects of the class that exist before and after the delta and that a changed object, or link, on a path
    /// belongs to; nil when finding them takes long.
    func roots(by step: VersionDelta) throws -> Set<ObjectKey>? {
        var roots: Set<ObjectKey> = []
        for tree in trees {
            guard let few = try step.fewRoots(of: tree) else { return nil }
            roots.formUnion(few)
        }
        if let reach { roots.formUnion(try reach.modifiedRoots(by: step)) }
        return roots
    }
}
