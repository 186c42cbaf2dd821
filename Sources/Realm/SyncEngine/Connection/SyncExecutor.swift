import Dispatch

/// Runs one file's synchronisation, one job at a time, on a thread that the application's tasks do not share: an
/// application that keeps Swift's pool of threads busy does not delay it.
final class SyncExecutor: TaskExecutor {
    // Dispatch gives a serial queue a thread of its own when the pool has none left.
    private let queue = DispatchQueue(label: "realmgate.sync")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Calls after a time, also while all threads of Swift's pool are busy.
enum SyncTimer {
    private static let queue = DispatchQueue(label: "realmgate.sync.timer")

    /// Calls `body` after `seconds`, unless what it returns is cancelled before. The caller keeps that until then.
    static func call(after seconds: Double, _ body: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
        // A work item for later would stay in memory until then, even if it is cancelled.
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: body)
        timer.schedule(deadline: .now() + seconds)
        timer.resume()
        return timer
    }

    /// Returns after `seconds`, or when the task is cancelled.
    static func pause(_ seconds: Double) async { await AutoResetEvent().wait(seconds: seconds) }
}
