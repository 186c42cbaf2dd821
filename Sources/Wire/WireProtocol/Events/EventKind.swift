/// The names of events on the gateway's streams.
package enum EventKind: String, CaseIterable, Hashable, Sendable {
    /// The first event of the stream of a subscription set: which subscriptions there are.
    case subscriptions
    /// The result at one version. Replaces what was told before.
    case initial
    /// What became different of a collection, as positions.
    case update
    /// What became different of one object.
    case change
    /// The object that is observed is gone.
    case deleted
    /// A subscription was taken out of the set.
    case removed
    /// Everything that was committed before a request for this event has been told.
    case barrier
    case error
    /// The server stops. Everything that happened before has been told.
    case closing
    /// Of an import: the counts so far.
    case progress
    /// Of an import: the result.
    case done
}

/// The names of the members of an event's data.
package enum EventField {
    /// Which subscription of a set the event is about.
    package static let subscription = "subscription"
    package static let subscriptions = "subscriptions"
    package static let version = "version"
    package static let count = "count"
    /// Of `initial`: objects or values.
    package static let items = "items"
    /// Of `initial` of one object.
    package static let object = "object"
    /// Of `update`: positions before.
    package static let deletions = "deletions"
    /// Of `update`: positions after, and in `objects` the objects.
    package static let insertions = "insertions"
    /// Of `update`: positions before, and in `objects` the objects.
    package static let modifications = "modifications"
    package static let objects = "objects"
    /// Of `change`: one entry for each property.
    package static let changes = "changes"
    /// Of `barrier`.
    package static let token = "token"
    /// Of `closing`.
    package static let reconnect = "reconnect"
}
