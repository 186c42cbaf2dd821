package import LiveQueries

/// A part of what an answer shows.
package struct WatchedPart: Hashable, Sendable {
    package var key: TopicKey
    /// Which differences of the key's data are differences of the answer.
    package var extent: LiveExtent

    package init(_ key: TopicKey, _ extent: LiveExtent = .all) {
        self.key = key
        self.extent = extent
    }

    func isConcerned(by difference: TopicDifference) -> Bool {
        guard case .objects(let change) = difference else { return true }
        return extent.isConcerned(by: change)
    }
}
