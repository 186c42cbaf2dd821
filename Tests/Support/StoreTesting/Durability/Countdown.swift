import Dispatch
import Synchronization

/// Lets a thread wait until something has happened a number of times.
package final class Countdown: Sendable {
    private let remaining: Atomic<Int>
    private let done = DispatchSemaphore(value: 0)

    package init(_ count: Int) { remaining = Atomic(count) }

    package func countDown() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done.signal() }
    }

    /// For one waiting thread.
    package func wait() { done.wait() }
}
