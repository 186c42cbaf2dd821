import Columnar
package import ObjectModel

/// Tests the values of one column one by one: for kinds without a faster operator. Where a cluster has few distinct
/// values, each is tested once.
package final class ElementOperator: ColumnOperator {
    let property: PropertyID
    private let test: ElementTest
    private let capacity: Int
    private let keepsNull: Bool
    private let scratch: SelectionMask

    package init(_ property: PropertyID, _ test: ElementTest, capacity: Int) {
        self.property = property
        self.test = test
        self.capacity = capacity
        keepsNull = test.holds(.null)
        scratch = SelectionMask(capacity: capacity)
    }

    package var cost: Double { 20 }

    func narrow(_ mask: SelectionMask, _ leaf: Leaf) {
        leaf.narrow(mask, values: { test.holds(view: $0) }, keepsNull: keepsNull, scratch: scratch)
    }

    package func copy() -> any Operator { ElementOperator(property, test, capacity: capacity) }

    package func words(_ names: ExplainNames) -> String { "test each value of \(names[property]), distinct ones once" }
}
