package import HTTPClient
import HTTPMessages

/// A running gateway, reached over HTTP.
package struct RemoteGateway: GatewayPort {
    private let client: HTTPClient
    private let credential: String?

    /// - Parameter token: a token or an API key.
    package init(_ client: HTTPClient, token: String?) {
        self.client = client
        credential = token.map { "Bearer \($0)" }
    }

    package func send(_ request: GatewayRequest) throws(ToolError) -> GatewayResponse {
        var headers: HeaderFields = ["Accept": "application/json"]
        if request.body != nil { headers.add("Content-Type", "application/json") }
        if let credential { headers.add("Authorization", credential) }
        do throws(HTTPClientError) {
            let response = try client.send(request.method, request.target, headers: headers, body: request.body)
            return GatewayResponse(status: response.status, body: response.bodyBytes)
        } catch {
            switch error {
            case .unresolved, .unreachable, .noTLS, .untrusted, .handshake:
                throw ToolError("The gateway cannot be reached. \(error.message)")
            case .tooLong: throw ToolError("\(error.message) Ask for less.")
            default: throw ToolError(error.message)
            }
        }
    }
}
