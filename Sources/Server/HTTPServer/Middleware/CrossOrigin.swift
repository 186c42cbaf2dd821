package import HTTPMessages

/// Determines which web pages may call the server, and which response fields they can read.
package struct CrossOriginPolicy: Sendable {
    /// The allowed origins, such as `https://app.example.com`; `*` allows every page.
    package var origins: Set<String>
    /// Whether pages may send browser credentials, such as cookies. Never with `*`, which browsers reject. Tokens and
    /// keys that a page sends itself in `Authorization` are not affected.
    package var allowsCredentials = false
    /// The response fields that pages can read, besides those that they always can.
    package static let exposedHeaders = [
        "ETag", "Realmgate-Mark", "Location", "Link", "Retry-After", "X-Request-Id", "RateLimit-Limit",
        "RateLimit-Remaining",
        "RateLimit-Reset", "Idempotency-Replayed",
    ].joined(separator: ", ")
    /// The time in seconds for which browsers cache the preflight response.
    package var preflightSeconds = 600
    /// Whether the server requires no credentials. While this is true, `*` allows no page: any page in a nearby browser
    /// could change anything. Only origins listed by name are allowed.
    package var isOpen: @Sendable () -> Bool = { false }

    package init(origins: Set<String>) { self.origins = origins }

    /// Whether the origin is listed by name. `null`, the origin of sandboxed pages and local files, does not count as a
    /// name.
    func lists(_ origin: String) -> Bool {
        origin != "*" && origins.contains(origin) && (origin != "null" || !isOpen())
    }
}

/// Lets web pages of the given origins call the server (CORS). Preflight requests are answered with the methods of the
/// path and all requested header fields, including `Authorization`, `If-Match`, `Idempotency-Key` and `Last-Event-ID`.
///
/// Use it outside of the authentication: preflight requests have no credentials.
///
/// - Parameter policy: called for each request, because it may change.
package func allowCrossOrigin(_ policy: @escaping @Sendable () -> CrossOriginPolicy) -> Middleware {
    { request, next in
        let policy = policy()
        let anyOrigin = policy.allowsEvery
        guard let origin = request.header("Origin"), anyOrigin || policy.lists(origin) else {
            // The response depends on the origin all the same, and caches must know.
            return anyOrigin ? next(request) : next(request).mapHead { $0.headers.vary("Origin") }
        }
        let isPreflight = request.isPreflight
        let requestedHeaders = isPreflight ? request.header("Access-Control-Request-Headers") : nil
        return next(request).mapHead { head in
            policy.allow(origin, in: &head.headers)
            if isPreflight {
                head.headers["Access-Control-Allow-Methods"] = head.headers["Allow"]
                head.headers["Access-Control-Allow-Headers"] = requestedHeaders
                head.headers["Access-Control-Max-Age"] = String(policy.preflightSeconds)
                if requestedHeaders != nil { head.headers.vary("Access-Control-Request-Headers") }
            } else {
                head.headers["Access-Control-Expose-Headers"] = CrossOriginPolicy.exposedHeaders
            }
        }
    }
}

extension CrossOriginPolicy {
    /// Whether pages of all origins may call the server.
    fileprivate var allowsEvery: Bool { origins.contains("*") && !isOpen() }

    fileprivate func allow(_ origin: String, in headers: inout HeaderFields) {
        guard !allowsEvery else { return headers["Access-Control-Allow-Origin"] = "*" }
        headers["Access-Control-Allow-Origin"] = origin
        headers.vary("Origin")
        if allowsCredentials { headers["Access-Control-Allow-Credentials"] = "true" }
    }

    /// Lets pages of the allowed origins read a response that goes past the middlewares; a browser reports a network error
    /// otherwise.
    ///
    /// A preflight request whose target is too long is granted: only the response to the request itself says so to the
    /// page.
    package func allowReading(_ response: inout Response, to request: RefusedRequest) {
        if !allowsEvery { response.headers.vary("Origin") }
        guard let origin = request.origin, allowsEvery || lists(origin) else { return }
        if let preflight = request.preflight, response.status == HTTPError.Code.targetTooLong.status {
            let vary = response.headers["Vary"]
            response = .empty()
            response.headers["Vary"] = vary
            response.headers["Access-Control-Allow-Methods"] = preflight.method
            response.headers["Access-Control-Allow-Headers"] = preflight.fields
        } else {
            response.headers["Access-Control-Expose-Headers"] = Self.exposedHeaders
        }
        allow(origin, in: &response.headers)
    }
}

extension Request {
    /// Whether a browser asks for permission to make a request.
    package var isPreflight: Bool {
        method == .options && header("Origin") != nil && header("Access-Control-Request-Method") != nil
    }
}
