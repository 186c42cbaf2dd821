package import HTTPServer
package import Synchronization

/// The rate limits and quotas for requests, with the present configuration.
package final class RequestLimits: Sendable {
    /// The limits at one time. A class, so that each request needs only a reference.
    package final class Settings: Sendable {
        package let addresses: RateLimiter?
        package let callers: RateLimiter?
        package let origins: CrossOriginPolicy
        package let proxies: TrustedProxies

        /// An unchanged rate keeps its buckets; a changed one begins with full buckets.
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
            // The access control is the same object from the start.
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
    /// The quota of event streams per caller.
    package let streams: Quota

    init(_ configuration: GatewayConfiguration) {
        streams = Quota(limit: configuration.streamsPerCaller ?? .max)
        state = Mutex(Settings(configuration, after: nil))
    }

    /// The present limits.
    package var now: Settings { state.withLock { $0 } }

    func update(_ configuration: GatewayConfiguration) {
        streams.limit = configuration.streamsPerCaller ?? .max
        state.withLock { $0 = Settings(configuration, after: $0) }
    }
}

/// Counters of requests that the gateway's middlewares rejected or moved, for metrics.
package final class RequestCounters: Sendable {
    package let limitedAddresses = Atomic(0)
    package let limitedCallers = Atomic(0)
    package let limitedStreams = Atomic(0)
    /// Missing, invalid or expired credentials, and unknown roles.
    package let unidentified = Atomic(0)
    /// Reads that began on a loop and were passed to a worker.
    package let movedReads = Atomic(0)
}
