import Basics
import EmbeddedStore
import Glibc
import HTTPServer
import Hosting
import Identity
import Logging
import RequestHandling
import ServerLog
import StoreContract
import Synchronization

/// The program's server: opens a database and serves it with the settings.
final class Service: Sendable {
    /// `http://HOST:PORT`, or `https://…` with a certificate; for port 0, with the port that the system chose.
    var address: String { host.address }

    private let store: EmbeddedStore
    private let host: GatewayHost
    private let manager: ServiceManager?
    private let watchdog: Watchdog?
    private let keeper: ReplicaKeeper?
    private let level: LiveLogLevel
    private let logger: Logger
    private let current: Mutex<(settings: ServiceSettings, rules: AccessControl.Rules)>
    /// Reads the settings again from their sources.
    private let again: @Sendable () throws -> ServiceSettings

    /// The time for which running requests may finish when the server stops.
    private static let stopLimit = Duration.seconds(10)

    /// Opens the database, loads the schema and the demo, and listens. Throws `CommandError` and `StoreError`, with
    /// nothing left open.
    ///
    /// - Parameter again: reads the settings again, for a reload.
    static func start(
        _ settings: ServiceSettings, again: @escaping @Sendable () throws -> ServiceSettings
    ) throws -> Service {
        let level = LiveLogLevel(settings.configuration.logLevel)
        let format = settings.configuration.logFormat
        let recent = RecentLog()
        LoggingSystem.bootstrap { label in LiveLogHandler(label: label, format, level, recent) }
        let rules = try settings.accessRules()
        let control = AccessControl(rules, keys: try settings.keyRing())
        try settings.refuseOpenAddress(control)
        try settings.checkTLS()
        let configuration = settings.configuration
        let replicaLog = ReplicaLog()
        let store = try configuration.database.open(configuration.store) { replicaLog.log($0) }
        do {
            if let schema = configuration.schema { _ = try SchemaFile.apply(schema, to: store) }
            if configuration.loadsDemo, let demo = configuration.demo {
                try DemoProgress.load(demo, into: store)
            }
            return try Service(settings, rules, control, store, level, recent, again)
        } catch {
            store.close()
            throw error
        }
    }

    /// Starts to listen.
    private init(
        _ settings: ServiceSettings, _ rules: AccessControl.Rules, _ control: AccessControl, _ store: EmbeddedStore,
        _ level: LiveLogLevel, _ recent: RecentLog, _ again: @escaping @Sendable () throws -> ServiceSettings
    ) throws {
        let configuration = settings.configuration
        var gateway = configuration.gateway
        gateway.recentLog = recent
        gateway.whenMemoryIsFreed = { Allocator.returnFreePagesSoon() }
        let lines = GatheredLines(LineLogHandler.standardError)
        gateway.requestLog = LineRequestLog(
            label: "gateway", format: configuration.logFormat, level: level, recent: recent, put: { lines.add($0) })
        do {
            host = try GatewayHost(serving: store, to: control, gateway, at: configuration.server)
        } catch let error as ServerError {
            throw CommandError(error)
        }
        logger = Logger(label: "realmgate")
        self.store = store
        self.level = level
        self.again = again
        current = Mutex((settings, rules))
        manager = .process
        watchdog = manager.flatMap { [host] in Watchdog($0, host, store) }
        let name = "\(ReplicaKeeper.hostName):\(host.address.split(separator: ":").last ?? "")"
        keeper = ReplicaKeeper(
            store, configuration.data,
            ReplicaKeeper.Options(
                copy: configuration.data + ".upload", imageBytes: configuration.imageBytes,
                logSeconds: configuration.logSeconds, address: name, roles: settings.settings.roles.digest)
        ) { _ in kill(getpid(), SIGTERM) }
        keeper?.start()
        logger.info("Started.", metadata: ["data": "\(configuration.data)", "version": "\(Realmgate.version)"])
        tellWhoMayCall(settings)
        if let missing = settings.missingFiles { logger.warning("\(missing)") }
        if let link = SettingSources.process.serviceLink("REALMGATE_PORT") {
            logger.warning(
                "REALMGATE_PORT is not used: Kubernetes sets it for a service that is named realmgate. Give the port with --port or in the configuration file, or set enableServiceLinks: false.",
                metadata: ["value": "\(link)"])
        }
        if let failure = manager?.send("READY=1", "STATUS=Listening on \(host.address)"), failure != 0 {
            logger.warning(
                "The service manager cannot be notified.", metadata: ["error": "\(String(cString: strerror(failure)))"])
        }
        watchdog?.begin()
    }

    private func tellWhoMayCall(_ settings: ServiceSettings) {
        if host.control.isOpen {
            logger.warning("The server requires no credentials: every caller has full access.")
        } else if !host.control.keys.isInUse, settings.configuration.tokens.keyFile == nil {
            let data = settings.configuration.data
            logger.notice(
                "There is no API key yet. Make one: realmgate token create --name me --role admin --data \(data)")
        }
    }

    /// Reads the configuration, keys and key sets again. Applies the changes that a running server can make, and logs
    /// the others. If anything is invalid, nothing changes.
    func reload() {
        manager?.send("RELOADING=1", "MONOTONIC_USEC=\(SystemClock.monotonic / 1_000)")
        defer { manager?.send("READY=1") }
        do {
            let (before, rules) = current.withLock { $0 }
            let settings = try again()
            let changed = settings.settings.differences(from: before.settings)
            let new = try settings.accessRules(keeping: rules.tokens)
            try host.update(new) { try settings.update(&$0) }
            level.value = settings.configuration.logLevel
            keeper?.update(roles: settings.settings.roles.digest)
            current.withLock { $0 = (settings, new) }
            let fixed = changed.filter { name in
                name != "auth.roles" && !(Setting.named(name)?.isLive ?? true)
            }
            logger.notice(
                "The configuration was reloaded.", metadata: ["changed": "\(changed.joined(separator: ", "))"])
            if !fixed.isEmpty {
                logger.warning(
                    "Some changed settings take effect only after a restart.",
                    metadata: ["settings": "\(fixed.joined(separator: ", "))"])
            }
        } catch {
            logger.error(
                "The configuration was not changed.",
                metadata: ["error": "\((error as? CommandError)?.message ?? "\(error)")"])
        }
    }

    /// `EX_TEMPFAIL`: what is wrong with the replica is over with the next start.
    private static let replicaExitCode: Int32 = 75

    /// Lets running requests finish, then closes the database. Throws `CommandError` when the server stops because
    /// its replica must be replaced.
    func stop(because signal: String) throws {
        logger.info("Stopping.", metadata: ["signal": "\(signal)"])
        watchdog?.end()
        manager?.send("STOPPING=1")
        host.stop(within: Self.stopLimit)
        let failure = store.replicaFailure
        keeper?.end()
        store.close()
        logger.info("Stopped.")
        guard let failure, ReplicaKeeper.endsProgram(failure) else { return }
        if failure.code == .unsupportedFormat { throw CommandError(failure.message, exitCode: 78) }
        throw CommandError(
            "\(failure.message) The next start makes a new replica.", exitCode: Self.replicaExitCode)
    }
}
