/// A node of the file: a header of eight bytes, then the elements. Its range has been checked against the file's size.
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
    /// A flag whose meaning depends on the kind of node.
    let hasContext: Bool

    /// The offset of the elements.
    var start: Int { Int(ref) + Self.headerLength }
    /// The number of bytes that the elements take.
    let length: Int

    static let headerLength = 8
}

/// What the schema says about a leaf before it is read.
struct LeafForm {
    let type: RealmColumnType
    let isNullable: Bool
    /// The table that links lead to.
    var target: UInt32?
    /// Whether the leaf belongs to a column of a cluster, and not to the tree of a list, set or map.
    var isColumn = false
    /// The values to which the numbers in an enumerated leaf of strings refer; 0 for none.
    var enumeration: Int64 = 0
    /// How many collections, and inner nodes of their trees, the leaf is in.
    var depth = 0

    /// What any value may be.
    static func mixed(depth: Int) -> LeafForm { LeafForm(type: .mixed, isNullable: true, depth: depth) }
}
