package import Gateway
package import HTTPServer
import Identity
package import StoreContract

/// A gateway to a store and the server that answers for it: what every program that serves a store puts together. It
/// listens from the start, and until it is stopped. The store is its caller's, to be closed after that.
package final class GatewayHost: Sendable {
    /// Of all programs that host a gateway.
    package static let version = "0.1.0"

    /// Where it listens; the port is the one that the system chose when 0 was asked for.
    package let port: UInt16
    /// `http://HOST:PORT`, or `https://…` with a certificate.
    package let address: String
    /// Who may call.
    package let control: AccessControl
    private let gateway: Gateway
    private let server: HTTPServer

    /// Listens, and looks from then on every second for keys and tokens that changed.
    ///
    /// - Parameter configuration: what is offered; its access control does not count.
    /// - Throws: `ServerError` when it cannot listen there, and what the store and the gateway's files throw, with nothing
    ///   left open.
    package init(
        serving store: any Store, to control: AccessControl, _ configuration: GatewayConfiguration,
        at place: ServerConfiguration
    ) throws {
        var configuration = configuration
        configuration.accessControl = control
        gateway = try Gateway(store: store, configuration: configuration)
        server = HTTPServer(configuration: place, router: gateway.router, counters: gateway.serverCounters)
        port = try server.start()
        let host = place.host.contains(":") ? "[\(place.host)]" : place.host
        address = "\(place.tls == nil ? "http" : "https")://\(host):\(port)"
        self.control = control
        control.watch()
    }

    /// Whether everybody who reaches that address from other machines could do everything.
    package static func isExposed(_ host: String, _ control: AccessControl) -> Bool {
        control.isOpen && !LoopbackAddress.isOne(host)
    }

    /// Reads keys and certificates again and takes over what may change while requests are answered. A fault changes
    /// neither rules nor configuration.
    package func update(_ rules: AccessControl.Rules, _ configuration: GatewayConfiguration) throws {
        try control.keys.refresh()
        if server.configuration.tls != nil { try server.reloadCertificates() }
        rules.tokens?.refreshOrLog()
        control.replace(rules)
        gateway.update(configuration)
    }

    /// Takes no new requests, lets those under way finish for so long, and says farewell to the event streams. Blocks
    /// until that is done; calling it again does nothing.
    package func stop(within time: Duration) {
        gateway.beginDraining()
        server.stop(within: time, closingEvent: Gateway.closingEvent)
    }
}
