import StorageEngine
import LMDBStorage
import Columnar
import Dispatch
import Glibc
import ObjectModel
import StoreContract
import Synchronization

/// The options for opening an embedded store.
package struct EmbeddedStoreOptions: Sendable {
    /// Slots per cluster of a new file: a multiple of 64 up to 65,472. An existing file keeps its own.
    package var clusterCapacity = Cluster.defaultCapacity
    /// The size that the data of one version may grow to, in bytes; beyond it, writes that add data throw `full`. The
    /// file may become a quarter larger, because a write makes new pages before those of the version before it are
    /// free, and so that deleting is possible in a full store. It only reserves address space, of which a process has
    /// 128 TiB: with 256 GiB for each, four hundred files can be open. The file grows as needed.
    package var maximumSize = 1 << 38

    /// The map size for LMDB.
    var mapSize: Int { maximumSize + max(maximumSize / 4, 256 << 10) }
    /// The maximum number of open snapshots, over all processes.
    package var maximumReaders = 4096
    /// The number of versions that the change log keeps.
    package var changeLogVersions = 100_000
    /// The seconds that the change log keeps a version.
    package var changeLogSeconds: Int64 = 24 * 3600
    /// The maximum size of the undo data of one version in the change log, in bytes: the old values of changed and
    /// deleted properties. A version that would need more has none, and `asOf` is nil across it.
    package var undoLimit = 1 << 20
    /// The maximum size of a piece of work's undo journal in memory, in bytes. Larger work is rolled back together with
    /// the commit that it shares with other work, which is then run again, piece by piece.
    package var journalLimit = 32 << 20
    /// The maximum size of the change log in the file, in bytes, and never more than an eighth of `maximumSize`; beyond
    /// that the oldest versions are dropped, but never the newest. A version takes some 50 bytes plus its old values,
    /// so a busy store with small commits stays below it within the two limits above.
    package var changeLogBytes = 128 << 20

    /// The limits of the change log in one place.
    var changeLogLimits: ChangeLog.Limits {
        ChangeLog.Limits(
            versions: changeLogVersions, seconds: changeLogSeconds, bytes: min(changeLogBytes, maximumSize / 8))
    }

    /// Called when the file is opened and no other process has it open, with the size of the file and of its used part;
    /// returns whether to compact it first. A compaction that fails leaves the file unchanged.
    package var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?

    /// The maximum number of versions from the oldest one in use, by any process, to the newest: a write beyond that
    /// throws `tooManyVersions`. Versions of one commit count as one. Bounds the file's growth under a snapshot that is
    /// pinned for long; nil means no limit.
    package var maximumActiveVersions: Int?
    /// The maximum seconds that a snapshot of this process may be pinned after a newer version appeared; then it throws
    /// `versionGone`. Checked five times a second and at each write; nil means no limit.
    package var maximumVersionAge: Double?
    /// Whether to check the structure of the file when it is opened and no other process has it open: about a
    /// microsecond per page of the trees. Without the check a damaged file can crash the program.
    package var verifiesPages = true
    /// Whether the caller has just checked the pages itself.
    var hasCheckedPages = false
    /// Whether commits are not synced to the disk: for replicas, whose log has them.
    var isUnsynced = false

    package init() {}
}

/// The file of a store: its open environment, which compaction replaces, and its cached schema.
///
/// Every commit writes new pages for its changes, and the pages that it replaces are reused once nobody reads a version
/// that has them. So without old snapshots the file stays near the size of a compacted copy. While a snapshot is pinned
/// it grows by the pages of each commit: the changed leaves and the path to them, some ten pages for a small commit.
/// `maximumActiveVersions` bounds that to as many commits, `maximumVersionAge` to the writes of that time. The file
/// keeps the length that it has reached until it is compacted.
final class StoreFile: Sendable {
    let path: String
    let options: EmbeddedStoreOptions
    /// Whether the file was a replica of a log when it was opened.
    let isReplica: Bool
    /// Nil when the store has been closed.
    private let openFile: Mutex<OpenFile?>
    private let knownSchema = Mutex<KnownSchema?>(nil)

    /// The environment and its trees. Throws `closed`. Cost: a lock.
    var current: OpenFile {
        get throws {
            guard let file = openFile.withLock({ $0 }) else {
                throw StoreError(.closed, "The store has been closed.")
            }
            return file
        }
    }
    /// For the writer's thread, on which compaction runs: there, two consecutive uses are of the same file.
    var environment: LMDBEnvironment { get throws { try current.environment } }
    /// See `environment`.
    var trees: Trees { get throws { try current.trees } }

    /// Releases the file, which is closed once its last snapshot is released.
    func close() {
        openFile.withLock { file in
            file?.environment.beginClosing()
            file = nil
        }
    }

    /// Opens the file, or creates a new one where there is none. A process with exclusive access cleans up after
    /// interrupted compactions, checks the file, and compacts it if the options say so. Throws `StoreError`.
    init(path: String, schema: Schema, options: EmbeddedStoreOptions) throws {
        self.path = path
        self.options = options
        try ByteOrder.check(path)
        do {
            let isMade = try Self.createIfMissing(path: path, schema: schema, options: options)
            let presence = try FilePresence.acquire(path)
            let isAlone = presence.becomeExclusive()
            defer { if isAlone { presence.becomeShared() } }
            if isAlone { Compaction.cleanUp(beside: path) }
            // LMDB treats an empty file as a new one; so do we, as a program may have created it to reserve the name.
            let isNew = isMade || presence.fileSize == 0
            if isAlone, !isNew, options.verifiesPages, !options.hasCheckedPages {
                try PageCheck(presence, path: path).verify()
            }
            var file = try OpenFile(path: path, presence, schema: schema, options: options)
            if isAlone, !isNew, options.verifiesPages { try CatalogueCheck(file, path: path).verify() }
            if isAlone, !isNew, let shouldCompact = options.shouldCompactOnLaunch {
                let sizes = try file.sizes()
                // A failed compaction, perhaps for lack of space, leaves the file intact.
                if shouldCompact(sizes.totalBytes, sizes.usedBytes) {
                    file = (try? Compaction(file, path: path, options: options).run()) ?? file
                }
            }
            let transaction = try file.environment.begin(readOnly: true)
            isReplica = try ReplicaRecord(transaction, file.trees.meta) != nil
            transaction.abort()
            openFile = Mutex(file)
        } catch let error as LMDBError {
            throw error.storeError(path: path)
        } catch is DamagedRecord {
            throw StoreError.damaged(path)
        }
    }

    /// Replaces this file by a compacted one; see `EmbeddedStore.compact`. For the writer's thread.
    func compact(progress: (@Sendable (Int) -> Void)?) throws {
        do {
            let old = try current
            guard old.environment.presence.becomeExclusive() else {
                throw StoreError(
                    .busy, "'\(path)' is also open in another program. Compact it when no other program has it open.")
            }
            defer { old.environment.presence.becomeShared() }
            let new = try Compaction(old, path: path, options: options).run(progress: progress)
            openFile.withLock { $0 = new }
        } catch {
            throw storeError(error)
        }
    }

    /// The catalogue at the start of a transaction.
    func catalogue(_ transaction: LMDBTransaction, _ trees: Trees) throws -> Catalogue {
        let known = knownSchema.withLock { $0 }
        let catalogue = try Catalogue(transaction, trees, known: known)
        if known?.schema != catalogue.schema { knownSchema.withLock { $0 = KnownSchema(catalogue.schema) } }
        return catalogue
    }

    /// A read transaction at the newest version, and its moment in the file's life. Throws `StoreError`.
    func snapshot() throws -> (snapshot: EmbeddedSnapshot, moment: Moment) {
        do {
            let file = try current
            let transaction = try file.environment.begin(readOnly: true)
            let moment = Moment(generation: file.generation, transaction: transaction.number)
            let catalogue = try catalogue(transaction, file.trees)
            return (EmbeddedSnapshot(transaction, file.trees, catalogue, path: path), moment)
        } catch {
            throw storeError(error)
        }
    }

    /// See `Store.changes(after:)`.
    func changes(after version: Version) throws -> [ChangeSet]? {
        do {
            let file = try current
            let transaction = try file.environment.begin(readOnly: true)
            let newest = try catalogue(transaction, file.trees).version
            return try ChangeLog.entries(after: version, upTo: newest, transaction, file.trees)
        } catch {
            throw storeError(error)
        }
    }

    /// The tag of an earlier version of a replica; see `ChangeLog.tag`.
    func tag(of version: Version) throws -> HistoryTag? {
        do {
            let file = try current
            return try ChangeLog.tag(of: version, try file.environment.begin(readOnly: true), file.trees)
        } catch {
            throw storeError(error)
        }
    }

    /// See `Store.changeLogFloor`.
    func changeLogFloor() throws -> Version {
        do {
            let file = try current
            let transaction = try file.environment.begin(readOnly: true)
            let newest = try catalogue(transaction, file.trees).version
            return try ChangeLog.floor(transaction, file.trees) ?? newest
        } catch {
            throw storeError(error)
        }
    }

    /// The reason why writing is refused now; nil when it is allowed.
    func tooManyVersions() -> StoreError? {
        guard let limit = options.maximumActiveVersions, let environment = try? environment else { return nil }
        guard environment.activeVersions > limit else { return nil }
        environment.releaseDeadReaders()
        let active = environment.activeVersions
        guard active > limit else { return nil }
        return StoreError(
            .tooManyVersions,
            "Number of active versions (\(active)) in the Realm exceeded the limit of \(limit). Release the snapshots of older versions, or open the store with a higher limit."
        )
    }

    /// Commits a change of nothing except LMDB's own number: afterwards the pages that the commit before it freed can
    /// be reused.
    func rewriteVersion() throws {
        let transaction = try environment.begin(readOnly: false)
        defer { transaction.abort() }
        guard let record = try transaction.get(trees.meta, FileFormat.versionKey).map({ Array($0) }) else {
            throw DamagedRecord()
        }
        try transaction.put(trees.meta, FileFormat.versionKey, record)
        try transaction.commit()
    }

    /// Translates an error of the lower layers to a store error; other errors are returned unchanged.
    func storeError(_ error: any Error) -> any Error {
        switch error {
        case let error as LMDBError: error.storeError(path: path)
        case LeafError.full:
            StoreError(
                .valueTooLarge,
                "The strings of neighbouring objects are together too long for one cluster. Store long texts elsewhere."
            )
        case is DamagedRecord, is LeafError: StoreError.damaged(path)
        default: error
        }
    }
}

extension StoreFile {
    /// Numbers the files that this process creates.
    private static let attempts = Atomic(0)

    /// Creates a new file atomically: it is written under another name and gets its own when it is on disk. A file that
    /// another process creates at the same time is kept. Returns whether this call created the file. Throws
    /// `LMDBError`, `StoreError`.
    static func createIfMissing(path: String, schema: Schema, options: EmbeddedStoreOptions) throws -> Bool {
        guard FileIdentity(path: path) == nil else { return false }
        guard errno == ENOENT else { throw LMDBError(code: errno, action: "Opening") }
        let number = attempts.add(1, ordering: .relaxed).newValue
        let draft = "\(path).new-\(getpid())-\(number)"
        defer { unlink(draft) }
        // Errors name the requested path.
        let presence = try FilePresence.acquireDraft(draft)
        let environment = try LMDBEnvironment(
            path: draft, presence, mapSize: options.mapSize, maximumReaders: 1, isPrivate: true)
        _ = try OpenFile.prepare(environment, path: path, schema: schema, options: options)
        guard try FileSystem.rename(draft, toNew: path) else { return false }
        FileSystem.syncDirectory(of: path)
        return true
    }
}
