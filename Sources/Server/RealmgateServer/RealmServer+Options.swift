public import Foundation
import HTTPServer
public import Logging
import RequestHandling

extension RealmServer {
    /// The settings of a server. The defaults are for use on one machine: a loopback address, full access for every
    /// caller, and classes that only the program can change.
    public struct Options: Sendable {
        /// An address of this machine, or a name that resolves to one. An address that other machines can reach
        /// requires `access`.
        public var host: String
        /// The port to listen on. With 0 the system chooses one; see ``RealmServer/port``.
        public var port: Int
        /// The authentication and authorisation settings.
        public var access: Access
        /// Whether the server may listen on an address that other machines can reach although every caller has full
        /// access.
        public var allowsOpenAddress = false
        /// The certificate and key for HTTPS; nil for HTTP.
        public var tls: TLS?
        /// The web pages of other origins that may call the server.
        public var cors: CORS
        /// The limits of requests, responses and connections.
        public var limits: Limits
        /// The web console at `/`, and the OpenAPI description.
        public var console: Console
        /// The schema changes that clients may make.
        public var schemaChanges: SchemaChanges
        /// Whether responses are compressed for clients that request it.
        public var compresses = true
        /// Whether every caller can read `/metrics` and `/v1/metrics/history`, and not only administrators.
        public var metricsAreOpen = false
        /// Receives a line for each request, and the server's messages.
        public var logger: Logger
        /// The level of the log line of each request; nil for no lines.
        public var requestLogLevel: Logger.Level? = .debug

        /// Creates options. The server checks them when it starts.
        public init(
            host: String = "127.0.0.1", port: Int = 0, access: Access = Access(), tls: TLS? = nil, cors: CORS = CORS(),
            limits: Limits = Limits(), console: Console = .installed, schemaChanges: SchemaChanges = .refused,
            logger: Logger = Logger(label: "realmgate")
        ) {
            self.host = host
            self.port = port
            self.access = access
            self.tls = tls
            self.cors = cors
            self.limits = limits
            self.console = console
            self.schemaChanges = schemaChanges
            self.logger = logger
        }
    }

    /// The paths of PEM files.
    public struct TLS: Sendable {
        /// The server's certificate, followed by the intermediate certificates.
        public var certificateChain: URL
        /// The private key of the first certificate, without a passphrase.
        public var key: URL

        /// Names the files. The server reads them when it starts.
        public init(certificateChain: URL, key: URL) {
            self.certificateChain = certificateChain
            self.key = key
        }
    }

    /// The web pages that may call the server from a browser.
    public struct CORS: Sendable {
        /// The allowed origins, such as `https://app.example.com`; `*` allows every page, without credentials. While
        /// every caller has full access, `*` allows none, and only listed origins may call.
        public var origins: Set<String>
        /// Whether those pages may send credentials, such as cookies; not with `*`.
        public var allowsCredentials: Bool

        /// Creates the settings; by default pages of all origins may call without credentials.
        public init(origins: Set<String> = ["*"], allowsCredentials: Bool = false) {
            self.origins = origins
            self.allowsCredentials = allowsCredentials
        }
    }

    /// The limits. Sizes are in bytes.
    public struct Limits: Sendable {
        // The defaults of the parts apply.
        private static let gateway = GatewayConfiguration()
        private static let server = ServerConfiguration()

        /// The maximum size of a request body.
        public var body = Self.gateway.bodyLimit
        /// The maximum number of objects in a page.
        public var page = Self.gateway.maximumPage
        /// The maximum size of a response. A page ends before it and has a cursor for the rest.
        public var answerBytes = Self.gateway.answerBytes
        /// The maximum size of a stream event. A larger event is split into parts.
        public var eventBytes = Self.gateway.eventBytes
        /// The memory for large responses and for events that wait for their clients.
        public var responseMemory = Self.server.responseMemory
        /// The maximum number of objects in the first result of an event stream.
        public var observed = Self.gateway.maximumObserved
        /// The maximum number of operations in a transaction.
        public var transaction = Self.gateway.maximumTransaction
        /// The maximum number of open connections.
        public var connections = Self.server.connectionLimit
        /// The maximum number of open event streams.
        public var streams = Self.server.streamLimit
        /// The maximum number of open event streams of one caller; nil for no limit.
        public var streamsPerCaller: Int?
        /// Requests per second from one address; nil for no limit.
        public var addressRequests: Int?
        /// Requests per second of one key or token subject; nil for no limit.
        public var callerRequests: Int?
        /// Rows that the queries of one request may scan; nil for no limit.
        public var queryRows: Int?
        /// Milliseconds that the queries of one request may take; nil for no limit.
        public var queryMilliseconds = Self.gateway.queryMilliseconds
        /// Threads that handle requests; nil for one per processor.
        public var threads: Int?

        /// Creates the default limits.
        public init() {}
    }

    /// The location of the web console's files: Realmgate's directories `static` and `openapi`.
    public enum Console: Sendable {
        /// The console is not served.
        case off
        /// `../share/realmgate` relative to the program, or the checkout that contains the program or its working
        /// directory. If neither exists, the console is not served.
        case installed
        /// This directory, which contains `static` and `openapi`.
        case directory(URL)
    }

    /// The schema changes that clients may make. In every case only administrators may make them, and neither the
    /// schema version nor a class that the program defines can change.
    public enum SchemaChanges: Sendable {
        /// None.
        case refused
        /// Administrators may add, change and remove classes that the program does not define.
        case otherClasses
    }
}
