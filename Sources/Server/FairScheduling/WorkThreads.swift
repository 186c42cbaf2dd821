import Dispatch
import Glibc
import Synchronization

/// Threads for blocking work. A thread is started when none is idle, and ends after it has been idle for a while. The
/// caller must limit the amount of work.
final class WorkThreads: Sendable {
    typealias Work = @Sendable () -> Void

    /// The next job of one thread.
    private final class Desk: Sendable {
        let work = Mutex<Work?>(nil)
        let wakeUp = DispatchSemaphore(value: 0)

        func takeWork() -> Work? {
            work.withLock { work in
                defer { work = nil }
                return work
            }
        }
    }

    private let idle = Mutex<[Desk]>([])
    private static let maximumIdleTime = DispatchTimeInterval.seconds(5)

    /// Runs the work on a thread. Returns false if the system cannot create one.
    func start(_ work: @escaping Work) -> Bool {
        if let desk = idle.withLock({ $0.popLast() }) {
            desk.work.withLock { $0 = work }
            desk.wakeUp.signal()
            return true
        }
        let desk = Desk()
        desk.work.withLock { $0 = work }
        let context = Unmanaged.passRetained(Start(threads: self, desk: desk))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                start.threads.run(start.desk)
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private final class Start: Sendable {
        let threads: WorkThreads
        let desk: Desk
        init(threads: WorkThreads, desk: Desk) {
            self.threads = threads
            self.desk = desk
        }
    }

    /// Event loops have priority where processors are scarce: their work is short, and everybody waits for it.
    private static let niceness: Int32 = 5

    private func run(_ desk: Desk) {
        // To Linux, 0 is the calling thread. If the system does not permit it, all threads have the same priority.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
        while true {
            // An idle thread retains nothing of the work.
            desk.takeWork()?()
            idle.withLock { $0.append(desk) }
            if desk.wakeUp.wait(timeout: .now() + Self.maximumIdleTime) == .success { continue }
            let isForgotten = idle.withLock { idle in
                guard let index = idle.firstIndex(where: { $0 === desk }) else { return false }
                idle.remove(at: index)
                return true
            }
            if isForgotten { return }
            // Work was assigned just now.
            desk.wakeUp.wait()
        }
    }
}
