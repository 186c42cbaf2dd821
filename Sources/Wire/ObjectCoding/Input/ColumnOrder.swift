package import ObjectModel

/// The columns of a file's objects in the order in which an earlier object named them, which is a good guess for the
/// next one: a name is then compared with one or two others, and not looked up.
package struct ColumnOrder: Sendable {
    /// A class, because a property has several counted references.
    final class Column: Sendable {
        /// The name in the file, which may differ from the property's.
        let name: String
        let property: PropertySchema

        init(name: String, property: PropertySchema) {
            self.name = name
            self.property = property
        }
    }

    private var columns: [Column]
    /// Whether no object was read yet.
    private var isGuess = true

    /// How many columns an object may omit, one after the other, without a look-up.
    private static let reach = 8

    /// Expects the properties in the order of the class.
    package init(_ objectClass: ClassSchema) {
        columns = objectClass.properties.map { Column(name: $0.name, property: $0) }
    }

    /// The position of a column at `start` or soon after it; nil if it is not there.
    func position(of name: String, from start: Int) -> Int? {
        for position in start..<max(start, min(columns.count, start + Self.reach)) where columns[position].name == name
        {
            return position
        }
        return nil
    }

    subscript(position: Int) -> Column { columns[position] }

    /// Adopts the order of an object that had another one, unless it names fewer columns: it may have omitted some.
    mutating func adopt(_ others: [Column]) {
        guard isGuess || others.count >= columns.count else { return }
        columns = others
        isGuess = false
    }
}
