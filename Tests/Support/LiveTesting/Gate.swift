import Dispatch

/// Blocks one thread until another releases it.
package struct Gate: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    package init() {}

    package func arrive() { arrived.signal() }
    package func waitForArrival() { arrived.wait() }
    package func open() { opened.signal() }
    package func wait() { opened.wait() }
}
