import Basics
import ObjectModel

/// The change sets since the oldest version that an instance or one of its observers is at.
struct ChangeHistory {
    private var sets: [ChangeSet] = []
    /// The versions among them that the instance committed itself.
    private var own: Set<Version> = []
    /// The version that the change sets lead to.
    private(set) var end: Version

    init(from version: Version) { end = version }

    /// Appends the change sets, which ascend, that are newer than the last one.
    mutating func append(_ changes: [ChangeSet]) {
        for set in changes where set.version > end {
            sets.append(set)
            end = set.version
        }
    }

    mutating func markOwn(_ version: Version) { own.insert(version) }

    /// The changes between two versions. Cost: the changes.
    func changes(from start: Version, to end: Version) -> ChangeSet {
        merged(start, end) { _ in true }
    }

    /// The part of them that others committed; nil when that is all of it.
    func foreignChanges(from start: Version, to end: Version) -> ChangeSet? {
        guard own.contains(where: { $0 > start && $0 <= end }) else { return nil }
        return merged(start, end) { !own.contains($0) }
    }

    private func merged(_ start: Version, _ end: Version, _ isWanted: (Version) -> Bool) -> ChangeSet {
        let first = sets.partitioningIndex { $0.version > start }
        var changes = ChangeSet(version: end)
        for set in sets[first...].prefix(while: { $0.version <= end }) where isWanted(set.version) {
            changes.merge(set)
        }
        changes.version = end
        return changes
    }

    /// Drops the change sets up to a version.
    mutating func trim(upTo version: Version) {
        let firstNeeded = sets.partitioningIndex { $0.version > version }
        sets.removeFirst(firstNeeded)
        own = own.filter { $0 > version }
    }

    /// The number of stored change sets, for tests.
    var count: Int { sets.count }
}
