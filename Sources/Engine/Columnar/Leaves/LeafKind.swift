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

/// The reason why bytes are not a leaf or a live mask, or why a value does not fit one.
package enum LeafError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Fewer bytes than the header, or than the header requires.
    case truncated
    /// A field of the header has a value that no writer stores.
    case malformed
    /// Written by a newer format.
    case unsupportedFormat
    /// The leaf holds another kind of values than requested.
    case kindMismatch
    /// A leaf holds at most 65,535 slots and 4 GiB of text.
    case full
    /// The slot does not exist.
    case noSuchSlot

    package var description: String {
        switch self {
        case .truncated: "A column block is shorter than its header requires; restore the file from a backup."
        case .malformed: "A column block's header is damaged; restore the file from a backup."
        case .unsupportedFormat: "A column block was written by a newer version; open the file with that version."
        case .kindMismatch: "The type of a value does not match its column."
        case .full: "A column block cannot hold more values."
        case .noSuchSlot: "A column block has no value at that position."
        }
    }
}
