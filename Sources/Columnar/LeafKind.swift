package import ObjectModel

/// What a leaf's values are; decides its encodings. The raw values are on disk: never reuse one.
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

    /// The kind of a stored single-valued property; nil for types that have no column.
    package init?(_ type: PropertyType) {
        guard type.collection == .single else { return nil }
        switch type.base {
        case .bool: self = .bool
        case .int: self = .int
        case .float: self = .float
        case .double: self = .double
        case .string: self = .string
        case .date: self = .date
        case .objectId: self = .objectId
        case .uuid: self = .uuid
        case .link: self = .link
        case .data, .decimal128, .mixed, .linkingObjects: return nil
        }
    }

    /// Whether the value can stand in a leaf of this kind; null always can.
    package func accepts(_ value: Value) -> Bool {
        switch (value, self) {
        case (.null, _), (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string),
            (.date, .date), (.objectId, .objectId), (.uuid, .uuid), (.link, .link):
            true
        default: false
        }
    }

    /// The encodings that a leaf of this kind may have.
    func allows(_ encoding: LeafHeader.Encoding) -> Bool {
        switch self {
        case .bool, .int, .date, .link: encoding == .packed
        case .float, .double, .objectId, .uuid: encoding == .raw
        case .string: encoding == .text || encoding == .dictionary
        }
    }
}
