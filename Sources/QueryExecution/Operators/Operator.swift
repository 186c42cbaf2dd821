import Columnar
import ObjectModel

/// One cluster of the class that an operator tree looks at.
struct ClusterView {
    let source: any ColumnSource
    let classID: ClassID
    let index: Int
    let live: LiveMask

    var firstKey: Int { index * source.clusterCapacity }

    func leaf(_ property: PropertyID) throws -> Leaf {
        let leaf = try source.leaf(of: classID, cluster: index, property)
        // Masks of the cluster are laid over the leaf: in a damaged file their sizes may differ.
        guard leaf.count == live.slotCount else { throw LeafError.malformed }
        return leaf
    }
}

/// A part of a plan. It narrows a selection to the objects that satisfy it; what is not selected it leaves alone. A tree
/// is made for one execution and used by one thread.
protocol Operator: AnyObject {
    /// What a cluster costs, roughly in nanoseconds per object: AND and OR run cheap ones first.
    var cost: Double { get }

    /// The only clusters that can have matches, ascending; nil when it can be any. Called once, before `narrow`.
    func candidateClusters() throws -> [Int]?

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws

    /// The class that the operators below work on, when it is another one.
    var innerClass: ClassID? { get }

    /// What the operator does, for people: one line, and the operators below it.
    func explain(_ names: Names) throws -> (line: String, children: [any Operator])
}

extension Operator {
    func candidateClusters() throws -> [Int]? { nil }

    var innerClass: ClassID? { nil }
}
