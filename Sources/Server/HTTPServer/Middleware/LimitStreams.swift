/// Refuses event streams of those who have too many open, with 429.
///
/// - Parameters:
///   - key: whose request it is; nil for one that does not count.
///   - refused: told of every stream refused.
package func limitStreams(
    _ quota: Quota, refused: @escaping @Sendable () -> Void = {},
    by key: @escaping @Sendable (Request) -> LimitKey? = { LimitKey($0.remoteAddress) }
) -> Middleware {
    { request, next in
        let reply = next(request)
        // Most answers are here, and no stream.
        if case .now = reply { return reply }
        guard let key = key(request) else { return reply }
        return reply.map { answer in
            guard case .events(let headers, let start) = answer else { return answer }
            guard let lease = quota.take(key) else {
                refused()
                return .response(
                    HTTPError(
                        429, code: "streams.limited",
                        detail: "You have \(quota.limit) event streams open, which is as many as you may. Close one, "
                            + "or put several queries into one subscription set.",
                        headers: ["Retry-After": "5"]
                    ).httpResponse)
            }
            // A stream that never opens drops `start`, and the lease with it.
            return .events(headers: headers) { stream in
                stream.onClose { _ in withExtendedLifetime(lease) {} }
                start(stream)
            }
        }
    }
}
