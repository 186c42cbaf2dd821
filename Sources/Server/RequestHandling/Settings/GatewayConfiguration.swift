package import HTTPServer
package import Logging
package import ObjectCoding
package import ObjectModel
package import ServerLog
package import StoreContract
import Transfer

/// The features and limits of a gateway. Sizes are in bytes.
package struct GatewayConfiguration: Sendable {
    /// The directory of the console's files, served at `/` and `/static/` and read once at the start. Nil for none.
    package var staticDirectory: String?
    /// The directory of the JavaScript client, served at `/static/client/` and read once at the start. Nil for none.
    package var clientDirectory: String?
    /// The directory of `openapi.json`. Nil for none.
    package var openapiDirectory: String?
    /// The directory of the demo's files, which administrators can load into a database without classes. Nil for none.
    package var demoDirectory: String?
    /// The origins of pages that may call the gateway, such as `https://app.example.com`; `*` allows every page,
    /// without credentials, but none while `accessControl` is open.
    package var allowedOrigins: Set<String> = ["*"]
    /// Whether requests with the `Host` of another machine are rejected while `accessControl` is open.
    package var isForThisMachine = false

    /// Whether those pages may send browser credentials, such as cookies; not with `*`.
    package var allowsCredentials = false
    /// The `max-age` of `Strict-Transport-Security` in seconds; nil for a gateway without TLS.
    package var strictTransportSeconds: Int?

    /// Authenticates callers and determines their permissions. Nil for full access for every caller.
    package var accessControl: AccessControl?

    /// Approves schema changes. Nil if administrators may make any.
    package var schemaApproval: (any SchemaApproval)?

    /// The maximum size of a request body; 413 beyond. The server's limit must be the same.
    package var bodyLimit = 16 * 1024 * 1024
    /// The maximum number of operations in a transaction; 413 beyond.
    package var maximumTransaction = 10_000
    /// The time in seconds for which the response to a request with an `Idempotency-Key` is stored.
    package var idempotencyLifetime = 24 * 3600
    /// The size in bytes up to which a response is stored as it is; of a larger one only the references to its objects
    /// are stored.
    package var idempotencyVerbatim = 8 * 1024
    /// The bytes of stored responses per caller; 429 beyond. Nil for no limit.
    package var idempotencyBytesPerCaller: Int? = 64 << 20
    /// The maximum length of `filter`; 400 beyond.
    package var filterLimit = 1024 * 1024
    /// The maximum number of values in `args`, including those in lists; 400 beyond.
    package var argumentLimit = 100_000
    /// The maximum number of key paths in a sort, distinct or grouping; 400 beyond.
    package var maximumOrder = 100
    /// The number of objects per page if `limit` is not given.
    package var defaultPage = 100
    /// The maximum number of objects per page.
    package var maximumPage = 10_000
    /// The maximum number of groups or sections in a response; 400 beyond.
    package var maximumGrouping = 10_000

    /// The maximum number of objects in the first event of a stream; beyond, it ends with an error.
    package var maximumObserved = 100_000
    /// Budgets of the thread that maintains the live queries of all callers: the look-ups for the first result of one
    /// query, and the nanoseconds per commit for all of them. A query that exceeds them moves to a thread of its caller.
    package var sharedQueryLookups = 30_000
    package var sharedCommitNanoseconds: Int64 = 20_000_000

    /// The file in which subscription sets survive a restart. Nil to keep them in memory only.
    package var subscriptionFile: String?
    /// The time in seconds after which a subscription set without streams and requests is deleted.
    package var subscriptionSetLifetime = 3600
    /// The maximum number of subscription sets; 429 beyond.
    package var maximumSubscriptionSets = 20_000
    /// The maximum number of subscription sets of one caller; 429 beyond. Nil for no limit.
    package var subscriptionSetsPerCaller: Int? = 1_000
    /// The maximum number of subscriptions in a set; 400 beyond.
    package var maximumSubscriptionSet = 100
    /// The default and maximum lifetime of a snapshot, in seconds.
    package var snapshotLife = 60
    package var maximumSnapshotLife = 3600
    /// The maximum number of snapshots at a time; 503 beyond. Each retains the data of its version.
    package var maximumSnapshots = 100
    /// The maximum number of snapshots of one caller; 429 beyond. Nil for no limit.
    package var snapshotsPerCaller: Int? = 20

    /// Rows that the queries of one request may scan; 400 beyond. Nil for no limit.
    package var queryRows: Int?
    /// Milliseconds that the queries of one request may take, including the first run of an event stream's query; 400
    /// beyond. Nil for no limit.
    package var queryMilliseconds: Int? = 10_000
    /// The time from which on a query counts among the slow ones, in nanoseconds.
    package var slowQueryNanoseconds: Int64 = 5_000_000

    /// Returns the time of day, for expiry times.
    package var clock: @Sendable () -> Timestamp = { .now() }
    /// Returns the time since some moment, for reads that wait for a change.
    package var uptime: @Sendable () -> Duration = { ContinuousClock.now - GatewayConfiguration.start }
    /// The seconds that a read waits for a change at most; a request for more waits that long.
    package var longestPoll = 300

    /// Whether responses are compressed for clients that request it.
    package var compresses = true
    /// The rate limit per address, for all callers together; nil for none. Behind a proxy all requests have the proxy's
    /// address, unless it is one of `trustedProxies`.
    package var addressRate: RateLimit?
    /// The proxies whose `X-Forwarded-For` is trusted; it is ignored from all others.
    package var trustedProxies = TrustedProxies()
    /// The rate limit per key or token subject; nil for none.
    package var callerRate: RateLimit?
    /// The maximum number of open event streams per caller or, without a credential, per address. Nil for no limit.
    package var streamsPerCaller: Int? = 10_000

    /// Whether every caller can read `/metrics`, and not only administrators.
    package var metricsAreOpen = false
    /// The free space in bytes on the database's disk below which `/readyz` returns 503.
    package var minimumFreeDisk = 64 << 20
    /// The time in seconds after which a gateway whose log does not respond is not ready.
    package var maximumLogSilence = 30
    /// The time in milliseconds for which a request waits for a version that is not here yet.
    package var readWaitMilliseconds = 2_000
    /// The program's version, for metrics.
    package var version = "unknown"
    /// The level of the log line of each request; nil for no lines.
    package var requestLogLevel: Logger.Level?
    /// Receives that line; nil for the logger of all other lines.
    package var requestLog: (any RequestLog)?
    /// The lines that administrators can read, which the program's loggers fill; nil for those of the gateway alone.
    package var recentLog: RecentLog?

    /// The maximum size of an import; 413 beyond.
    package var importLimit = 4 << 30
    /// The maximum size of an import in one transaction; 413 beyond. Its pages, about as many bytes as the file has,
    /// stay in memory until they are on disk.
    package var atomicImportLimit = ObjectImporter.wholeLimit
    /// The directory for files during transfers. Its disk should have room for another copy of the store.
    package var scratchDirectory = "/tmp"
    /// The number of imports and backups that run at a time; others take turns with them.
    package var transfers = 2
    /// The number of imports and backups that may wait to begin; 503 beyond.
    package var transferQueue = 16
    /// The maximum number of a caller's unfinished imports, exports and backups; 429 beyond. Nil for no limit.
    package var transfersPerCaller: Int? = 8
    /// The number of lines that an import may reject; the next one ends it. Nil for no limit.
    package var importFaults: Int? = 1000
    /// The maximum expansion ratio of a compressed import; 413 beyond. Nil for no limit.
    package var importExpansion: Int? = 200
    /// The decompressed size in bytes that is always allowed.
    package var importFreeExpansion = 64 << 20
    /// The time in seconds that the check of an uploaded backup may take; 422 beyond.
    package var backupCheckSeconds = 600
    /// The time in seconds for which an import may run without a valid line; 422 beyond. Nil for no limit.
    package var importStall: Int? = 60

    /// The maximum size of a response. A page ends before it and has a cursor for the rest; a response without pages
    /// gets 400 beyond. A single larger object is sent alone.
    package var answerBytes = 16 << 20

    /// The maximum size of a stream event. A larger event is split into parts; a single larger object is sent alone.
    package var eventBytes = 4 << 20
    /// The memory for events that clients have not yet read; beyond, each event waits for free memory before it is
    /// encoded.
    package var eventMemory = 128 << 20
    /// Called after a request that took much memory, so that the program can return it to the system; must not block.
    package var whenMemoryIsFreed: (@Sendable () -> Void)?

    /// Worker threads read collections of classes with more objects, so that a scan never blocks a loop.
    package var inlineObjects = 10_000
    /// Worker threads read requests with larger bodies, for the same reason.
    package var inlineBody = 32 * 1024
    /// The budget of a read on a loop: rows scanned, bytes scanned and written, and milliseconds. A read that exceeds
    /// it begins again on a worker thread.
    package var inlineRows = 10_000
    package var inlineBytes = 256 * 1024
    package var inlineMilliseconds = 5
    /// Called with the budget of each read that begins on a loop, for tests.
    package var watchLoop: (@Sendable (QueryBudget) -> Void)?
    /// The number of long requests that run at a time; others take turns with them.
    package var workers = 2
    /// The number of long requests that may have begun; each has a thread.
    package var workerThreads = 64
    /// The number of requests that may wait to begin; 503 beyond.
    package var workerQueue = 1_000
    /// The maximum number of long requests of one caller that run or wait; 429 beyond. Nil for no limit.
    package var queriesPerCaller: Int? = 200

    private static let start = ContinuousClock.now

    package init() {}
}

/// Approves schema changes, if the store's classes belong to a program whose code depends on them.
package protocol SchemaApproval: Sendable {
    /// Returns the reason to reject the schema; nil to accept it. Not called if nothing would change.
    func refusal(from present: Schema, to wanted: Schema) -> Problem?

    /// Calls `Store.replaceSchema`, unless there is a reason to reject the schema by then. Returns at once.
    func replaceSchema(
        with schema: Schema, migration: Migration, completion: @escaping @Sendable (Result<Version, any Error>) -> Void)
}
