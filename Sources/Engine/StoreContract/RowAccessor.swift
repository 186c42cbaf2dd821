package import ObjectModel

/// The single values of a class's objects with neighbouring keys, for whoever reads or assigns them again and again:
/// without look-ups by name or number, copies and locks. Rows are keys less `firstKey`; columns are places in the list
/// of properties that was asked for.
///
/// Not for several threads at once, and for no longer than what they came from: see `Snapshot.cells` and
/// `WriteTransaction.cells`. Rows and columns of their range are taken on trust.
package protocol RowAccessor: AnyObject {
    var firstKey: Int64 { get }

    /// The number of rows.
    var rowCount: Int { get }

    /// Whether they still are what they came from shows. Others are to be asked for when not.
    var isCurrent: Bool { get }

    /// Whether the row has an object.
    func contains(_ row: Int) -> Bool

    /// The stored value; nil when it cannot be had this way, and is to be asked for where the cells came from.
    func value(_ row: Int, _ column: Int) -> Value?

    /// Assigns a value, which counts as a change. False, with nothing done, when that cannot be done this way, and is to
    /// be asked for where the cells came from.
    func assign(_ value: Value, _ row: Int, _ column: Int) throws -> Bool

    /// The same of a text, which nothing is made of on the way.
    func assign(utf8 text: UnsafeBufferPointer<UInt8>, _ row: Int, _ column: Int) throws -> Bool
}
