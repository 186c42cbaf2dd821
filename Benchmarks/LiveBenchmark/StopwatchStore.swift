import Dispatch
import ObjectModel
import StoreContract
import Synchronization

/// A store that tells when somebody last asked it for a snapshot: that is when live queries begin with a commit.
final class StopwatchStore: Store {
    private let base: any Store
    private let asked = Atomic<UInt64>(0)

    init(_ base: any Store) { self.base = base }

    /// Nanoseconds since then.
    var elapsed: UInt64 { DispatchTime.now().uptimeNanoseconds - asked.load(ordering: .acquiring) }

    func snapshot() throws -> any Snapshot {
        let snapshot = try base.snapshot()
        asked.store(DispatchTime.now().uptimeNanoseconds, ordering: .releasing)
        return snapshot
    }

    func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.submit(work, completion: completion) }

    func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.replaceSchema(with: schema, migration: migration, completion: completion) }

    func snapshot(at version: Version) throws -> any Snapshot { try base.snapshot(at: version) }

    func past(at version: Version, before snapshot: any Snapshot) throws -> Past? {
        try base.past(at: version, before: snapshot)
    }

    func changeLogFloor() throws -> Version { try base.changeLogFloor() }

    func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void) { base.onCommit(listener) }

    func changes(after version: Version) throws -> [ChangeSet]? { try base.changes(after: version) }

    func close() { base.close() }
}
