import Dispatch
import Synchronization

/// Runs tasks on a thread of a dispatch queue.
final class ThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "realmgate.tokens")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { [self] in withExtendedLifetime(self) { job.runSynchronously(on: executor) } }
    }
}

/// A result that one thread waits for and another one sets, once.
final class ResultSlot<T: Sendable>: Sendable {
    private let content = Mutex<Result<T, IdentityError>?>(nil)
    private let ready = DispatchSemaphore(value: 0)

    func put(_ result: Result<T, IdentityError>) {
        content.withLock { $0 = result }
        ready.signal()
    }

    func wait() -> Result<T, IdentityError> {
        ready.wait()
        return content.withLock { $0 } ?? .failure(IdentityError("The token keys could not be read."))
    }
}
