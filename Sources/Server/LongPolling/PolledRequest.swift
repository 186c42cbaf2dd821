import HTTPMessages
import HTTPServer
import RequestHandling

/// What a long poll reads: the request without the parameters that make it wait, and its caller.
struct PolledRequest: Sendable {
    let request: Request
    let path: PathParameters
    let handler: Handler
    let caller: Caller

    /// Equal for requests with the same response.
    struct Identity: Hashable {
        let method: HTTPMethod
        let segments: [String]
        let query: [QueryItem]
        let caller: Caller
    }

    var identity: Identity {
        Identity(method: request.method, segments: request.segments, query: request.query, caller: caller)
    }
}
