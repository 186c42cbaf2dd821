import HTTPServer

/// A read that is answered later: the request without what makes it wait, and for whom it is.
struct WaitingRead: Sendable {
    let request: Request
    let path: PathParameters
    let handler: Handler
    let caller: Caller

    /// Equal for reads with the same answer.
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
