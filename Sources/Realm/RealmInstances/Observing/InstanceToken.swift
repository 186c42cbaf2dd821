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

    private enum Place: Sendable {
        case observer(Int, of: LiveInstance)
        /// The registration happens later, elsewhere.
        case expected
        case elsewhere(InstanceToken)
        case none
    }

    private let flag: Flag
    private let place: Mutex<Place>

    /// The token of a registered observer.
    init(_ order: Int, of instance: LiveInstance, _ flag: Flag) {
        place = Mutex(.observer(order, of: instance))
        self.flag = flag
    }

    /// The token of an observer that will be registered elsewhere: see `resolve`.
    package init() {
        place = Mutex(.expected)
        flag = Flag()
    }

    deinit { invalidate() }

    /// Ends the observation, also one that was not registered yet. From the observing thread: no call follows, not even
    /// one that was about to be made in the same turn. From another thread: a call that is running may finish. Returns
    /// false when the token was already invalidated.
    @discardableResult
    package func invalidate() -> Bool {
        guard flag.clear() else { return false }
        let last = place.withLock { place in
            defer { place = .none }
            return place
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
        let isTaken = place.withLock { place in
            guard case .expected = place else { return false }
            place = .elsewhere(token)
            return true
        }
        if !isTaken { token.invalidate() }
    }

    /// The number of this token's observer; nil when the token has been invalidated. Throws when it belongs to another
    /// instance.
    func order(in instance: LiveInstance) throws -> Int? {
        switch place.withLock({ $0 }) {
        case .observer(let order, let owner) where owner === instance: order
        case .none: nil
        case .observer, .expected, .elsewhere: throw InstanceError.foreignToken
        }
    }
}
