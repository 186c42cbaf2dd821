import Basics
import ObjectModel
/// The difference between two ordered lists, by position. Removing `deletions` from the back and then inserting the new
/// elements at `insertions` from the front turns the old list into the new one.
///
/// Elements that stay keep their order; an element that moved is a deletion and an insertion.
package struct IndexChanges: Hashable, Sendable {
    /// Positions in the old list, ascending.
    package var deletions: [Int]
    /// Positions in the new list, ascending.
    package var insertions: [Int]
    /// Old positions of elements that stayed and were modified, ascending.
    package var modifications: [Int]
    /// The new positions of the same elements: `modificationsNew[i]` is the position of `modifications[i]` now.
    /// Ascending.
    package var modificationsNew: [Int]

    package init(
        deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [], modificationsNew: [Int] = []
    ) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.modificationsNew = modificationsNew
    }

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// The new position of an element of the old list; nil when it was deleted. Cost: two binary searches.
    package func newIndex(ofOld index: Int) -> Int? {
        Self.mapped(index, leaving: deletions, entering: insertions)
    }

    /// The old position of an element of the new list; nil when it was inserted. Cost: two binary searches.
    package func oldIndex(ofNew index: Int) -> Int? {
        Self.mapped(index, leaving: insertions, entering: deletions)
    }

    /// Adds modified elements at these new positions, ascending; inserted ones are ignored. There must be no
    /// modifications yet.
    package mutating func addModifications(atNew positions: [Int]) {
        for new in positions {
            guard let old = oldIndex(ofNew: new) else { continue }
            modifications.append(old)
            modificationsNew.append(new)
        }
    }

    /// Merges the difference that happened after this one. Cost: linear in both, times a logarithm.
    ///
    /// An element that this inserts and `later` deletes disappears from both. One that this deletes and `later` inserts
    /// again stays a deletion and an insertion.
    package mutating func merge(_ later: IndexChanges) {
        var merged = IndexChanges()
        merged.deletions = (deletions + later.deletions.compactMap { oldIndex(ofNew: $0) }).sorted()
        merged.insertions = (insertions.compactMap { later.newIndex(ofOld: $0) } + later.insertions).sorted()
        var pairs: [Int: Int] = [:]
        for (old, middle) in zip(modifications, modificationsNew) {
            if let new = later.newIndex(ofOld: middle) { pairs[old] = new }
        }
        for (middle, new) in zip(later.modifications, later.modificationsNew) {
            if let old = oldIndex(ofNew: middle) { pairs[old] = new }
        }
        let sorted = pairs.sorted { $0.key < $1.key }
        merged.modifications = sorted.map(\.key)
        merged.modificationsNew = sorted.map(\.value)
        self = merged
    }

    private static func mapped(_ index: Int, leaving: [Int], entering: [Int]) -> Int? {
        let before = leaving.partitioningIndex { $0 >= index }
        guard before == leaving.count || leaving[before] != index else { return nil }
        return entering.position(ofRank: index - before)
    }
}

extension [Int] {
    /// The position of the element with that rank among those whose positions are not in this ascending list.
    func position(ofRank rank: Int) -> Int {
        rank + indices.partitioningIndex { self[$0] - $0 > rank }
    }
}
