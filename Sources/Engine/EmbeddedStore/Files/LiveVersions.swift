import StorageEngine
import ObjectModel
import StoreContract
import Synchronization

/// The snapshots that are pinned in this process, by version: one for each, so that equal versions share a snapshot,
/// and the time since a newer version appeared.
final class LiveVersions: Sendable {
    /// One version can exist in the file before and after a compaction.
    private struct VersionKey: Hashable {
        let version: Version
        let generation: Int
    }

    private struct Entry {
        weak var snapshot: (any Snapshot)?
        /// The time when a newer version was first known.
        var outdatedAt: ContinuousClock.Instant?

        var usable: (any Snapshot)? {
            guard let snapshot, (snapshot as? ExpiringSnapshot)?.isExpired != true else { return nil }
            return snapshot
        }
    }

    private let entries = Mutex<[VersionKey: Entry]>([:])
    /// Seconds; nil for no limit.
    private let ageLimit: Double?

    init(ageLimit: Double?) { self.ageLimit = ageLimit }

    /// The shared snapshot of this version: the given one, unless there already is one.
    func share(_ new: EmbeddedSnapshot, generation: Int) -> any Snapshot {
        let key = VersionKey(version: new.version, generation: generation)
        return entries.withLock { entries in
            if let snapshot = entries[key]?.usable { return snapshot }
            entries = entries.filter { $0.value.snapshot != nil }
            let shared: any Snapshot = ageLimit.map { ExpiringSnapshot(new, limit: $0) } ?? new
            entries[key] = Entry(snapshot: shared)
            return shared
        }
    }

    func snapshot(at version: Version) -> (any Snapshot)? {
        entries.withLock { entries in
            entries.lazy.filter { $0.key.version == version }.compactMap(\.value.usable).first
        }
    }

    /// The versions that are available now, ascending.
    var versions: [Version] {
        entries.withLock { entries in
            Set(entries.filter { $0.value.usable != nil }.keys.map(\.version)).sorted()
        }
    }

    /// The number of pinned versions, and the seconds since the oldest of them ceased to be the newest.
    var ages: (count: Int, oldest: Double) {
        let now = ContinuousClock.now
        return entries.withLock { entries in
            let pinned = entries.values.filter { $0.usable != nil }
            let oldest = pinned.compactMap(\.outdatedAt).min()
            return (pinned.count, oldest.map { (now - $0) / .seconds(1) } ?? 0)
        }
    }

    /// Revokes the snapshots that are older than the limit. `newest` is the newest version that is known.
    func expire(newest: Version) {
        let now = ContinuousClock.now
        guard let ageLimit else {
            entries.withLock { entries in
                for (key, entry) in entries where key.version < newest && entry.outdatedAt == nil {
                    entries[key]?.outdatedAt = now
                }
            }
            return
        }
        let expired = entries.withLock { entries in
            var expired: [ExpiringSnapshot] = []
            for (key, entry) in entries where key.version < newest {
                if let outdatedAt = entry.outdatedAt {
                    guard now - outdatedAt >= .seconds(ageLimit) else { continue }
                    if let snapshot = entry.snapshot as? ExpiringSnapshot { expired.append(snapshot) }
                    entries[key] = nil
                } else {
                    entries[key]?.outdatedAt = now
                }
            }
            return expired
        }
        for snapshot in expired { snapshot.expire() }
    }
}
