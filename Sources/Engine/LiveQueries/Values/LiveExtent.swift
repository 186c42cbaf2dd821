import ObjectModel

/// Which differences of a query's result matter to who shows a part of it.
package enum LiveExtent: Hashable, Sendable {
    case all
    /// The objects at these positions, and whether there is one after them. The query need not have more objects than
    /// that one.
    case rows(Range<Int>)
    /// Which objects there are, and in which order, but not what is in them.
    case order

    /// Cost: the positions of the change.
    package func isConcerned(by change: LiveChange) -> Bool {
        switch self {
        case .all: true
        case .order: !change.deletions.isEmpty || !change.insertions.isEmpty
        case .rows(let rows): rows.isConcerned(by: change)
        }
    }
}

extension Range<Int> {
    fileprivate func isConcerned(by change: LiveChange) -> Bool {
        if isEmpty { return false }
        let (deletions, insertions) = (change.deletions, change.insertions)
        if change.modificationsNew.contains(where: contains) || deletions.contains(where: contains)
            || insertions.contains(where: contains)
        {
            return true
        }
        let count = change.newKeys.count
        let earlierCount = count - insertions.count + deletions.count
        if (count > upperBound) != (earlierCount > upperBound) { return true }
        // Objects before the first row move the others, if there are any.
        let moved = insertions.count { $0 < lowerBound } - deletions.count { $0 < lowerBound }
        return moved != 0 && Swift.max(count, earlierCount) > lowerBound
    }
}
