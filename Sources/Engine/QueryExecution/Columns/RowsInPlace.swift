package import Columnar
package import ObjectModel
package import StoreContract

/// Cells that lie in a snapshot's leaves.
package protocol LeafRowAccessor: RowAccessor {
    /// By column; one of no slots where the leaf has not been looked up yet, or cannot be read in place.
    var leaves: UnsafePointer<Leaf> { get }
}

/// The single values of a cluster's rows, read where they lie: by a direct call, without a reference that is counted and
/// without a look at the cells' type. Holds nothing: to be used as long as the cells that it comes from.
package struct RowsInPlace {
    private let leaves: UnsafePointer<Leaf>

    /// Nil for cells that do not lie in leaves.
    package init?(_ cells: any RowAccessor) {
        guard let cells = cells as? any LeafRowAccessor else { return nil }
        leaves = cells.leaves
    }

    /// As `RowAccessor.value` gives it. Nil also as long as the cells have not read the column: see `hasRead`.
    package func value(_ row: Int, _ column: Int) -> Value? { leaves.plainValue(column, at: row) }

    /// Whether the column can be read in place: then a value that is nil here is to be had neither here nor from the cells.
    package func hasRead(_ column: Int) -> Bool { leaves[column].count > 0 }
}
