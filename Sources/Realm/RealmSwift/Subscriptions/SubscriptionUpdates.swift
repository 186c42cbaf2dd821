import Foundation
import Synchronization

/// Serialises updates of the subscriptions.
final class SubscriptionUpdates: Sendable {
    private let lock = NSLock()
    /// The thread that is updating; 0 for none.
    private let owner = Atomic<UInt>(0)

    private static var thread: UInt { UInt(bitPattern: Int(pthread_self())) }

    /// Waits for the updates of other threads. Returns false within an update of this thread.
    func begin() -> Bool {
        guard owner.load(ordering: .acquiring) != Self.thread else { return false }
        lock.lock()
        owner.store(Self.thread, ordering: .releasing)
        return true
    }

    func end() {
        owner.store(0, ordering: .releasing)
        lock.unlock()
    }
}
