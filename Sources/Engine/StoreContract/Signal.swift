import Dispatch

/// A flag that one thread raises once and another waits for.
struct Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func raise() { semaphore.signal() }
    func wait() { semaphore.wait() }
}
