import EmbeddedStore
import HTTPServer
import Identity
import RequestHandling

extension Setting {
    /// All settings of `serve`, in the order of the help text. `auth.roles` is read separately.
    ///
    /// An entry has the setting's name, the property that stores its value and provides its default, the range, a
    /// sentence, and whether a running server applies a change.
    static let all: [Setting] = [
        .text("data", \.database.path, "The database file; with store.url, the replica's."),
        .text("host", \.server.host, "The address to listen on; localhost is both 127.0.0.1 and ::1."),
        .integer("port", \.server.port, 0...65_535, "The port to listen on; 0 chooses a free one."),
        .text("schema", \.schema, "A JSON file with the schema, applied at the start."),
        .flag("demo", \.loadsDemo, "Load airports and flights into a database without classes."),
        .text("demoData", \.demo, "The demo's directory.", otherwise: "beside the program"),
        .text("static", \.gateway.staticDirectory, "The console's directory.", otherwise: "beside the program"),
        .text(
            "openapi", \.gateway.openapiDirectory, "The API description's directory.", otherwise: "beside the program"),
        .text("scratch", \.scratch, "The directory for files during transfers.", otherwise: "beside the database"),
        .flag("allowOpen", \.allowsOpenAddress, "Allow remote access although no credentials are required."),
        .flag(
            "auth.required", \.asksForCredentials, "Require credentials even before the first key has been created.",
            isLive: true
        ).named(variable: "REALMGATE_AUTH", option: "--auth"),
        .text("auth.keys", \.keyFile, "The file of the API keys.", otherwise: "the database file with .keys added"),
        .text(
            "auth.adminKey", \.administratorKey,
            "An API key with the role admin, 32 characters or more; it is not stored.",
            isSecret: true
        ).named(variable: "REALMGATE_ADMIN_KEY"),
        .text(
            "auth.tokens.secret", \.tokens.secret, "The shared secret for tokens signed with HS256, HS384 or HS512.",
            isLive: true, isSecret: true),
        .text("auth.tokens.secretFile", \.tokenSecretFile, "A file with that secret.", isLive: true),
        .text(
            "auth.tokens.keySet", \.tokens.keyFile,
            "A file with the JSON Web Key Set for tokens, read again when it changes.", isLive: true),
        .choices(
            "auth.tokens.algorithms", \.tokens.algorithms, "The accepted signature algorithms of tokens.",
            otherwise: "the keys'", isLive: true),
        .set(
            "auth.tokens.issuers", \.tokens.issuers, "The accepted values of the claim 'iss' (default: any).",
            isLive: true),
        .set(
            "auth.tokens.audiences", \.tokens.audiences,
            "The accepted audiences, of which 'aud' must contain one (default: any).", isLive: true),
        .integer(
            "auth.tokens.leeway", \.tokens.leeway, 0...3600, "The accepted difference between clocks, in seconds.",
            isLive: true),
        .flag(
            "auth.tokens.requireExpiry", \.tokens.requiresExpiry, "Reject tokens without the claim 'exp'.",
            isLive: true),
        .list(
            "auth.tokens.roles", \.tokens.rolePaths,
            "The claims that name the role; the first that exists is used. A dot leads into an object.",
            isLive: true),
        .text("tls.certificate", \.certificate, "A PEM file with the certificate chain; enables HTTPS."),
        .text("tls.key", \.certificateKey, "A PEM file with the certificate's private key."),
        .integer(
            "tls.strictTransport", \.strictTransport, 0...63_072_000,
            "The max-age of Strict-Transport-Security, in seconds; 0 omits the header."),
        .set(
            "cors.origins", \.gateway.allowedOrigins,
            "The origins of web pages that may call the server; * for all, but none while no credentials are required.",
            isLive: true),
        .flag(
            "cors.credentials", \.gateway.allowsCredentials,
            "Let those pages send browser credentials, such as cookies; not with *.", isLive: true),
        .networks(
            "trustedProxies", \.gateway.trustedProxies,
            "Addresses or networks of proxies whose X-Forwarded-For is trusted.", isLive: true),
        .flag("compression", \.gateway.compresses, "Compress responses for clients that request it."),
        .flag(
            "metrics.open", \.gateway.metricsAreOpen, "Serve /metrics and /v1/metrics/history without credentials.",
            isLive: true),
        .integer(
            "limits.connections", \.server.connectionLimit, 1...1_000_000, "The maximum number of open connections."),
        .integer(
            "limits.connectionsPerAddress", \.server.connectionsPerAddress, 0...1_000_000,
            "The maximum number of connections from one address; 0 for no limit."),
        .rate(
            "limits.addressRequests", \.gateway.addressRate, ...1_000_000,
            "Requests per second from one address, with bursts of twice as many; 0 for no limit.", isLive: true),
        .rate(
            "limits.callerRequests", \.gateway.callerRate, ...1_000_000,
            "Requests per second of one key or token subject, with bursts of twice as many; 0 for no limit.",
            isLive: true),
        .size(
            "limits.body", \.gateway.bodyLimit, and: \.server.bodyLimit, 1024...(1 << 40),
            "The maximum size of a request body."),
        .size("limits.import", \.gateway.importLimit, 1024...(1 << 46), "The maximum size of an import."),
        .size(
            "limits.atomicImport", \.gateway.atomicImportLimit, 1024...(1 << 46),
            "The maximum size of an import in one transaction, which needs about as much memory."),
        .limit(
            "limits.importFaults", \.gateway.importFaults, ...Int.max,
            "The number of lines that an import may reject before it ends; 0 for no limit.", isLive: true),
        .limit(
            "limits.importExpansion", \.gateway.importExpansion, ...1_000_000,
            "The maximum expansion ratio of a compressed import, beyond 64 MiB; 0 for no limit.", isLive: true),
        .limit(
            "limits.importStall", \.gateway.importStall, ...86_400,
            "The time in seconds for which an import may run without a valid line; 0 for no limit.", isLive: true),
        .integer(
            "limits.backupCheck", \.gateway.backupCheckSeconds, 1...86_400,
            "The time in seconds that the check of an uploaded backup may take.", isLive: true),
        .integer(
            "limits.transfers", \.gateway.transfers, 1...64,
            "The number of imports and backups that run at a time; others take turns with them."),
        .limit(
            "limits.transfersPerCaller", \.gateway.transfersPerCaller, ...1_000_000,
            "The maximum number of unfinished imports, exports and backups of one caller; 0 for no limit.", isLive: true
        ),
        .integer(
            "limits.page", \.gateway.maximumPage, 1...1_000_000, "The maximum number of objects in a page.",
            isLive: true),
        .size(
            "limits.answerBytes", \.gateway.answerBytes, 1024...(1 << 40),
            "The maximum size of a response; a page ends before it and has a cursor for the rest.", isLive: true),
        .size(
            "limits.eventBytes", \.gateway.eventBytes, 1024...(1 << 40),
            "The maximum size of a stream event; a larger one is split into parts.", isLive: true),
        .size(
            "limits.memory", \.server.responseMemory, and: \.gateway.eventMemory, (1 << 20)...(1 << 46),
            "The memory for large responses that wait for their clients, for events that do, and for the values in long bodies; other work has a part of it."
        ),
        .integer(
            "limits.observed", \.gateway.maximumObserved, 1...100_000_000,
            "The maximum number of objects in the first result of an event stream.",
            isLive: true),
        .integer(
            "limits.transaction", \.gateway.maximumTransaction, 1...1_000_000,
            "The maximum number of operations in a transaction.",
            isLive: true),
        .limit(
            "limits.queryRows", \.gateway.queryRows, ...Int.max,
            "The number of rows that the queries of a request may scan; 0 for no limit.", isLive: true),
        .limit(
            "limits.queryMilliseconds", \.gateway.queryMilliseconds, ...86_400_000,
            "The time in milliseconds that the queries of a request may take; 0 for no limit.", isLive: true),
        .integer("limits.streams", \.server.streamLimit, 1...1_000_000, "The maximum number of open event streams."),
        .limit(
            "limits.streamsPerCaller", \.gateway.streamsPerCaller, ...1_000_000,
            "The maximum number of event streams of one caller; 0 for no limit.", isLive: true),
        .integer(
            "limits.workers", \.gateway.workers, 1...256,
            "The number of long requests that run at a time; others take turns with them."),
        .integer(
            "limits.workerThreads", \.gateway.workerThreads, 1...1024,
            "The number of long requests that may have begun; each has a thread."),
        .integer(
            "limits.workerQueue", \.gateway.workerQueue, 1...1_000_000,
            "The number of long requests that may wait to begin."),
        .limit(
            "limits.queriesPerCaller", \.gateway.queriesPerCaller, ...1_000_000,
            "The maximum number of long requests of one caller that run or wait; 0 for no limit.", isLive: true),
        .size(
            "limits.freeDisk", \.gateway.minimumFreeDisk, 0...(1 << 46),
            "The free disk space below which /readyz returns 503.", isLive: true),
        .integer(
            "idempotency.lifetime", \.gateway.idempotencyLifetime, 1...31_536_000,
            "The time in seconds for which the response to an Idempotency-Key is stored.", isLive: true),
        .sizeLimit(
            "idempotency.bytesPerCaller", \.gateway.idempotencyBytesPerCaller, ...(1 << 46),
            "The size of the stored responses of one caller; 0 for no limit.", isLive: true),
        .integer(
            "snapshot.lifetime", \.gateway.snapshotLife, 1...86_400,
            "The default lifetime of a snapshot, in seconds.", isLive: true),
        .integer(
            "snapshot.longest", \.gateway.maximumSnapshotLife, 1...31_536_000,
            "The maximum lifetime of a snapshot, in seconds.",
            isLive: true),
        .integer(
            "snapshot.most", \.gateway.maximumSnapshots, 1...100_000, "The maximum number of snapshots.", isLive: true),
        .limit(
            "snapshot.perCaller", \.gateway.snapshotsPerCaller, ...100_000,
            "The maximum number of snapshots of one caller; 0 for no limit.", isLive: true),
        .integer(
            "subscription.lifetime", \.gateway.subscriptionSetLifetime, 1...31_536_000,
            "The time in seconds after which an unused subscription set is deleted.", isLive: true),
        .integer(
            "subscription.sets", \.gateway.maximumSubscriptionSets, 1...10_000_000,
            "The maximum number of subscription sets.",
            isLive: true),
        .limit(
            "subscription.setsPerCaller", \.gateway.subscriptionSetsPerCaller, ...10_000_000,
            "The maximum number of subscription sets of one caller; 0 for no limit.", isLive: true),
        .integer(
            "subscription.setSize", \.gateway.maximumSubscriptionSet, 1...10_000,
            "The maximum number of subscriptions in a set that is created later.", isLive: true),
        .text(
            "store.url", \.database.url,
            "The URL of a PostgreSQL database in which several gateways share their objects.", isSecret: true
        ).named(variable: "REALMGATE_STORE", option: "--store"),
        .text("store.realm", \.database.realm, "The name of those objects in that database; with store.url.")
            .named(variable: "REALMGATE_STORE_REALM", option: "--realm"),
        .flag("store.mustExist", \.database.realmMustExist, "Do not make the realm in PostgreSQL if it is not there.")
            .named(variable: "REALMGATE_STORE_MUST_EXIST", option: "--must-exist"),
        .integer(
            "store.patience", \.database.patience, 1...3600,
            "The time in seconds for which a write waits for PostgreSQL."),
        .integer(
            "store.turnSeconds", \.database.turnSeconds, 1...3600,
            "The time in seconds after which PostgreSQL ends a write that keeps other gateways waiting."),
        .integer(
            "store.logSeconds", \.logSeconds, 0...31_536_000,
            "The time in seconds for which the log in PostgreSQL keeps an entry at least."),
        .size(
            "store.imageBytes", \.imageBytes, (1 << 16)...(1 << 46),
            "The length of the log above the newest image of the realm from which a new image may be made."),
        .integer(
            "store.readWait", \.gateway.readWaitMilliseconds, 0...60_000,
            "The time in milliseconds for which a request waits for a version that another gateway has made."),
        .integer(
            "store.staleSeconds", \.gateway.maximumLogSilence, 1...86_400,
            "The time in seconds after which a server that PostgreSQL does not answer is not ready."),
        .size("store.size", \.store.maximumSize, (1 << 20)...(1 << 46), "The maximum size of the database."),
        .integer(
            "store.changeLogVersions", \.store.changeLogVersions, 1...1_000_000_000,
            "The number of versions that the change log keeps."),
        .integer(
            "store.changeLogSeconds", \.store.changeLogSeconds, 1...31_536_000,
            "The time in seconds for which the change log keeps versions."),
        .size(
            "store.changeLogBytes", \.store.changeLogBytes, (1 << 16)...(1 << 46), "The maximum size of the change log."
        ),
        .optional(
            "store.activeVersions", \.store.maximumActiveVersions, 2...1_000_000,
            "The maximum number of versions in use at a time.", otherwise: "no limit"),
        .optional(
            "store.versionAge", \.store.maximumVersionAge, 1...31_536_000,
            "The time in seconds for which a version can be read after a newer commit.", otherwise: "no limit"),
        .choice("log.level", \.logLevel, "The lowest level of messages that are logged.", isLive: true),
        .choice("log.format", \.logFormat, "The format of log lines."),
    ]

    static let names = all.map(\.name)

    static func named(_ name: some StringProtocol) -> Setting? { all.first { $0.name == name } }
}
