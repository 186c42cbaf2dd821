import EmbeddedStore
import Files
import HTTPServer
import Identity
import Logging
import RequestHandling

/// The configuration of a server: those of its parts, and the program's own. The table of settings names one of these
/// properties for each setting; the property's initial value is the setting's default.
struct ServiceConfiguration: Sendable {
    /// The database file, and what it is a replica of, if anything.
    var database = StoreAddress()
    var data: String { database.path }
    /// How long the log keeps entries at least, and from which length on it gets an image, if the store has a log.
    var logSeconds = 3600
    var imageBytes = 64 << 20
    /// The path of a JSON file with the schema.
    var schema: String?
    var loadsDemo = false
    /// Nil for the directory installed with the program.
    var demo: String?
    /// Nil for the database's directory.
    var scratch: String?
    /// Whether the server may listen on any address even if it does not require credentials.
    var allowsOpenAddress = false

    var asksForCredentials = false
    /// Nil for the key file beside the database.
    var keyFile: String?
    var administratorKey: String?
    var tokenSecretFile: String?

    /// Paths of PEM files; both or neither.
    var certificate: String?
    var certificateKey: String?
    /// In seconds; only with a certificate.
    var strictTransport = 31_536_000

    var logLevel: Logger.Level = .info
    var logFormat: LogFormat = .text

    var tokens = TokenSettings()
    var gateway = GatewayConfiguration()
    var server = ServerConfiguration()
    var store = EmbeddedStoreOptions()

    /// The defaults. Those of the parts apply, except for these.
    init() {
        server.port = 8080
        // The program opens only one file, so address space is not scarce.
        store.maximumSize = 1 << 40
    }

    static let defaults = ServiceConfiguration()

    /// Sets the properties that depend on several settings, or on none.
    mutating func complete() {
        let scratch = scratch ?? Directory.of(data)
        gateway.scratchDirectory = scratch
        server.temporaryDirectory = scratch
        gateway.subscriptionFile = data + ".subscriptions"
        gateway.isForThisMachine = !allowsOpenAddress
        gateway.requestLogLevel = .info
        gateway.version = Realmgate.version
        if let certificate, let certificateKey {
            server.tls = TLSFiles(certificateChain: certificate, key: certificateKey)
            gateway.strictTransportSeconds = strictTransport
        }
    }

    /// The path of the API keys.
    var keyPath: String { keyFile ?? data + ".keys" }
    /// Whether the keys are in PostgreSQL, for all gateways: when no file of keys is given.
    var sharesKeys: Bool { database.url != nil && keyFile == nil }
}
