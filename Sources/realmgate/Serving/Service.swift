import EmbeddedStore
import Gateway
import HTTPServer
import Logging
import StoreContract

/// The parts of a server put together: the one place that knows which store runs.
struct Service {
    /// `http://HOST:PORT`, with the port that the system chose when 0 was asked for.
    let address: String

    private let store: any Store
    private let gateway: Gateway
    private let server: HTTPServer
    private let logger: Logger

    /// How long requests under way may take to finish when the server is stopped.
    private static let stopLimit = Duration.seconds(10)

    /// Opens the database, brings schema and demo into it, and listens. Throws `CommandFailure` and `StoreError`,
    /// with nothing left open.
    static func start(_ settings: ServiceSettings) throws -> Service {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = settings.logLevel
            return handler
        }
        let logger = Logger(label: "realmgate")
        let store = try EmbeddedStore.open(path: settings.data)
        do {
            if let schema = settings.schema { _ = try SchemaFile.apply(schema, to: store) }
            if let demo = settings.demo {
                try DemoLoader(directory: demo, store: store) { StandardError.write("\($0)\n") }.run()
            }
            return try listen(settings, store, logger)
        } catch {
            store.close()
            throw error
        }
    }

    private static func listen(_ settings: ServiceSettings, _ store: any Store, _ logger: Logger) throws -> Service {
        var gatewayConfiguration = GatewayConfiguration()
        gatewayConfiguration.staticDirectory = settings.console
        gatewayConfiguration.openapiDirectory = settings.openapi
        gatewayConfiguration.scratchDirectory = directory(of: settings.data)
        gatewayConfiguration.subscriptionFile = settings.data + ".subscriptions"
        gatewayConfiguration.subscriptionSetLifetime = settings.subscriptionLifetime
        let gateway = try Gateway(store: store, configuration: gatewayConfiguration)

        var serverConfiguration = ServerConfiguration()
        serverConfiguration.host = settings.host
        serverConfiguration.port = UInt16(settings.port)
        serverConfiguration.bodyLimit = gatewayConfiguration.bodyLimit
        let server = HTTPServer(configuration: serverConfiguration, router: gateway.router)
        let port: UInt16
        do {
            port = try server.start()
        } catch {
            throw CommandFailure(error.description)
        }
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        logger.info("Started.", metadata: ["data": "\(settings.data)", "version": "\(Realmgate.version)"])
        return Service(
            address: "http://\(host):\(port)", store: store, gateway: gateway, server: server, logger: logger)
    }

    /// The directory that a file is in.
    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Lets requests under way finish, then closes the database.
    func stop(because signal: String) {
        logger.info("Stopping.", metadata: ["signal": "\(signal)"])
        server.stop(within: Self.stopLimit)
        store.close()
        logger.info("Stopped.")
    }
}
