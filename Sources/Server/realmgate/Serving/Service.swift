import EmbeddedStore
import Gateway
import HTTPServer
import Hosting
import Identity
import Logging
import StoreContract
import Synchronization

/// The program's server: a database that it opens, served with what the settings say.
final class Service: Sendable {
    /// `http://HOST:PORT`, or `https://…` with a certificate, with the port that the system chose when 0 was asked for.
    var address: String { host.address }

    private let store: any Store
    private let host: GatewayHost
    private let level: LiveLogLevel
    private let logger: Logger
    private let current: Mutex<(settings: ServiceSettings, rules: AccessControl.Rules)>
    /// Reads the settings again from where they came from.
    private let again: @Sendable () throws -> ServiceSettings

    /// How long requests under way may take to finish when the server is stopped.
    private static let stopLimit = Duration.seconds(10)

    /// Opens the database, brings schema and demo into it, and listens. Throws `CommandFailure` and `StoreError`,
    /// with nothing left open.
    ///
    /// - Parameter again: reads the settings again when the server is told to.
    static func start(
        _ settings: ServiceSettings, again: @escaping @Sendable () throws -> ServiceSettings
    ) throws -> Service {
        let level = LiveLogLevel(settings.logLevel)
        LoggingSystem.bootstrap { [format = settings.logFormat] label in LiveLogHandler(label: label, format, level) }
        let rules = try settings.accessRules()
        let control = AccessControl(rules, keys: try settings.keyRing())
        try settings.refuseOpenAddress(control)
        try settings.checkTLS()
        let store = try EmbeddedStore.open(path: settings.data, options: settings.storeOptions)
        do {
            if let schema = settings.settings.text("schema") { _ = try SchemaFile.apply(schema, to: store) }
            if let demo = settings.demo {
                try DemoLoader(directory: demo, store: store) { StandardError.write("\($0)\n") }.run()
            }
            return try Service(settings, rules, control, store, level, again)
        } catch {
            store.close()
            throw error
        }
    }

    /// Listens.
    private init(
        _ settings: ServiceSettings, _ rules: AccessControl.Rules, _ control: AccessControl, _ store: any Store,
        _ level: LiveLogLevel, _ again: @escaping @Sendable () throws -> ServiceSettings
    ) throws {
        var configuration = try settings.gatewayConfiguration()
        configuration.requestLog = LineRequestLog(label: "gateway", format: settings.logFormat, level: level)
        do {
            host = try GatewayHost(serving: store, to: control, configuration, at: settings.serverConfiguration)
        } catch let error as ServerError {
            throw CommandFailure(error.description)
        }
        logger = Logger(label: "realmgate")
        self.store = store
        self.level = level
        self.again = again
        current = Mutex((settings, rules))
        logger.info("Started.", metadata: ["data": "\(settings.data)", "version": "\(Realmgate.version)"])
        tellWhoMayCall(settings)
    }

    private func tellWhoMayCall(_ settings: ServiceSettings) {
        if host.control.isOpen {
            logger.warning("Nobody is asked for a credential: everybody who reaches the server may do everything.")
        } else if !host.control.keys.isInUse, settings.settings.text("auth.tokens.keySet") == nil {
            logger.notice(
                "There is no API key yet. Make one: realmgate token create --name me --role admin --data \(settings.data)"
            )
        }
    }

    /// Reads the configuration, keys and key sets again. What can change while the server runs does; what cannot is
    /// logged. A fault anywhere changes nothing.
    func reload() {
        do {
            let (before, rules) = current.withLock { $0 }
            let settings = try again()
            let news = settings.settings.differences(from: before.settings)
            let new = try settings.accessRules(keeping: rules.tokens)
            let configuration = try settings.gatewayConfiguration()
            try host.update(new, configuration)
            level.value = settings.logLevel
            current.withLock { $0 = (settings, new) }
            let fixed = news.filter { name in
                name != "auth.roles" && !(Setting.all.first { $0.name == name }?.isLive ?? true)
            }
            logger.notice("The configuration was read again.", metadata: ["changed": "\(news.joined(separator: ", "))"])
            if !fixed.isEmpty {
                logger.warning(
                    "Some settings count from the next start on only.",
                    metadata: ["settings": "\(fixed.joined(separator: ", "))"])
            }
        } catch {
            logger.error(
                "The configuration stays as it was.",
                metadata: ["error": "\((error as? CommandFailure)?.message ?? "\(error)")"])
        }
    }

    /// Lets requests under way finish, then closes the database.
    func stop(because signal: String) {
        logger.info("Stopping.", metadata: ["signal": "\(signal)"])
        host.stop(within: Self.stopLimit)
        store.close()
        logger.info("Stopped.")
    }
}
