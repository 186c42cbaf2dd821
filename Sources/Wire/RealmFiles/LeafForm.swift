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
