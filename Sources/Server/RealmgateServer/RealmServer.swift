public import Foundation
import Dispatch
import Gateway
import HTTPServer
import Hosting
public import RealmSwift
import Synchronization

/// A gateway to a realm within the program that defines its classes: HTTP clients and the program's own threads read and
/// write the same store, and each sees what the other commits.
///
/// ```swift
/// let server = try RealmServer(realm: configuration, options: .init(port: 8080))
/// try server.start()
/// print(server.url)
/// ```
///
/// The realm's file stays open, and a realm in memory stays alive, until the server is stopped or gone. Any thread, queue
/// or actor may open the realm besides it, as always with `Realm(configuration:)`. Clients see classes and properties by
/// the names that are stored (`propertiesMapping()`).
///
/// Clients write through the store's one writer, like everybody: a write transaction that the program leaves open holds
/// them up. So does a synchronous request of the program to its own server within a write, for ever: commit first.
public final class RealmServer: Sendable {
    /// What is served.
    public let configuration: Realm.Configuration
    public let options: Options

    private enum State {
        case fresh(HostedRealm)
        case running(GatewayHost, HostedRealm)
        case stopped(port: Int)
    }

    private let state: Mutex<State>
    private let end = AsyncStream<Never>.makeStream()

    /// Opens the realm, as `Realm(configuration:)` does: the file is made if there is none, and migrations run. Nobody can
    /// connect before `start()`.
    ///
    /// - Throws: `Realm.Error` when the realm cannot be opened; ``Error`` when it is read-only.
    public init(realm configuration: Realm.Configuration = .defaultConfiguration, options: Options = Options()) throws {
        guard !configuration.readOnly else {
            throw Error(
                .configuration,
                "A read-only Realm cannot be served: open it for writing, and give the callers a role that may only read."
            )
        }
        state = Mutex(.fresh(try HostedRealm(configuration)))
        self.configuration = configuration
        self.options = options
    }

    deinit {
        if case .running(let host, _) = state.withLock({ $0 }) { host.stop(within: .zero) }
    }

    /// Listens and answers from now on, on threads of its own.
    ///
    /// - Throws: ``Error``, with nothing left open: when it cannot listen there, when everybody from other machines could
    ///   do everything and the options do not say that this is meant, for keys, tokens, roles and certificates that
    ///   cannot be used, and when it was started before.
    public func start() throws {
        try state.withLock { state in
            guard case .fresh(let realm) = state else {
                throw Error(.state, "This server has been started before. Make a new one.")
            }
            state = .running(try Self.host(realm, options), realm)
        }
    }

    private static func host(_ realm: HostedRealm, _ options: Options) throws -> GatewayHost {
        let parts = try ServerParts(options, realm)
        guard options.allowsOpenAddress || !GatewayHost.isExposed(options.host, parts.control) else {
            throw Error(
                .openAddress,
                """
                Not listening on \(options.host): nobody would be asked who they are, so everybody who reaches that \
                address could read and change everything. Give `access` an administrator's key, roles or tokens, or \
                `isRequired`; if everybody is meant to do everything, set `allowsOpenAddress`.
                """)
        }
        do {
            return try GatewayHost(serving: realm.store, to: parts.control, parts.gateway, at: parts.server)
        } catch let error as ServerError {
            throw Error(.address, error.description)
        } catch {
            throw Error(.configuration, "\(error)")
        }
    }

    /// The port: the one that the system chose when the options ask for 0 and the server has been started.
    public var port: Int {
        state.withLock { state in
            switch state {
            case .fresh: options.port
            case .running(let host, _): Int(host.port)
            case .stopped(let port): port
            }
        }
    }

    /// Where clients find it: `http://HOST:PORT`, or `https://…` with a certificate.
    public var url: URL {
        var components = URLComponents()
        components.scheme = options.tls == nil ? "http" : "https"
        components.host = options.host.contains(":") ? "[\(options.host)]" : options.host
        components.port = port
        // Whatever was listened on has such a form.
        return components.url ?? URL(fileURLWithPath: "/")
    }

    /// Whether it listens.
    public var isRunning: Bool { host != nil }

    private var host: GatewayHost? {
        state.withLock { if case .running(let host, _) = $0 { host } else { nil } }
    }

    /// Takes no new requests, lets those under way finish for so long, tells event streams that it is over, and lets go of
    /// the realm. Does nothing when it has been stopped before.
    public func stop(within time: Duration = .seconds(10)) async {
        let port = port
        let host = state.withLock { state -> GatewayHost? in
            defer { state = .stopped(port: port) }
            if case .running(let host, _) = state { return host }
            return nil
        }
        if let host {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    host.stop(within: time)
                    continuation.resume()
                }
            }
        }
        end.continuation.finish()
    }

    // MARK: Programs that only serve

    /// Starts unless it was started, and returns when the task is cancelled or `stop` was called, after a graceful stop.
    public func run() async throws {
        if !isRunning { try start() }
        for await _ in end.stream {}
        await stop()
    }

    /// As `run()`; it also ends with one of these signals, such as Ctrl-C, which otherwise end the process at once. After
    /// the first, another one does that again.
    public func run(untilSignals signals: [Int32]) async throws {
        let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { [end] in
                signal(number, SIG_DFL)
                end.continuation.finish()
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        try await run()
    }

    // MARK: Who may call

    /// Makes an API key. Its secret is returned here and kept nowhere: callers send it as
    /// `Authorization: Bearer SECRET`. From the first key on everybody must show one.
    ///
    /// - Parameters:
    ///   - name: for people, what the key is for.
    ///   - role: one of the options, or `admin`.
    ///   - claims: what rules refer to as `$claims.NAME`.
    /// - Throws: ``Error`` for a role that there is not, when the server does not run, or when the file of keys cannot be
    ///   written.
    public func makeKey(name: String, role: String, claims: [String: String] = [:]) throws -> String {
        guard let host else { throw Error(.state, "Start the server before its keys are made.") }
        return try host.makeKey(name: name, role: role, claims: claims)
    }
}
