import EmbeddedStore
import Files
import Gateway
import HTTPServer
import Identity
import Logging

/// What a server is started with: the configurations of its parts, and what is the program's own. The table of settings
/// names a property of this for each setting; the initial value of the property is the default of the setting.
struct ServiceConfiguration: Sendable {
    var data = "data.realmgate"
    /// A file with classes.
    var schema: String?
    var loadsDemo = false
    /// Nil for the directory beside the program.
    var demo: String?
    /// Nil for the directory that the database is in.
    var scratch: String?
    /// Whether to listen on any address although everybody may do everything.
    var allowsOpenAddress = false

    var asksForCredentials = false
    /// Nil for the one beside the database.
    var keyFile: String?
    var administratorKey: String?
    var tokenSecretFile: String?

    /// PEM files; both or none.
    var certificate: String?
    var certificateKey: String?
    /// Seconds; only with a certificate.
    var strictTransport = 31_536_000

    var logLevel: Logger.Level = .info
    var logFormat: LogFormat = .text

    var tokens = TokenSettings()
    var gateway = GatewayConfiguration()
    var server = ServerConfiguration()
    var store = EmbeddedStoreOptions()

    /// The defaults. Those of a part are the part's own, except for these.
    init() {
        server.port = 8080
        // A program has one file, so that address space is no matter.
        store.maximumSize = 1 << 40
    }

    static let defaults = ServiceConfiguration()

    /// Sets what follows from several settings, or from none.
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

    /// Where the API keys are.
    var keyPath: String { keyFile ?? data + ".keys" }
}
