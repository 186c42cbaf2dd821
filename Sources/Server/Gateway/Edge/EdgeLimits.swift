import HTTPServer
import Synchronization

/// What the front counts by, as the configuration asks for it now.
final class EdgeLimits: Sendable {
    /// What counts at one time. An object, so that each request takes no more than a reference.
    final class Settings: Sendable {
        let addresses: RateLimiter?
        let callers: RateLimiter?
        let origins: CrossOriginPolicy
        let proxies: TrustedProxies

        /// A rate that stays goes on with the buckets that it has; another one begins with full ones.
        fileprivate init(_ configuration: GatewayConfiguration, after present: Settings?) {
            func limiter(_ limit: RateLimit?, _ present: RateLimiter?) -> RateLimiter? {
                guard let limit else { return nil }
                if let present, present.limit == limit { return present }
                return RateLimiter(limit)
            }
            addresses = limiter(configuration.addressRate, present?.addresses)
            callers = limiter(configuration.callerRate, present?.callers)
            var origins = CrossOriginPolicy(origins: configuration.allowedOrigins)
            origins.allowsCredentials = configuration.allowsCredentials
            // Who may call is decided by the same object from the start on.
            if let present {
                origins.isOpen = present.origins.isOpen
            } else if let access = configuration.accessControl {
                origins.isOpen = { access.isOpen }
            }
            self.origins = origins
            proxies = configuration.trustedProxies
        }
    }

    private let state: Mutex<Settings>
    /// Event streams of callers.
    let streams: Quota

    init(_ configuration: GatewayConfiguration) {
        streams = Quota(limit: configuration.streamsPerCaller ?? .max)
        state = Mutex(Settings(configuration, after: nil))
    }

    /// What counts now.
    var now: Settings { state.withLock { $0 } }

    func update(_ configuration: GatewayConfiguration) {
        streams.limit = configuration.streamsPerCaller ?? .max
        state.withLock { $0 = Settings(configuration, after: $0) }
    }
}
