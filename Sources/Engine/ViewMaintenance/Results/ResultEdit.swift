import Basics
import ObjectModel

/// An edit of an ordered result that removes a few elements and inserts some again, and leaves most of it untouched.
/// Cost: follows the touched elements, and those that move instead of them.
struct ResultEdit {
    /// An element that belongs in the new result, before the untouched element with index `rank`.
    struct Arrival {
        var key: ObjectKey
        var rank: Int
        /// Its position in the old result, if it was in it.
        var oldIndex: Int?
    }

    let old: KeySequence
    /// Old positions of all removed elements, ascending; including those that arrive again.
    let removed: [Int]
    /// The arrivals in the new order.
    let arrivals: [Arrival]
    private let left: KeySequence?

    /// - Parameter untouched: the remaining elements, in order; nil if every removed element returns to its position.
    init(old: KeySequence, removed: [Int], untouched: KeySequence?, arrivals: [Arrival]) {
        self.old = old
        self.removed = removed
        self.arrivals = arrivals
        left = untouched
    }

    /// The remaining elements, in order.
    var untouched: KeySequence { left ?? old.removing(removed) }

    /// Whether the new result is the old one.
    private var isStill: Bool { left == nil }

    /// Whether nothing is removed and nothing inserted.
    var isEmpty: Bool { removed.isEmpty && arrivals.isEmpty }

    /// The new result.
    func applied() -> KeySequence { isStill ? old : untouched.inserting(arrivals.map { ($0.key, $0.rank) }) }

    /// The new positions of the arrivals, ascending.
    var newIndices: [Int] { arrivals.indices.map { arrivals[$0].rank + $0 } }

    /// The deletions and insertions of this edit, with the preference of `KeyDiff.between`: an element that was removed
    /// and returned to the same position among the others did not move. `modified` returns old positions, ascending;
    /// called only if something did move.
    func indexChanges(modified: () throws -> [Int]) rethrows -> IndexChanges {
        if isStill { return IndexChanges() }
        let returning = arrivals.indices.filter { arrivals[$0].oldIndex != nil }
        guard !returning.isEmpty else { return IndexChanges(deletions: removed, insertions: newIndices) }

        // Runs of untouched elements between the former and the new positions of returning ones.
        var cuts: Set<Int> = [0, untouched.count]
        var oldRanks: [Int: Int] = [:]
        for index in returning {
            guard let oldIndex = arrivals[index].oldIndex else { continue }
            let rank = oldIndex - removed.partitioningIndex { $0 >= oldIndex }
            oldRanks[index] = rank
            cuts.insert(rank)
            cuts.insert(arrivals[index].rank)
        }
        let starts = cuts.sorted()
        let stretches = zip(starts, starts.dropFirst()).map { $0..<$1 }

        // Positions in the old order, then the items in the new order.
        enum Item: Hashable {
            case stretch(Int)
            case arrival(Int)
        }
        let oldSequence = returning.sorted { (arrivals[$0].oldIndex ?? 0) < (arrivals[$1].oldIndex ?? 0) }
        var oldPositions: [Item: Int] = [:]
        var waiting = oldSequence[...]
        for (number, start) in starts.enumerated() {
            while let first = waiting.first, oldRanks[first] == start {
                oldPositions[.arrival(first)] = oldPositions.count
                waiting.removeFirst()
            }
            if number < stretches.count { oldPositions[.stretch(number)] = oldPositions.count }
        }
        var items: [Item] = []
        var coming = returning[...]
        for (number, start) in starts.enumerated() {
            while let first = coming.first, arrivals[first].rank == start {
                items.append(.arrival(first))
                coming.removeFirst()
            }
            if number < stretches.count { items.append(.stretch(number)) }
        }

        let order = items.map { oldPositions[$0] ?? 0 }
        let nothingMoved = zip(order, order.dropFirst()).allSatisfy { $0 < $1 }
        let modified = nothingMoved ? [] : try modified()
        /// The number of modified elements among the first `rank` untouched ones.
        let modifiedRanks = modified.compactMap { index -> Int? in
            let before = removed.partitioningIndex { $0 >= index }
            return before < removed.count && removed[before] == index ? nil : index - before
        }
        func modifiedBefore(_ rank: Int) -> Int { modifiedRanks.partitioningIndex { $0 >= rank } }
        let modifiedIndices = Set(modified)
        let blocks = zip(items, order).map { item, oldPosition in
            switch item {
            case .stretch(let number):
                OrderedBlock(
                    oldPosition: oldPosition, length: stretches[number].count,
                    modified: modifiedBefore(stretches[number].upperBound)
                        - modifiedBefore(stretches[number].lowerBound))
            case .arrival(let index):
                OrderedBlock(
                    oldPosition: oldPosition, length: 1,
                    modified: arrivals[index].oldIndex.map(modifiedIndices.contains) == true ? 1 : 0)
            }
        }
        let staying = Set(LongestIncreasingSubsequence.staying(blocks).map { items[$0] })

        let newIndices = newIndices
        var deletions = Set(removed)
        var insertions = Set(newIndices)
        for index in returning where staying.contains(.arrival(index)) {
            deletions.remove(arrivals[index].oldIndex ?? -1)
            insertions.remove(newIndices[index])
        }
        // The elements that move instead of the touched ones, when those are the longer run.
        for (number, stretch) in stretches.enumerated() where !staying.contains(.stretch(number)) {
            for rank in stretch {
                deletions.insert(removed.position(ofRank: rank))
                insertions.insert(rank + arrivals.partitioningIndex { $0.rank > rank })
            }
        }
        return IndexChanges(deletions: deletions.sorted(), insertions: insertions.sorted())
    }
}

extension KeySequence {
    /// Changing elements one by one pays while they are fewer than this fraction of the sequence.
    private static let editShare = 64

    /// The sequence without the elements at the positions, which ascend.
    func removing(_ positions: [Int]) -> KeySequence {
        if positions.isEmpty { return self }
        guard positions.count > count / Self.editShare else {
            var result = self
            for position in positions.reversed() { result.remove(at: position) }
            return result
        }
        var left: [ObjectKey] = []
        left.reserveCapacity(count - positions.count)
        var deletedPositions = positions[...]
        var position = 0
        forEachChunk { chunk in
            for key in chunk {
                if deletedPositions.first == position { deletedPositions.removeFirst() } else { left.append(key) }
                position += 1
            }
            return true
        }
        return KeySequence(left)
    }

    /// The sequence with each of the keys inserted before the element at `rank`; ranks ascend and are those before any
    /// insertion.
    func inserting(_ arrivals: [(key: ObjectKey, rank: Int)]) -> KeySequence {
        if arrivals.isEmpty { return self }
        guard arrivals.count > count / Self.editShare else {
            var result = self
            for arrival in arrivals.reversed() { result.insert(arrival.key, at: arrival.rank) }
            return result
        }
        var all: [ObjectKey] = []
        all.reserveCapacity(count + arrivals.count)
        var coming = arrivals[...]
        var rank = 0
        for key in self {
            while let first = coming.first, first.rank == rank {
                all.append(first.key)
                coming.removeFirst()
            }
            all.append(key)
            rank += 1
        }
        for arrival in coming { all.append(arrival.key) }
        return KeySequence(all)
    }
}
