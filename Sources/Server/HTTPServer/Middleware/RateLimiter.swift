package import HTTPMessages
import Synchronization

/// The limit of a rate of requests.
package struct RateLimit: Hashable, Sendable {
    /// The sustained rate.
    package var perSecond: Double
    /// The number of requests that can be made at once after a pause.
    package var burst: Int

    /// Raises the rate to at least one request a day, and the burst to at least one.
    package init(perSecond: Double, burst: Int) {
        self.perSecond = max(perSecond, 1 / 86_400)
        self.burst = max(burst, 1)
    }

    /// Allows bursts of twice the number of requests per second.
    package init(requestsPerSecond count: Int) {
        self.init(perSecond: Double(count), burst: 2 * min(count, .max / 2))
    }
}

/// A token bucket for each recent caller: a request takes a token, and time refills the bucket.
///
/// Memory is bounded: beyond `capacity` callers, those inactive for longest are forgotten, and start with a full bucket
/// again. Cost: about 100 ns under a lock that few share. May be called from any thread.
package final class RateLimiter: Sendable {
    /// The decision about a request.
    package struct Outcome: Hashable, Sendable {
        package var isAllowed: Bool
        /// The number of requests that can be made at once now.
        package var remaining: Int
        /// Whole seconds until another request can be made; 0 if it can be made now.
        package var retryAfter: Int
        /// Whole seconds until the bucket is full.
        package var reset: Int
    }

    private struct Bucket {
        var tokens: Double
        /// The time when the tokens were counted, in nanoseconds.
        var time: Int64
    }

    /// The recent callers, and the previous generation, which has not called since.
    private struct Shard: ~Copyable {
        var recent: [LimitKey: Bucket] = [:]
        var earlier: [LimitKey: Bucket] = [:]
    }

    package let limit: RateLimit
    private let shards: [Mutexed]
    private let shardCapacity: Int
    private let clock: @Sendable () -> Int64

    private final class Mutexed: Sendable {
        let shard = Mutex(Shard())
    }

    /// - Parameters:
    ///   - capacity: the maximum number of callers that are remembered, about 100 bytes each.
    ///   - clock: returns monotonic nanoseconds.
    package init(_ limit: RateLimit, capacity: Int = 100_000, clock: (@Sendable () -> Int64)? = nil) {
        self.limit = limit
        shards = (0..<8).map { _ in Mutexed() }
        shardCapacity = max(capacity / 16, 1)
        self.clock = clock ?? { monotonicNanoseconds() }
    }

    /// Takes a token from the caller's bucket, if it has one.
    package func acquire(_ key: LimitKey) -> Outcome {
        let now = clock()
        let shard = shards[Int(UInt(bitPattern: key.hashValue) % UInt(shards.count))]
        return shard.shard.withLock { shard in
            var bucket =
                shard.recent[key] ?? shard.earlier[key] ?? Bucket(tokens: Double(limit.burst), time: now)
            let seconds = Double(max(now - bucket.time, 0)) / 1e9
            bucket.tokens = min(bucket.tokens + seconds * limit.perSecond, Double(limit.burst))
            bucket.time = now
            let isAllowed = bucket.tokens >= 1
            if isAllowed { bucket.tokens -= 1 }
            if shard.recent.count >= shardCapacity, shard.recent[key] == nil {
                shard.earlier = shard.recent
                shard.recent = [:]
            }
            shard.recent[key] = bucket
            return outcome(of: bucket, isAllowed)
        }
    }

    /// The number of callers that are remembered.
    package var count: Int {
        shards.reduce(0) { sum, shard in
            sum
                + shard.shard.withLock {
                    $0.recent.count + $0.earlier.keys.count { [recent = $0.recent] in recent[$0] == nil }
                }
        }
    }

    private func outcome(of bucket: Bucket, _ isAllowed: Bool) -> Outcome {
        func seconds(until tokens: Double) -> Int {
            let missing = tokens - bucket.tokens
            return missing <= 0 ? 0 : Int((missing / limit.perSecond).rounded(.up))
        }
        return Outcome(
            isAllowed: isAllowed, remaining: Int(bucket.tokens), retryAfter: isAllowed ? 0 : max(seconds(until: 1), 1),
            reset: seconds(until: Double(limit.burst)))
    }
}

/// The key by which a limit counts.
package enum LimitKey: Hashable, Sendable {
    case address(UInt32)
    /// The first 64 bits of an IPv6 address: one customer can use any address that begins with them.
    case network(UInt64)
    case caller(String)

    /// Returns the key of a peer's address; nil for requests without a socket.
    package init?(_ address: RemoteAddress) {
        switch address {
        case .none: return nil
        case .v4(let address, _): self = .address(address)
        // An IPv4-mapped IPv6 address.
        case .v6(0, let low, _) where low >> 32 == 0xffff: self = .address(UInt32(truncatingIfNeeded: low))
        case .v6(let high, _, _): self = .network(high)
        }
    }
}

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
        let outcome = limiter.acquire(key)
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
