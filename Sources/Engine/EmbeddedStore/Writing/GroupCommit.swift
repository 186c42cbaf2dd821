import ObjectModel
import StoreContract

/// One job for the writer, and its completion.
struct WriterJob: Sendable {
    enum Work: Sendable {
        case transaction(@Sendable (any WriteTransaction) throws -> Void)
        /// A schema change must be alone: when it fails, the transaction is not committed.
        case schema(Schema, Migration?)
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
    let pulse: WriterPulse

    /// Throws when the whole group failed; nothing was kept then.
    func run(_ jobs: [WriterJob]) throws -> GroupOutcome {
        let transaction = try pulse.waitingForOthers { try file.environment.begin(readOnly: false) }
        // Work may have kept its transaction; LMDB's lock must be released on the thread that took it.
        defer { transaction.abort() }
        let catalogue = try file.catalogue(transaction, file.trees)
        let history = catalogue.history.continued
        let session = try WriteSession(transaction, file.trees, catalogue, path: file.path, tag: history.tag)
        let room = try RoomCheck(file, transaction)
        var outcome = GroupOutcome()
        for job in jobs {
            let version = session.version.next
            do {
                let (changes, undo) = try run(job, in: session, version: version, undoLimit: room.undoLimit)
                session.advance(to: version)
                outcome.changes.append(changes)
                outcome.results.append(.success(version))
                if changes.schemaChanged { outcome.schema = session.schema }
                try ChangeLog.append(changes, undo: undo, transaction, file.trees)
            } catch let error as MemberFailure {
                outcome.results.append(.failure(file.storeError(error.underlying)))
            }
        }
        guard !outcome.changes.isEmpty else { return outcome }
        try session.flush()
        try ChangeLog.trim(
            transaction, file.trees, newest: session.version, limit: file.options,
            pageSize: file.environment.pageSize, budget: jobs.count + 16)
        try transaction.put(file.trees.meta, FileFormat.versionKey, Catalogue.versionRecord(session.version))
        if history != catalogue.history { try history.put(in: transaction, file.trees.meta) }
        try room.check(for: outcome.changes)
        try transaction.commit()
        return outcome
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
        case .transaction(let work):
            let savepoint = Savepoint(session, version: version, journalLimit: file.options.journalLimit)
            do {
                try work(savepoint)
            } catch let error where session.failure == nil && !(error is LMDBError) && !savepoint.isBeyondTakingBack {
                try savepoint.rollBack()
                throw MemberFailure(underlying: error)
            }
            if let failure = session.failure { throw failure }
            return (savepoint.changeSet, savepoint.undo(limit: undoLimit))
        }
    }
}

/// A member's own failure, which does not affect the others.
private struct MemberFailure: Error {
    let underlying: any Error
}
