/// A table of a Realm file: the objects of a class, or data of Realm's own.
package struct RealmTable: Sendable {
    package enum Kind: Sendable {
        /// Objects that have no owner.
        case topLevel
        /// Objects that belong to the one object that links to them.
        case embedded
        /// Objects that the app writes only to send them. Such a table is nearly always empty.
        case asymmetric
    }

    /// Differs from the names of all tables before it; see `storedName`.
    package let name: String
    /// The name in the file. Two tables can have equal texts here, if their names differ only in bytes that are not
    /// valid UTF-8.
    package let storedName: String
    /// The name of the class; nil for a table that no class of the app has.
    package let className: String?
    /// The key by which links refer to the table.
    package let key: UInt32
    package let kind: Kind
    /// The properties in the order of their declaration. Those that were added later come last.
    package let columns: [RealmColumn]
    /// The index of the primary key in `columns`.
    package let primaryKey: Int?

    /// The root of the objects' tree; 0 for none.
    let objects: Int64
    /// Where the values of each column are.
    let layout: [ColumnLayout]
}

/// A property of a Realm file's table.
package struct RealmColumn: Sendable {
    package enum Collection: Sendable, Equatable {
        case none, list, set
        case map(keysAreIntegers: Bool)
    }

    /// Differs from the names of all columns before it; see `storedName`.
    package let name: String
    /// The name in the file. Two columns can have equal texts here, if their names differ only in bytes that are not
    /// valid UTF-8.
    package let storedName: String
    /// The type of the value or, in a collection, of its elements.
    package let type: RealmColumnType
    package let collection: Collection
    /// Whether the value may be null; in a collection, whether its elements may be.
    package let isOptional: Bool
    package let isIndexed: Bool
    /// Whether the index is a full-text index.
    package let isFullText: Bool
    /// The key of the table that links lead to.
    package let target: UInt32?
}

package enum RealmColumnType: Sendable {
    case int, bool, string, binary, mixed, timestamp, float, double, decimal, objectID, uuid, link
}

/// Where the values of a column are.
struct ColumnLayout: Sendable {
    /// The slot of the column in a cluster, minus one.
    let leaf: Int
    /// The values to which the numbers in an enumerated leaf refer; 0 for none.
    let enumeration: Int64
}
