import LMDBStorage
import StorageEngine
import Dispatch
package import ObjectModel
import Promises
package import StoreContract
import Synchronization

/// The embedded store: one LMDB file with the objects of a schema in columnar clusters.
///
/// Any number of processes may have the file open; one of them writes at a time. All methods may be called from any
/// thread.
package final class EmbeddedStore: Store {
    let file: StoreFile
    private let writer: DispatchQueue
    private let state = Mutex(State())
    private let latest = Mutex<Latest?>(nil)
    private let versions: LiveVersions
    let record = CommitRecord()
    let writerProgress = WriterProgress()
    /// The log that the store shares with others; nil for a store of its own.
    let replication: LogReplication?
    private let follower = Mutex<LogFollower?>(nil)
    /// See `SharedVersions.onPin`.
    let pinListeners = Mutex<[@Sendable (PinEvent) -> Void]>([])

    private struct State {
        var queue: [WriterJob] = []
        var isDraining = false
        var isClosed = false
        var listeners: [@Sendable ([ChangeSet]) -> Void] = []
        /// The newest version that has been announced to listeners.
        var announced = Version(0)
        /// The newest moment that the last poll could read.
        var seen = Moment(generation: 0, transaction: 0)
        var polls = 0
        /// Other jobs for the writer's thread: work on the file as a whole.
        var maintenance: [@Sendable () -> Void] = []
        /// Whether a commit may have freed pages that LMDB reuses only after the next one.
        var hasFreshPages = true
    }

    private struct Latest {
        let snapshot: any Snapshot
        let moment: Moment
    }

    /// The maximum number of members of one durable commit; more wait for the next one.
    static let groupLimit = 1024
    /// The number of jobs whose waiters are woken together: a few hundred microseconds of completions.
    private static let completionsAtOnce = 128

    /// The interval of the polls for commits by other processes.
    private static let pollMilliseconds = 200

    /// A process that was killed while it read pins its version until its slot is freed.
    private static let pollsPerReaderCheck = 25

    /// Opens the file at `path`, creating it with `schema` if there is none; its directory must exist. An existing file
    /// keeps its schema: see `replaceSchema`. Throws `StoreError`: `schemaInvalid`, `fileAccess`, `invalidFile`,
    /// `unsupportedFormat`, `busy`, `full`.
    package static func open(
        path: String, schema: Schema = .empty, options: EmbeddedStoreOptions = EmbeddedStoreOptions()
    ) throws -> EmbeddedStore {
        try StoreError.check(schema)
        return try started(try StoreFile(path: path, schema: schema, options: options), nil)
    }

    static func started(_ file: StoreFile, _ replication: LogReplication?) throws -> EmbeddedStore {
        let store = EmbeddedStore(file, replication)
        let version = try store.snapshot().version
        store.state.withLock { $0.announced = version }
        store.startPolling()
        return store
    }

    private init(_ file: StoreFile, _ replication: LogReplication?) {
        self.file = file
        self.replication = replication
        versions = LiveVersions(ageLimit: file.options.maximumVersionAge)
        writer = DispatchQueue(label: "realmgate.writer")
    }

    // MARK: Store

    package func snapshot() throws -> any Snapshot {
        try throwIfClosed()
        return try newest().snapshot
    }

    /// The newest version; the last one that is known when the environment has stopped.
    private func newest() throws -> Latest {
        let known = latest.withLock { $0 }
        if let known, known.moment == (try file.current.moment) { return known }
        do {
            let (snapshot, moment) = try file.snapshot()
            let newest = Latest(
                snapshot: versions.share(snapshot, generation: moment.generation), moment: moment)
            latest.withLock { $0 = newest }
            // A commit in between has already dropped the cached snapshot, and does not know of this one.
            if moment != (try? file.current.moment) { forget(moment) }
            return newest
        } catch let error as StoreError where error.code == .inputOutput {
            if let known { return known }
            throw error
        }
    }

    /// Drops the cached snapshot, if it is of that moment.
    private func forget(_ moment: Moment) {
        latest.withLock { if $0?.moment == moment { $0 = nil } }
    }

    package func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void, isAlone: Bool,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        enqueue(WriterJob(work: .transaction(work), isAlone: isAlone, completion: completion))
    }

    package func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        enqueue(WriterJob(work: .schema(schema, migration), isAlone: true, completion: completion))
    }

    package func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    package func changes(after version: Version) throws -> [ChangeSet]? {
        try throwIfClosed()
        return try file.changes(after: version)
    }

    package func snapshot(at version: Version) throws -> any Snapshot {
        try throwIfClosed()
        if let snapshot = versions.snapshot(at: version) { return snapshot }
        let newest = try snapshot()
        if newest.version == version { return newest }
        let advice =
            version > newest.version
            ? "has not been made yet; the newest one is \(newest.version)."
            : "is no longer available: no snapshot holds it. The newest one is \(newest.version)."
        throw StoreError(.versionGone, "Version \(version) \(advice)")
    }

    package func asOf(_ version: Version, before snapshot: any Snapshot) throws -> AsOfState? {
        try throwIfClosed()
        if version == snapshot.version { return AsOfState(reads: snapshot, changes: ChangeSet(version: version)) }
        return try stored(snapshot)?.asOf(version)
    }

    package func walk(from snapshot: any Snapshot) throws -> any VersionWalk {
        try throwIfClosed()
        guard let stored = try stored(snapshot) else {
            throw StoreError(.versionGone, "Version \(snapshot.version) is not one of this store's.")
        }
        return try LogWalk(from: stored)
    }

    /// The version that a snapshot shows; nil for another store's.
    private func stored(_ snapshot: any Snapshot) throws -> EmbeddedSnapshot? {
        let known = try (snapshot as? ExpiringSnapshot)?.base ?? snapshot
        // A budget is for the queries of one version.
        return (known as? LimitedSnapshot)?.base ?? known as? EmbeddedSnapshot
    }

    package func tag(of version: Version) throws -> HistoryTag? {
        let newest = try snapshot()
        guard version < newest.version, file.isReplica || replication != nil else {
            return version <= newest.version ? newest.tag : nil
        }
        return try file.tag(of: version)
    }

    package func changeLogFloor() throws -> Version {
        try throwIfClosed()
        return try file.changeLogFloor()
    }

    package func close() {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed else { return }
        follower.withLock { $0 }?.close()
        // The last reference to a store can go with work that held it. The writer cannot wait for itself: it closes the
        // file when that work is done.
        if WriterLock.isWriting(self) {
            writer.async { self.finish() }
        } else {
            writer.sync { finish() }
        }
    }

    /// Does what is queued, and closes the file and the log.
    private func finish() {
        WriterLock.run(for: self) { drain() }
        if let replication {
            ReplicaFile.finish(file)
            replication.close()
        }
        latest.withLock { $0 = nil }
        file.close()
        state.withLock { $0.listeners.removeAll() }
        pinListeners.withLock { $0.removeAll() }
    }

    // MARK: The writer

    func enqueue(_ job: WriterJob) {
        if !schedule({ $0.queue.append(job) }) { job.completion(.failure(Self.closed)) }
    }

    /// Runs `work` on the writer's thread between two commits and waits for it. Throws `nestedWrite` on a thread that
    /// already writes, `closed`, and the errors of `work`.
    func onWriter<R: Sendable>(_ work: @escaping @Sendable (StoreFile) throws -> R) throws -> R {
        try WriterLock.checkNesting(self)
        let outcome = Promise<Result<R, any Error>>()
        let isOpen = schedule { state in
            state.maintenance.append { [file] in outcome.set(Result { try work(file) }) }
        }
        guard isOpen else { throw Self.closed }
        return try outcome.wait().get()
    }

    /// Calls `add` to schedule work and wakes the writer; returns false, with nothing done, when the store is closed.
    private func schedule(_ add: (inout State) -> Void) -> Bool {
        let (isOpen, mustStart) = state.withLock { state in
            if state.isClosed { return (false, false) }
            add(&state)
            defer { state.isDraining = true }
            return (true, !state.isDraining)
        }
        if mustStart { writer.async { WriterLock.run(for: self) { self.drain() } } }
        return isOpen
    }

    /// Commits the queued jobs, group by group. Jobs that arrive during one sync go into the next group: the busier the
    /// store, the larger the groups.
    private func drain() {
        while true {
            let (group, maintenance) = state.withLock { state in
                let group = Array(state.queue.prefix(Self.groupSize(state.queue)))
                state.queue.removeFirst(group.count)
                let maintenance = state.maintenance
                state.maintenance = []
                if group.isEmpty, maintenance.isEmpty { state.isDraining = false }
                return (group, maintenance)
            }
            guard !group.isEmpty || !maintenance.isEmpty else { return }
            if !group.isEmpty { writerProgress.recording { commit(group, mayGrow: true) } }
            for work in maintenance { writerProgress.recording(work) }
        }
    }

    /// The number of jobs at the front of the queue that share the next transaction.
    private static func groupSize(_ queue: [WriterJob]) -> Int {
        max(sharing(queue.prefix(groupLimit)), min(queue.count, 1))
    }

    /// The number of jobs before the first one that must be alone.
    private static func sharing(_ queue: ArraySlice<WriterJob>) -> Int {
        queue.firstIndex(where: \.isAlone).map { $0 - queue.startIndex } ?? queue.count
    }

    /// Moves jobs from the queue to the end of a group: those that came while the group waited for its turn. So a turn
    /// takes all the work that there is, and not what there was when the wait began.
    func fill(_ group: inout [WriterJob]) {
        guard !group.contains(where: \.isAlone) else { return }
        let room = max(0, Self.groupLimit - group.count)
        group += state.withLock { state in
            let more = Array(state.queue.prefix(Self.sharing(state.queue.prefix(room))))
            state.queue.removeFirst(more.count)
            return more
        }
    }

    /// Follows the log from now on.
    func startFollowing() {
        guard let replication else { return }
        replication.takeLog()
        let follower = LogFollower(replication.log) { [weak self] compares in
            guard let self, replication.failure == nil else { return nil }
            // The log may be away: the next look finds out. What ends the following is kept in `replication`.
            return (try? follow(compares: compares)) ?? .nothing
        }
        self.follower.withLock { $0 = follower }
        follower.start()
    }

    private func run(_ jobs: inout [WriterJob], mayGrow: Bool) throws -> GroupOutcome {
        if let replication { return try runOnLog(&jobs, mayGrow: mayGrow, replication) }
        if file.isReplica {
            throw StoreError(
                .isReplica,
                "'\(file.path)' is a replica of a log, and only a store with that log may write to it. Open it with its log."
            )
        }
        return try GroupCommit(file: file, writerProgress: writerProgress).run(jobs)
    }

    /// - Parameter mayGrow: whether jobs of the queue may join the group. Those that are redone after a failure stay
    ///   among themselves.
    private func commit(_ jobs: [WriterJob], mayGrow: Bool = false) {
        var rest = commitGroup(jobs, mayGrow: mayGrow)
        while !rest.isEmpty { rest = commitGroup(rest, mayGrow: false) }
    }

    /// Returns the jobs that the group did not take.
    private func commitGroup(_ jobs: [WriterJob], mayGrow: Bool) -> [WriterJob] {
        var jobs = jobs
        // If the commit fails so badly that LMDB stops, readers still get this version. It holds no extra space: the
        // commit could not reuse that of the version that it starts from anyway.
        var before = try? newest()
        if let newest = before?.snapshot.version { versions.expire(newest: newest) }
        if let refusal = file.tooManyVersions() {
            record.addFailure(works: jobs.count, refusal)
            for job in jobs { job.completion(.failure(refusal)) }
            return []
        }
        let start = ContinuousClock.now
        do {
            let outcome = try run(&jobs, mayGrow: mayGrow)
            let failed = outcome.results.count { if case .failure = $0 { true } else { false } }
            if !outcome.changes.isEmpty { state.withLock { $0.hasFreshPages = true } }
            record.add(works: outcome.results.count - failed, failed: failed, since: start)
            if let newest = outcome.changes.last?.version {
                // The cached snapshot would prevent the reuse of its version's space until the next read.
                latest.withLock { $0 = nil }
                before = nil
                versions.expire(newest: newest)
                announce(outcome.changes, upTo: newest)
            }
            complete(jobs, outcome.results)
            return Array(jobs.dropFirst(outcome.results.count))
        } catch let error as LogReplication.Failure {
            latest.withLock { $0 = before }
            let failure = file.storeError(error.underlying)
            record.addFailure(works: jobs.count, failure)
            let results = error.results ?? jobs.map { _ in .failure(failure) }
            for (job, result) in zip(jobs, results) {
                if case .success = result { job.completion(.failure(failure)) } else { job.completion(result) }
            }
            return Array(jobs.dropFirst(results.count))
        } catch {
            latest.withLock { $0 = before }
            if jobs.count > 1 {
                for job in jobs { commit([job]) }
            } else {
                let failure = file.storeError(error)
                // For work that runs once, its caller repeats the write, and then finds the room.
                if (failure as? StoreError)?.code == .full, freshPagesBecomeFree(), jobs.allSatisfy(\.mayRunAgain) {
                    return jobs
                }
                record.addFailure(works: jobs.count, failure)
                for job in jobs { job.completion(.failure(failure)) }
            }
            return []
        }
    }

    /// Completes the jobs that have a result, in order. Whoever waits for several of them is woken once for each part.
    private func complete(_ jobs: [WriterJob], _ results: [Result<Version, any Error>]) {
        for start in stride(from: 0, to: results.count, by: Self.completionsAtOnce) {
            WakeUps.gather {
                for (job, result) in zip(jobs[start...], results[start...].prefix(Self.completionsAtOnce)) {
                    job.completion(result)
                }
            }
        }
    }

    /// Makes LMDB reuse the pages that the last commit freed, for a write that found no room. Returns false when there
    /// are none.
    private func freshPagesBecomeFree() -> Bool {
        let mayHelp = state.withLock { state in
            defer { state.hasFreshPages = false }
            return state.hasFreshPages
        }
        guard mayHelp else { return false }
        do {
            try keepingNewest { try file.rewriteVersion() }
            forgetLatest()
            return true
        } catch {
            return false
        }
    }

    /// Notifies the listeners; the versions that other processes made in between are read from the change log.
    func announce(_ own: [ChangeSet], upTo newest: Version) {
        let (announced, listeners) = state.withLock { state in
            defer { state.announced = max(state.announced, newest) }
            return (state.announced, state.listeners)
        }
        guard newest > announced, !listeners.isEmpty else { return }
        var changes = own
        if own.first?.version != announced.next {
            // The log may have grown meanwhile: newer versions are announced later.
            let missed = (try? file.changes(after: announced)).flatMap { $0 }?.filter { $0.version <= newest }
            // Where the log does not reach back, a schema change makes every listener read everything again.
            changes = missed ?? [ChangeSet(version: newest, schemaChanged: true)]
        }
        for listener in listeners { listener(changes) }
    }

    /// Ends the snapshots that are too old now.
    func versionsAfterCommit(_ newest: Version) {
        state.withLock { $0.hasFreshPages = true }
        versions.expire(newest: newest)
    }

    /// Polls for commits by other processes, as long as the store is open.
    private func startPolling() {
        writer.asyncAfter(deadline: .now() + .milliseconds(Self.pollMilliseconds)) { [weak self] in
            guard let self, !state.withLock({ $0.isClosed }) else { return }
            WriterLock.run(for: self) {
                writerProgress.recording {
                    lookForForeignCommits()
                    lookAfterReaders()
                }
            }
            startPolling()
        }
    }

    private func lookForForeignCommits() {
        guard let newest = try? file.current.moment, newest != state.withLock({ $0.seen }) else { return }
        // A version that could not be read is read at the next poll. So is one in progress: while a process makes its
        // commit durable, LMDB names it as the newest but gives readers the one before it, so only versions that were
        // read count as seen.
        guard let (snapshot, moment) = try? file.snapshot() else { return }
        state.withLock { $0.seen = moment }
        latest.withLock { if $0?.moment != moment { $0 = nil } }
        announce([], upTo: snapshot.version)
    }

    private func lookAfterReaders() {
        let (newest, isDue) = state.withLock { state in
            state.polls += 1
            return (state.announced, state.polls % Self.pollsPerReaderCheck == 0)
        }
        versions.expire(newest: newest)
        if isDue { try? file.current.environment.releaseDeadReaders() }
    }

    /// Whether the writer's thread made progress since the last call. It does so several times a second, even without
    /// work, unless it is stuck. Cost: well under a microsecond.
    package func hasWriterMoved() -> Bool { writerProgress.hasMoved() }

    /// Work that waits for the writer, and whether the store is closed.
    var waiting: (works: Int, isClosed: Bool) { state.withLock { ($0.queue.count, $0.isClosed) } }

    /// The number of versions that snapshots in this process hold, and the seconds since the oldest ceased to be the
    /// newest.
    var pinnedVersionAges: (count: Int, oldest: Double) { versions.ages }

    /// The versions that snapshots in this process hold, and the one cached last, ascending.
    package var pinnedVersions: [Version] { versions.versions }

    /// Runs work that writes to the file other than by a commit. If it fails so badly that LMDB stops, readers still
    /// get the version that was newest before. On the writer's thread.
    func keepingNewest<R>(_ work: () throws -> R) throws -> R {
        let before = try? newest()
        do {
            return try work()
        } catch {
            latest.withLock { $0 = before }
            throw error
        }
    }

    /// Drops the cached snapshot, so that it does not keep anything else alive.
    func forgetLatest() { latest.withLock { $0 = nil } }

    func throwIfClosed() throws {
        if state.withLock({ $0.isClosed }) { throw Self.closed }
    }

    private static let closed = StoreError(.closed, "The store has been closed.")
}
