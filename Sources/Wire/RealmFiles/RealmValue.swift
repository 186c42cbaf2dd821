package import ObjectModel

/// One value of a Realm file.
package enum RealmValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    /// Bytes that are not UTF-8 have become replacement characters.
    case string(String)
    case binary([UInt8])
    /// Nanoseconds are in -999,999,999...999,999,999, and never of the opposite sign to the seconds.
    case timestamp(seconds: Int64, nanoseconds: Int32)
    case decimal(Decimal128)
    case objectID(ObjectId)
    case uuid(UUIDValue)
    /// A link to an object that is in the file.
    case link(table: UInt32, key: Int64)
    /// The elements of a list or set, in the file's order. Sets of strings and bytes were sorted in another way before
    /// format 24.
    case list([RealmValue])
    /// The entries of a map, ascending by the bytes of their keys, which are strings, or by the numbers that they are.
    case map([(key: RealmValue, value: RealmValue)])
}

extension RealmValue {
    /// Whether both are the same null, number, flag or link, which are the elements that take a few bits. Others are not
    /// compared: their bytes bound their number.
    func isSame(as other: RealmValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.link(let a, let key), .link(let b, let otherKey)): a == b && key == otherKey
        default: false
        }
    }
}

/// One object of a Realm file.
package struct RealmObject: Sendable {
    /// The object's number in its table, which is what links say. Ascending, and with gaps.
    package let key: Int64
    /// One for each column of the table.
    package let values: [RealmValue]
}
