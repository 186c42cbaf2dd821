extension Setting {
    /// All settings of `serve`, in the order in which they are displayed. `auth.roles` is read separately.
    static let all: [Setting] = [
        Setting("data", .text, .text(DataOptions.fallback), "The database file."),
        Setting("host", .text, .text("127.0.0.1"), "The address to listen on."),
        Setting("port", .integer(0...65_535), .integer(8080), "The port; 0 picks a free one."),
        Setting("schema", .text, nil, "A JSON file with the classes, applied at the start."),
        Setting("demo", .flag, .flag(false), "Load airports and flights into a database without classes."),
        Setting("demoData", .text, nil, "Where the demo's files are (default: beside the program)."),
        Setting("static", .text, nil, "Where the console is (default: beside the program)."),
        Setting("openapi", .text, nil, "Where the API description is (default: beside the program)."),
        Setting(
            "scratch", .text, nil, "Where files lie while they come in or go out (default: beside the database)."),
        Setting(
            "allowOpen", .flag, .flag(false), "Listen on any address although everybody may do everything."),
        Setting(
            "auth.required", .flag, .flag(false), "Ask for credentials even before the first key has been made.",
            isLive: true, variable: "REALMGATE_AUTH", option: "--auth"),
        Setting("auth.keys", .text, nil, "The file of API keys (default: the database file with .keys added)."),
        Setting(
            "auth.adminKey", .text, nil, "An administrator's key for the first start, 32 characters or more.",
            isSecret: true, variable: "REALMGATE_ADMIN_KEY"),
        Setting(
            "auth.tokens.secret", .text, nil, "The shared secret of tokens signed with HS256, HS384 or HS512.",
            isLive: true, isSecret: true),
        Setting("auth.tokens.secretFile", .text, nil, "A file with that secret.", isLive: true),
        Setting(
            "auth.tokens.keySet", .text, nil, "A file with the JSON Web Key Set of tokens, read again when it changes.",
            isLive: true),
        Setting(
            "auth.tokens.algorithms", .list, .list([]), "The algorithms that tokens may have (default: the keys').",
            isLive: true),
        Setting("auth.tokens.issuers", .list, .list([]), "Of which 'iss' must be one.", isLive: true),
        Setting("auth.tokens.audiences", .list, .list([]), "Of which 'aud' must have one.", isLive: true),
        Setting(
            "auth.tokens.leeway", .integer(0...3600), .integer(30), "Seconds that clocks may be apart.", isLive: true),
        Setting(
            "auth.tokens.requireExpiry", .flag, .flag(true), "Whether tokens without 'exp' are refused.", isLive: true),
        Setting(
            "auth.tokens.roles", .list, .list(["role", "roles"]),
            "Where the role is in a token; a point leads into an object.", isLive: true),
        Setting("tls.certificate", .text, nil, "A PEM file with the certificate and its issuers; HTTPS then."),
        Setting("tls.key", .text, nil, "A PEM file with the certificate's key."),
        Setting(
            "tls.strictTransport", .integer(0...63_072_000), .integer(31_536_000),
            "Seconds that browsers are to come by HTTPS alone; 0 does not tell them."),
        Setting(
            "cors.origins", .list, .list(["*"]),
            "Pages that browsers let call the server; * for all of them, but none before credentials are asked for.",
            isLive: true),
        Setting(
            "cors.credentials", .flag, .flag(false), "Whether those pages may send cookies and the like; not with *.",
            isLive: true),
        Setting(
            "trustedProxies", .list, .list([]),
            "Addresses or networks of proxies that say in X-Forwarded-For who asks.", isLive: true),
        Setting("compression", .flag, .flag(true), "Whether answers are compressed for clients that ask for it."),
        Setting("metrics.open", .flag, .flag(false), "Whether /metrics is for everybody.", isLive: true),
        Setting("limits.connections", .integer(1...1_000_000), .integer(16_384), "Open connections."),
        Setting(
            "limits.connectionsPerAddress", .integer(0...1_000_000), .integer(0),
            "Connections of one address; 0 for any number."),
        Setting(
            "limits.addressRequests", .integer(0...1_000_000), .integer(0),
            "Requests a second of one address, twice as many at once; 0 for any number.", isLive: true),
        Setting(
            "limits.callerRequests", .integer(0...1_000_000), .integer(0),
            "Requests a second of one key or token's subject, twice as many at once; 0 for any number.",
            isLive: true),
        Setting("limits.body", .size(1024...(1 << 40)), .integer(16 << 20), "The largest request body."),
        Setting("limits.import", .size(1024...(1 << 46)), .integer(4 << 30), "The largest file to import."),
        Setting(
            "limits.atomicImport", .size(1024...(1 << 46)), .integer(256 << 20),
            "The largest file to import in one transaction, which takes about as much memory."),
        Setting(
            "limits.importFaults", .integer(0...Int.max), .integer(1000),
            "Lines that an import may refuse before it ends; 0 for any number.", isLive: true),
        Setting(
            "limits.importExpansion", .integer(0...1_000_000), .integer(200),
            "How many times its size a compressed import may expand to, beyond 64 MiB; 0 for any.", isLive: true),
        Setting(
            "limits.importStall", .integer(0...86_400), .integer(60),
            "Seconds that an import may go on without a line that fits; 0 for any time.", isLive: true),
        Setting("limits.transfers", .integer(1...64), .integer(2), "Imports and backups that run at a time, by turns."),
        Setting(
            "limits.transfersPerCaller", .integer(0...1_000_000), .integer(8),
            "Imports, exports and backups of one caller; 0 for any number.", isLive: true),
        Setting(
            "limits.page", .integer(1...1_000_000), .integer(10_000), "The most objects of a page.", isLive: true),
        Setting(
            "limits.answerBytes", .size(1024...(1 << 40)), .integer(16 << 20),
            "The most bytes of an answer; a page ends there, with a cursor.", isLive: true),
        Setting(
            "limits.eventBytes", .size(1024...(1 << 40)), .integer(4 << 20),
            "The most bytes of an event of a stream; a longer one comes in parts.", isLive: true),
        Setting(
            "limits.memory", .size((1 << 20)...(1 << 46)), .integer(128 << 20),
            "Bytes of large answers, and of events, that may wait for their clients."),
        Setting(
            "limits.observed", .integer(1...100_000_000), .integer(100_000), "The most objects of a live query.",
            isLive: true),
        Setting(
            "limits.transaction", .integer(1...1_000_000), .integer(10_000), "The most operations of a transaction.",
            isLive: true),
        Setting(
            "limits.queryRows", .integer(0...Int.max), .integer(0),
            "Rows that the queries of a request may look at; 0 for any number.", isLive: true),
        Setting(
            "limits.queryMilliseconds", .integer(0...86_400_000), .integer(10_000),
            "How long the queries of a request may take; 0 for any time.", isLive: true),
        Setting("limits.streams", .integer(1...1_000_000), .integer(100_000), "Open event streams."),
        Setting(
            "limits.streamsPerCaller", .integer(0...1_000_000), .integer(10_000),
            "Event streams of one caller; 0 for any number.", isLive: true),
        Setting("limits.workers", .integer(1...256), .integer(2), "Long requests that run at a time, by turns."),
        Setting(
            "limits.workerThreads", .integer(1...1024), .integer(64), "Long requests that may have begun."),
        Setting("limits.workerQueue", .integer(1...1_000_000), .integer(1000), "Requests that may wait to begin."),
        Setting(
            "limits.queriesPerCaller", .integer(0...1_000_000), .integer(200),
            "Long requests of one caller that run or wait; 0 for any number.", isLive: true),
        Setting(
            "limits.freeDisk", .size(0...(1 << 46)), .integer(64 << 20),
            "Bytes that the disk should have free; /readyz says 503 below.", isLive: true),
        Setting(
            "idempotency.lifetime", .integer(1...31_536_000), .integer(86_400),
            "Seconds that the answer to an Idempotency-Key is kept.", isLive: true),
        Setting(
            "idempotency.bytesPerCaller", .size(0...(1 << 46)), .integer(64 << 20),
            "Bytes that are kept for one caller's keys; 0 for any number.", isLive: true),
        Setting(
            "snapshot.lifetime", .integer(1...86_400), .integer(60),
            "Seconds that a kept version lasts unless its maker says.", isLive: true),
        Setting(
            "snapshot.longest", .integer(1...31_536_000), .integer(3600), "Seconds that it lasts at the most.",
            isLive: true),
        Setting("snapshot.most", .integer(1...100_000), .integer(100), "The most kept versions.", isLive: true),
        Setting(
            "snapshot.perCaller", .integer(0...100_000), .integer(20),
            "The most kept versions of one caller; 0 for any number.", isLive: true),
        Setting(
            "subscription.lifetime", .integer(1...31_536_000), .integer(3600),
            "Seconds that a subscription set stays without a stream.", isLive: true),
        Setting(
            "subscription.sets", .integer(1...10_000_000), .integer(20_000), "The most subscription sets.",
            isLive: true),
        Setting(
            "subscription.setsPerCaller", .integer(0...10_000_000), .integer(1000),
            "The most subscription sets of one caller; 0 for any number.", isLive: true),
        Setting(
            "subscription.setSize", .integer(1...10_000), .integer(100),
            "The most subscriptions of a set made from then on.", isLive: true),
        Setting(
            "store.size", .size((1 << 20)...(1 << 46)), .integer(1 << 40), "What the data may grow to, in bytes."),
        Setting(
            "store.changeLogVersions", .integer(1...1_000_000_000), .integer(100_000),
            "Versions that the change log keeps."),
        Setting(
            "store.changeLogSeconds", .integer(1...31_536_000), .integer(86_400), "How long it keeps them."),
        Setting("store.changeLogBytes", .size((1 << 16)...(1 << 46)), .integer(128 << 20), "The most that it takes."),
        Setting(
            "store.activeVersions", .integer(2...1_000_000), nil,
            "The most versions that may be alive at once (default: no limit)."),
        Setting(
            "store.versionAge", .integer(1...31_536_000), nil,
            "Seconds that a version may be read after a newer one came (default: no limit)."),
        Setting(
            "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), .text("info"),
            "What is logged.", isLive: true),
        Setting("log.format", .choice(["text", "json"]), .text("text"), "How lines of the log are written."),
    ]

    static let names = all.map(\.name)
}
