import Gateway
package import HTTPServer
import Identity
package import RequestHandling
package import StoreContract

/// A gateway to a store with its HTTP server, as every program that serves a store needs it. It listens until it is
/// stopped. The caller owns the store and closes it after that.
package final class GatewayHost: Sendable {
    /// The version of all programs that host a gateway.
    package static let version = "0.1.0"

    /// The port; for port 0 the one that the system chose.
    package let port: UInt16
    /// `http://HOST:PORT`, or `https://…` with a certificate.
    package let address: String
    /// The access control.
    package let control: AccessControl
    private let gateway: Gateway
    private let server: HTTPServer

    /// Starts to listen, and checks every second for changed keys and tokens.
    ///
    /// - Parameter configuration: the gateway's configuration; its access control is ignored.
    /// - Throws: `ServerError` if it cannot listen on the address, and the errors of the store and the gateway's files.
    ///   Nothing is left open.
    package init(
        serving store: any Store, to control: AccessControl, _ configuration: GatewayConfiguration,
        at listening: ServerConfiguration
    ) throws {
        var configuration = configuration
        configuration.accessControl = control
        gateway = try Gateway(store: store, configuration: configuration)
        server = HTTPServer(configuration: listening, router: gateway.router, counters: gateway.serverCounters)
        port = try server.start()
        let host = listening.host.contains(":") ? "[\(listening.host)]" : listening.host
        address = "\(listening.tls == nil ? "http" : "https")://\(host):\(port)"
        self.control = control
        control.watch()
    }

    /// Whether callers from other machines would have full access on that address.
    package static func isExposed(_ host: String, _ control: AccessControl) -> Bool {
        control.isOpen && !LoopbackAddress.isOne(host)
    }

    /// Reloads keys and certificates, and replaces rules and configuration, while requests are answered. If it throws,
    /// rules and configuration stay as they are. See `Gateway.update`.
    package func update(
        _ rules: AccessControl.Rules, _ change: (inout GatewayConfiguration) throws -> Void
    ) throws {
        var configuration = gateway.configuration
        try change(&configuration)
        try control.keys.refresh()
        if server.configuration.tls != nil { try server.reloadCertificates() }
        rules.tokens?.refreshOrLog()
        control.replace(rules)
        gateway.update(configuration)
    }

    /// Calls `answer` on the thread of each event loop. See `HTTPServer.probeLoops`.
    package func probeLoops(_ answer: @escaping @Sendable () -> Void) -> Int { server.probeLoops(answer) }

    /// Accepts no new requests, lets running ones finish within the time, and ends the event streams with a last event.
    /// Blocks until that is done; calling it again does nothing.
    package func stop(within time: Duration) {
        gateway.beginDraining()
        server.stop(within: time, closingEvent: Gateway.closingEvent)
    }
}
