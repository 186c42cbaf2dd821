import Dispatch

/// Runs tasks on a thread of a dispatch queue.
final class ThreadExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "realmgate.tokens")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { [self] in withExtendedLifetime(self) { job.runSynchronously(on: executor) } }
    }
}
