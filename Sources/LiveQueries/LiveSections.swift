package import ObjectModel
package import StoreContract

/// A result in sections at one version.
package struct LiveSections: Sendable {
    private let sectioned: SectionedKeys

    init(_ sectioned: SectionedKeys) { self.sectioned = sectioned }

    /// The number of sections.
    package var count: Int { sectioned.sections.count }

    /// The number of elements of all sections.
    package var elementCount: Int { sectioned.keys.count }

    /// The key that a section's elements share. The index must be one of a section.
    package func key(of section: Int) -> Value { sectioned.sections[section].key }

    /// The number of a section's elements.
    package func count(of section: Int) -> Int { sectioned.sections[section].range.count }

    /// A section's elements, in order.
    package func keys(of section: Int) -> [ObjectKey] { Array(sectioned.keys[sectioned.sections[section].range]) }

    /// The element at a place that there is.
    package subscript(path: SectionPath) -> ObjectKey {
        sectioned.keys[sectioned.sections[path.section].range.lowerBound + path.row]
    }
}
