package import ObjectModel
package import StoreContract

extension EmbeddedStore {
    /// Opens a replica: the file at `path` follows `log`, and a commit to it happens only when the log has taken it. A
    /// missing file is made from the log's newest image, or else from the beginning of the log. So is a file of another
    /// log, one that the machine did not finish writing before it crashed, and one that does not fit the log (any
    /// more): it is deleted first, because a replica has nothing that the log has not. See `ReplicaStart`.
    ///
    /// The store closes the log when it is closed. Returns when the replica has what the log had when it was opened.
    /// Cost: follows the entries that the replica lacks, and the size of the image.
    ///
    /// - Parameters:
    ///   - schema: the schema of version 1; all replicas of a log must give the same.
    ///   - notices: gets what takes long and what is wrong, on the calling thread.
    ///
    /// Throws the errors of `open`, `invalidFile` when the file is a store of its own, and the log's errors:
    /// `logUnavailable`, `logDamaged`, `versionGone`, `historyLost`, `diverged`. The latter three mean that no image
    /// helps.
    package static func open(
        path: String, schema: Schema = .empty, log: any CommitLog,
        options: EmbeddedStoreOptions = EmbeddedStoreOptions(), notices: @escaping (ReplicaNotice) -> Void = { _ in }
    ) throws -> EmbeddedStore {
        try StoreError.check(schema)
        do {
            return try ReplicaStart(path: path, schema: schema, log: log, options: options, report: notices).run()
        } catch {
            log.close()
            throw error
        }
    }

    /// The log that the store shares with others; nil for a store of its own.
    package var log: (any CommitLog)? { replication?.log.log }

    /// Why this replica follows its log no longer; nil as long as it does, and for a store without a log. Reads go on at
    /// the last version, writes fail with this error.
    package var replicaFailure: StoreError? { replication?.failure }

    /// Applies what is new in the log. Not for the writer's thread.
    func follow(compares: Bool) throws -> LogFollower.Look {
        guard let replication else { return .nothing }
        try replication.throwIfStopped()
        // A turn brings everything that was appended before it began, and while it lasts nobody else appends.
        if replication.isTakingTurn, !compares { return .leftToWriter }
        do {
            let (position, entries) = try newEntries(in: replication.log)
            guard entries.isEmpty else {
                try onWriter { [self] _ in try apply(entries) }
                return .entries
            }
            if compares {
                try LogReplication.compare(position, with: try replication.log.newest(), path: file.path)
            }
            return .nothing
        } catch {
            replication.record(error)
            throw error
        }
    }

    /// The file's position, and the entries of the log after it. Throws `versionGone` only when the log no longer
    /// reaches back to the position that the file has by then: during the call, the writer or another process may have
    /// advanced it, and others may have trimmed entries that it no longer needs.
    private func newEntries(in log: MeasuredLog) throws -> (LogPosition, [LogEntry]) {
        while true {
            let position = try file.position
            do {
                return (position, try log.entries(after: position.version))
            } catch let error as StoreError where error.code == .versionGone {
                if try file.position == position { throw error }
            }
        }
    }

    /// Applies entries, on the writer's thread.
    func apply(_ entries: [LogEntry]) throws {
        var rest = entries[...]
        while true {
            do {
                let outcome = try EntryGroup(file: file, writerProgress: writerProgress).run(rest)
                let changes = outcome.changes
                guard let newest = changes.last?.version else { return }
                forgetLatest()
                versionsAfterCommit(newest)
                pass(outcome.notices)
                announce(changes, upTo: newest)
                rest = rest.drop { $0.version <= newest }
            } catch {
                let failure = file.storeError(error)
                replication?.record(failure)
                throw failure
            }
        }
    }

    /// Takes a turn, and brings the file to the position at which it began, on the writer's thread.
    private func takeTurn(_ replication: LogReplication) throws -> any LogTurn {
        while true {
            let known = try file.position.version
            let turn = try writerProgress.waitingForOthers { try replication.log.takeTurn(after: known) }
            if try catchUp(to: turn, replication) { return turn }
            // No work has run yet, so nothing is lost but the wait.
            turn.end()
        }
    }

    /// Brings the file to the position at which a turn began. Returns false when the turn did not last until then.
    ///
    /// The owner of a turn does not notice that its connection was lost, or that the log has ended the turn. Then
    /// others append, and what is read of the log is newer than the turn's position, perhaps at another server. So a file at
    /// another position is not evidence against the log by itself. It is compared with the newest position, read after
    /// it.
    private func catchUp(to turn: any LogTurn, _ replication: LogReplication) throws -> Bool {
        let position = turn.position
        do {
            if try file.position.version < position.version, !turn.newEntries.isEmpty { try apply(turn.newEntries) }
            while try file.position.version < position.version {
                let (_, entries) = try newEntries(in: replication.log)
                if entries.isEmpty { break }
                try apply(entries)
            }
            let reached = try file.position
            if reached == position { return true }
            let newest = try replication.log.newest()
            try LogReplication.compare(reached, with: newest, path: file.path)
            guard newest != position else {
                throw StoreError(
                    .logDamaged,
                    "The log has no entry of version \(position.version), which is its newest. Check the log.")
            }
            return false
        } catch {
            replication.record(error)
            throw error
        }
    }

    /// Runs a group on the log: again when others were first, then with the turn. Work that runs once fails with `busy`
    /// then.
    ///
    /// - Parameter mayGrow: whether jobs that came while it waited for the turn are added to `jobs`.
    func runOnLog(
        _ jobs: inout [WriterJob], mayGrow: Bool, _ replication: LogReplication
    ) throws -> GroupOutcome {
        while true {
            let turn: (any LogTurn)?
            do {
                try replication.throwIfStopped()
                let isAlone = jobs.contains(where: \.isAlone)
                turn = try replication.takingTurn(isAlone: isAlone) { try takeTurn(replication) }
                if turn != nil, mayGrow { fill(&jobs) }
            } catch {
                throw LogReplication.Failure(underlying: error)
            }
            defer { turn?.end() }
            do {
                return try GroupCommit(file: file, writerProgress: writerProgress, replication: replication, turn: turn)
                    .run(jobs)
            } catch is LogReplication.Superseded {
                // A turn whose connection was lost does not keep others away.
                guard jobs.allSatisfy(\.mayRunAgain) else { throw LogReplication.Failure(underlying: Self.lostTurn) }
            }
        }
    }

    private static let lostTurn = StoreError(
        .busy, "The turn to write to the log was lost, and another program wrote first. Repeat the write.")
}
