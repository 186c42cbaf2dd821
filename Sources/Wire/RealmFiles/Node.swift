/// A node of the file: eight bytes of header, and elements behind them. Its range has been compared with the file's.
struct Node {
    /// How the elements are laid out.
    enum Form {
        /// `width` bits each.
        case bits
        /// `width` bytes each.
        case bytes
        /// One byte each, whatever the width says.
        case raw
    }

    let ref: Int64
    let form: Form
    let width: Int
    /// The number of elements.
    let size: Int
    /// Whether it is a node of a tree above the leaves.
    let isInner: Bool
    /// Whether the elements are places of other nodes.
    let hasRefs: Bool
    /// A mark that means something else in each kind of node.
    let hasContext: Bool

    /// The place of the elements.
    var start: Int { Int(ref) + Self.headerLength }
    /// The number of bytes that the elements take.
    let length: Int

    static let headerLength = 8
}
