package import Columnar
package import ObjectModel
package import StoreContract

/// Cells that are in a snapshot's leaves.
package protocol LeafRowAccessor: RowAccessor {
    /// The leaf of each column. It has no slots if it has not been looked up yet, or cannot be read in place.
    var leaves: UnsafePointer<Leaf> { get }
}

/// Reads single values of a cluster's rows in place: by a direct call, without reference counting and without a check
/// of the cells' type. It retains nothing: use it only while the cells exist.
package struct RowsInPlace {
    private let leaves: UnsafePointer<Leaf>

    /// Returns nil for cells that are not in leaves.
    package init?(_ cells: any RowAccessor) {
        guard let cells = cells as? any LeafRowAccessor else { return nil }
        leaves = cells.leaves
    }

    /// Returns the value that `RowAccessor.value` would return. Also nil if the cells have not read the column: see
    /// `hasRead`.
    package func value(_ row: Int, _ column: Int) -> Value? { leaves.plainValue(column, at: row) }

    /// The number, if `value` is an integer.
    package func integer(_ row: Int, _ column: Int) -> Int64? { leaves.plainInteger(column, at: row) }

    /// The number, if `value` is a double.
    package func double(_ row: Int, _ column: Int) -> Double? { leaves.plainDouble(column, at: row) }

    /// The text, if `value` is a string.
    package func text(_ row: Int, _ column: Int) -> String? { leaves.plainText(column, at: row) }

    /// Whether the column can be read in place. If so, and the value here is nil, the cells do not have it either.
    package func hasRead(_ column: Int) -> Bool { leaves[column].count > 0 }
}
