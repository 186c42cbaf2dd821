package import ObjectModel
import Promises

/// The store as the gateway and the live queries use it.
package protocol Store: AnyObject, Sendable {
    /// The store at its newest version. Cost: well under a microsecond when the version has been requested before.
    func snapshot() throws -> any Snapshot

    /// Queues `work` for the store's one writer and returns at once. The writer may put several pieces of work into one
    /// durable commit; each has a version of its own, in the order of submission, and sees the changes of those before
    /// it. If `work` throws, nothing of it is kept and the others are not affected.
    ///
    /// When a commit fails, the store may run its works again, without a completion in between. So such work begins
    /// from the transaction alone, and what it leaves elsewhere counts from its last run on.
    ///
    /// `completion` runs on the writer's thread, after the commit is on disk; it must be quick. On success it is called
    /// with the version.
    ///
    /// With `isAlone` the work has a commit of its own: it starts from the newest version that `snapshot()` returns,
    /// and when `completion` runs, its version is the newest one that this process has made, so that `snapshot()`
    /// returns the state that the work left. It runs at most once, so it may use up what it is given, as the lines of a
    /// file or the state that the last such work left.
    func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void, isAlone: Bool,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void)

    /// Replaces the schema. Without a migration, and at the same schema version, these changes are automatic: added
    /// classes, properties and indexes, removed indexes and empty classes; existing objects get null or zero for a new
    /// property. Everything else needs a higher schema version, and `migration` defines how the data is converted: see
    /// `Migration` for what happens without steps, and for objects that come with their classes. Throws `migrationRequired` with the list of changes when the version
    /// does not rise, `schemaVersionTooLow` for a version below the present one, `schemaInvalid` for a faulty schema,
    /// `migrationFailed` for data that the new schema cannot hold; the store is unchanged then.
    func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void)

    /// The store at a version that some snapshot still holds. Throws `versionGone` for any other.
    func snapshot(at version: Version) throws -> any Snapshot

    /// The history that a version belongs to, as seen from the newest one; nil for a version that has not been made.
    ///
    /// A version that is known under another tag belongs to a history that was abandoned when a backup replaced the
    /// file.
    func tag(of version: Version) throws -> HistoryTag?

    /// The oldest version that `changes(after:)` still supports.
    func changeLogFloor() throws -> Version

    /// Calls `listener` after each durable commit, on the writer's thread and in order, before the completions of that
    /// commit, with one change set per version. It must be quick. The listener stays until the store is closed.
    func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void)

    /// The changes of every version after `version`, oldest first, from the change log; nil when the log does not reach
    /// back that far.
    func changes(after version: Version) throws -> [ChangeSet]?

    /// The store as it was at `version`, computed from a later snapshot, and the changes in between: for clients that
    /// know that version and want its difference from the later one. At the snapshot's own version it is the snapshot.
    /// Nil when the version is later than the snapshot, when the change log does not reach back that far or does not
    /// have the old values of all changes, or when the schema changed since. Any version that a commit returned is
    /// valid, also one of several that were made durable together. It holds whatever the snapshot holds.
    ///
    /// Cost: follows the changes. Objects that did not change are read as from the snapshot; one that did may cost some
    /// ten microseconds when it is first read. A query over a whole class uses no index but that of primary keys.
    func asOf(_ version: Version, before snapshot: any Snapshot) throws -> AsOfState?

    /// A walk from a snapshot back through the change log: for the states of many versions, which `asOf` would each
    /// compute from the snapshot. Cost: the addresses of the log's entries.
    func walk(from snapshot: any Snapshot) throws -> any VersionWalk

    /// The versions that this store keeps together with the other stores of its log; nil for a store of its own.
    var sharedVersions: (any SharedVersions)? { get }

    /// Bytes that the stores of its log share beside the objects; nil for a store of its own.
    var sharedRecords: (any RecordStore)? { get }

    /// The store's measurements.
    func statistics() -> StoreStatistics

    /// Writes the newest version as a file of its own, while others read and write. The file gets its name only when
    /// all of it is on disk. Throws `fileAccess` when the name is taken or the store has no files, `full`,
    /// `inputOutput`. Blocks until the copy is complete; not for the writer's thread.
    ///
    /// - Parameter progress: called now and then with the number of bytes written, on any thread. An error that it
    ///   throws ends the copy.
    func writeCopy(to path: String, progress: (@Sendable (_ writtenBytes: Int) throws -> Void)?) throws

    /// Checks a file that `writeCopy` of such a store wrote: its structure, every value, and what is derived from them.
    /// The file is not this store's own, and nobody else has it open. Throws `fileAccess` when it cannot be read or the
    /// store has no files, and the error of `progress`; whatever is wrong with the content is in the report. Cost: reads
    /// the whole file.
    ///
    /// - Parameter progress: called now and then with the number of objects checked. An error that it throws ends the
    ///   check.
    func checkCopy(at path: String, progress: (_ objects: Int) throws -> Void) throws -> CopyReport

    /// Finishes the queued work and releases the file, as soon as no snapshot holds it. Later calls throw or complete
    /// with `closed`.
    func close()
}

/// An earlier version, and the changes since.
package struct AsOfState: Sendable {
    package let reads: any ObjectReads
    /// All changes after that version, merged.
    package let changes: ChangeSet

    package init(reads: any ObjectReads, changes: ChangeSet) {
        self.reads = reads
        self.changes = changes
    }
}

extension Store {
    package var sharedVersions: (any SharedVersions)? { nil }

    package var sharedRecords: (any RecordStore)? { nil }

    /// Whether a state belongs to this store's history: its version was made, and under that tag.
    package func knows(_ mark: Mark) throws -> Bool { try tag(of: mark.version).map(mark.isOf) ?? false }

    /// The statistics that any store has: its newest version and its change log's floor.
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

    package func checkCopy(at path: String, progress: (_ objects: Int) throws -> Void) throws -> CopyReport {
        throw StoreError(.fileAccess, "This store has no files to check.")
    }

    /// `submit` of work that may share its commit with other work.
    package func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        submit(work, isAlone: false, completion: completion)
    }

    /// Submits work and waits for the commit: for programs and tests, not for the gateway's loops. Throws the errors of
    /// `work` and of the commit, and `nestedWrite` on a thread that already writes to the store.
    @discardableResult
    package func write<R: Sendable>(
        isAlone: Bool = false, _ work: @escaping @Sendable (any WriteTransaction) throws -> R
    ) throws -> R {
        try start(isAlone: isAlone, work).wait()
    }

    /// Replaces the schema and waits for the commit. Throws `nestedWrite` as `write` does.
    @discardableResult
    package func replaceSchema(with schema: Schema, migration: Migration? = nil) throws -> Version {
        try WriterLock.checkNesting(self)
        let outcome = Promise<Result<Version, any Error>>()
        replaceSchema(with: schema, migration: migration) { outcome.set($0) }
        return try outcome.wait().get()
    }
}
