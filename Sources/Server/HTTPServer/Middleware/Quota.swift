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

    private struct State {
        var limit: Int
        var counts: [LimitKey: Int] = [:]
    }

    private let state: Mutex<State>

    package init(limit: Int) { state = Mutex(State(limit: limit)) }

    /// A lower one takes nothing from those who have more already.
    package var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// One more; nil when that would be too many.
    package func take(_ key: LimitKey) -> Lease? {
        let isFree = state.withLock { state in
            guard state.counts[key, default: 0] < state.limit else { return false }
            state.counts[key, default: 0] += 1
            return true
        }
        return isFree ? Lease(self, key) : nil
    }

    private func release(_ key: LimitKey) {
        state.withLock { state in
            let left = (state.counts[key] ?? 1) - 1
            state.counts[key] = left > 0 ? left : nil
        }
    }

    /// Callers that have any.
    package var count: Int { state.withLock { $0.counts.count } }
}
