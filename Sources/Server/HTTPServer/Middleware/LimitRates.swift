/// Refuses requests of those who make too many, with 429 and when to come again, and tells the others how many are left.
///
/// - Parameters:
///   - limiter: what counts them, asked for at each request; nil for no limit.
///   - key: whose request it is; nil for one that does not count.
///   - refused: told of every request refused.
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
                429, code: "rate.limited",
                detail: "Too many requests. Try again in \(outcome.retryAfter) s, and less often from then on.",
                headers: ["Retry-After": String(outcome.retryAfter)]
            ).httpResponse
            response.tell(outcome, burst)
            return .now(response)
        }
        return next(request).mapHead { $0.tell(outcome, burst) }
    }
}

extension Response {
    /// Of two limits the one that has less left is told.
    fileprivate mutating func tell(_ outcome: RateLimiter.Outcome, _ burst: Int) {
        if let told = headers["RateLimit-Remaining"].flatMap({ Int($0) }), told <= outcome.remaining { return }
        headers["RateLimit-Limit"] = String(burst)
        headers["RateLimit-Remaining"] = String(outcome.remaining)
        headers["RateLimit-Reset"] = String(outcome.reset)
    }
}
