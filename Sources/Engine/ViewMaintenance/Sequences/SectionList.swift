import Basics
package import ObjectModel
import QueryOperators
package import QueryLanguage
package import StoreContract

/// The sections of a result at one version. A value: a copy costs nothing.
/// Memory: eight bytes an element, and some for each section.
package struct SectionList: Sendable {
    package struct Section: Sendable {
        /// The key of the first element.
        package var name: Value
        package var rows: KeySequence
    }

    /// Identifies a list of sections, whatever their rows.
    private final class Identity: Sendable {}

    private let order: SectionKey.Order
    package private(set) var sections: [Section]
    /// Section indices by the distinct form of their keys.
    private var indices: [Value: Int]
    private var identity = Identity()

    /// - Parameter sections: in this order.
    init(_ sections: [Section], in order: SectionKey.Order = .firstElements) {
        self.order = order
        self.sections = sections
        indices = Self.indices(of: sections)
    }

    private static func indices(of sections: [Section]) -> [Value: Int] {
        Dictionary(
            sections.enumerated().map { ($1.name.distinctForm, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package init(_ sectioned: SectionedKeys, in order: SectionKey.Order) {
        self.init(
            sectioned.sections.map { Section(name: $0.key, rows: KeySequence(sectioned.keys[$0.range])) }, in: order)
    }

    /// Puts the elements of a result into sections one by one. Cost: reading each.
    package init(_ keys: KeySequence, by reader: SectionKeyReader, _ reads: any ObjectReads) throws {
        var sections: [(name: Value, rows: [ObjectKey])] = []
        var indices: [Value: Int] = [:]
        for key in keys {
            let name = try reader.name(of: key, reads)
            let form = name.distinctForm
            if let index = indices[form] {
                sections[index].rows.append(key)
            } else {
                indices[form] = sections.count
                sections.append((name, [key]))
            }
        }
        self.init(
            reader.order.arranged(sections.map(\.name)).map { index in
                Section(name: sections[index].name, rows: KeySequence(sections[index].rows))
            }, in: reader.order)
    }

    /// Whether both have the same sections in the same order. False negatives are possible.
    package func hasSections(of other: SectionList) -> Bool { identity === other.identity }

    /// The section with a key of this distinct form.
    package func index(of form: Value) -> Int? { indices[form] }

    func form(of section: Int) -> Value { sections[section].name.distinctForm }
}

/// Reads the section that an object belongs to.
package struct SectionKeyReader: Sendable {
    private let key: SectionKey
    private let sortKeys: [SortKey]
    private let classID: ClassID

    package var order: SectionKey.Order { key.order }

    package init(_ key: SectionKey, of classID: ClassID) {
        self.key = key
        sortKeys = [SortKey(key.path)]
        self.classID = classID
    }

    package func name(of object: ObjectKey, _ reads: any ObjectReads) throws -> Value {
        let values = try reads.sortValues(sortKeys, of: object, in: classID)
        return key.value(of: (values.first ?? nil) ?? .null)
    }
}

// MARK: - Editing

/// An element that enters a section.
struct SectionArrival {
    let key: ObjectKey
    let name: Value
}

extension SectionList {
    /// Removes rows, then inserts elements in the order of the result. Sections that become empty are removed. Cost: a
    /// search for each element; the number of sections if one was added, removed or got another first element.
    ///
    /// - Parameters:
    ///   - removals: without duplicates in any section.
    ///   - renames: sections whose first element has another key than before, though equal to it.
    ///   - position: returns the position of an element in the new result.
    mutating func edit(
        removing removals: [SectionPath], adding arrivals: [SectionArrival], renaming renames: [Int: Value],
        by order: ResultOrder, _ position: (ObjectKey) throws -> ResultPosition, name: (ObjectKey) throws -> Value
    ) throws {
        for (section, name) in renames { sections[section].name = name }
        var firstChanged: Set<Int> = []
        for path in removals.sorted().reversed() {
            sections[path.section].rows.remove(at: path.row)
            if path.row == 0 { firstChanged.insert(path.section) }
        }
        let oldCount = sections.count
        for arrival in arrivals {
            let form = arrival.name.distinctForm
            let section = indices[form] ?? sections.count
            if section == sections.count {
                indices[form] = section
                sections.append(Section(name: arrival.name, rows: []))
            }
            let row = try sections[section].rows.position(of: position(arrival.key), by: order, position)
            sections[section].rows.insert(arrival.key, at: row)
            if row == 0 { firstChanged.insert(section) }
        }
        guard !firstChanged.isEmpty else { return }
        for section in firstChanged {
            guard let first = sections[section].rows.first else { continue }
            sections[section].name = try name(first)
        }
        try arrange(firstChanged, of: oldCount, by: order, position)
    }

    /// Moves sections that are new or have another first element than before to their positions among the others.
    private mutating func arrange(
        _ moving: Set<Int>, of oldCount: Int, by order: ResultOrder, _ position: (ObjectKey) throws -> ResultPosition
    ) throws {
        // No section that stays is empty: its first element would have changed.
        let staying = sections.indices.filter { !moving.contains($0) }
        func isBefore(_ a: (section: Int, position: ResultPosition), _ b: (section: Int, position: ResultPosition))
            -> Bool
        {
            self.order.isBefore(sections[a.section].name, sections[b.section].name)
                ?? order.isBefore(a.position, b.position)
        }
        func first(_ section: Int) throws -> (section: Int, position: ResultPosition)? {
            try sections[section].rows.first.map { (section, try position($0)) }
        }
        var coming: [(rank: Int, first: (section: Int, position: ResultPosition), section: Int)] = []
        for section in moving {
            guard let own = try first(section) else { continue }
            let rank = try staying.partitioningIndex { other in
                guard let other = try first(other) else { return false }
                return !isBefore(other, own)
            }
            coming.append((rank, own, section))
        }
        coming.sort { $0.rank != $1.rank ? $0.rank < $1.rank : isBefore($0.first, $1.first) }
        var arranged: [Int] = []
        arranged.reserveCapacity(staying.count + coming.count)
        var next = 0
        for entry in coming {
            arranged += staying[next..<entry.rank]
            arranged.append(entry.section)
            next = entry.rank
        }
        arranged += staying[next...]
        if arranged.count == oldCount, arranged.indices.allSatisfy({ arranged[$0] == $0 }) { return }
        self = SectionList(arranged.map { sections[$0] }, in: self.order)
    }
}
