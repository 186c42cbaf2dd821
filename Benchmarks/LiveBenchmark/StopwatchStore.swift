import Dispatch
import Glibc
import ObjectModel
import StoreContract
import Synchronization

/// A store that tells when somebody last asked it for a snapshot: that is when live queries begin with a commit.
final class StopwatchStore: Store {
    private let base: any Store
    private let asked = Atomic<UInt64>(0)
    private let askedBusy = Atomic<UInt64>(0)

    init(_ base: any Store) { self.base = base }

    /// Nanoseconds since then.
    var elapsed: UInt64 { DispatchTime.now().uptimeNanoseconds - asked.load(ordering: .acquiring) }

    /// Nanoseconds since then that the calling thread worked, which must be the one that asked: without those that it
    /// waited for others.
    var busy: UInt64 { Self.threadTime - askedBusy.load(ordering: .acquiring) }

    private static var threadTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    func snapshot() throws -> any Snapshot {
        let snapshot = try base.snapshot()
        askedBusy.store(Self.threadTime, ordering: .releasing)
        asked.store(DispatchTime.now().uptimeNanoseconds, ordering: .releasing)
        return snapshot
    }

    func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void, isAlone: Bool,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.submit(work, isAlone: isAlone, completion: completion) }

    func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.replaceSchema(with: schema, migration: migration, completion: completion) }

    func snapshot(at version: Version) throws -> any Snapshot { try base.snapshot(at: version) }

    func asOf(_ version: Version, before snapshot: any Snapshot) throws -> AsOfState? {
        try base.asOf(version, before: snapshot)
    }

    func walk(from snapshot: any Snapshot) throws -> any VersionWalk { try base.walk(from: snapshot) }

    func tag(of version: Version) throws -> HistoryTag? { try base.tag(of: version) }
    func changeLogFloor() throws -> Version { try base.changeLogFloor() }

    func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void) { base.onCommit(listener) }

    func changes(after version: Version) throws -> [ChangeSet]? { try base.changes(after: version) }

    func close() { base.close() }
}
