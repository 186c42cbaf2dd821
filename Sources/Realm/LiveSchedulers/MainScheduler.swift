package import Dispatch
import Foundation
package import LiveQueries
import Synchronization

/// The main thread, the main queue and the main actor, which are one.
///
/// In a program whose `main` is asynchronous the main queue leaves the main thread on Linux: what is isolated to the main
/// actor then runs on other threads, one at a time. So the queue counts as the main thread, and what is to be run is
/// given to both the thread's run loop and the actor, until it is known which of the two is at work.
package struct MainScheduler: LiveScheduler {
    /// The main thread's, once a scheduler was made there. Never given up, so that no other thread's looks the same.
    private static let thread = Mutex<RunLoopScheduler?>(nil)
    private static let hasLeftThread = Atomic(false)

    private let thread: RunLoopScheduler?

    package init() {
        let own = Thread.isMainThread ? RunLoopScheduler.current : nil
        thread = Self.thread.withLock { thread in
            if let own { thread = own }
            return thread
        }
    }

    package var threadMark: UnsafeRawPointer? { thread?.threadMark }

    package static var isCurrent: Bool { Thread.isMainThread || QueueScheduler.isMainCurrent }

    package var id: LiveSchedulerID { LiveSchedulerID(MainActor.shared) }
    package var isCurrent: Bool { thread?.isCurrent == true || Self.isCurrent }
    package var canDeliver: Bool { true }

    package func run(_ job: @escaping @Sendable () -> Void) {
        let first = First(job)
        if !Self.hasLeftThread.load(ordering: .relaxed) {
            RunLoopScheduler.addToMain { first.run() }
        }
        Task { @MainActor in
            if !Thread.isMainThread { Self.hasLeftThread.store(true, ordering: .relaxed) }
            first.run()
        }
    }

    /// A job that is given to two places, and is run where it comes to its turn first.
    private final class First: Sendable {
        private let job: @Sendable () -> Void
        private let isDone = Atomic(false)

        init(_ job: @escaping @Sendable () -> Void) { self.job = job }

        func run() {
            if !isDone.exchange(true, ordering: .acquiringAndReleasing) { job() }
        }
    }
}

/// The scheduler of the calling code: the main one, else that of the thread.
package func currentScheduler() -> any LiveScheduler {
    MainScheduler.isCurrent ? MainScheduler() : RunLoopScheduler.current
}

/// The scheduler of a serial queue. Throws `concurrentQueue`.
package func scheduler(of queue: DispatchQueue) throws -> any LiveScheduler {
    let scheduler = try QueueScheduler(queue)
    return scheduler.isMain ? MainScheduler() : scheduler
}

/// The scheduler of an actor.
package func scheduler(of actor: any Actor) -> any LiveScheduler {
    actor === MainActor.shared ? MainScheduler() : ActorScheduler(actor)
}
