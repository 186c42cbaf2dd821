package import ObjectModel

/// What a gateway offers and what it puts up with. Sizes are in bytes.
package struct GatewayConfiguration: Sendable {
    /// The console's files, served at `/` and `/static/`; read once, at the start. Nil for none.
    package var staticDirectory: String?
    /// Where `openapi.json` is. Nil for none.
    package var openapiDirectory: String?
    /// Pages that may call the gateway, such as `https://app.example.com`; `*` allows every page, without
    /// credentials.
    package var allowedOrigins: Set<String> = ["*"]

    /// Decides who may do what. Nil when everybody may do everything.
    package var accessControl: AccessControl?

    /// Largest request body; 413 beyond. Set the server's limit to the same.
    package var bodyLimit = 16 * 1024 * 1024
    /// Longest `filter`; 400 beyond.
    package var filterLimit = 1024 * 1024
    /// Most values in `args`, those in lists included; 400 beyond.
    package var argumentLimit = 100_000
    /// Most key paths to sort, tell apart or group by; 400 beyond.
    package var largestOrder = 100
    /// Objects per page when `limit` is not given.
    package var defaultPage = 100
    /// Most objects per page.
    package var largestPage = 10_000
    /// Most groups or sections in an answer; 400 beyond.
    package var largestGrouping = 10_000

    /// Most objects that an event stream may begin with; it ends with an error beyond.
    package var largestObserved = 100_000

    /// Where subscription sets are kept over a restart. Nil to keep them in memory only.
    package var subscriptionFile: String?
    /// Seconds after which a subscription set without a stream and without requests is forgotten.
    package var subscriptionSetLifetime = 3600
    /// Most subscription sets; 429 beyond.
    package var mostSubscriptionSets = 20_000
    /// Most subscriptions of one set; 400 beyond.
    package var largestSubscriptionSet = 100
    /// The time of day, for what expires.
    package var clock: @Sendable () -> Timestamp = { .now() }

    /// Largest file to import; 413 beyond.
    package var importLimit = 4 << 30
    /// Where files lie while they come in or go out. Put it on the disk that has room for another copy of the store.
    package var scratchDirectory = "/tmp"
    /// Threads for imports and backups.
    package var transfers = 2
    /// Imports and backups that may wait for one; 503 beyond.
    package var transferQueue = 16

    /// Collections of classes with more objects are read by worker threads, so that a scan never holds up a loop.
    package var inlineObjects = 50_000
    /// Requests with larger bodies are read by worker threads, for the same reason.
    package var inlineBody = 256 * 1024
    /// Threads for what takes long.
    package var workers = 2
    /// Requests that may wait for a worker; 503 beyond.
    package var workerQueue = 1_000

    package init() {}
}
