import ObjectModel

/// An ordered result with a few elements taken out and put back in, most of it untouched.
///
/// Cost: the search and the choice of what moved follow the number of touched elements; only making the new list
/// copies the whole one.
struct ResultEdit {
    /// An element that belongs into the new result, before the untouched element number `rank`.
    struct Arrival {
        var key: ObjectKey
        var rank: Int
        /// Where it was in the old result, if it was there.
        var oldIndex: Int?
    }

    let old: [ObjectKey]
    /// Old positions of everything that is taken out, ascending; whatever arrives again is among them.
    let removed: [Int]
    /// In the new order.
    let arrivals: [Arrival]

    /// The untouched elements, in order, without copying them.
    struct Untouched: RandomAccessCollection {
        let old: [ObjectKey]
        let removed: [Int]
        var startIndex: Int { 0 }
        var endIndex: Int { old.count - removed.count }
        subscript(rank: Int) -> ObjectKey { old[removed.position(ofRank: rank)] }
    }

    /// The new result.
    func applied() -> [ObjectKey] {
        var result: [ObjectKey] = []
        result.reserveCapacity(old.count - removed.count + arrivals.count)
        var next = 0
        var gone = removed[...]
        /// Copies untouched elements up to an old position, in stretches.
        func copy(upTo end: Int) {
            while next < end {
                if next == gone.first {
                    gone.removeFirst()
                    next += 1
                    continue
                }
                let stop = Swift.min(end, gone.first ?? end)
                result.append(contentsOf: old[next..<stop])
                next = stop
            }
        }
        for arrival in arrivals {
            copy(upTo: Swift.min(removed.position(ofRank: arrival.rank), old.count))
            result.append(arrival.key)
        }
        copy(upTo: old.count)
        return result
    }

    /// The deletions and insertions of this edit, with the preference of `KeyDiff.between`: an element that was taken
    /// out and put back at the same place among the others did not move. `modified` are old positions, ascending.
    func indexChanges(modified: @autoclosure () -> [Int]) -> IndexChanges {
        let newIndices = arrivals.indices.map { arrivals[$0].rank + $0 }
        let returning = arrivals.indices.filter { arrivals[$0].oldIndex != nil }
        guard !returning.isEmpty else { return IndexChanges(deletions: removed, insertions: newIndices) }

        // Stretches of untouched elements between the places where something returning was or is.
        let untouchedCount = old.count - removed.count
        var cuts: Set<Int> = [0, untouchedCount]
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

        // Places in the old order, then the items in the new order.
        enum Item: Hashable {
            case stretch(Int)
            case arrival(Int)
        }
        let oldSequence = returning.sorted { (arrivals[$0].oldIndex ?? 0) < (arrivals[$1].oldIndex ?? 0) }
        var places: [Item: Int] = [:]
        var waiting = oldSequence[...]
        for (number, start) in starts.enumerated() {
            while let first = waiting.first, oldRanks[first] == start {
                places[.arrival(first)] = places.count
                waiting.removeFirst()
            }
            if number < stretches.count { places[.stretch(number)] = places.count }
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

        let modified = modified()
        /// How many of the first `rank` untouched elements were modified.
        let modifiedRanks = modified.compactMap { index -> Int? in
            let before = removed.partitioningIndex { $0 >= index }
            return before < removed.count && removed[before] == index ? nil : index - before
        }
        func modifiedBefore(_ rank: Int) -> Int { modifiedRanks.partitioningIndex { $0 >= rank } }
        let modifiedIndices = Set(modified)
        let blocks = items.map { item in
            switch item {
            case .stretch(let number):
                OrderedBlock(
                    oldPlace: places[item] ?? 0, length: stretches[number].count,
                    modified: modifiedBefore(stretches[number].upperBound)
                        - modifiedBefore(stretches[number].lowerBound))
            case .arrival(let index):
                OrderedBlock(
                    oldPlace: places[item] ?? 0, length: 1,
                    modified: arrivals[index].oldIndex.map(modifiedIndices.contains) == true ? 1 : 0)
            }
        }
        let staying = Set(LongestRun.staying(blocks).map { items[$0] })

        var deletions = Set(removed)
        var insertions = Set(newIndices)
        for index in returning where staying.contains(.arrival(index)) {
            deletions.remove(arrivals[index].oldIndex ?? -1)
            insertions.remove(newIndices[index])
        }
        // What moves instead of the touched elements, when they are the longer run.
        for (number, stretch) in stretches.enumerated() where !staying.contains(.stretch(number)) {
            for rank in stretch {
                deletions.insert(removed.position(ofRank: rank))
                insertions.insert(rank + arrivals.partitioningIndex { $0.rank > rank })
            }
        }
        return IndexChanges(deletions: deletions.sorted(), insertions: insertions.sorted())
    }
}
