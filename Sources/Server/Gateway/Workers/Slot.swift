import Synchronization

/// Passes one value from one thread to another.
final class Slot<T: Sendable>: Sendable {
    private let content = Mutex<T?>(nil)

    var value: T? { content.withLock { $0 } }

    func put(_ value: T) { content.withLock { $0 = value } }
}
