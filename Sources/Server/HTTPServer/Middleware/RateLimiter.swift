import Synchronization

/// How many requests somebody may make.
package struct RateLimit: Hashable, Sendable {
    /// In the long run.
    package var perSecond: Double
    /// At once, after a time without any.
    package var burst: Int

    /// Numbers below one request a day or at once are taken for that.
    package init(perSecond: Double, burst: Int) {
        self.perSecond = max(perSecond, 1 / 86_400)
        self.burst = max(burst, 1)
    }
}

/// A bucket of tokens for everybody who came lately: a request takes one, and time fills the bucket up again.
///
/// Memory is bounded: of more than `capacity` callers those that have not come for longest are forgotten, and have a full
/// bucket again. Cost: some 100 ns under a lock that few share. Any thread may ask.
package final class RateLimiter: Sendable {
    /// What became of a request.
    package struct Outcome: Hashable, Sendable {
        package var isAllowed: Bool
        /// Requests that could be made at once.
        package var remaining: Int
        /// Whole seconds until another request may be made; 0 when it may be made now.
        package var retryAfter: Int
        /// Whole seconds until as many as ever may be made at once.
        package var reset: Int
    }

    private struct Bucket {
        var tokens: Double
        /// When they were counted, in nanoseconds.
        var time: Int64
    }

    /// The callers of late, and those before them who have not come since.
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
    ///   - capacity: most callers that are remembered, about 100 bytes each.
    ///   - clock: monotonic nanoseconds.
    package init(_ limit: RateLimit, capacity: Int = 100_000, clock: (@Sendable () -> Int64)? = nil) {
        self.limit = limit
        shards = (0..<8).map { _ in Mutexed() }
        shardCapacity = max(capacity / 16, 1)
        self.clock = clock ?? { monotonicNanoseconds() }
    }

    /// Takes one token from the caller's bucket, if there is one.
    package func take(_ key: LimitKey) -> Outcome {
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

    /// Callers that are remembered.
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
