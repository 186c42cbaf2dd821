import LMDBStorage
import StoredRecords
package import ObjectModel
import QueryExecution
package import StoreContract

/// See `Store.walk`. Each version is decoded once, and taken back on top of those after it.
package final class LogWalk: VersionWalk {
    private typealias Record = (version: Version, bytes: UnsafeRawBufferPointer)

    /// A decoded version.
    private struct Step {
        let changes: ChangeSet
        let undo: [UndoStep]
        let tag: HistoryTag
        /// Whether `past` is the state before it.
        var isTakenBack = false
    }

    private let snapshot: EmbeddedSnapshot
    private let isReplica: Bool
    /// Those that the walk has not reached, oldest first. They are borrowed from the map, which `snapshot` holds.
    private var records: [Record]
    private var step: Step?
    private var past: AsOfChanges
    private var stateAfter: (any ObjectReads)?
    private var stateBefore: (any ObjectReads)?
    package private(set) var end: WalkEnd?

    package init(from snapshot: EmbeddedSnapshot) throws {
        self.snapshot = snapshot
        records = try snapshot.reading { try ChangeLog.records(upTo: snapshot.version, $0, snapshot.trees) }
        isReplica = try snapshot.reading { try ReplicaRecord($0, snapshot.trees.meta) != nil }
        past = AsOfChanges(
            at: snapshot.version, schema: snapshot.schema, clusterCapacity: snapshot.clusterCapacity)
    }

    package func next() throws -> LoggedVersion? {
        guard end == nil else { return nil }
        try revert()
        stateAfter = stateBefore
        stateBefore = nil
        let reached = step?.changes.version.previous ?? snapshot.version
        step = nil
        guard let record = records.popLast() else {
            end = WalkEnd(reached, .log)
            return nil
        }
        do {
            guard let (changes, undo) = try ChangeSetRecord.decodeWithUndo(record.bytes, version: record.version) else {
                // A version that replaces the schema has no old values.
                let changes = try ChangeSetRecord.decode(record.bytes, version: record.version)
                end = WalkEnd(record.version, changes?.schemaChanged == true ? .schema : .values)
                return nil
            }
            guard !changes.schemaChanged else {
                end = WalkEnd(record.version, .schema)
                return nil
            }
            let tag = isReplica ? ChangeSetRecord.tag(record.bytes) ?? snapshot.tag : snapshot.tag
            step = Step(changes: changes, undo: undo, tag: tag)
            return LoggedVersion(
                changes, mark: Mark(changes.version, tag),
                time: ChangeSetRecord.time(record.bytes).map { Timestamp(seconds: $0) })
        } catch {
            throw StoreError.damaged(snapshot.path)
        }
    }

    package func after() throws -> any ObjectReads {
        if let stateAfter { return stateAfter }
        guard let step, !step.isTakenBack, step.changes.version < snapshot.version else { return snapshot }
        let made = state(step.changes.version, step.tag)
        stateAfter = made
        return made
    }

    package func before() throws -> any ObjectReads {
        if let stateBefore { return stateBefore }
        guard let step, let version = step.changes.version.previous else { return snapshot }
        // `past` has only one of the two states.
        _ = try after()
        try revert()
        let tag = isReplica ? records.last.flatMap { ChangeSetRecord.tag($0.bytes) } ?? step.tag : snapshot.tag
        let made = state(version, tag)
        stateBefore = made
        return made
    }

    package func deleted(of classID: ClassID, _ property: PropertyID) throws -> [(key: ObjectKey, value: Value)] {
        guard let step, let objectClass = snapshot.schema[classID],
            let column = objectClass.storedProperties.firstIndex(where: { $0.id == property })
        else { return [] }
        return try step.undo.compactMap { undone in
            guard undone.classID == classID, case .deleted(let row) = undone.change else { return nil }
            guard column < row.count else { throw StoreError.damaged(snapshot.path) }
            return (undone.key, row[column])
        }
    }

    private func revert() throws {
        guard let known = step, !known.isTakenBack else { return }
        do {
            try past.revert(known.changes, known.undo)
        } catch {
            throw StoreError.damaged(snapshot.path)
        }
        step?.isTakenBack = true
    }

    private func state(_ version: Version, _ tag: HistoryTag) -> any ObjectReads {
        var changes = past
        changes.finish()
        return AsOfReads(version, tag, AsOfSource(snapshot, snapshot, changes))
    }
}
