package import ViewMaintenance
package import ObjectModel
import QueryOperators
import StoreContract

/// A sectioned result at one version. Shares its storage with the maintained sections until these change.
package struct LiveSections: Sendable {
    let list: SectionList

    init(_ list: SectionList) { self.list = list }

    /// The number of sections.
    package var count: Int { list.sections.count }

    /// The number of elements of all sections. Cost: the number of sections.
    package var elementCount: Int { list.sections.reduce(0) { $0 + $1.rows.count } }

    /// The key of a section's elements. The index must be valid.
    package func key(of section: Int) -> Value { list.sections[section].name }

    /// The section with that key, or one that is equal to it in the order of values.
    package func index(of key: Value) -> Int? { list.index(of: key.distinctForm) }

    /// The number of a section's elements.
    package func count(of section: Int) -> Int { list.sections[section].rows.count }

    /// A section's elements, in order.
    package func keys(of section: Int) -> [ObjectKey] { Array(list.sections[section].rows) }

    /// The element at a valid path.
    package subscript(path: SectionPath) -> ObjectKey { list.sections[path.section].rows[path.row] }
}
