package import ObjectModel
import StoreContract

/// Finds the paths of a result's elements in its sections, by their positions in the result. Used by one thread at a
/// time.
package final class SectionPathFinder {
    /// The search for one element.
    package struct Search {
        package let order: ResultOrder
        package let position: (ObjectKey) throws -> ResultPosition
        /// The distinct form of the key of the section that contains the element at a position.
        package let form: (Int, ObjectKey) throws -> Value

        package init(
            order: ResultOrder, position: @escaping (ObjectKey) throws -> ResultPosition,
            form: @escaping (Int, ObjectKey) throws -> Value
        ) {
            self.order = order
            self.position = position
            self.form = form
        }
    }

    private let list: SectionList
    private let keys: KeySequence
    /// Nil where a table of all paths is made instead.
    private let search: Search?
    private lazy var table = makeTable()
    private var searches = 0

    /// After so many searches, and so many for each element, a table of all paths costs less.
    private static let searchMinimum = 64
    private static let searchShare = 64

    package init(_ list: SectionList, of keys: KeySequence, _ search: Search?) {
        self.list = list
        self.keys = keys
        self.search = search
    }

    /// Returns nil only if the sections are not those of the result.
    func path(at position: Int) throws -> SectionPath? {
        searches += 1
        guard let search, searches <= Self.searchMinimum + keys.count / Self.searchShare else {
            return table.indices.contains(position) ? table[position] : nil
        }
        let key = keys[position]
        guard let section = try list.index(of: search.form(position, key)) else { return nil }
        let rows = list.sections[section].rows
        var row = try rows.position(of: search.position(key), by: search.order, search.position)
        // One object may occur several times in a row.
        var earlier = position - 1
        while earlier >= 0, keys[earlier] == key {
            row += 1
            earlier -= 1
        }
        return row < rows.count && rows[row] == key ? SectionPath(section, row) : nil
    }

    /// Every element's path. Rows are in the order of the result.
    private func makeTable() -> [SectionPath] {
        var owners: [ObjectKey: Int] = Dictionary(minimumCapacity: keys.count)
        for (index, section) in list.sections.enumerated() { for key in section.rows { owners[key] = index } }
        var rows = [Int](repeating: 0, count: list.sections.count)
        var table: [SectionPath] = []
        table.reserveCapacity(keys.count)
        for key in keys {
            guard let section = owners[key] else { continue }
            table.append(SectionPath(section, rows[section]))
            rows[section] += 1
        }
        return table
    }
}
