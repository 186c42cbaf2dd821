package import Dispatch
package import LiveQueries
package import StoreContract
import Synchronization

/// A serial queue; for the main one see `scheduler(of:)`.
///
/// A queue cannot be asked whether it is serial. Global queues are known by their names and refused; of another
/// concurrent one, an instance notices two threads at once and refuses the second.
package struct QueueScheduler: LiveScheduler {
    /// What tells a queue from others: the same queue may come wrapped in several objects.
    private final class Mark: Sendable {}

    private static let key = DispatchSpecificKey<Mark>()
    private static let marking = Mutex(())

    private let queue: DispatchQueue
    private let mark: Mark

    /// Throws `concurrentQueue` for a global queue.
    package init(_ queue: DispatchQueue) throws {
        guard !queue.label.hasPrefix("com.apple.root.") else {
            throw StoreError(
                .concurrentQueue,
                "A Realm can be confined to a serial queue only, and '\(queue.label)' is a global one. Make a queue of your own."
            )
        }
        self.queue = queue
        mark = Self.marking.withLock { _ in
            if let known = queue.getSpecific(key: Self.key) { return known }
            let made = Mark()
            queue.setSpecific(key: Self.key, value: made)
            return made
        }
    }

    package var id: LiveSchedulerID { LiveSchedulerID(mark) }
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) === mark }
    package var canDeliver: Bool { true }
    package func run(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }
}

/// A serial queue's scheduler. The main queue shares the main thread's. Throws `concurrentQueue` for a global queue.
package func scheduler(of queue: DispatchQueue) throws -> any LiveScheduler {
    RunLoopScheduler.isMain(queue) ? RunLoopScheduler.main : try QueueScheduler(queue)
}

extension StoreError.Code {
    package static let concurrentQueue = Self(rawValue: "instance.concurrent_queue")
}
