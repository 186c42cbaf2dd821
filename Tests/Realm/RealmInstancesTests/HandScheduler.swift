import Dispatch
import Glibc
import LiveTesting
import RealmInstances
import Synchronization
import TestBasics

/// A scheduler whose turns the test runs, on the thread that created it.
final class HandScheduler: LiveScheduler {
    private let thread = UInt(pthread_self())
    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let arrived = DispatchSemaphore(value: 0)
    let canDeliver: Bool

    init(canDeliver: Bool = true) { self.canDeliver = canDeliver }

    var id: LiveSchedulerID { LiveSchedulerID(self) }
    var isCurrent: Bool { thread == UInt(pthread_self()) }

    func run(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }

    /// Runs the jobs that have arrived. Returns false if there are none.
    @discardableResult
    func turn() -> Bool {
        guard arrived.wait(timeout: .now()) == .success else { return false }
        take()
        return true
    }

    /// Waits for the next job and runs it. Returns false if none arrives.
    func waitForTurn() -> Bool {
        guard arrived.wait(timeout: .now() + .seconds(TestRun.patience)) == .success else { return false }
        take()
        return true
    }

    private func take() {
        let job = jobs.withLock { $0.removeFirst() }
        job()
    }
}
