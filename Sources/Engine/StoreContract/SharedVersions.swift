package import ObjectModel

/// The versions that all stores of a log keep for readers.
///
/// A pin is an entry of the log, and so a version that changes nothing. Every store that is open when it gets the entry
/// passes a snapshot of just that version to its listeners. A store that begins later, or from an image of a later
/// version, has no such snapshot.
///
/// The stores do not know how long a pin lasts: what they pass on is kept for as long as a listener keeps it.
package protocol SharedVersions: AnyObject, Sendable {
    /// Makes a version and passes it to the listeners of all stores, here before `completion`. Both run on the writer's
    /// thread. Fails as a commit does. Cost: a commit of its own.
    func pin(_ pin: VersionPin, completion: @escaping @Sendable (Result<Version, any Error>) -> Void)

    /// Announces to the listeners of all stores that a pin is no longer needed. Runs and fails as `pin` does.
    func unpin(_ id: [UInt8], completion: @escaping @Sendable (Result<Version, any Error>) -> Void)

    /// Calls `listener` on the writer's thread, in the order of the versions, and before the listeners of commits. It
    /// must be quick. It stays until the store is closed.
    func onPin(_ listener: @escaping @Sendable (PinEvent) -> Void)
}

/// A reader's wish to keep a version.
package struct VersionPin: Hashable, Sendable {
    /// Unique among the pins of a log.
    package let id: [UInt8]
    /// Information for the listeners, such as its owner. The stores do not look at it.
    package let note: [UInt8]

    package init(id: [UInt8], note: [UInt8]) {
        self.id = id
        self.note = note
    }
}

package enum PinEvent: Sendable {
    case pinned(VersionPin, any Snapshot)
    case unpinned([UInt8])
}
