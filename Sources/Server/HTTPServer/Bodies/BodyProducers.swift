import Glibc
import Synchronization

/// The threads of a server that produce pieces of streamed bodies, so that loops never wait for them. A thread is
/// started when no existing one is idle. Jobs run in order of arrival.
final class BodyProducers: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [Work] = []
        /// The number of elements of `waiting` that have been taken.
        var taken = 0
        var threads = 0
        var idle = 0
        var isStopped = false

        mutating func next() -> Work? {
            guard taken < waiting.count else { return nil }
            let work = waiting[taken]
            taken += 1
            if taken == waiting.count {
                waiting = []
                taken = 0
            } else if taken >= 64, taken * 2 >= waiting.count {
                waiting.removeFirst(taken)
                taken = 0
            }
            return work
        }
    }

    private let limit: Int
    private let state = Mutex(State())
    private let jobs = CountingSemaphore()
    private let ended = CountingSemaphore()

    init(limit: Int) { self.limit = max(limit, 1) }

    /// Runs a job on one of the threads; after `stop` the job is dropped.
    func add(_ work: @escaping Work) {
        let isTaken = state.withLock { state in
            guard !state.isStopped else { return false }
            state.waiting.append(work)
            if state.idle < state.waiting.count - state.taken, state.threads < limit { startThread(&state) }
            return true
        }
        if isTaken { jobs.signal() }
    }

    /// Drops waiting jobs, and waits for running ones until the deadline, in monotonic milliseconds.
    func stop(by deadline: Int64) {
        let threads = state.withLock { state in
            defer { state = State(isStopped: true) }
            return state.threads
        }
        for _ in 0..<threads { jobs.signal() }
        for _ in 0..<threads where !ended.wait(until: deadline) { return }
    }

    private func startThread(_ state: inout State) {
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<BodyProducers>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard status == 0 else { return context.release() }
        pthread_detach(thread)
        state.threads += 1
    }

    private func run() {
        while true {
            state.withLock { $0.idle += 1 }
            jobs.wait()
            let (work, isStopped) = state.withLock { state in
                state.idle -= 1
                return (state.next(), state.isStopped)
            }
            if isStopped { return ended.signal() }
            work?()
        }
    }
}

/// A counting semaphore: each signal ends one wait.
private final class CountingSemaphore: Sendable {
    // Semaphores are for use by many threads; the address is fixed from `init` to `deinit`.
    nonisolated(unsafe) private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }

    /// - Parameter deadline: in monotonic milliseconds.
    /// - Returns: false if the deadline passed first.
    func wait(until deadline: Int64) -> Bool {
        // The semaphore's timeout uses the wall clock.
        let left = min(max(deadline - monotonicMilliseconds(), 0), 1 << 40)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let nanoseconds = time.tv_nsec + Int(left % 1000) * 1_000_000
        time.tv_sec += Int(left / 1000) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        while sem_timedwait(semaphore, &time) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
