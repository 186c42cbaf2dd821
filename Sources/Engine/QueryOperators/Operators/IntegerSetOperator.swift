package import Columnar
package import ObjectModel

/// Keeps the objects whose integer or link is one of many.
package final class IntegerSetOperator: Operator {
    private let property: PropertyID
    private let members: Set<Int64>

    package init(_ property: PropertyID, _ members: Set<Int64>) {
        self.property = property
        self.members = members
    }

    package var cost: Double { 20 }

    package func narrow(_ mask: SelectionMask, in cluster: ClusterView) throws {
        let leaf = try cluster.leaf(property)
        switch leaf.kind {
        case .int: leaf.narrow(mask, inverted: false) { members.contains(leaf.int(at: $0)) }
        case .link: leaf.narrow(mask, inverted: false) { members.contains(leaf.link(at: $0).rawValue) }
        default: throw LeafError.kindMismatch
        }
    }

    package func copy() -> any Operator { IntegerSetOperator(property, members) }

    package func words(_ names: ExplainNames) -> String { "scan \(names[property]): one of \(members.count) numbers" }
}
