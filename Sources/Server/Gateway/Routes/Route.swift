package import HTTPMessages
import HTTPServer
package import RequestHandling

/// A route of the gateway: a row of `Gateway.routeTable`.
package struct Route: Sendable {
    /// What becomes of a request's body before the handler begins.
    enum Body: Sendable {
        /// It stays in memory, within `limits.body`.
        case memory
        /// It stays in memory, and the handler parses it with long lists of plain values left as text.
        case lists
        /// It is received into a file, within `limits.import`. The check reads what the request says besides its body,
        /// on the loop's thread, and refuses the request before the body comes.
        case file(check: @Sendable (Request, PathParameters) throws -> Void)
    }

    package let method: HTTPMethod
    package let pattern: String
    package let audience: Audience
    let body: Body
    /// Whether the route reads what its parameters select, so that `POST /v1/query/…` takes them as a form.
    let isQuery: Bool
    let handler: Handler

    init(
        _ method: HTTPMethod, _ pattern: String, for audience: Audience = .callers, body: Body = .memory,
        isQuery: Bool = false, _ handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.audience = audience
        self.body = body
        self.isQuery = isQuery
        self.handler = handler
    }

    /// A read or an event stream of what parameters select.
    static func query(_ pattern: String, _ handler: @escaping Handler) -> Route {
        Route(.get, pattern, isQuery: true, handler)
    }
}
