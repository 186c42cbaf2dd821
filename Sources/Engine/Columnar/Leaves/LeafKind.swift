package import ObjectModel

/// The type of a leaf's values; decides its encodings. The raw values are on disk: never reuse one.
package enum LeafKind: UInt8, Sendable, CaseIterable {
    case bool = 1
    case int = 2
    case float = 3
    case double = 4
    case string = 5
    case date = 6
    case objectId = 7
    case uuid = 8
    case link = 9
    case data = 10
    case decimal128 = 11
    /// Values with their types, as `ValueRecord` writes them.
    case mixed = 12
    /// Whole collections, as `ElementBlock` writes them.
    case list = 13
    case set = 14
    case map = 15

    /// The kind of a stored property; nil for types that have no column.
    package init?(_ type: PropertyType) {
        if type.isComputed { return nil }
        switch type.collection {
        case .list: self = .list
        case .set: self = .set
        case .map: self = .map
        case .single: self.init(type.base)
        }
    }

    private init?(_ base: BaseType) {
        switch base {
        case .bool: self = .bool
        case .int: self = .int
        case .float: self = .float
        case .double: self = .double
        case .string: self = .string
        case .date: self = .date
        case .objectId: self = .objectId
        case .uuid: self = .uuid
        case .link: self = .link
        case .data: self = .data
        case .decimal128: self = .decimal128
        case .mixed: self = .mixed
        case .linkingObjects: return nil
        }
    }

    /// Whether the values are runs of bytes of any length.
    @inline(__always)
    package var isBytes: Bool {
        switch self {
        case .string, .data, .mixed, .list, .set, .map: true
        default: false
        }
    }

    /// The collection of a column of collections.
    package var collection: CollectionKind {
        switch self {
        case .list: .list
        case .set: .set
        case .map: .map
        default: .single
        }
    }

    /// Whether the value is valid in a leaf of this kind; null always is.
    package func accepts(_ value: Value) -> Bool {
        switch (value, self) {
        case (.null, _), (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string),
            (.date, .date), (.objectId, .objectId), (.uuid, .uuid), (.link, .link), (.data, .data),
            (.decimal, .decimal128), (.list, .list), (.set, .set), (.dictionary, .map):
            true
        case (.link, .mixed), (.embedded, .mixed), (.set, .mixed): false
        default: self == .mixed
        }
    }

    /// The encodings that a leaf of this kind may have.
    func allows(_ encoding: LeafHeader.Encoding) -> Bool {
        switch self {
        case .bool, .int, .date, .link: encoding == .packed
        case .float, .double, .objectId, .uuid, .decimal128: encoding == .raw
        case .string, .data, .mixed, .list, .set, .map: encoding == .text || encoding == .dictionary
        }
    }
}
