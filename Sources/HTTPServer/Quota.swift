import Synchronization

/// How many of something each caller or address has now, such as connections or event streams.
package final class Quota: Sendable {
    /// One of them; it counts until the last reference to this is gone.
    package final class Lease: Sendable {
        private let quota: Quota
        private let key: LimitKey

        fileprivate init(_ quota: Quota, _ key: LimitKey) {
            self.quota = quota
            self.key = key
        }

        deinit { quota.release(key) }
    }

    package let limit: Int
    private let counts = Mutex<[LimitKey: Int]>([:])

    package init(limit: Int) { self.limit = limit }

    /// One more; nil when that would be too many.
    package func take(_ key: LimitKey) -> Lease? {
        let isFree = counts.withLock { counts in
            guard counts[key, default: 0] < limit else { return false }
            counts[key, default: 0] += 1
            return true
        }
        return isFree ? Lease(self, key) : nil
    }

    private func release(_ key: LimitKey) {
        counts.withLock { counts in
            let left = (counts[key] ?? 1) - 1
            counts[key] = left > 0 ? left : nil
        }
    }

    /// Callers that have any.
    package var count: Int { counts.withLock { $0.count } }
}
