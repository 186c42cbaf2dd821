import LiveQueries
import ObjectModel

/// A part of what an answer shows.
package struct WatchedPart: Hashable, Sendable {
    /// Which differences of the key's data are differences of the answer.
    package enum Extent: Hashable, Sendable {
        case all
        /// The objects at these positions, and whether there is one after them. The query need not have more objects
        /// than that one.
        case rows(Range<Int>)
        /// Which objects there are, and in which order, but not what is in them.
        case order
    }

    package var key: TopicKey
    package var extent: Extent

    package init(_ key: TopicKey, _ extent: Extent = .all) {
        self.key = key
        self.extent = extent
    }

    func isConcerned(by difference: TopicDifference) -> Bool {
        guard case .objects(let change) = difference else { return true }
        switch extent {
        case .all: return true
        case .order: return !change.deletions.isEmpty || !change.insertions.isEmpty
        case .rows(let rows): return rows.isConcerned(by: change)
        }
    }
}

extension Range<Int> {
    /// Cost: the positions of the change.
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
