import EmbeddedStore
import Gateway
import HTTPServer
import Logging

extension ServiceSettings {
    /// The options for opening the database.
    var storeOptions: EmbeddedStoreOptions {
        var options = EmbeddedStoreOptions.roomy
        set(&options.maximumSize, "store.size")
        set(&options.changeLogVersions, "store.changeLogVersions")
        set(&options.changeLogBytes, "store.changeLogBytes")
        if let seconds = settings.integer("store.changeLogSeconds") { options.changeLogSeconds = Int64(seconds) }
        options.maximumActiveVersions = settings.integer("store.activeVersions")
        options.maximumVersionAge = settings.integer("store.versionAge").map(Double.init)
        return options
    }

    /// Returns the configuration of the gateway, without access control.
    func gatewayConfiguration() throws(CommandFailure) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.staticDirectory = console
        configuration.openapiDirectory = openapi
        configuration.subscriptionFile = data + ".subscriptions"
        configuration.allowedOrigins = Set(settings.list("cors.origins"))
        configuration.isForThisMachine = !settings.flag("allowOpen")
        configuration.allowsCredentials = settings.flag("cors.credentials")
        if tlsFiles != nil { configuration.strictTransportSeconds = settings.integer("tls.strictTransport") }
        configuration.compresses = settings.flag("compression")
        configuration.metricsAreOpen = settings.flag("metrics.open")
        configuration.trustedProxies = try trustedProxies()
        configuration.addressRate = rate("limits.addressRequests")
        configuration.callerRate = rate("limits.callerRequests")
        configuration.streamsPerCaller = limit("limits.streamsPerCaller")
        configuration.queryRows = limit("limits.queryRows")
        configuration.queryMilliseconds = limit("limits.queryMilliseconds")
        set(&configuration.leastFreeDisk, "limits.freeDisk")
        set(&configuration.largestTransaction, "limits.transaction")
        set(&configuration.idempotencyLifetime, "idempotency.lifetime")
        set(&configuration.snapshotLife, "snapshot.lifetime")
        set(&configuration.longestSnapshotLife, "snapshot.longest")
        configuration.idempotencyBytesPerCaller = limit("idempotency.bytesPerCaller")
        set(&configuration.mostSnapshots, "snapshot.most")
        configuration.snapshotsPerCaller = limit("snapshot.perCaller")
        configuration.scratchDirectory = scratch
        set(&configuration.importLimit, "limits.import")
        set(&configuration.atomicImportLimit, "limits.atomicImport")
        configuration.importFaults = limit("limits.importFaults")
        configuration.importExpansion = limit("limits.importExpansion")
        configuration.importStall = limit("limits.importStall")
        set(&configuration.transfers, "limits.transfers")
        configuration.transfersPerCaller = limit("limits.transfersPerCaller")
        configuration.requestLogLevel = .info
        configuration.version = Realmgate.version
        set(&configuration.subscriptionSetLifetime, "subscription.lifetime")
        set(&configuration.mostSubscriptionSets, "subscription.sets")
        configuration.subscriptionSetsPerCaller = limit("subscription.setsPerCaller")
        set(&configuration.largestSubscriptionSet, "subscription.setSize")
        set(&configuration.bodyLimit, "limits.body")
        set(&configuration.largestPage, "limits.page")
        set(&configuration.answerBytes, "limits.answerBytes")
        set(&configuration.eventBytes, "limits.eventBytes")
        set(&configuration.eventMemory, "limits.memory")
        set(&configuration.largestObserved, "limits.observed")
        set(&configuration.workers, "limits.workers")
        set(&configuration.workerThreads, "limits.workerThreads")
        set(&configuration.workerQueue, "limits.workerQueue")
        configuration.queriesPerCaller = limit("limits.queriesPerCaller")
        return configuration
    }

    var serverConfiguration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.host = host
        configuration.port = UInt16(clamping: port)
        set(&configuration.bodyLimit, "limits.body")
        set(&configuration.connectionLimit, "limits.connections")
        set(&configuration.connectionsPerAddress, "limits.connectionsPerAddress")
        set(&configuration.streamLimit, "limits.streams")
        set(&configuration.answerMemory, "limits.memory")
        configuration.temporaryDirectory = scratch
        configuration.tls = tlsFiles
        return configuration
    }

    /// The directory for files during transfers.
    private var scratch: String { settings.text("scratch") ?? Self.directory(of: data) }

    /// Returns the directory of a file.
    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Nil without TLS. Both files are given; see `checkTLS`.
    var tlsFiles: TLSFiles? {
        guard let certificate = settings.text("tls.certificate"), let key = settings.text("tls.key") else { return nil }
        return TLSFiles(certificateChain: certificate, key: key)
    }

    /// Throws if the certificate and its key are invalid.
    func checkTLS() throws(CommandFailure) {
        guard (settings.text("tls.certificate") == nil) == (settings.text("tls.key") == nil) else {
            throw CommandFailure(
                "HTTPS requires tls.certificate and tls.key; only one of them is given.", exitCode: 78)
        }
        do {
            try tlsFiles?.check()
        } catch {
            throw CommandFailure(error.description, exitCode: 78)
        }
    }

    private func trustedProxies() throws(CommandFailure) -> TrustedProxies {
        var proxies = TrustedProxies()
        for text in settings.list("trustedProxies") where !proxies.insert(text) {
            throw CommandFailure(
                "trustedProxies (\(settings.origin("trustedProxies"))): '\(text)' is neither an address such as 10.0.0.7 nor a "
                    + "network such as 10.0.0.0/8.", exitCode: 78)
        }
        return proxies
    }

    /// Returns nil for 0, which means no limit.
    private func limit(_ name: String) -> Int? {
        settings.integer(name).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns a rate limit that allows bursts of two seconds' worth of requests.
    private func rate(_ name: String) -> RateLimit? {
        limit(name).map { RateLimit(perSecond: Double($0), burst: 2 * $0) }
    }

    private func set(_ value: inout Int, _ name: String) {
        if let number = settings.integer(name) { value = number }
    }
}
