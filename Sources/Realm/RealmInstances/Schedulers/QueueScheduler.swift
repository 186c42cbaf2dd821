import CExecutor
package import Dispatch
package import StoreContract
import Synchronization

/// A serial queue, or the main queue.
///
/// There is no way to ask a queue whether it is serial. Global queues are recognised by their names and rejected. With
/// another concurrent queue, the instance detects two simultaneous threads and rejects the second.
package struct QueueScheduler: LiveScheduler {
    /// Identifies a queue, because several objects may wrap the same queue.
    private final class Mark: Sendable {}

    private static let main = try? QueueScheduler(.main)
    private static let key = DispatchSpecificKey<Mark>()
    private static let marking = Mutex(())

    private let queue: DispatchQueue
    private let own: Mark

    /// Throws `concurrentQueue` for a global queue.
    package init(_ queue: DispatchQueue) throws {
        guard !queue.label.hasPrefix("com.apple.root.") else {
            throw StoreError(
                .concurrentQueue,
                "A Realm can be confined to a serial queue only, and '\(queue.label)' is a global one. Create a serial queue."
            )
        }
        self.queue = queue
        own = Self.marking.withLock { _ in
            if let known = queue.getSpecific(key: Self.key) { return known }
            let made = Mark()
            queue.setSpecific(key: Self.key, value: made)
            return made
        }
    }

    /// Whether the caller runs on the main queue.
    static var isMainCurrent: Bool { main?.isCurrent == true }

    /// Whether it is the main queue.
    package var isMain: Bool { own === Self.main?.own }

    package var id: LiveSchedulerID { LiveSchedulerID(own) }
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) === own }

    /// The key's address is what Dispatch looks up, in the versions known so far; if it is not, nothing is found there.
    /// The value's address stays while the queue exists, which this retains.
    package var mark: SchedulerMark {
        let key = SchedulerMark.Address(Unmanaged.passUnretained(Self.key).toOpaque())
        guard isCurrent, let value = queue_specific(key.pointer) else { return .unknown }
        // Where a queue that targets this one is current, that one is not compared: this does not retain it. Nothing has
        // the address of the value, so it stands for no queue.
        let own = current_queue_with(key.pointer) ?? value
        return .queue(SchedulerMark.Address(own), key: key, value: SchedulerMark.Address(value))
    }

    package var canDeliver: Bool { true }
    package func run(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }
}

extension StoreError.Code {
    package static let concurrentQueue = Self(rawValue: "instance.concurrent_queue")
}
