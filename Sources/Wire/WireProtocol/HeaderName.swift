/// The names of headers that the gateway gives a meaning of its own, or that streams are resumed with.
package enum HeaderName {
    /// Makes a write safe to send again: the gateway does it once, and gives the same answer.
    package static let idempotencyKey = "Idempotency-Key"
    /// `true` on an answer that was given before.
    package static let idempotencyReplayed = "Idempotency-Replayed"
    /// The mark of the state that an answer shows.
    package static let mark = "Realmgate-Mark"
    /// The id of the last event that a client of a stream has heard of.
    package static let lastEventID = "Last-Event-ID"
    /// Seconds, or a time, before which a request should not be sent again.
    package static let retryAfter = "Retry-After"
}

/// The names of parameters behind a path that a follower reads objects with.
package enum ParameterName {
    package static let filter = "filter"
    package static let arguments = "args"
    package static let sort = "sort"
    package static let fields = "fields"
    package static let limit = "limit"
    package static let keyPaths = "keyPaths"
    /// In place of the header, for clients that cannot set one.
    package static let lastEventID = "lastEventID"
}
