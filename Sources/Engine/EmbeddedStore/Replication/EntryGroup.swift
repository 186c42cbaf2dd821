import LMDBStorage
import StorageEngine
import StoredRecords
import ObjectModel
import StoreContract

/// Applies entries of the shared log in one LMDB transaction, each as its own version.
///
/// No limit applies: an entry in the log is already committed.
struct EntryGroup {
    let file: StoreFile
    let writerProgress: WriterProgress

    private static let entryLimit = EmbeddedStore.groupLimit
    private static let byteLimit = LogReplication.groupBytes

    /// The versions that a transaction has applied.
    struct Outcome {
        var changes: [ChangeSet] = []
        /// Notices from other stores that share the log. A pin refers to the newest version.
        var notices: [RedoStep] = []
    }

    /// Applies as many entries as fit into one transaction, and skips those that the file already has. A pin ends the
    /// transaction, so that a snapshot of its version exists.
    ///
    /// Throws `logDamaged` for a gap or an unreadable entry, `historyLost` if an entry does not follow the file's
    /// version, and `diverged`. The file is unchanged then.
    func run(_ entries: some Sequence<LogEntry>) throws -> Outcome {
        let transaction = try writerProgress.waitingForOthers { try file.environment.begin(readOnly: false) }
        defer { transaction.abort() }
        let catalogue = try file.catalogue(transaction, file.trees)
        let session = try WriteSession(transaction, file.trees, catalogue, path: file.path)
        let undoLimit = try RoomCheck(file, transaction).undoLimit
        var outcome = Outcome()
        var bytes = 0
        for entry in entries where entry.version > session.version {
            let count = outcome.changes.count
            if count >= Self.entryLimit || bytes + entry.body.count > Self.byteLimit && count > 0 {
                break
            }
            bytes += entry.body.count
            let record = try record(of: entry, after: session)
            let (made, undo) = try EntryApplier(session).apply(
                record, version: entry.version, journalLimit: file.options.journalLimit, undoLimit: undoLimit)
            if let failure = session.failure { throw failure }
            session.advance(to: entry.version, entry.tag)
            try ChangeLog.append(made, undo: undo, tag: entry.tag, transaction, file.trees)
            outcome.changes.append(made)
            if record.steps.count == 1, record.steps[0].isNotice { outcome.notices.append(record.steps[0]) }
            if case .pinned? = record.steps.first { break }
        }
        guard !outcome.changes.isEmpty else { return outcome }
        try session.flush()
        try ChangeLog.trim(
            transaction, file.trees, newest: session.version, limits: file.options.changeLogLimits,
            pageSize: file.environment.pageSize, budget: outcome.changes.count + 16)
        try transaction.put(file.trees.meta, FileFormat.versionKey, Catalogue.versionRecord(session.version))
        try HistoryRecord(tag: session.tag).put(in: transaction, file.trees.meta)
        try transaction.commit()
        return outcome
    }

    private func record(of entry: LogEntry, after session: WriteSession) throws -> RedoRecord {
        guard entry.version == session.version.next else {
            throw StoreError(
                .logDamaged,
                "The log has no entry of version \(session.version.next), but of \(entry.version). Check the log.")
        }
        let record: RedoRecord
        do {
            record = try RedoRecord.decode(entry.body)
        } catch {
            if let format = RedoRecord.newerFormat(of: entry.body) {
                throw StoreError(
                    .unsupportedFormat,
                    "The log's entry of version \(entry.version) has format \(format), and this program reads those up to \(RedoRecord.format). Use a newer program, as the one that wrote it."
                )
            }
            throw StoreError(.logDamaged, "The log's entry of version \(entry.version) is damaged. Check the log.")
        }
        guard record.base ?? entry.tag == session.tag else {
            throw LogReplication.historyLost(session.version, file.path)
        }
        return record
    }
}

extension RedoStep {
    fileprivate var isNotice: Bool {
        switch self {
        case .pinned, .unpinned: true
        default: false
        }
    }
}
