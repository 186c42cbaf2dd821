extension Setting {
    /// All settings of `serve`, in the order in which they are displayed. `auth.roles` is read separately.
    static let all: [Setting] = [
        Setting("data", .text, .text(DataOptions.fallback), "The database file."),
        Setting("host", .text, .text("127.0.0.1"), "The address to listen on."),
        Setting("port", .integer(0...65_535), .integer(8080), "The port to listen on; 0 chooses a free one."),
        Setting("schema", .text, nil, "A JSON file with the schema, applied at the start."),
        Setting("demo", .flag, .flag(false), "Load airports and flights into a database without classes."),
        Setting("demoData", .text, nil, "The demo's directory (default: installed with the program)."),
        Setting("static", .text, nil, "The console's directory (default: installed with the program)."),
        Setting("openapi", .text, nil, "The API description's directory (default: installed with the program)."),
        Setting(
            "scratch", .text, nil, "The directory for files during transfers (default: the database's directory)."),
        Setting(
            "allowOpen", .flag, .flag(false),
            "Allow remote access although no credentials are required."),
        Setting(
            "auth.required", .flag, .flag(false), "Require credentials even before the first key has been created.",
            isLive: true, variable: "REALMGATE_AUTH", option: "--auth"),
        Setting("auth.keys", .text, nil, "The file of the API keys (default: the database file plus .keys)."),
        Setting(
            "auth.adminKey", .text, nil, "An API key with the role admin, 32 characters or more; it is not stored.",
            isSecret: true, variable: "REALMGATE_ADMIN_KEY"),
        Setting(
            "auth.tokens.secret", .text, nil, "The shared secret for tokens signed with HS256, HS384 or HS512.",
            isLive: true, isSecret: true),
        Setting("auth.tokens.secretFile", .text, nil, "A file with that secret.", isLive: true),
        Setting(
            "auth.tokens.keySet", .text, nil,
            "A file with the JSON Web Key Set for tokens, read again when it changes.",
            isLive: true),
        Setting(
            "auth.tokens.algorithms", .list, .list([]),
            "The accepted signature algorithms of tokens (default: all that the keys support).",
            isLive: true),
        Setting(
            "auth.tokens.issuers", .list, .list([]), "The accepted values of the claim 'iss' (default: any).",
            isLive: true),
        Setting(
            "auth.tokens.audiences", .list, .list([]),
            "The accepted audiences, of which 'aud' must contain one (default: any).", isLive: true),
        Setting(
            "auth.tokens.leeway", .integer(0...3600), .integer(30),
            "The accepted difference between clocks, in seconds.", isLive: true),
        Setting(
            "auth.tokens.requireExpiry", .flag, .flag(true), "Reject tokens without the claim 'exp'.", isLive: true),
        Setting(
            "auth.tokens.roles", .list, .list(["role", "roles"]),
            "The claims that name the role; the first that exists is used. A dot leads into an object.", isLive: true),
        Setting("tls.certificate", .text, nil, "A PEM file with the certificate chain; enables HTTPS."),
        Setting("tls.key", .text, nil, "A PEM file with the certificate's private key."),
        Setting(
            "tls.strictTransport", .integer(0...63_072_000), .integer(31_536_000),
            "The max-age of Strict-Transport-Security, in seconds; 0 omits the header."),
        Setting(
            "cors.origins", .list, .list(["*"]),
            "The origins of web pages that may call the server; * for all, but none while no credentials are required.",
            isLive: true),
        Setting(
            "cors.credentials", .flag, .flag(false),
            "Let those pages send browser credentials, such as cookies; not with *.",
            isLive: true),
        Setting(
            "trustedProxies", .list, .list([]),
            "Addresses or networks of proxies whose X-Forwarded-For is trusted.", isLive: true),
        Setting("compression", .flag, .flag(true), "Compress responses for clients that request it."),
        Setting("metrics.open", .flag, .flag(false), "Serve /metrics without credentials.", isLive: true),
        Setting(
            "limits.connections", .integer(1...1_000_000), .integer(16_384), "The maximum number of open connections."),
        Setting(
            "limits.connectionsPerAddress", .integer(0...1_000_000), .integer(0),
            "The maximum number of connections from one address; 0 for no limit."),
        Setting(
            "limits.addressRequests", .integer(0...1_000_000), .integer(0),
            "Requests per second from one address, with bursts of twice as many; 0 for no limit.", isLive: true),
        Setting(
            "limits.callerRequests", .integer(0...1_000_000), .integer(0),
            "Requests per second of one key or token subject, with bursts of twice as many; 0 for no limit.",
            isLive: true),
        Setting("limits.body", .size(1024...(1 << 40)), .integer(16 << 20), "The maximum size of a request body."),
        Setting("limits.import", .size(1024...(1 << 46)), .integer(4 << 30), "The maximum size of an import."),
        Setting(
            "limits.atomicImport", .size(1024...(1 << 46)), .integer(256 << 20),
            "The maximum size of an import in one transaction, which needs about as much memory."),
        Setting(
            "limits.importFaults", .integer(0...Int.max), .integer(1000),
            "The number of lines that an import may reject before it ends; 0 for no limit.", isLive: true),
        Setting(
            "limits.importExpansion", .integer(0...1_000_000), .integer(200),
            "The maximum expansion ratio of a compressed import, beyond 64 MiB; 0 for no limit.", isLive: true),
        Setting(
            "limits.importStall", .integer(0...86_400), .integer(60),
            "The time in seconds for which an import may run without a valid line; 0 for no limit.", isLive: true),
        Setting(
            "limits.transfers", .integer(1...64), .integer(2),
            "The number of imports and backups that run at a time; others take turns with them."),
        Setting(
            "limits.transfersPerCaller", .integer(0...1_000_000), .integer(8),
            "The maximum number of unfinished imports, exports and backups of one caller; 0 for no limit.", isLive: true
        ),
        Setting(
            "limits.page", .integer(1...1_000_000), .integer(10_000), "The maximum number of objects in a page.",
            isLive: true),
        Setting(
            "limits.answerBytes", .size(1024...(1 << 40)), .integer(16 << 20),
            "The maximum size of a response; a page ends before it and has a cursor for the rest.", isLive: true),
        Setting(
            "limits.eventBytes", .size(1024...(1 << 40)), .integer(4 << 20),
            "The maximum size of a stream event; a larger one is split into parts.", isLive: true),
        Setting(
            "limits.memory", .size((1 << 20)...(1 << 46)), .integer(128 << 20),
            "The memory for large responses and for events that wait for their clients."),
        Setting(
            "limits.observed", .integer(1...100_000_000), .integer(100_000),
            "The maximum number of objects in the first result of an event stream.",
            isLive: true),
        Setting(
            "limits.transaction", .integer(1...1_000_000), .integer(10_000),
            "The maximum number of operations in a transaction.",
            isLive: true),
        Setting(
            "limits.queryRows", .integer(0...Int.max), .integer(0),
            "The number of rows that the queries of a request may scan; 0 for no limit.", isLive: true),
        Setting(
            "limits.queryMilliseconds", .integer(0...86_400_000), .integer(10_000),
            "The time in milliseconds that the queries of a request may take; 0 for no limit.", isLive: true),
        Setting(
            "limits.streams", .integer(1...1_000_000), .integer(100_000), "The maximum number of open event streams."),
        Setting(
            "limits.streamsPerCaller", .integer(0...1_000_000), .integer(10_000),
            "The maximum number of event streams of one caller; 0 for no limit.", isLive: true),
        Setting(
            "limits.workers", .integer(1...256), .integer(2),
            "The number of long requests that run at a time; others take turns with them."),
        Setting(
            "limits.workerThreads", .integer(1...1024), .integer(64),
            "The number of long requests that may have begun; each has a thread."),
        Setting(
            "limits.workerQueue", .integer(1...1_000_000), .integer(1000),
            "The number of long requests that may wait to begin."),
        Setting(
            "limits.queriesPerCaller", .integer(0...1_000_000), .integer(200),
            "The maximum number of long requests of one caller that run or wait; 0 for no limit.", isLive: true),
        Setting(
            "limits.freeDisk", .size(0...(1 << 46)), .integer(64 << 20),
            "The free disk space below which /readyz returns 503.", isLive: true),
        Setting(
            "idempotency.lifetime", .integer(1...31_536_000), .integer(86_400),
            "The time in seconds for which the response to an Idempotency-Key is stored.", isLive: true),
        Setting(
            "idempotency.bytesPerCaller", .size(0...(1 << 46)), .integer(64 << 20),
            "The size of the stored responses of one caller; 0 for no limit.", isLive: true),
        Setting(
            "snapshot.lifetime", .integer(1...86_400), .integer(60),
            "The default lifetime of a snapshot, in seconds.", isLive: true),
        Setting(
            "snapshot.longest", .integer(1...31_536_000), .integer(3600),
            "The maximum lifetime of a snapshot, in seconds.",
            isLive: true),
        Setting(
            "snapshot.most", .integer(1...100_000), .integer(100), "The maximum number of snapshots.", isLive: true),
        Setting(
            "snapshot.perCaller", .integer(0...100_000), .integer(20),
            "The maximum number of snapshots of one caller; 0 for no limit.", isLive: true),
        Setting(
            "subscription.lifetime", .integer(1...31_536_000), .integer(3600),
            "The time in seconds after which an unused subscription set is deleted.", isLive: true),
        Setting(
            "subscription.sets", .integer(1...10_000_000), .integer(20_000), "The maximum number of subscription sets.",
            isLive: true),
        Setting(
            "subscription.setsPerCaller", .integer(0...10_000_000), .integer(1000),
            "The maximum number of subscription sets of one caller; 0 for no limit.", isLive: true),
        Setting(
            "subscription.setSize", .integer(1...10_000), .integer(100),
            "The maximum number of subscriptions in a set that is created later.", isLive: true),
        Setting(
            "store.size", .size((1 << 20)...(1 << 46)), .integer(1 << 40), "The maximum size of the database."),
        Setting(
            "store.changeLogVersions", .integer(1...1_000_000_000), .integer(100_000),
            "The number of versions that the change log keeps."),
        Setting(
            "store.changeLogSeconds", .integer(1...31_536_000), .integer(86_400),
            "The time in seconds for which the change log keeps versions."),
        Setting(
            "store.changeLogBytes", .size((1 << 16)...(1 << 46)), .integer(128 << 20),
            "The maximum size of the change log."),
        Setting(
            "store.activeVersions", .integer(2...1_000_000), nil,
            "The maximum number of versions in use at a time (default: no limit)."),
        Setting(
            "store.versionAge", .integer(1...31_536_000), nil,
            "The time in seconds for which a version can be read after a newer commit (default: no limit)."),
        Setting(
            "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), .text("info"),
            "The lowest level of messages that are logged.", isLive: true),
        Setting("log.format", .choice(["text", "json"]), .text("text"), "The format of log lines."),
    ]

    static let names = all.map(\.name)
}
