package import ObjectModel

/// Computes the difference of two ordered results.
package enum KeyDiff {
    /// The deletions and insertions that turn `old` into `new`; modifications are left empty. Of the elements in both
    /// lists, the longest subsequence in the same order stays, and of several longest ones that with the fewest
    /// elements for which `isModified` holds. For a repeated key, the first occurrence in one list corresponds to the
    /// first in the other, and so on. Cost: n log n in the part between the first and the last difference, linear when
    /// no element moved.
    package static func between(
        _ old: [ObjectKey], _ new: [ObjectKey], isModified: (ObjectKey) -> Bool
    ) -> IndexChanges {
        // An element at the same end of both lists is in order with every other one, so it always stays.
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, old[start] == new[start] { start += 1 }
        var tail = 0
        while tail < shorter - start, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
        return between(
            Array(old[start..<old.count - tail]), Array(new[start..<new.count - tail]), after: start,
            isModified: isModified)
    }

    /// Compares two sequences. Makes arrays of the part between the first and the last difference only.
    package static func between(
        _ old: KeySequence, _ new: KeySequence, isModified: (ObjectKey) -> Bool
    ) -> IndexChanges {
        let shorter = min(old.count, new.count)
        var start = 0
        var (one, other) = (old.makeIterator(), new.makeIterator())
        while start < shorter, one.next() == other.next() { start += 1 }
        // From the back in growing pieces: going backwards one by one costs a descent of the tree for each.
        var tail = 0
        var piece = 64
        while tail < shorter - start {
            let count = min(piece, shorter - start - tail)
            let equal = zip(
                old.keys(in: old.count - tail - count..<old.count - tail).reversed(),
                new.keys(in: new.count - tail - count..<new.count - tail).reversed()
            ).prefix { $0 == $1 }.count
            tail += equal
            if equal < count { break }
            piece = min(piece * 2, 4_096)
        }
        return between(
            old.keys(in: start..<old.count - tail), new.keys(in: start..<new.count - tail), after: start,
            isModified: isModified)
    }

    /// Compares two parts that follow equally many equal elements.
    private static func between(
        _ old: [ObjectKey], _ new: [ObjectKey], after start: Int, isModified: (ObjectKey) -> Bool
    ) -> IndexChanges {
        let common = commonElements(old, new)
        let blocks = blocks(of: common, isModified: { isModified(new[$0]) })
        var oldStays = [Bool](repeating: false, count: old.count)
        var newStays = [Bool](repeating: false, count: new.count)
        for block in LongestIncreasingSubsequence.staying(blocks.map(\.block)) {
            for element in common[blocks[block].range] {
                oldStays[element.oldIndex] = true
                newStays[element.newIndex] = true
            }
        }
        return IndexChanges(
            deletions: old.indices.filter { !oldStays[$0] }.map { $0 + start },
            insertions: new.indices.filter { !newStays[$0] }.map { $0 + start })
    }

    /// An element in both lists; `rank` is its position in the old list among those.
    private struct Common {
        var oldIndex: Int
        var newIndex: Int
        var rank: Int
    }

    /// The elements in both lists, in the new order.
    private static func commonElements(_ old: [ObjectKey], _ new: [ObjectKey]) -> [Common] {
        guard !old.isEmpty, !new.isEmpty else { return [] }
        var newIndices: [ObjectKey: Int] = Dictionary(minimumCapacity: new.count)
        // From a position in the new list to the next one of the same key.
        var following: [Int: Int] = [:]
        for index in new.indices.reversed() {
            if let later = newIndices.updateValue(index, forKey: new[index]) { following[index] = later }
        }
        var taken = [Bool](repeating: false, count: new.count)
        var common: [Common] = []
        for index in old.indices {
            guard let newIndex = newIndices[old[index]], !taken[newIndex] else { continue }
            taken[newIndex] = true
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
                    (OrderedBlock(oldPosition: element.rank, length: 1, modified: modified), position..<position + 1))
            }
        }
        // Positions in the old order count blocks, not elements.
        let inOldOrder = blocks.indices.sorted { blocks[$0].block.oldPosition < blocks[$1].block.oldPosition }
        for (position, block) in inOldOrder.enumerated() { blocks[block].block.oldPosition = position }
        return blocks
    }
}
