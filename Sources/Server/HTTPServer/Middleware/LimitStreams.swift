import HTTPMessages

/// Rejects event streams beyond the quota with 429.
///
/// - Parameters:
///   - setting: the name of the setting with the quota, for the response.
///   - key: returns the key of a request; nil for one that does not count.
///   - refused: called for every rejected stream.
package func limitStreams(
    _ quota: Quota, setting: String? = nil, refused: @escaping @Sendable () -> Void = {},
    by key: @escaping @Sendable (Request) -> LimitKey? = { LimitKey($0.remoteAddress) }
) -> Middleware {
    { request, next in
        let reply = next(request)
        // Most replies are ready and not streams.
        if case .now = reply { return reply }
        guard let key = key(request) else { return reply }
        return reply.map { outcome in
            guard case .events(let headers, let start) = outcome else { return outcome }
            guard let lease = quota.acquire(key) else {
                refused()
                return .response(
                    HTTPError(
                        .streamsLimited,
                        detail: "You have \(quota.limit) event streams open, which is your limit"
                            + "\(setting.map { " (\($0))" } ?? ""). Close one, "
                            + "or put several queries into one subscription set.",
                        headers: ["Retry-After": "5"]
                    ).httpResponse)
            }
            // A stream that never opens releases `start`, and the lease with it.
            return .events(headers: headers) { stream in
                stream.onClose { _ in withExtendedLifetime(lease) {} }
                start(stream)
            }
        }
    }
}
