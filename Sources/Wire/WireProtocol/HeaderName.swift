/// The names of headers that the gateway defines, or that clients resume streams with.
package enum HeaderName {
    /// Makes a write safe to repeat: the gateway performs it once, and repeats the response.
    package static let idempotencyKey = "Idempotency-Key"
    /// `true` on a repeated response.
    package static let idempotencyReplayed = "Idempotency-Replayed"
    /// The mark of the state that a response shows.
    package static let mark = "Realmgate-Mark"
    /// A mark: the request waits until the server has that state.
    package static let atLeast = "Realmgate-At-Least"
    /// The key of an encrypted Realm file, as hexadecimal digits.
    package static let encryptionKey = "Realmgate-Encryption-Key"
    /// The id of the last event that a client of a stream has received.
    package static let lastEventID = "Last-Event-ID"
    /// The number of seconds, or the time, before which the request should not be repeated.
    package static let retryAfter = "Retry-After"
}

/// The names of query parameters that followers use.
package enum ParameterName {
    package static let filter = "filter"
    package static let arguments = "args"
    package static let sort = "sort"
    package static let fields = "fields"
    package static let limit = "limit"
    package static let keyPaths = "keyPaths"
    /// Replaces the header for clients that cannot send one.
    package static let lastEventID = "lastEventID"
    /// What replacements of `EventSource` send when they reconnect, because they cannot send the header.
    package static let lastEventIDs = ["lastEventId", "Last-Event-ID"]
}
