/// Which web pages may call the server, and what they may see.
package struct CrossOriginPolicy: Sendable {
    /// Such as `https://app.example.com`; `*` allows every page.
    package var origins: Set<String>
    /// Whether pages may let the browser add cookies and the like. Never with `*`, which browsers refuse; tokens and keys
    /// that a page sends itself, in `Authorization`, are not concerned.
    package var allowsCredentials = false
    /// Fields of answers that pages may read, besides the few that they always may.
    package static let exposedHeaders = [
        "ETag", "Realmgate-Mark", "Location", "Link", "Retry-After", "X-Request-Id", "RateLimit-Limit",
        "RateLimit-Remaining",
        "RateLimit-Reset", "Idempotency-Replayed",
    ].joined(separator: ", ")
    /// How long browsers need not ask again, in seconds.
    package var preflightSeconds = 600
    /// Whether nobody is asked for credentials. While this is true `*` stands for no page: the server would do whatever
    /// any page in a browser near it asks for. Only origins that are listed by name count.
    package var isOpen: @Sendable () -> Bool = { false }

    package init(origins: Set<String>) { self.origins = origins }

    /// Whether the origin is listed by name. `null`, as pages in sandboxes and in files of anybody are called, is no name
    /// that an open server would go by.
    func lists(_ origin: String) -> Bool {
        origin != "*" && origins.contains(origin) && (origin != "null" || !isOpen())
    }
}

/// Lets web pages of the given origins call the server, as browsers require; preflight requests are answered with the
/// methods that the path takes and whatever header fields are asked for, `Authorization`, `If-Match`,
/// `Idempotency-Key` and `Last-Event-ID` among them.
///
/// To be used outside of what asks who calls: preflight requests bring no credentials.
///
/// - Parameter policy: asked for at each request, because it may change.
package func allowCrossOrigin(_ policy: @escaping @Sendable () -> CrossOriginPolicy) -> Middleware {
    { request, next in
        let policy = policy()
        let anyOrigin = policy.origins.contains("*") && !policy.isOpen()
        guard let origin = request.header("Origin"), anyOrigin || policy.lists(origin) else {
            // The answer depends on the origin all the same, and caches must know.
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
    /// A browser asks whether a page may make a request.
    package var isPreflight: Bool {
        method == .options && header("Origin") != nil && header("Access-Control-Request-Method") != nil
    }
}
