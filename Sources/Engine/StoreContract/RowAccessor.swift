package import ObjectModel

/// The single values of a class's objects with neighbouring keys, for repeated reads and assignments: without look-ups
/// by name or number, copies and locks. A row is a key minus `firstKey`; a column is a position in the list of
/// requested properties.
///
/// Not for several threads at once, and not valid for longer than its source: see `Snapshot.cells` and
/// `WriteTransaction.cells`. Rows and columns are not checked against their ranges.
package protocol RowAccessor: AnyObject {
    var firstKey: Int64 { get }

    /// The number of rows.
    var rowCount: Int { get }

    /// Whether it still shows the state of its source. When it does not, ask the source for another one.
    var isCurrent: Bool { get }

    /// Whether the row has an object.
    func contains(_ row: Int) -> Bool

    /// The stored value; nil when this accessor cannot read it, and the source has to be asked.
    func value(_ row: Int, _ column: Int) -> Value?

    /// Assigns a value, which counts as a change. Returns false, with nothing done, when this accessor cannot assign
    /// it, and the source has to do it.
    func assign(_ value: Value, _ row: Int, _ column: Int) throws -> Bool

    /// Assigns a text, as the other `assign` does, without making a `String` of it.
    func assign(utf8 text: UnsafeBufferPointer<UInt8>, _ row: Int, _ column: Int) throws -> Bool
}
