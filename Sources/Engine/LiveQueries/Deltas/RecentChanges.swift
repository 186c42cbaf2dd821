import ObjectModel
import StoreContract

/// What is remembered for the observers of a query, so that those who come back are told what they missed.
struct ResultMemory {
    /// What became different since an earlier version.
    private struct Missed {
        let indices: IndexChanges
        /// Weak, because it pins the version that it leads to.
        weak var change: LiveChange?
    }

    /// What they were told of late.
    var recent: RecentChanges
    /// For those who resume from earlier versions, as seen from one version.
    private var resumed: (version: Version, changes: [Version: Missed])

    init(at version: Version) {
        recent = RecentChanges(after: version)
        resumed = (version, [:])
    }

    /// What became different between a version and the present one, found once for all who ask at the same version, and
    /// one object for those who ask together; nil for nothing.
    mutating func change(
        since version: Version, at snapshot: any Snapshot, _ newKeys: KeySequence, find: () throws -> IndexChanges
    ) rethrows -> LiveChange? {
        if resumed.version != snapshot.version { resumed = (snapshot.version, [:]) }
        let known = resumed.changes[version]
        if let change = known?.change { return change }
        let indices = try known?.indices ?? find()
        let change =
            indices.isEmpty ? nil : LiveChange(snapshot: snapshot, indices: indices, newKeys: newKeys)
        resumed.changes[version] = Missed(indices: indices, change: change)
        return change
    }
}

/// The latest differences of a result, so that who missed only those can be told without looking back at the store.
struct RecentChanges {
    /// Bounds of what is kept.
    private static let most = 64
    private static let mostIndices = 4_096

    private struct Entry {
        let from: Version
        let to: Version
        let indices: IndexChanges
    }

    /// Of every version from this one on it is known what changed.
    private var floor: Version
    private var entries: [Entry] = []
    private var indexCount = 0

    init(after version: Version) { floor = version }

    /// Notes what a step between two versions did.
    mutating func add(_ indices: IndexChanges, from: Version, to: Version) {
        entries.append(Entry(from: from, to: to, indices: indices))
        indexCount += indices.size
        while let first = entries.first, entries.count > Self.most || indexCount > Self.mostIndices {
            indexCount -= first.indices.size
            floor = first.to
            entries.removeFirst()
        }
    }

    /// What became different between a version and the present one; nil where that is not known.
    func changes(since version: Version, at present: Version) -> IndexChanges? {
        guard version >= floor, version <= present else { return nil }
        var sum = IndexChanges()
        for entry in entries where entry.to > version {
            // A version in the middle of a step was never looked at.
            guard entry.from >= version else { return nil }
            sum.merge(entry.indices)
        }
        return sum
    }
}

extension IndexChanges {
    /// How many positions it names.
    var size: Int { deletions.count + insertions.count + modifications.count }

    /// What leads back; modifications are where they are on the other side.
    var inverted: IndexChanges {
        IndexChanges(
            deletions: insertions, insertions: deletions, modifications: modificationsNew,
            modificationsNew: modifications)
    }
}
