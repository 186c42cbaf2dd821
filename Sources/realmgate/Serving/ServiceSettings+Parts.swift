import EmbeddedStore
import Gateway
import HTTPServer
import Logging

extension ServiceSettings {
    /// How the database is opened.
    var storeOptions: EmbeddedStoreOptions {
        var options = EmbeddedStoreOptions()
        set(&options.maximumSize, "store.size")
        set(&options.changeLogVersions, "store.changeLogVersions")
        set(&options.changeLogBytes, "store.changeLogBytes")
        if let seconds = settings.integer("store.changeLogSeconds") { options.changeLogSeconds = Int64(seconds) }
        options.maximumActiveVersions = settings.integer("store.activeVersions")
        options.maximumVersionAge = settings.integer("store.versionAge").map(Double.init)
        return options
    }

    /// What the gateway offers, without access control.
    var gatewayConfiguration: GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.staticDirectory = console
        configuration.openapiDirectory = openapi
        configuration.subscriptionFile = data + ".subscriptions"
        configuration.allowedOrigins = Set(settings.list("cors.origins"))
        configuration.isForThisMachine = !settings.flag("allowOpen")
        configuration.scratchDirectory = settings.text("scratch") ?? Self.directory(of: data)
        set(&configuration.importLimit, "limits.import")
        set(&configuration.transfers, "limits.transfers")
        configuration.requestLogLevel = .info
        configuration.version = Realmgate.version
        set(&configuration.subscriptionSetLifetime, "subscription.lifetime")
        set(&configuration.mostSubscriptionSets, "subscription.sets")
        set(&configuration.largestSubscriptionSet, "subscription.setSize")
        set(&configuration.bodyLimit, "limits.body")
        set(&configuration.largestPage, "limits.page")
        set(&configuration.largestObserved, "limits.observed")
        set(&configuration.largestTransaction, "limits.transaction")
        set(&configuration.idempotencyLifetime, "limits.idempotency")
        set(&configuration.workers, "limits.workers")
        set(&configuration.workerQueue, "limits.workerQueue")
        return configuration
    }

    var serverConfiguration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.host = host
        configuration.port = UInt16(clamping: port)
        set(&configuration.bodyLimit, "limits.body")
        set(&configuration.connectionLimit, "limits.connections")
        set(&configuration.streamLimit, "limits.streams")
        configuration.temporaryDirectory = settings.text("scratch") ?? Self.directory(of: data)
        return configuration
    }

    /// The directory that a file is in.
    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func set(_ value: inout Int, _ name: String) {
        if let number = settings.integer(name) { value = number }
    }
}
