import StorageEngine
import StoredRecords
import LMDBStorage
import ObjectModel
import StoreContract

/// One job for the writer, and its completion.
struct WriterJob: Sendable {
    enum Work: Sendable {
        case transaction(@Sendable (any WriteTransaction) throws -> Void)
        /// A schema change must be alone: when it fails, the transaction is not committed.
        case schema(Schema, Migration?)
        /// A step that changes nothing here, and informs all stores of a log.
        case notice(RedoStep)
    }

    let work: Work
    /// Whether it needs a transaction of its own.
    let isAlone: Bool
    let completion: @Sendable (Result<Version, any Error>) -> Void

    /// Whether the store may run it again when its commit failed; see `Store.submit`. It never shares a commit with
    /// others when it may not.
    var mayRunAgain: Bool {
        switch work {
        case .transaction: !isAlone
        case .schema(_, let migration): migration?.block == nil
        case .notice: true
        }
    }
}

/// The outcome of a group: one for each member in order, and the change sets of those that succeeded.
struct GroupOutcome {
    var results: [Result<Version, any Error>] = []
    var changes: [ChangeSet] = []
    /// The schema after the group, if it changed.
    var schema: Schema?
}

/// Runs jobs inside one LMDB transaction and commits it with one sync.
///
/// A member that throws is rolled back alone. If LMDB itself fails, or a member throws after more changes than its
/// journal in memory holds, nothing of the group can be kept: the caller then runs the members one by one, so that only
/// the one at fault (a full disk, say) fails.
struct GroupCommit {
    let file: StoreFile
    let writerProgress: WriterProgress
    /// The log that decides whether the commit happens; nil for a store of its own.
    var replication: LogReplication?
    var turn: (any LogTurn)?

    /// The bytes of changes after which a group takes no more members.
    private static let retainedLimit = 16 << 20

    /// Runs as many jobs from the front as fit into one commit; the others get no result. Throws when the whole group
    /// failed, and then stores nothing.
    ///
    /// With a log, it also throws `LogReplication.Superseded` and `LogReplication.Failure`.
    func run(_ jobs: [WriterJob]) throws -> GroupOutcome {
        let transaction = try writerProgress.waitingForOthers { try file.environment.begin(readOnly: false) }
        // Work may have kept its transaction; LMDB's lock must be released on the thread that took it.
        defer { transaction.abort() }
        let catalogue = try file.catalogue(transaction, file.trees)
        // Each append to a log has a tag of its own.
        let history = replication == nil ? catalogue.history.continued : .new()
        let tag = replication == nil ? nil : history.tag
        var entries = replication.map { _ in EntryCollector(catalogue) }
        let session = try WriteSession(transaction, file.trees, catalogue, path: file.path, tag: history.tag)
        let room = try RoomCheck(file, transaction)
        var outcome = GroupOutcome()
        // What the members changed stays in memory until the commit, for the listeners.
        var retainedBytes = 0
        for job in jobs {
            if retainedBytes >= Self.retainedLimit { break }
            if let entries, entries.byteCount >= LogReplication.groupBytes { break }
            let version = session.version.next
            if entries != nil { session.redo = RedoWriter() }
            do {
                let (changes, undo) = try run(job, in: session, version: version, undoLimit: room.undoLimit)
                entries?.add(changes, session)
                session.advance(to: version)
                outcome.changes.append(changes)
                retainedBytes += changes.sizeEstimate
                outcome.results.append(.success(version))
                if changes.schemaChanged { outcome.schema = session.schema }
                try ChangeLog.append(changes, undo: undo, tag: tag, transaction, file.trees)
            } catch let error as MemberFailure {
                outcome.results.append(.failure(file.storeError(error.underlying)))
            }
        }
        guard !outcome.changes.isEmpty else { return outcome }
        entries?.close(session)
        try session.flush()
        try ChangeLog.trim(
            transaction, file.trees, newest: session.version, limits: file.options.changeLogLimits,
            pageSize: file.environment.pageSize, budget: jobs.count + 16)
        try transaction.put(file.trees.meta, FileFormat.versionKey, Catalogue.versionRecord(session.version))
        if history != catalogue.history { try history.put(in: transaction, file.trees.meta) }
        try room.check(for: outcome.changes)
        if let replication, let entries {
            try append(
                entries.bodies, after: LogPosition(catalogue.version, catalogue.history.tag), replication, history.tag,
                outcome)
        }
        try commit(transaction, outcome)
        return outcome
    }

    /// Throws `Failure` where the log has the entries already.
    private func commit(_ transaction: LMDBTransaction, _ outcome: GroupOutcome) throws {
        guard replication != nil else { return try transaction.commit() }
        do {
            try transaction.commit()
        } catch {
            throw LogReplication.Failure(
                underlying: StoreError(
                    .logOutcomeUnknown,
                    "The log has the write, but the replica does not: \(file.storeError(error)). Read it again before you repeat it."
                ), results: outcome.results)
        }
    }

    /// Appends the entries to the log, which makes the commit happen. Throws `Superseded`, `Failure`.
    private func append(
        _ bodies: [[UInt8]], after position: LogPosition, _ replication: LogReplication, _ tag: HistoryTag,
        _ outcome: GroupOutcome
    ) throws {
        do {
            try writerProgress.waitingForOthers { try replication.append(bodies, after: position, tag: tag, turn) }
        } catch let error as LogReplication.Superseded {
            throw error
        } catch {
            throw LogReplication.Failure(underlying: error, results: outcome.results)
        }
    }

    /// The changes of a job, and their undo data: nil for a change of the schema, and for more than the log may hold.
    private func run(
        _ job: WriterJob, in session: WriteSession, version: Version, undoLimit: Int
    ) throws -> (changes: ChangeSet, undo: [UInt8]?) {
        switch job.work {
        case .schema(let schema, let migration):
            let changes = try SchemaChange(session, to: schema, migration).apply(version: version) {
                // Nobody else can commit meanwhile, so this is the state that the transaction started from.
                try file.snapshot().snapshot
            }
            return (changes, nil)
        case .notice(let step):
            let member = MemberTransaction(session, version: version, journalLimit: file.options.journalLimit)
            session.redo?.append(step)
            return (member.changeSet, member.undo(limit: undoLimit))
        case .transaction(let work):
            let member = MemberTransaction(session, version: version, journalLimit: file.options.journalLimit)
            do {
                try work(member)
            } catch let error where session.failure == nil && !(error is LMDBError) && !member.cannotRollBack {
                try member.rollBack()
                throw MemberFailure(underlying: error)
            }
            if let failure = session.failure { throw failure }
            return (member.changeSet, member.undo(limit: undoLimit))
        }
    }
}

/// A member's own failure, which does not affect the others.
private struct MemberFailure: Error {
    let underlying: any Error
}
