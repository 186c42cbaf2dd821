import Synchronization

/// Keeps an observation of an instance alive, and the instance: it ends when the token is invalidated or the last
/// reference to it is dropped.
package final class InstanceToken: Sendable {
    /// Set until the token is invalidated.
    final class Flag: Sendable {
        private let value = Atomic(true)
        var isSet: Bool { value.load(ordering: .acquiring) }
        /// False when it was cleared before.
        func clear() -> Bool { value.exchange(false, ordering: .acquiringAndReleasing) }
    }

    private enum Place: Sendable {
        case observer(Int, of: LiveInstance)
        /// The registration happens later, somewhere else.
        case expected
        case elsewhere(InstanceToken)
        case none
    }

    private let flag: Flag
    private let place: Mutex<Place>

    /// Of an observer that is registered.
    init(_ order: Int, of instance: LiveInstance, _ flag: Flag) {
        place = Mutex(.observer(order, of: instance))
        self.flag = flag
    }

    /// Of one that is to be registered somewhere else: see `resolve`.
    package init() {
        place = Mutex(.expected)
        flag = Flag()
    }

    deinit { invalidate() }

    /// Ends the observation, also one that was not registered yet. From the observing thread: no call follows, not
    /// even one that was about to be made in the same turn. From another thread: a call that is running may finish.
    package func invalidate() {
        guard flag.clear() else { return }
        let last = place.withLock { place in
            defer { place = .none }
            return place
        }
        switch last {
        case .observer(let order, let instance): instance.forget(order)
        case .elsewhere(let token): token.invalidate()
        case .expected, .none: break
        }
    }

    /// False once the token was invalidated.
    package var isValid: Bool { flag.isSet }

    /// Makes an expected registration's token a part of this one.
    package func resolve(_ token: InstanceToken) {
        let isTaken = place.withLock { place in
            guard case .expected = place else { return false }
            place = .elsewhere(token)
            return true
        }
        if !isTaken { token.invalidate() }
    }

    /// The observer that this is the token of; nil when it is another instance's. An invalidated token is the token of
    /// no observer any more, and no fault.
    func order(in instance: LiveInstance) throws -> Int? {
        switch place.withLock({ $0 }) {
        case .observer(let order, let owner) where owner === instance: order
        case .none: nil
        case .observer, .expected, .elsewhere: throw InstanceError.foreignToken
        }
    }
}
