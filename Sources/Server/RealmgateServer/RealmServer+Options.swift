public import Foundation
public import Logging

extension RealmServer {
    /// How a realm is served. The defaults are for the program's own machine: a loopback address, where everybody may do
    /// everything, and classes that only the program changes.
    public struct Options: Sendable {
        /// An address of this machine, or a name that resolves to one. Addresses that other machines reach need `access`.
        public var host: String
        /// 0 lets the system choose; see ``RealmServer/port``.
        public var port: Int
        /// Who may do what.
        public var access: Access
        /// Whether to listen on any address although everybody may do everything.
        public var allowsOpenAddress = false
        /// HTTPS instead of HTTP, with these files.
        public var tls: TLS?
        /// Pages of other sites that may call.
        public var cors: CORS
        public var limits: Limits
        /// The page for people at `/`, and the description of the API.
        public var console: Console
        /// What clients may do to the classes.
        public var schemaChanges: SchemaChanges
        /// Whether answers are compressed for clients that ask for it.
        public var compresses = true
        /// Whether `/metrics` is for everybody, and not for administrators alone.
        public var metricsAreOpen = false
        /// Where requests are told about.
        public var logger: Logger
        /// The level of the line that each request gets in the log; nil for none.
        public var requestLogLevel: Logger.Level? = .debug

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

    /// PEM files.
    public struct TLS: Sendable {
        /// The server's certificate first, then those that lead from it to one that clients know.
        public var certificateChain: URL
        /// The key of the first certificate, without a passphrase.
        public var key: URL

        public init(certificateChain: URL, key: URL) {
            self.certificateChain = certificateChain
            self.key = key
        }
    }

    /// Pages that may call the server from a browser.
    public struct CORS: Sendable {
        /// Such as `https://app.example.com`; `*` is every page, without credentials. While everybody may do everything
        /// it is none, and only origins that are listed count.
        public var origins: Set<String>
        /// Whether those pages may let the browser add cookies and the like; not with `*`.
        public var allowsCredentials: Bool

        public init(origins: Set<String> = ["*"], allowsCredentials: Bool = false) {
            self.origins = origins
            self.allowsCredentials = allowsCredentials
        }
    }

    /// What is put up with. Sizes are in bytes.
    public struct Limits: Sendable {
        /// The largest request body.
        public var body = 16 << 20
        /// The most objects of a page.
        public var page = 10_000
        /// The most bytes of an answer; a page ends there, with a cursor to go on from.
        public var answerBytes = 16 << 20
        /// The most bytes of an event of a stream; a longer one comes in parts.
        public var eventBytes = 4 << 20
        /// Bytes of large answers, and of events, that may wait for their clients.
        public var answerMemory = 128 << 20
        /// The most objects that an event stream may begin with.
        public var observed = 100_000
        /// The most operations of one transaction.
        public var transaction = 10_000
        public var connections = 16_384
        /// Open event streams.
        public var streams = 100_000
        /// Of one caller; nil for any number.
        public var streamsPerCaller: Int?
        /// Requests a second of one address; nil for any number.
        public var addressRequests: Int?
        /// Requests a second of one key or token's subject; nil for any number.
        public var callerRequests: Int?
        /// Rows that the queries of one request may look at; nil for any number.
        public var queryRows: Int?
        /// Milliseconds that the queries of one request may take; nil for any time.
        public var queryMilliseconds: Int? = 10_000
        /// Threads that answer requests; nil for one per processor.
        public var threads: Int?

        public init() {}
    }

    /// Where the files of the page for people are: directories `static` and `openapi` of Realmgate.
    public enum Console: Sendable {
        /// There is no page.
        case off
        /// In `../share/realmgate` of the program, or in the checkout that the program or its working directory is in. If
        /// there is none, there is no page.
        case installed
        /// In that directory.
        case directory(URL)
    }

    /// What clients may do to the classes. Whatever is set here, only administrators may do it, the classes that the
    /// program defines stay as they are, and so does the schema version.
    public enum SchemaChanges: Sendable {
        /// Nothing.
        case refused
        /// Add, change and remove classes that the program does not define.
        case otherClasses
    }
}
