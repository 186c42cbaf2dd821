package import ObjectModel

/// Finds how one ordered result became another.
package enum KeyDiff {
    /// The deletions and insertions that turn `old` into `new`; modifications are left empty. Of the elements that
    /// are in both, the longest run that is in the same order stays, and among the longest one with the fewest
    /// elements for which `isModified` holds. Of a key that is there several times, the first in one list
    /// is the first in the other, and so on. Cost: n log n in the part between the first and the last difference,
    /// linear when no element changed place.
    package static func between(
        _ old: [ObjectKey], _ new: [ObjectKey], isModified: (ObjectKey) -> Bool
    ) -> IndexChanges {
        // An element at the same end of both lists is in order with every other one, so it always stays.
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, old[start] == new[start] { start += 1 }
        var tail = 0
        while tail < shorter - start, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
        let oldMiddle = start..<old.count - tail
        let newMiddle = start..<new.count - tail

        let common = commonElements(old[oldMiddle], new[newMiddle])
        let blocks = blocks(of: common, isModified: { isModified(new[$0]) })
        var oldStays = [Bool](repeating: false, count: oldMiddle.count)
        var newStays = [Bool](repeating: false, count: newMiddle.count)
        for block in LongestRun.staying(blocks.map(\.block)) {
            for element in common[blocks[block].range] {
                oldStays[element.oldIndex - start] = true
                newStays[element.newIndex - start] = true
            }
        }
        return IndexChanges(
            deletions: oldMiddle.filter { !oldStays[$0 - start] },
            insertions: newMiddle.filter { !newStays[$0 - start] })
    }

    /// An element that is in both lists; `rank` is its place in the old list among those.
    private struct Common {
        var oldIndex: Int
        var newIndex: Int
        var rank: Int
    }

    /// The elements that are in both lists, in the new order.
    private static func commonElements(
        _ old: ArraySlice<ObjectKey>, _ new: ArraySlice<ObjectKey>
    ) -> [Common] {
        guard !old.isEmpty, !new.isEmpty else { return [] }
        var newIndices: [ObjectKey: Int] = Dictionary(minimumCapacity: new.count)
        // From a place in the new list to the next one of the same key.
        var following: [Int: Int] = [:]
        for index in new.indices.reversed() {
            if let later = newIndices.updateValue(index, forKey: new[index]) { following[index] = later }
        }
        var taken = [Bool](repeating: false, count: new.count)
        var common: [Common] = []
        for index in old.indices {
            guard let newIndex = newIndices[old[index]], !taken[newIndex - new.startIndex] else { continue }
            taken[newIndex - new.startIndex] = true
            if !following.isEmpty, let later = following[newIndex] { newIndices[old[index]] = later }
            common.append(Common(oldIndex: index, newIndex: newIndex, rank: common.count))
        }
        return common.sorted { $0.newIndex < $1.newIndex }
    }

    /// Joins neighbours in the new order that are neighbours in the old order too.
    private static func blocks(
        of common: [Common], isModified: (Int) -> Bool
    ) -> [(block: OrderedBlock, range: Range<Int>)] {
        var blocks: [(block: OrderedBlock, range: Range<Int>)] = []
        for (position, element) in common.enumerated() {
            let modified = isModified(element.newIndex) ? 1 : 0
            if let last = blocks.indices.last, common[position - 1].rank + 1 == element.rank {
                blocks[last].block.length += 1
                blocks[last].block.modified += modified
                blocks[last].range = blocks[last].range.lowerBound..<position + 1
            } else {
                blocks.append(
                    (OrderedBlock(oldPlace: element.rank, length: 1, modified: modified), position..<position + 1))
            }
        }
        // Places in the old order count blocks, not elements.
        let inOldOrder = blocks.indices.sorted { blocks[$0].block.oldPlace < blocks[$1].block.oldPlace }
        for (place, block) in inOldOrder.enumerated() { blocks[block].block.oldPlace = place }
        return blocks
    }
}
