/// The names of events on the gateway's streams.
package enum EventKind: String, CaseIterable, Hashable, Sendable {
    /// The first event of the stream of a subscription set: the list of its subscriptions.
    case subscriptions
    /// The complete result at one version. It replaces all earlier events.
    case initial
    /// The difference between two versions of a collection, as positions.
    case update
    /// The changed properties of one object.
    case change
    /// The observed object was deleted.
    case deleted
    /// A subscription was removed from the set.
    case removed
    /// The stream has sent everything that was committed before the request for this barrier.
    case barrier
    case error
    /// The server stops. The stream has sent everything that happened before.
    case closing
    /// The counts of a running import.
    case progress
    /// The result of an import.
    case done
    /// A line of the log.
    case line
    /// Lines of the log were overwritten before they could be sent.
    case lost
}

/// The names of the members of an event's data.
package enum EventField {
    /// The subscription of a set that the event concerns.
    package static let subscription = "subscription"
    package static let subscriptions = "subscriptions"
    /// Of an event of a subscription that later events of the same version complete: true.
    package static let part = "part"
    package static let version = "version"
    package static let count = "count"
    /// In `initial`: objects or values.
    package static let items = "items"
    /// In `initial` of a single object.
    package static let object = "object"
    /// In `update`: positions before the change.
    package static let deletions = "deletions"
    /// In `update`: positions after the change, and within `objects` the objects.
    package static let insertions = "insertions"
    /// In `update`: positions before the change, and within `objects` the objects.
    package static let modifications = "modifications"
    package static let objects = "objects"
    /// In `initial` of aggregates by group: the groups; in `update`: the groups that came and changed.
    package static let groups = "groups"
    /// In `change`: one entry per property.
    package static let changes = "changes"
    /// In `barrier`.
    package static let token = "token"
    /// In `closing`.
    package static let reconnect = "reconnect"
}
