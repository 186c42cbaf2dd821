/// Small amounts of bytes that the stores of a log share beside the objects, each under a name.
///
/// Methods block. Errors are those of `CommitLog`.
package protocol RecordStore: AnyObject, Sendable {
    /// A record; nil when there is none of that name. Cost: one round trip.
    func record(_ name: String) throws -> LogRecord?

    /// The revisions of the records whose names begin with `prefix`, by name. Cost: one round trip.
    func recordRevisions(prefix: String) throws -> [String: Int64]

    /// The revisions of the records of these names that there are. Cost: one round trip.
    func recordRevisions(of names: [String]) throws -> [String: Int64]

    /// Stores a record if it still has the revision that the caller knows; nil when there was none.
    ///
    /// Returns whether it was stored: if not, read it again, merge and repeat. Cost: one round trip.
    ///
    /// After a lost connection, a record that has these bytes at the next revision counts as stored. Throws
    /// `logOutcomeUnknown` when others have changed it more often by then.
    func store(_ body: [UInt8], as name: String, over revision: Int64?) throws -> Bool

    /// Deletes a record if it still has that revision. Returns whether there is none of that name now.
    func deleteRecord(_ name: String, at revision: Int64) throws -> Bool

    /// Calls `listener` when records may have changed, until the log is closed. As for entries, a hint may be late,
    /// repeated or lost.
    func onRecordHint(_ listener: @escaping @Sendable () -> Void)
}

/// Bytes that the stores of a log share, under a name: keys, subscription sets.
package struct LogRecord: Hashable, Sendable {
    /// Rises with each change, from 1.
    package let revision: Int64
    package let body: [UInt8]

    package init(revision: Int64, body: [UInt8]) {
        self.revision = revision
        self.body = body
    }
}
