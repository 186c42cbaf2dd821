import HTTPServer
import Synchronization

/// What the front counts by, as the configuration asks for it now.
final class FrontLimits: Sendable {
    private struct State {
        var addresses: RateLimiter?
        var callers: RateLimiter?
        var origins: CrossOriginPolicy
        var proxies: TrustedProxies
    }

    private let state: Mutex<State>
    /// Event streams of callers.
    let streams: Quota

    init(_ configuration: GatewayConfiguration) {
        streams = Quota(limit: configuration.streamsPerCaller ?? .max)
        state = Mutex(
            State(
                addresses: configuration.addressRate.map { RateLimiter($0) },
                callers: configuration.callerRate.map { RateLimiter($0) }, origins: Self.origins(configuration),
                proxies: configuration.trustedProxies))
    }

    var addresses: RateLimiter? { state.withLock { $0.addresses } }
    var callers: RateLimiter? { state.withLock { $0.callers } }
    var origins: CrossOriginPolicy { state.withLock { $0.origins } }
    var proxies: TrustedProxies { state.withLock { $0.proxies } }

    /// A rate that stays goes on with the buckets that it has; another one begins with full ones.
    func update(_ configuration: GatewayConfiguration) {
        streams.limit = configuration.streamsPerCaller ?? .max
        state.withLock { state in
            state.addresses = Self.limiter(configuration.addressRate, state.addresses)
            state.callers = Self.limiter(configuration.callerRate, state.callers)
            state.origins = Self.origins(configuration)
            state.proxies = configuration.trustedProxies
        }
    }

    private static func limiter(_ limit: RateLimit?, _ present: RateLimiter?) -> RateLimiter? {
        guard let limit else { return nil }
        if let present, present.limit == limit { return present }
        return RateLimiter(limit)
    }

    private static func origins(_ configuration: GatewayConfiguration) -> CrossOriginPolicy {
        var origins = CrossOriginPolicy(origins: configuration.allowedOrigins)
        origins.allowsCredentials = configuration.allowsCredentials
        return origins
    }
}
