import Gateway
import HTTPMessages
import HTTPServer
import Logging
import Promises
package import StoreContract

/// A request that a tool makes of a gateway.
package struct GatewayRequest: Equatable, Sendable {
    var method: HTTPMethod
    /// Path and query, percent-encoded.
    var target: String
    /// JSON.
    var body: [UInt8]?
}

/// A gateway's response.
package struct GatewayResponse: Sendable {
    package var status: Int
    package var body: [UInt8]
}

/// The way to a gateway.
package protocol GatewayPort {
    /// Blocks until the response is there. Throws where there is none.
    func send(_ request: GatewayRequest) throws(ToolError) -> GatewayResponse
}

/// A gateway in this process, to a database that this process has open: every caller has full access.
package struct OwnGateway: GatewayPort {
    private let router: Router

    package init(to store: any Store) throws {
        // Standard output belongs to the protocol.
        let logger = Logger(label: "realmgate") { _ in SwiftLogNoOpLogHandler() }
        router = try Gateway(store: store, logger: logger).router
    }

    package func send(_ request: GatewayRequest) throws(ToolError) -> GatewayResponse {
        var headers = HeaderFields()
        if request.body != nil { headers["Content-Type"] = "application/json" }
        let asked: Request
        do throws(HTTPError) {
            asked = try Request(request.method, request.target, headers: headers, body: request.body ?? [])
        } catch {
            throw ToolError("The request is not valid: \(error).")
        }
        let arrived = Promise<Response?>()
        router.respond(to: asked).send(
            to: Responder { outcome in
                if case .response(let response) = outcome { arrived.set(response) } else { arrived.set(nil) }
            })
        guard let response = arrived.wait() else { throw ToolError("The gateway opened a stream.") }
        return GatewayResponse(status: response.status, body: response.bodyBytes)
    }
}
