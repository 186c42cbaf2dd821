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
        let anyOrigin = policy.origins.contains("*") && !policy.isOpen()
        guard let origin = request.header("Origin"), anyOrigin || policy.lists(origin) else {
            // The response depends on the origin all the same, and caches must know.
            return anyOrigin ? next(request) : next(request).mapHead { $0.headers.vary("Origin") }
        }
        let isPreflight = request.isPreflight
        let requestedHeaders = isPreflight ? request.header("Access-Control-Request-Headers") : nil
        return next(request).mapHead { head in
            head.headers["Access-Control-Allow-Origin"] = anyOrigin ? "*" : origin
            if !anyOrigin {
                head.headers.vary("Origin")
                if policy.allowsCredentials { head.headers["Access-Control-Allow-Credentials"] = "true" }
            }
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

extension Request {
    /// Whether a browser asks for permission to make a request.
    package var isPreflight: Bool {
        method == .options && header("Origin") != nil && header("Access-Control-Request-Method") != nil
    }
}
