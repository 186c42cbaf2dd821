import Dispatch
public import Foundation
import HTTPServer
import Hosting
public import RealmSwift
import RequestHandling
import Synchronization

/// A gateway to a realm, hosted by the program that defines the realm's classes. HTTP clients and the program's own
/// threads read and write the same store, and each sees the commits of the other.
///
/// ```swift
/// let server = try RealmServer(realm: configuration, options: .init(port: 8080))
/// try server.start()
/// print(server.url)
/// ```
///
/// The server keeps the realm's file open, and an in-memory realm alive, until it is stopped or released. Meanwhile any
/// thread, queue or actor can open the realm with `Realm(configuration:)` as usual. Clients see the stored names of
/// classes and properties (`propertiesMapping()`).
///
/// All writes go through the store's single writer, so clients wait while the program has a write transaction open. A
/// synchronous request from within a write to the program's own server therefore never returns: commit first.
public final class RealmServer: Sendable {
    /// The configuration of the realm that is served.
    public let configuration: Realm.Configuration
    /// The settings of the server.
    public let options: Options

    private enum State {
        case fresh(HostedRealm)
        case running(GatewayHost, HostedRealm)
        case stopped(port: Int)
    }

    private let state: Mutex<State>
    private let end = AsyncStream<Never>.makeStream()

    /// Opens the realm as `Realm(configuration:)` does: creates the file if it does not exist, and runs migrations.
    /// Clients can connect only after `start()`.
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
        switch state.withLock({ $0 }) {
        case .fresh(let realm): realm.close()
        case .running(let host, let realm):
            host.stop(within: .zero)
            realm.close()
        case .stopped: break
        }
    }

    /// Starts to accept connections and to answer requests, on threads that the server creates.
    ///
    /// - Throws: ``Error`` if the server cannot listen on the address, if callers from other machines would have full
    ///   access and `allowsOpenAddress` is not set, if keys, tokens, roles or certificates are invalid, or if the
    ///   server was started before. Nothing is left open.
    public func start() throws {
        try state.withLock { state in
            guard case .fresh(let realm) = state else {
                throw Error(.state, "This server was started before. Create a new one.")
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
                Not listening on \(options.host): the server requires no credentials, so everyone who can reach that \
                address would have full access. Give `access` an administrator's key, roles or tokens, or set its \
                `isRequired`; if full access for everyone is intended, set `allowsOpenAddress`.
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

    /// The port. If the options specify port 0, this is 0 before `start()`, and the port that the system chose after
    /// it.
    public var port: Int {
        state.withLock { state in
            switch state {
            case .fresh: options.port
            case .running(let host, _): Int(host.port)
            case .stopped(let port): port
            }
        }
    }

    /// The URL for clients: `http://HOST:PORT`, or `https://…` with a certificate.
    public var url: URL {
        var components = URLComponents()
        components.scheme = options.tls == nil ? "http" : "https"
        components.host = options.host.contains(":") ? "[\(options.host)]" : options.host
        components.port = port
        // An address that the server could listen on always makes a valid URL.
        return components.url ?? URL(fileURLWithPath: "/")
    }

    /// Whether the server accepts requests.
    public var isRunning: Bool { host != nil }

    private var host: GatewayHost? {
        state.withLock { if case .running(let host, _) = $0 { host } else { nil } }
    }

    /// Accepts no new requests, gives running requests `time` to finish, ends event streams with a last event, and closes
    /// the realm. Does nothing if the server has been stopped before.
    public func stop(within time: Duration = .seconds(10)) async {
        let port = port
        let (host, realm) = state.withLock { state -> (GatewayHost?, HostedRealm?) in
            defer { state = .stopped(port: port) }
            switch state {
            case .fresh(let realm): return (nil, realm)
            case .running(let host, let realm): return (host, realm)
            case .stopped: return (nil, nil)
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                host?.stop(within: time)
                // Work that ends late still has references to the gateway, which must not keep the file open.
                realm?.close()
                continuation.resume()
            }
        }
        end.continuation.finish()
    }

    // MARK: Programs that only serve

    /// Starts the server unless it is running. Returns after a graceful stop, when the task is cancelled or `stop` is
    /// called.
    public func run() async throws {
        if !isRunning { try start() }
        for await _ in end.stream {}
        await stop()
    }

    /// Does the same as `run()`, and also stops on the first of these signals, such as Ctrl-C, instead of ending the
    /// process at once. A second signal ends the process.
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

    /// Creates an API key and returns its secret, which is stored nowhere. Callers send it as `Authorization: Bearer
    /// SECRET`. Once a key exists, every caller must send a credential.
    ///
    /// - Parameters:
    ///   - name: a description of the key's purpose, for people.
    ///   - role: a role of the options, or `admin`.
    ///   - claims: the values that rules refer to as `$claims.NAME`.
    /// - Throws: ``Error`` for a role that there is not, when the server does not run, or when the file of keys cannot be
    ///   written.
    public func makeKey(name: String, role: String, claims: [String: String] = [:]) throws -> String {
        guard let host else { throw Error(.state, "Start the server before you create keys.") }
        return try host.makeKey(name: name, role: role, claims: claims)
    }
}

extension RealmServer {
    /// An error in the options or the use of a server.
    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
        /// The kinds of errors.
        public enum Code: Sendable {
            /// The server cannot listen on the address.
            case address
            /// Callers from other machines would have full access.
            case openAddress
            /// Keys, tokens or roles are invalid.
            case access
            /// Certificates, directories or other options are invalid.
            case configuration
            /// The server is not in the right state for the call.
            case state
        }

        /// The kind of the error.
        public let code: Code
        /// A sentence for people that says what to do.
        public let message: String

        init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }

        public var description: String { message }
        public var errorDescription: String? { message }
    }
}
