package import Dispatch
import Foundation
import Synchronization

/// The main thread, the main queue and the main actor, treated as one.
///
/// In a program with an asynchronous `main`, the main queue leaves the main thread on Linux: code isolated to the main
/// actor then runs on other threads, one at a time. So the queue counts as the main thread, and each job is given to
/// both the thread's run loop and the actor, until it is known which of the two runs.
package struct MainScheduler: LiveScheduler {
    /// The main thread, once a scheduler was created on it. Kept forever, so that no other thread is mistaken for it.
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

    package var mark: SchedulerMark { thread?.mark ?? .unknown }

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

    /// A job that is given to two executors and run by the first of them.
    private final class First: Sendable {
        private let job: @Sendable () -> Void
        private let isDone = Atomic(false)

        init(_ job: @escaping @Sendable () -> Void) { self.job = job }

        func run() {
            if !isDone.exchange(true, ordering: .acquiringAndReleasing) { job() }
        }
    }
}

/// Returns the scheduler of the calling code: the main one, else that of the thread.
package func currentScheduler() -> any LiveScheduler {
    MainScheduler.isCurrent ? MainScheduler() : RunLoopScheduler.current
}

/// Returns the scheduler of a serial queue. Throws `concurrentQueue`.
package func scheduler(of queue: DispatchQueue) throws -> any LiveScheduler {
    let scheduler = try QueueScheduler(queue)
    return scheduler.isMain ? MainScheduler() : scheduler
}

/// Returns the scheduler of an actor.
package func scheduler(of actor: any Actor) -> any LiveScheduler {
    actor === MainActor.shared ? MainScheduler() : ActorScheduler(actor)
}
