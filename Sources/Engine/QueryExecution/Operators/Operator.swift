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
/// is made for one execution and used by one thread; `copy` makes another one for another thread.
protocol Operator: AnyObject {
    /// What an object costs that it is asked about, roughly in nanoseconds: AND and OR run cheap ones first.
    var cost: Double { get }

    /// Which share of the objects of a cluster it will keep, 0...1, judged by the headers of leaves alone.
    func share(of cluster: ClusterView) throws -> Double

    /// Finds what must be known beforehand, such as the objects that a link may lead to. Called once, before what follows.
    func prepare() throws

    /// The only clusters that can have matches, ascending; nil when it can be any.
    func candidateClusters() -> [Int]?

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws

    /// Whether `narrow` reads no values of the cluster because the headers of its leaves say enough. Asked only when
    /// somebody wants to know.
    func decidesByHeaders(_ cluster: ClusterView) throws -> Bool

    /// The same operator for another thread. It shares what `prepare` found, which must have been called.
    func copy() -> any Operator

    /// The operators below it, in the order in which they run.
    var parts: [any Operator] { get set }

    /// The class that the operators below work on, when it is another one.
    var innerClass: ClassID? { get }

    /// What the operator does, for people: one line.
    func words(_ names: ExplainNames) -> String
}

extension Operator {
    func share(of cluster: ClusterView) throws -> Double { 0.3 }

    func prepare() throws {}

    func candidateClusters() -> [Int]? { nil }

    func decidesByHeaders(_ cluster: ClusterView) throws -> Bool { false }

    var parts: [any Operator] {
        get { [] }
        set {}
    }

    var innerClass: ClassID? { nil }
}

/// An operator that asks nothing but one column.
protocol ColumnOperator: Operator {
    var property: PropertyID { get }

    /// The mask's slots are those of the leaf.
    func narrow(_ mask: SelectionMask, _ leaf: Leaf) throws
}

extension ColumnOperator {
    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        try narrow(mask, try cluster.leaf(property))
    }
}
