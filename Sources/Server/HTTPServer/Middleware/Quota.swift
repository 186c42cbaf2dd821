import Synchronization

/// Counts items, such as connections or event streams, by caller or address, with a limit.
package final class Quota: Sendable {
    /// One counted item. It counts until it is released.
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

    /// The limit. Lowering it affects only new requests: callers keep what they already have.
    package var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// Counts one more; nil if the limit is reached.
    package func acquire(_ key: LimitKey) -> Lease? {
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

    /// The number of callers that have any.
    package var count: Int { state.withLock { $0.counts.count } }
}
