import Synchronization

/// Keeps an observation of an instance, and the instance itself, alive: the observation ends when the token is
/// invalidated or the last reference to it is dropped.
package final class InstanceToken: Sendable {
    /// Set until the token is invalidated.
    final class Flag: Sendable {
        private let value = Atomic(true)
        var isSet: Bool { value.load(ordering: .acquiring) }
        /// Clears the flag; returns false when it was already cleared.
        func clear() -> Bool { value.exchange(false, ordering: .acquiringAndReleasing) }
    }

    private enum State: Sendable {
        case observer(Int, of: LiveInstance)
        /// The registration happens later, elsewhere.
        case expected
        case elsewhere(InstanceToken)
        case none
    }

    private let flag: Flag
    private let state: Mutex<State>

    /// The token of a registered observer.
    init(_ order: Int, of instance: LiveInstance, _ flag: Flag) {
        state = Mutex(.observer(order, of: instance))
        self.flag = flag
    }

    /// The token of an observer that will be registered elsewhere: see `resolve`.
    package init() {
        state = Mutex(.expected)
        flag = Flag()
    }

    deinit { invalidate() }

    /// Ends the observation, also one that was not registered yet. From the observing thread: no call follows, not even
    /// one that was about to be made in the same turn. From another thread: a call that is running may finish. Returns
    /// false when the token was already invalidated.
    @discardableResult
    package func invalidate() -> Bool {
        guard flag.clear() else { return false }
        let last = state.withLock { state in
            defer { state = .none }
            return state
        }
        switch last {
        case .observer(let order, let instance): instance.forget(order)
        case .elsewhere(let token): token.invalidate()
        case .expected, .none: break
        }
        return true
    }

    /// False once the token was invalidated.
    package var isValid: Bool { flag.isSet }

    /// Makes the token of an expected registration a part of this one.
    package func resolve(_ token: InstanceToken) {
        let isTaken = state.withLock { state in
            guard case .expected = state else { return false }
            state = .elsewhere(token)
            return true
        }
        if !isTaken { token.invalidate() }
    }

    /// The number of this token's observer; nil when the token has been invalidated. Throws when it belongs to another
    /// instance.
    func order(in instance: LiveInstance) throws -> Int? {
        switch state.withLock({ $0 }) {
        case .observer(let order, let owner) where owner === instance: order
        case .none: nil
        case .observer, .expected, .elsewhere: throw InstanceError.foreignToken
        }
    }
}
