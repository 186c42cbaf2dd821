import QuerySyntax
import ObjectModel
import QueryLanguage
package import StoreContract
import Synchronization
import TestBasics

/// Follows one file over many rounds of writes and crashes, and knows its expected content.
///
/// It keeps a model of the file. After each round the file's journal lists the commits that were kept; they are run
/// again in the model, and then the two must be the same in everything that can be read. The results that the writers
/// got must agree with it.
package final class DurabilityAudit {
    private let history: DurableHistory
    private let model: ModelStore
    /// The commits that the file is known to contain.
    package private(set) var commits = 0
    /// The earlier versions that the file could reconstruct.
    package private(set) var pasts = 0

    package init(_ history: DurableHistory) throws {
        self.history = history
        model = try ModelStore(history.schema)
    }

    deinit { model.close() }

    /// Checks the file after a round. `said` is the output of each of the round's processes; `burst` is the number of
    /// commits that a thread has in progress at once.
    ///
    /// Acknowledged commits are there at their versions. Others are there completely or not at all, at most `burst` of
    /// each thread, and none that was reported as failed or rolled back, except `mayKeepFailed`.
    package func check(_ store: any Store, said: [WorkerLine], burst: Int = 1, mayKeepFailed: Bool = false) throws {
        let before = try model.snapshot().version
        let snapshot = try store.snapshot()
        let log = try store.changes(after: before)
        try replay(snapshot, from: before, log ?? [], said)
        try compareReports(snapshot, after: before, said, burst: burst, mayKeepFailed: mayKeepFailed)
        let reference = try model.modelSnapshot()
        try StoreConformance.compare(snapshot, reference)
        try compareIndexes(snapshot, reference)
        try compareLogs(log, try model.changes(after: before))
        try comparePast(store, snapshot)
    }

    /// Compares a few versions before the newest one. The file need not have them: a compaction drops the undo data,
    /// and so does another schema.
    private func comparePast(_ store: any Store, _ snapshot: any Snapshot) throws {
        var random = SeededRandom(seed: snapshot.version.rawValue)
        for back in [1, 4] where snapshot.version.rawValue > UInt64(back) {
            let version = Version(snapshot.version.rawValue - UInt64(back))
            guard let past = try store.asOf(version, before: snapshot) else { continue }
            pasts += 1
            try requireEqual(
                past.changes, try model.asOf(version, before: try model.snapshot())?.changes,
                "changes since version \(version)")
            try StoreConformance.compare(
                past.reads, try model.state(at: version), newest: snapshot, queries: 1, &random)
        }
    }

    /// Runs the commits that are new in the file in the model too.
    private func replay(
        _ snapshot: any Snapshot, from before: Version, _ log: [ChangeSet], _ said: [WorkerLine]
    ) throws {
        let journal = try DurableHistory.journal(of: snapshot, after: before)
        try requireEqual(journal.map(\.version), journal.map(\.version).sorted(), "order of the journal")
        let byVersion = Dictionary(journal.map { ($0.version, $0) }, uniquingKeysWith: { first, _ in first })
        try requireEqual(byVersion.count, journal.count, "one journal entry for a version")
        try require(snapshot.version >= before, "version \(snapshot.version) is older than \(before)")
        var version = before
        while version < snapshot.version {
            version = version.next
            commits += 1
            if let entry = byVersion[version] {
                if history.isSchemaChange(entry.id) {
                    try changeSchema(entry.id, journalKey: entry.key)
                } else {
                    try perform(entry.id, log.first { $0.version == version })
                }
            } else {
                try changeSchema(try schemaChange(snapshot, version, said), journalKey: nil)
            }
            try requireEqual(try model.snapshot().version, version, "version of a commit")
        }
        try require(byVersion.keys.allSatisfy { $0 <= version }, "the journal ends at \(version)")
    }

    /// Runs a commit in the model. Other members of the same group that were rolled back have used up keys: the model
    /// skips as many as the file did.
    private func perform(_ id: DurableHistory.CommitID, _ expected: ChangeSet?) throws {
        struct Tried: Error {}
        let history = history
        let skipped = Mutex<[ClassID: Int64]>([:])
        do {
            try model.write { transaction in
                try history.perform(id, in: transaction)
                guard let expected, let changes = (transaction as? ModelTransaction)?.changeSet else { throw Tried() }
                for (classID, made) in changes.classes {
                    guard let last = made.insertions.max(), let wanted = expected.classes[classID]?.insertions.max(),
                        wanted > last
                    else { continue }
                    skipped.withLock { $0[classID] = wanted.rawValue - last.rawValue }
                }
                throw Tried()
            }
        } catch is Tried {}
        try model.write { transaction in
            for (classID, count) in skipped.withLock({ $0 }) {
                (transaction as? ModelTransaction)?.state.tables[classID]?.nextKey += count
            }
            try history.perform(id, in: transaction)
        }
    }

    private func changeSchema(_ id: DurableHistory.CommitID, journalKey: ObjectKey?) throws {
        let (schema, migration) = history.schemaChange(
            after: try model.snapshot().schema, by: id, journalKey: journalKey)
        try model.replaceSchema(with: schema, migration: migration)
    }

    /// A version without a journal entry is a change of the schema without a migration: an acknowledged one, or the
    /// newest, which the schema itself shows.
    private func schemaChange(
        _ snapshot: any Snapshot, _ version: Version, _ said: [WorkerLine]
    ) throws -> DurableHistory.CommitID {
        var acknowledged: DurableHistory.CommitID?
        for case .acknowledged(version, let id) in said { acknowledged = id }
        guard let id = acknowledged ?? history.maker(of: snapshot.schema), history.isSchemaChange(id),
            !history.isMigration(id)
        else { throw ConformanceFailure("version \(version) has no journal entry, and nobody changed the schema") }
        return id
    }

    /// Compares the results that the writers got with the content of the file.
    private func compareReports(
        _ snapshot: any Snapshot, after before: Version, _ said: [WorkerLine], burst: Int, mayKeepFailed: Bool
    ) throws {
        let journal = try DurableHistory.journal(of: snapshot, after: before)
        let kept = Dictionary(journal.map { ($0.id, $0.version) }, uniquingKeysWith: { first, _ in first })
        try requireEqual(kept.count, journal.count, "each commit is in the journal once")
        var reported: Set<DurableHistory.CommitID> = []
        for line in said {
            switch line {
            case .acknowledged(let version, let id):
                reported.insert(id)
                try require(version <= snapshot.version, "acknowledged commit \(id), version \(version), is lost")
                if !history.isSchemaChange(id) || history.isMigration(id) {
                    try requireEqual(kept[id], version, "version of acknowledged commit \(id)")
                }
            case .rolledBack(let id):
                reported.insert(id)
                try require(kept[id] == nil, "commit \(id) was rolled back and is there")
            case .failed(let id, let code, _):
                reported.insert(id)
                try require(kept[id] == nil || mayKeepFailed, "commit \(id) failed with \(code.rawValue) and is there")
            case .unexpected(let text): throw ConformanceFailure("a writer met \(text)")
            default: break
            }
        }
        let silent = journal.map(\.id).filter { !reported.contains($0) }
        for (writer, commits) in Dictionary(grouping: silent, by: { [$0.round, $0.thread] }) {
            try require(commits.count <= burst, "\(commits.count) commits of \(writer) that nobody was told of")
        }
        for commits in Dictionary(grouping: journal.map(\.id), by: { [$0.round, $0.thread] }).values {
            try requireEqual(commits.map(\.number), commits.map(\.number).sorted(), "order of a thread's commits")
        }
    }

    /// Reports the first difference: logs are long.
    private func compareLogs(_ log: [ChangeSet]?, _ expected: [ChangeSet]?) throws {
        guard let log, let expected else { return try requireEqual(log, expected, "change log") }
        try requireEqual(log.map(\.version), expected.map(\.version), "versions of the change log")
        let schema = try model.snapshot().schema
        for (changes, wanted) in zip(log, expected) where changes != wanted {
            let what = "version \(wanted.version)"
            try requireEqual(changes.schemaChanged, wanted.schemaChanged, "a change of the schema in \(what)")
            for id in Set(changes.classes.keys).union(wanted.classes.keys) {
                let what = "class \(id.rawValue) in \(what)"
                let own = changes.classes[id] ?? ClassChanges()
                let other = wanted.classes[id] ?? ClassChanges()
                try requireEqual(own.insertions, other.insertions, "insertions of \(what)")
                try requireEqual(own.deletions, other.deletions, "deletions of \(what)")
                try requireEqual(own.modifications, other.modifications, "modifications of \(what)")
                for key in Set(own.edits.keys).union(other.edits.keys) {
                    let (edits, others) = (own.edits[key] ?? [:], other.edits[key] ?? [:])
                    for property in Set(edits.keys).union(others.keys) {
                        let type = schema[id]?[property]?.type.description ?? "gone"
                        try requireEqual(
                            edits[property], others[property],
                            "edit of \(key.rawValue).\(property.rawValue) (\(type)), \(what)")
                    }
                }
            }
        }
    }

    /// The types that the reference evaluator compares.
    private static let queryable: Set<BaseType> = [.bool, .int, .float, .double, .string, .date, .objectId, .uuid]

    /// Equality queries on every indexed property, for existing values.
    private func compareIndexes(_ snapshot: any Snapshot, _ reference: ModelSnapshot) throws {
        for objectClass in reference.schema.classes {
            let keys = try reference.select(BoundQuery(classID: objectClass.id), .all)
            for property in objectClass.storedProperties
            where property.isIndexed && Self.queryable.contains(property.type.base) {
                let values = Set(try keys.prefix(40).map { try reference.value(objectClass.id, $0, property.id) })
                for value in values {
                    let path = BoundPath(end: .property(property.id, property.type))
                    let query = BoundQuery(
                        classID: objectClass.id,
                        predicate: .comparison(BoundComparison(.path(path), .equal, .constant(value))))
                    try requireEqual(
                        try snapshot.select(query, .all), try reference.select(query, .all),
                        "\(objectClass.name).\(property.name) == \(value)")
                }
            }
        }
    }
}
