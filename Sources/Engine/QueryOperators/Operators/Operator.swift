package import Columnar
package import ObjectModel

/// One cluster of the class that an operator tree examines.
package struct ClusterView {
    let source: any ColumnSource
    let classID: ClassID
    let index: Int
    let live: LiveMask

    package init(source: any ColumnSource, classID: ClassID, index: Int, live: LiveMask) {
        self.source = source
        self.classID = classID
        self.index = index
        self.live = live
    }

    var firstKey: Int { index * source.clusterCapacity }

    func leaf(_ property: PropertyID) throws -> Leaf {
        let leaf = try source.leaf(of: classID, cluster: index, property)
        // Masks of the cluster are applied to the leaf: in a damaged file their sizes may differ.
        guard leaf.count == live.slotCount else { throw LeafError.malformed }
        return leaf
    }
}

/// A part of a plan. It narrows a selection to the objects that satisfy it and ignores objects that are not selected. A
/// tree is made for one execution and used by one thread; `copy` makes another one for another thread.
package protocol Operator: AnyObject {
    /// The cost per examined object, roughly in nanoseconds: AND and OR run cheap operators first.
    var cost: Double { get }

    /// The fraction of the objects of a cluster that it will keep, 0...1, estimated from the headers of leaves alone.
    func share(of cluster: ClusterView) throws -> Double

    /// Computes the prerequisites, such as the objects that a link may lead to. Called once, before the methods below.
    func prepare() throws

    /// The only clusters that can have matches, ascending; nil when any can.
    func candidateClusters() -> [Int]?

    func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws

    /// Whether `narrow` reads no values of the cluster because the headers of its leaves suffice. Called only for
    /// measurements.
    func decidesByHeaders(_ cluster: ClusterView) throws -> Bool

    /// The same operator for another thread. It shares the results of `prepare`, which must have been called.
    func copy() -> any Operator

    /// The operators below it, in the order in which they run.
    var parts: [any Operator] { get set }

    /// The class that the operators below work on, when it is another one.
    var innerClass: ClassID? { get }

    /// A description of the operator for people: one line.
    func words(_ names: ExplainNames) -> String
}

extension Operator {
    package func share(of cluster: ClusterView) throws -> Double { 0.3 }

    package func prepare() throws {}

    package func candidateClusters() -> [Int]? { nil }

    package func decidesByHeaders(_ cluster: ClusterView) throws -> Bool { false }

    package var parts: [any Operator] {
        get { [] }
        set {}
    }

    package var innerClass: ClassID? { nil }
}

/// An operator that reads only one column.
protocol ColumnOperator: Operator {
    var property: PropertyID { get }

    /// The mask's slots are those of the leaf.
    func narrow(_ mask: SelectionMask, _ leaf: Leaf) throws
}

extension ColumnOperator {
    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        try narrow(mask, try cluster.leaf(property))
    }
}
