package import ObjectModel
import Synchronization

/// What the gateway and the live queries know of a store.
package protocol Store: AnyObject, Sendable {
    /// The store at its newest version. Cost: well under a microsecond when the version has been asked for before.
    func snapshot() throws -> any Snapshot

    /// Queues `work` for the store's one writer and returns at once. The writer may put several pieces of work
    /// into one durable commit; each has a version of its own, in the order of submission, and sees what came
    /// before it. If `work` throws, nothing of it is kept and its neighbours are not disturbed.
    ///
    /// `completion` runs on the writer's thread, after the commit is on disk; it must be quick. On success it
    /// is given the version.
    ///
    /// With `isAlone` it has a commit of its own: it starts from the newest version that `snapshot()` shows, and when
    /// `completion` runs, its version is the newest one that this process has made, so that what `snapshot()` shows is
    /// what the work left.
    func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void, isAlone: Bool,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void)

    /// Replaces the schema. Without a migration, and at the same schema version: added classes, properties and
    /// indexes, removed indexes and empty classes are taken over by themselves; objects that are there get null
    /// or zero for a new property. Everything else needs a higher schema version, and `migration` says what
    /// becomes of the data: see `Migration` for what happens by itself. `migrationRequired` with the list of
    /// changes when the version does not rise, a version below the present one with `schemaVersionTooLow`, a
    /// faulty schema with `schemaInvalid`, data that the new schema cannot hold with `migrationFailed`; the
    /// store is as it was then.
    func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void)

    /// The store at a version that somebody still holds a snapshot of. Throws `versionGone` for any other.
    func snapshot(at version: Version) throws -> any Snapshot

    /// The history that a version is of, seen from the newest one; nil for a version that has not been made.
    ///
    /// A version that is known under another tag than this is of a history that was given up, when a backup was put in the
    /// place of the file.
    func tag(of version: Version) throws -> HistoryTag?

    /// The oldest version that `changes(after:)` still answers for.
    func changeLogFloor() throws -> Version

    /// Calls `listener` after each durable commit, on the writer's thread and in order, before the completions
    /// of that commit, with one change set per version. It must be quick. The listener stays until the store is
    /// closed.
    func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void)

    /// The changes of every version after `version`, oldest first, from the change log; nil when it does not
    /// reach back that far.
    func changes(after version: Version) throws -> [ChangeSet]?

    /// The store as it was at `version`, seen from a later snapshot, and what changed in between: for whoever knows
    /// that version and wants to hear what became different. At the snapshot's own version it is the snapshot. Nil when
    /// the version is later than the snapshot, the change log does not reach back that far or does not have the old
    /// values of all changes, or the schema changed since. Any version that a commit was told counts, also one of
    /// several that were made durable together. It keeps what the snapshot keeps.
    ///
    /// Cost: follows the changes; objects that did not change are read as from the snapshot, one that did may cost some
    /// ten microseconds when it is first looked at, and a query over everything looks nothing up in an index but primary
    /// keys.
    func asOf(_ version: Version, before snapshot: any Snapshot) throws -> AsOfState?

    /// How the store is doing.
    func statistics() -> StoreStatistics

    /// Writes the newest version as a file of its own, while others read and write. The file has its name only when all
    /// of it is on the disk. Throws `fileAccess` when the name is taken or the store has no files, `full`,
    /// `inputOutput`. Blocks as long as that takes; not for the writer's thread.
    ///
    /// - Parameter progress: told now and then how many bytes have been written, on any thread. What it throws ends the
    ///   copy.
    func writeCopy(to path: String, progress: (@Sendable (_ writtenBytes: Int) throws -> Void)?) throws

    /// Finishes the queued work and releases the file, as soon as nobody holds a snapshot of it. Later calls throw or complete with `closed`.
    func close()
}

/// An earlier version, and what was done since.
package struct AsOfState: Sendable {
    package let reads: any ObjectReads
    /// Everything after that version, merged.
    package let changes: ChangeSet

    package init(reads: any ObjectReads, changes: ChangeSet) {
        self.reads = reads
        self.changes = changes
    }
}

extension Store {
    /// Whether a state is one of this store's history: its version was made, and under that tag.
    package func knows(_ mark: Mark) throws -> Bool { try tag(of: mark.version).map(mark.isOf) ?? false }

    /// What can be said without knowing the store: its newest version and its change log's floor.
    package func statistics() -> StoreStatistics {
        var statistics = StoreStatistics()
        do {
            statistics.newestVersion = try snapshot().version
            statistics.changeLogFloor = try changeLogFloor()
        } catch {
            statistics.isClosed = (error as? StoreError)?.code == .closed
        }
        return statistics
    }

    package func writeCopy(to path: String, progress: (@Sendable (_ writtenBytes: Int) throws -> Void)?) throws {
        throw StoreError(.fileAccess, "This store has no file to copy.")
    }

    /// `submit` of work that may share its commit with other work.
    package func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        submit(work, isAlone: false, completion: completion)
    }

    /// `submit`, waiting for the commit: for programs and tests, not for the gateway's loops. Throws what
    /// `work` throws, or the commit, and `nestedWrite` on a thread that writes to the store already.
    @discardableResult
    package func write<R: Sendable>(
        isAlone: Bool = false, _ work: @escaping @Sendable (any WriteTransaction) throws -> R
    ) throws -> R {
        try WriterLock.checkNesting(self)
        let result = Waiter<R>()
        let outcome = Waiter<Version>()
        submit({ try result.put(.success(work($0))) }, isAlone: isAlone, completion: { outcome.put($0) })
        _ = try outcome.take()
        return try result.take()
    }

    /// `replaceSchema`, waiting for the commit. Throws `nestedWrite` as `write` does.
    @discardableResult
    package func replaceSchema(with schema: Schema, migration: Migration? = nil) throws -> Version {
        try WriterLock.checkNesting(self)
        let outcome = Waiter<Version>()
        replaceSchema(with: schema, migration: migration) { outcome.put($0) }
        return try outcome.take()
    }
}

/// One value handed from the writer's thread to a thread that waits for it.
private final class Waiter<T: Sendable>: Sendable {
    private let value = Mutex<Result<T, any Error>?>(nil)
    private let ready = Signal()

    func put(_ result: Result<T, any Error>) {
        value.withLock { $0 = result }
        ready.raise()
    }

    func take() throws -> T {
        ready.wait()
        guard let result = value.withLock({ $0 }) else { throw StoreError(.closed, "The store was closed.") }
        return try result.get()
    }
}
