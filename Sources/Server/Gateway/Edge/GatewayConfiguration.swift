package import HTTPServer
package import Logging
package import ObjectModel
package import StoreContract

/// What a gateway offers and what it puts up with. Sizes are in bytes.
package struct GatewayConfiguration: Sendable {
    /// The console's files, served at `/` and `/static/`; read once, at the start. Nil for none.
    package var staticDirectory: String?
    /// Where `openapi.json` is. Nil for none.
    package var openapiDirectory: String?
    /// Pages that may call the gateway, such as `https://app.example.com`; `*` allows every page, without
    /// credentials, but none while `accessControl` is open.
    package var allowedOrigins: Set<String> = ["*"]
    /// Whether requests that name another host than this machine are refused while `accessControl` is open.
    package var isForThisMachine = false

    /// Whether those pages may let the browser add cookies and the like; not with `*`.
    package var allowsCredentials = false
    /// How long browsers are to come by TLS alone, in seconds; nil for a gateway without TLS.
    package var strictTransportSeconds: Int?

    /// Decides who may do what. Nil when everybody may do everything.
    package var accessControl: AccessControl?

    /// Decides about other classes. Nil when administrators do.
    package var schemaKeeper: (any SchemaKeeper)?

    /// Largest request body; 413 beyond. Set the server's limit to the same.
    package var bodyLimit = 16 * 1024 * 1024
    /// Most operations of one transaction; 413 beyond.
    package var largestTransaction = 10_000
    /// Seconds that the answer to a request with an `Idempotency-Key` is kept.
    package var idempotencyLifetime = 24 * 3600
    /// Bytes of the largest answer that is kept as it is; of a larger one only what it is made from.
    package var idempotencyVerbatim = 8 * 1024
    /// Bytes that a caller may have kept for this; 429 beyond. Nil for any number.
    package var idempotencyBytesPerCaller: Int? = 64 << 20
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
    /// Most subscription sets of one caller; 429 beyond. Nil for any number.
    package var subscriptionSetsPerCaller: Int? = 1_000
    /// Most subscriptions of one set; 400 beyond.
    package var largestSubscriptionSet = 100
    /// Seconds that a snapshot lasts when its maker does not say, and at the most.
    package var snapshotLife = 60
    package var longestSnapshotLife = 3600
    /// Most snapshots at a time; 503 beyond. Each keeps what its version of the store holds.
    package var mostSnapshots = 100
    /// Most snapshots of one caller; 429 beyond. Nil for any number.
    package var snapshotsPerCaller: Int? = 20

    /// Most rows that the queries of one request may look at; 400 beyond. Nil for any number.
    package var queryRows: Int?
    /// Most milliseconds that the queries of one request may take, the first run of an event stream's query included;
    /// 400 beyond. Nil for any time.
    package var queryMilliseconds: Int? = 10_000

    /// The time of day, for what expires.
    package var clock: @Sendable () -> Timestamp = { .now() }

    /// Whether answers are compressed for clients that ask for it.
    package var compresses = true
    /// How many requests an address may make, whoever calls; nil for as many as it likes. Behind a proxy all requests have
    /// the proxy's address, unless it is one of `trustedProxies`.
    package var addressRate: RateLimit?
    /// Proxies that say in `X-Forwarded-For` who asks; of all others the field is not looked at.
    package var trustedProxies = TrustedProxies()
    /// How many requests a key or a token's subject may make; nil for as many as it likes.
    package var callerRate: RateLimit?
    /// Most event streams that a caller may have open; of callers without a credential, an address. Nil for any number.
    package var streamsPerCaller: Int? = 10_000

    /// Whether `/metrics` is for everybody, and not for administrators alone.
    package var metricsAreOpen = false
    /// Bytes that the database's disk should have free; `/readyz` says 503 below.
    package var leastFreeDisk = 64 << 20
    /// Of the program, for metrics.
    package var version = "unknown"
    /// The level of the line that each request gets in the log; nil for none.
    package var requestLogLevel: Logger.Level?
    /// Where that line goes; nil for where all others go.
    package var requestLog: (any RequestLog)?

    /// Largest file to import; 413 beyond.
    package var importLimit = 4 << 30
    /// Largest file to import in one transaction, whose pages are in memory until it is on the disk, about as many bytes
    /// as the file has; 413 beyond.
    package var atomicImportLimit = ObjectImporter.wholeLimit
    /// Where files lie while they come in or go out. Put it on the disk that has room for another copy of the store.
    package var scratchDirectory = "/tmp"
    /// Imports and backups that run at a time; others have their turns.
    package var transfers = 2
    /// Imports and backups that may wait to begin; 503 beyond.
    package var transferQueue = 16
    /// Most imports, exports and backups that a caller may have under way; 429 beyond. Nil for any number.
    package var transfersPerCaller: Int? = 8
    /// Lines that an import may refuse; it ends with the next one. Nil for any number.
    package var importFaults: Int? = 1000
    /// How many times its size a compressed file to import may expand to; 413 beyond. Nil for any.
    package var importExpansion: Int? = 200
    /// Bytes that it may expand to in any case.
    package var importFreeExpansion = 64 << 20
    /// Seconds that an import may go on without a line that fits; 422 beyond. Nil for any time.
    package var importStall: Int? = 60

    /// Most bytes of an answer. A page ends when it has reached them, with a cursor to go on from; of what cannot be
    /// continued, 400 beyond. An object that alone is larger comes alone.
    package var answerBytes = 16 << 20

    /// Most bytes of an event of a stream. A longer one comes in parts; an object that alone is larger comes alone.
    package var eventBytes = 4 << 20
    /// Most bytes of events that clients have yet to take; beyond, each waits for room before it is written.
    package var eventMemory = 128 << 20

    /// Collections of classes with more objects are read by worker threads, so that a scan never holds up a loop.
    package var inlineObjects = 10_000
    /// Requests with larger bodies are read by worker threads, for the same reason.
    package var inlineBody = 32 * 1024
    /// What a read may cost on a loop: rows that it looks at, bytes that it looks at and writes, and milliseconds. One
    /// that costs more begins again on a worker thread.
    package var inlineRows = 10_000
    package var inlineBytes = 256 * 1024
    package var inlineMilliseconds = 5
    /// Told of the budget of each read that begins on a loop, for tests.
    package var watchLoop: (@Sendable (QueryBudget) -> Void)?
    /// Long requests that run at a time; others have their turns.
    package var workers = 2
    /// Long requests that may have begun, each of which has a thread.
    package var workerThreads = 64
    /// Requests that may wait to begin; 503 beyond.
    package var workerQueue = 1_000
    /// Most long requests of one caller that run or wait; 429 beyond. Nil for any number.
    package var queriesPerCaller: Int? = 200

    package init() {}
}
