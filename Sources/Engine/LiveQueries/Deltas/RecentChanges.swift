import ViewMaintenance
import ObjectModel
import StoreContract

/// The recent changes of a query's result, kept for observers that resume after missing some.
struct ResultMemory {
    /// The difference since an earlier version.
    private struct Missed {
        let indices: IndexChanges
        /// Weak, because it pins the version that it leads to.
        weak var change: LiveChange?
    }

    /// The changes that were recently delivered.
    var recent: RecentChanges
    /// For observers that resume from earlier versions, as seen from one version.
    private var resumed: (version: Version, changes: [Version: Missed])

    init(at version: Version) {
        recent = RecentChanges(after: version)
        resumed = (version, [:])
    }

    /// The difference between a version and the present one; nil if there is none. It is computed once for all that
    /// request it at the same version, and observers that request it together get the same object.
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

/// The latest differences of a result, so that an observer that missed only those can catch up without reading earlier
/// versions of the store.
///
/// Memory: about 2 KiB, and 256 bytes more for each further observer, so that very many results that nobody shares take
/// little, and the many observers of one whose connections break together do not make it read earlier versions.
struct RecentChanges {
    /// The maximum number of differences.
    private static let most = 64
    private static let ownBytes = 2_048
    private static let bytesPerObserver = 256
    private static let maximumBytes = 65_536

    private struct Entry {
        let from: Version
        let to: Version
        let indices: IndexChanges

        /// The approximate size in memory: the entry, an array for positions before and one for positions after.
        var bytes: Int { 128 + 16 * indices.size }
    }

    /// All changes since this version are known.
    private var floor: Version
    private var entries: [Entry] = []
    private var bytes = 0

    init(after version: Version) { floor = version }

    /// Records the difference between two versions.
    mutating func add(_ indices: IndexChanges, from: Version, to: Version, observers: Int) {
        let limit = min(Self.ownBytes + Self.bytesPerObserver * (observers - 1), Self.maximumBytes)
        entries.append(Entry(from: from, to: to, indices: indices))
        bytes += entries.last?.bytes ?? 0
        while let first = entries.first, entries.count > Self.most || bytes > limit {
            bytes -= first.bytes
            floor = first.to
            entries.removeFirst()
        }
    }

    /// The difference between a version and the present one; nil where it is not known.
    func changes(since version: Version, at present: Version) -> IndexChanges? {
        guard version >= floor, version <= present else { return nil }
        var sum = IndexChanges()
        for entry in entries where entry.to > version {
            // There is no result of a version within an entry.
            guard entry.from >= version else { return nil }
            sum.merge(entry.indices)
        }
        return sum
    }
}

extension IndexChanges {
    /// The number of positions in it.
    var size: Int { deletions.count + insertions.count + modifications.count }

    /// The inverse difference; modifications are at their positions on the other side.
    var inverted: IndexChanges {
        IndexChanges(
            deletions: insertions, insertions: deletions, modifications: modificationsNew,
            modificationsNew: modifications)
    }
}
