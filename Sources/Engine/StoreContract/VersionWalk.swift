package import ObjectModel

/// A walk from a snapshot back through the change log, one version at a time: `Store.walk`. It holds what the snapshot
/// holds. For one thread at a time.
package protocol VersionWalk: AnyObject {
    /// Goes to the version before; the first call to the snapshot's own. Nil when the walk is over: see `end`. Cost: the
    /// version's changes, however many versions follow it.
    func next() throws -> LoggedVersion?

    /// The store as the present version of the walk left it. The state stays valid when the walk goes on.
    ///
    /// Cost: a copy of what differs from the snapshot, when it is first asked for at a version.
    func after() throws -> any ObjectReads

    /// The store before the present version of the walk. Cost: as of `after`.
    func before() throws -> any ObjectReads

    /// The objects of a class that the present version of the walk deleted, each with its value of a stored property.
    func deleted(of classID: ClassID, _ property: PropertyID) throws -> [(key: ObjectKey, value: Value)]

    /// Why `next` returned nil; nil before that.
    var end: WalkEnd? { get }
}

/// A version in the change log.
package struct LoggedVersion: Sendable {
    package let changes: ChangeSet
    package let mark: Mark
    /// When this store wrote the version down, in whole seconds; nil where that is not known.
    package let time: Timestamp?

    package init(_ changes: ChangeSet, mark: Mark, time: Timestamp?) {
        self.changes = changes
        self.mark = mark
        self.time = time
    }
}

/// Where a walk through the change log ends.
package struct WalkEnd: Hashable, Sendable {
    package enum Reason: String, Sendable {
        /// The log does not keep older versions.
        case log
        /// The version replaced the schema; values of an older one are not read.
        case schema
        /// The log does not have the old values of the version, which were too many.
        case values
    }

    /// The oldest version whose state is known.
    package let version: Version
    package let reason: Reason

    package init(_ version: Version, _ reason: Reason) {
        self.version = version
        self.reason = reason
    }
}
