import ObjectModel
import StoreContract
import Synchronization

/// How a store uses the log that it shares with others. For the writer's thread, except where it says otherwise.
final class LogReplication: Sendable {
    let log: MeasuredLog

    private struct State {
        /// The number of groups for which the writer takes the turn first, because others write too.
        var turnsLeft = 0
        /// When the writer began to wait for the turn; nil once it has applied what the turn brought.
        var turnBegan: ContinuousClock.Instant?
        /// Why the replica follows the log no longer.
        var failure: StoreError?
        /// Whether the log is closed with the store.
        var ownsLog = false
    }

    private let state = Mutex(State())

    /// The number of groups that take the turn after one was superseded.
    private static let turnsAfterConflict = 64
    /// When the turn takes longer than this to get, reads proceed without it: an interactive write of another store may
    /// hold it for many seconds.
    private static let shortWait = Duration.milliseconds(20)
    /// The bytes of entries at which a group ends.
    static let groupBytes = 8 << 20

    init(_ log: any CommitLog) { self.log = MeasuredLog(log) }

    /// Others appended first. The transaction must not be committed; the work is run again.
    struct Superseded: Error {}

    /// The log did not take the entries. The work must not be run again.
    struct Failure: Error {
        let underlying: any Error
        /// The outcomes of the members, of which those that succeeded have this error instead.
        var results: [Result<Version, any Error>]?
    }

    /// Why the replica follows the log no longer; nil as long as it does. Any thread may ask.
    var failure: StoreError? { state.withLock { $0.failure } }

    /// From now on the log is closed with the store.
    func takeLog() { state.withLock { $0.ownsLog = true } }

    func close() { if state.withLock({ $0.ownsLog }) { log.close() } }

    func throwIfStopped() throws { if let failure { throw failure } }

    /// Stops the replica for good if the error says that it and the log do not belong together. Any thread may call it.
    func record(_ error: any Error) {
        guard let error = error as? StoreError else { return }
        let codes: Set<StoreError.Code> = [
            .diverged, .historyLost, .logDamaged, .versionGone, .unsupportedFormat,
        ]
        if codes.contains(error.code) { state.withLock { $0.failure = $0.failure ?? error } }
    }

    /// Whether the writer will probably have applied the entries of all other stores within `shortWait`. Any thread may
    /// ask.
    var isTakingTurn: Bool {
        state.withLock { state in
            guard let began = state.turnBegan else { return false }
            return ContinuousClock.now - began < Self.shortWait
        }
    }

    /// Takes the turn by `take` if the work must not be superseded, or others have written.
    func takingTurn(isAlone: Bool, _ take: () throws -> any LogTurn) throws -> (any LogTurn)? {
        let takesTurn = state.withLock { state in
            if isAlone { return true }
            defer { state.turnsLeft = max(0, state.turnsLeft - 1) }
            return state.turnsLeft > 0
        }
        guard takesTurn else { return nil }
        state.withLock { $0.turnBegan = .now }
        defer { state.withLock { $0.turnBegan = nil } }
        return try take()
    }

    /// Throws `Superseded`, or the log's error.
    func append(_ bodies: [[UInt8]], after position: LogPosition, tag: HistoryTag, _ turn: (any LogTurn)?) throws {
        let outcome = try turn?.append(bodies, tag: tag) ?? log.append(bodies, after: position, tag: tag)
        guard outcome == .superseded else { return }
        state.withLock { $0.turnsLeft = Self.turnsAfterConflict }
        throw Superseded()
    }

    /// Compares the replica's newest position with the log's. Throws `historyLost`.
    ///
    /// Read the replica's position first. The replica contains only what the log already had, so an intact log is never
    /// behind it. A position from the start of a turn does not qualify, because the replica may have been read later.
    static func compare(_ replica: LogPosition, with newest: LogPosition, path: String) throws {
        let isFork = newest.version < replica.version || newest.version == replica.version && newest != replica
        if isFork { throw historyLost(replica.version, path) }
    }

    static func historyLost(_ version: Version, _ path: String) -> StoreError {
        StoreError(
            .historyLost,
            "The log does not have version \(version) of the replica '\(path)': it has lost commits, or was replaced. Delete the replica; the next start makes a new one from the log."
        )
    }
}
