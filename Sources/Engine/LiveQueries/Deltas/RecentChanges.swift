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
/// Memory: 2 KiB, so that 10,000 results to which nobody comes back take 20 MiB, however long there are writes. The
/// bound doubles, up to 64 KiB, when an observer comes back for a difference that was here and was dropped. It does not
/// follow the number of observers: all streams of a gateway with the same request are one observer, and when their
/// connections break together, there is none.
///
/// The latest difference is kept alone when it is larger, up to 64 KiB, and no larger than the keys of the result. So
/// the memory of a large result at most doubles, until its next difference.
struct RecentChanges {
    /// The maximum number of differences.
    private static let most = 64
    private static let minimumBytes = 2_048
    private static let maximumBytes = 65_536
    private static let bytesPerKey = 8

    private struct Entry {
        let from: Version
        let to: Version
        let indices: IndexChanges

        /// The approximate size in memory: the entry with its arrays, and their positions.
        var bytes: Int { 128 + 8 * (indices.size + indices.modificationsNew.count) }
    }

    private let start: Version
    /// All changes since this version are known.
    private var floor: Version
    private var entries: [Entry] = []
    private var bytes = 0
    private var limit = minimumBytes

    init(after version: Version) { (start, floor) = (version, version) }

    /// Records the difference between two versions.
    ///
    /// - Parameter keyCount: the number of objects in the result.
    mutating func add(_ indices: IndexChanges, from: Version, to: Version, keyCount: Int) {
        let entry = Entry(from: from, to: to, indices: indices)
        entries.append(entry)
        bytes += entry.bytes
        let limit = max(limit, min(entry.bytes, Self.bytesPerKey * keyCount, Self.maximumBytes))
        while let first = entries.first, entries.count > Self.most || bytes > limit {
            bytes -= first.bytes
            floor = first.to
            entries.removeFirst()
        }
    }

    /// Makes room for more when an observer asks for differences that were dropped.
    mutating func record(resumptionFrom version: Version) {
        guard version >= start, version < floor else { return }
        limit = min(2 * limit, Self.maximumBytes)
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
