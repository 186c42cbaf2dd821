package import ObjectModel
import QueryOperators
import StoreContract

/// The positions of elements in sections, made from their keys alone: for callers that compute the keys of a result,
/// list or set themselves. A section is at the position of its first element; elements with equal keys share a section,
/// wherever they are. A value: a copy costs nothing.
package struct SectionedPositions: Sendable {
    /// Positions stand for a result's objects.
    private let list: SectionList
    private let positions: KeySequence

    /// - Parameter keys: each element's, in order. Keys that are equal in the order of values are one.
    package init(keys: [Value]) {
        var sections: [(name: Value, rows: [ObjectKey])] = []
        var indices: [Value: Int] = [:]
        for (position, key) in keys.enumerated() {
            let form = key.distinctForm
            let element = ObjectKey(Int64(position))
            if let index = indices[form] {
                sections[index].rows.append(element)
            } else {
                indices[form] = sections.count
                sections.append((key, [element]))
            }
        }
        list = SectionList(sections.map { SectionList.Section(name: $0.name, rows: KeySequence($0.rows)) })
        positions = KeySequence(keys.indices.map { ObjectKey(Int64($0)) })
    }

    /// The number of sections.
    package var count: Int { list.sections.count }

    /// The section with that key, or one that is equal to it in the order of values.
    package func index(of key: Value) -> Int? { list.index(of: key.distinctForm) }

    /// The key of a section's elements. The index must be valid.
    package func key(of section: Int) -> Value { list.sections[section].name }

    /// The number of a section's elements.
    package func count(of section: Int) -> Int { list.sections[section].rows.count }

    /// The position of an existing element.
    package subscript(path: SectionPath) -> Int { Int(list.sections[path.section].rows[path.row].rawValue) }

    /// The positions of a section's elements, ascending.
    package func positions(in section: Int) -> [Int] { list.sections[section].rows.map { Int($0.rawValue) } }

    /// The difference between these sections and others, by `SectionDiff`. Cost: reading each element.
    ///
    /// - Parameter indices: the difference of the elements, with the modifications that count.
    package func changes(to new: SectionedPositions, _ indices: IndexChanges) throws -> SectionChanges {
        let diff = SectionDiff(
            list, SectionPathFinder(list, of: positions, nil), new.list,
            SectionPathFinder(new.list, of: new.positions, nil))
        return try diff.changes(indices, silent: 0..<positions.count)
    }
}

extension SectionChanges {
    /// The part of the changes in one section, for an observer of that one alone; nil if there is none.
    ///
    /// - Parameters:
    ///   - old: its index before; nil where there was none.
    ///   - new: its index now.
    package func restricted(old: Int?, new: Int?) -> SectionChanges? {
        var part = SectionChanges()
        part.sectionsToInsert = sectionsToInsert.filter { $0 == new }
        part.sectionsToDelete = sectionsToDelete.filter { $0 == old }
        part.insertions = insertions.filter { $0.section == new }
        part.deletions = deletions.filter { $0.section == old }
        for (before, after) in zip(modifications, modificationsNew) where before.section == old {
            part.modifications.append(before)
            part.modificationsNew.append(after)
        }
        return part.isEmpty ? nil : part
    }
}
