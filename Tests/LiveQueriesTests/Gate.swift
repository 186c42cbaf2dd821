import Dispatch

/// Holds up one thread until another lets it go on.
struct Gate: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    func arrive() { arrived.signal() }
    func waitForArrival() { arrived.wait() }
    func open() { opened.signal() }
    func wait() { opened.wait() }
}
