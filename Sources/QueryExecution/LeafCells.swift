package import Columnar
package import StoreContract

/// Cells that lie in a snapshot's leaves.
package protocol LeafCells: RowCells {
    /// By column; one of no slots where the leaf has not been looked up yet, or cannot be read in place.
    var leaves: UnsafePointer<Leaf> { get }
}
