package import ObjectModel

/// The order of a realm's versions, kept outside the stores that share it.
///
/// A log has one entry for each version, without gaps. A store appends the entries of its commits at the end and applies
/// the entries of others, so that all stores of a log have the same versions in the same order. The log alone decides
/// which commits happened: a store acknowledges a commit when the log has taken its entries.
///
/// Methods block; a store calls `append` and `takeTurn` on its writer's thread, `entries` and `newest` also on the
/// thread that follows the log. Errors are `StoreError`s: `logUnavailable` when the log cannot be reached,
/// `logOutcomeUnknown` when it is not known whether an append happened, `logDamaged` when the log contradicts itself,
/// `logRefused` when it refuses the write for good (its disk is full, say, or rights are missing).
///
/// A log begins at `LogPosition.start`, the empty store, for which it has no entry.
package protocol CommitLog: ImageStore, RecordStore {
    /// Identifies the log: a replica of one log is never used with another. Random and positive. Cost: none.
    var id: Int64 { get }

    /// The newest position. Cost: one round trip.
    func newest() throws -> LogPosition

    /// Appends one entry per version after `position`, all or none, if `position` is still the newest.
    ///
    /// The log keeps trying through lost connections until it knows the outcome, for as long as its patience lasts, and
    /// then throws `logOutcomeUnknown`. It never appends twice: the tag of the append shows whether an earlier
    /// attempt arrived. Cost: one round trip.
    func append(_ bodies: [[UInt8]], after position: LogPosition, tag: HistoryTag) throws -> AppendOutcome

    /// Waits until no other store has the turn, and keeps others from appending until the turn ends. Throws `busy` when
    /// others keep the turn longer than the log's patience. Cost: one round trip.
    ///
    /// - Parameter version: the newest version that the store has, so that the turn brings what others wrote since.
    func takeTurn(after version: Version?) throws -> any LogTurn

    /// The entries after `version` in order, up to some limit of entries and bytes; none when there are no newer ones.
    /// Throws `versionGone` when the log does not reach back that far, `logDamaged` for a gap. Cost: one round trip.
    func entries(after version: Version) throws -> [LogEntry]

    /// Calls `listener` when the log may have new entries, until the log is closed. A hint may be late, repeated or
    /// lost, so followers must also poll. Cost of a hint: no round trip.
    func onHint(_ listener: @escaping @Sendable () -> Void)

    /// Releases connections. Later calls throw `closed`.
    func close()
}

extension CommitLog {
    /// `takeTurn` of a store that reads what is new by itself.
    package func takeTurn() throws -> any LogTurn { try takeTurn(after: nil) }
}

/// The right to append next. It ends with an append, with `end`, or when the last reference is dropped.
package protocol LogTurn: AnyObject, Sendable {
    /// The newest position for as long as the turn lasts. It may end early, when its connection is lost or it takes too
    /// long: others append then, and only an append, which is superseded, shows it.
    var position: LogPosition { get }

    /// Entries after the version that the turn was taken with, in order and up to some limit; none for any other reason.
    var newEntries: [LogEntry] { get }

    /// Appends as `CommitLog.append` does, and ends the turn.
    func append(_ bodies: [[UInt8]], tag: HistoryTag) throws -> AppendOutcome

    /// Ends the turn without an append.
    func end()
}

/// A position in a log: a version and the tag of the append that made it.
package struct LogPosition: Hashable, Sendable {
    package let version: Version
    package let tag: HistoryTag

    package init(_ version: Version, _ tag: HistoryTag) {
        self.version = version
        self.tag = tag
    }

    /// The empty store, with which every log begins: the same state everywhere, so it has the same mark everywhere.
    package static let start = LogPosition(Version(1), HistoryTag(rawValue: 0))
}

/// One version in a log, as its store encoded it.
package struct LogEntry: Hashable, Sendable {
    package let version: Version
    package let tag: HistoryTag
    package let body: [UInt8]

    package init(version: Version, tag: HistoryTag, body: [UInt8]) {
        self.version = version
        self.tag = tag
        self.body = body
    }
}

package enum AppendOutcome: Hashable, Sendable {
    case appended
    /// Others appended since `position`: nothing was appended.
    case superseded
}
