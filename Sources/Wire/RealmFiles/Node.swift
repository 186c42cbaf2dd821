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
    /// Whether the elements are offsets of other nodes.
    let hasRefs: Bool
    /// A mark that means something else in each kind of node.
    let hasContext: Bool

    /// The offset of the elements.
    var start: Int { Int(ref) + Self.headerLength }
    /// The number of bytes that the elements take.
    let length: Int

    static let headerLength = 8
}

/// What is known of a leaf before it is read.
struct LeafForm {
    let type: RealmColumnType
    let isNullable: Bool
    /// The table that links lead to.
    var target: UInt32?
    /// Whether it is the leaf of a column in a cluster, rather than one of a list's, set's or map's tree.
    var isColumn = false
    /// The values that an enumerated leaf of strings counts; 0 for none.
    var enumeration: Int64 = 0
    /// How many collections, and inner nodes of their trees, the leaf is in.
    var depth = 0

    /// What any value may be.
    static func mixed(depth: Int) -> LeafForm { LeafForm(type: .mixed, isNullable: true, depth: depth) }
}
