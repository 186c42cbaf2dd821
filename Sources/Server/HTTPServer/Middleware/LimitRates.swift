import HTTPMessages

/// Rejects requests beyond the rate limit with 429 and `Retry-After`, and reports the remaining requests in the others.
///
/// - Parameters:
///   - limiter: called for each request; nil for no limit.
///   - key: returns the key of a request; nil for one that does not count.
///   - refused: called for every rejected request.
package func limitRates(
    _ limiter: @escaping @Sendable () -> RateLimiter?, refused: @escaping @Sendable () -> Void = {},
    by key: @escaping @Sendable (Request) -> LimitKey? = { LimitKey($0.remoteAddress) }
) -> Middleware {
    { request, next in
        guard let limiter = limiter(), let key = key(request) else { return next(request) }
        let outcome = limiter.take(key)
        let burst = limiter.limit.burst
        guard outcome.isAllowed else {
            refused()
            var response = HTTPError(
                .rateLimited,
                detail: "Too many requests. Try again in \(outcome.retryAfter) s, and less often from then on.",
                headers: ["Retry-After": String(outcome.retryAfter)]
            ).httpResponse
            response.addRateLimit(outcome, burst)
            return .now(response)
        }
        return next(request).mapHead { $0.addRateLimit(outcome, burst) }
    }
}

extension Response {
    /// Reports the limit, or of two limits the one with fewer remaining requests.
    fileprivate mutating func addRateLimit(_ outcome: RateLimiter.Outcome, _ burst: Int) {
        if let known = headers["RateLimit-Remaining"].flatMap({ Int($0) }), known <= outcome.remaining { return }
        headers["RateLimit-Limit"] = String(burst)
        headers["RateLimit-Remaining"] = String(outcome.remaining)
        headers["RateLimit-Reset"] = String(outcome.reset)
    }
}
