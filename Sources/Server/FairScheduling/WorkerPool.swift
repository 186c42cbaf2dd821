import Dispatch
import HTTPProblems
package import HTTPServer
package import JSONCoding
package import ObjectCoding
import Promises
package import Synchronization

/// Runs long work, a few jobs at a time in turns: see `FairScheduler`. Each job that has begun has a thread of its own,
/// which waits while others run.
package final class WorkerPool: Sendable {
    /// The texts of error responses for clients.
    package struct Names: Sendable {
        /// The error codes for too much work of the caller, and of all callers.
        var limited: Problem.Code
        var busy: Problem.Code
        /// `long requests`
        var work: String
        /// A sentence that says what the caller can do.
        var remedy: String
        /// The setting of the limit per caller.
        var setting: String

        package init(
            limited: Problem.Code, busy: Problem.Code, work: String, remedy: String, setting: String
        ) {
            self.limited = limited
            self.busy = busy
            self.work = work
            self.remedy = remedy
            self.setting = setting
        }
    }

    private struct Job: Sendable {
        let request: RequestPace
        /// Called when it has a permit for the first time.
        let begin: @Sendable (FairScheduler.ID, RequestPace) -> Void
        /// Called if it will not run.
        let refuse: @Sendable () -> Void
        var hasBegun = false
    }

    private struct State: Sendable {
        var scheduler: FairScheduler
        var jobs: [FairScheduler.ID: Job] = [:]
        var isTicking = false
    }

    private let state: Mutex<State>
    private let threads = WorkThreads()
    private let clockQueue = DispatchQueue(label: "realmgate.turns", qos: .userInteractive)
    private let slice: Int64
    private let clock: @Sendable () -> Int64
    private let names: Names
    /// Counts the long texts that jobs write.
    private let memory: TextMemory?
    /// The number of each caller's jobs, waiting or running.
    package let quota: Quota
    /// Whether more jobs want to run than may run at a time.
    private let crowded = Atomic(false)
    /// Rejections because of one caller's limit, and because of the total limit.
    package let limited = Atomic(0)
    package let refused = Atomic(0)

    /// - Parameters:
    ///   - count: the number of jobs that run at a time.
    ///   - begun: the number of jobs that may have begun, most of which are paused.
    ///   - limit: the number of jobs that may wait to begin.
    ///   - perCaller: the number of jobs of one caller.
    ///   - slice: the time slice in nanoseconds.
    ///   - memory: counts the long texts that jobs write; nil if nothing does.
    ///   - clock: returns the time in nanoseconds that turns and rests are measured with.
    package init(
        count: Int, begun: Int, limit: Int, perCaller: Int, slice: Int64 = 3_000_000, _ names: Names,
        memory: TextMemory? = nil,
        clock: @escaping @Sendable () -> Int64 = { monotonicNanoseconds() }
    ) {
        self.slice = slice
        self.clock = clock
        self.names = names
        self.memory = memory
        quota = Quota(limit: perCaller)
        state = Mutex(
            State(
                scheduler: FairScheduler(
                    FairScheduler.Limits(
                        permits: max(count, 1), begun: max(begun, count, 1), queue: max(limit, 0), slice: slice))))
    }

    /// The number of jobs that run or wait.
    package var length: Int { state.withLock { $0.scheduler.count } }

    /// The time in nanoseconds on the clock of the turns.
    var now: Int64 { clock() }

    /// The clients that wait for its jobs.
    package var clients: [ClientPresence] { state.withLock { $0.jobs.values.compactMap(\.request.client) } }

    /// Whether jobs wait for their turn.
    package var isCrowded: Bool { crowded.load(ordering: .relaxed) }

    /// The number of jobs that have begun.
    package var begun: Int { state.withLock { $0.scheduler.begunCount } }

    /// Answers later as `work` does on one of the threads, or at once with 429 or 503 when too much is waiting already.
    /// Work that is done here already does it now.
    ///
    /// - Parameter caller: the owner of the work, unless this thread already works for a request.
    package func reply(for caller: LimitKey, _ work: @escaping @Sendable () -> Reply) -> Reply {
        let request = RequestPace.current ?? RequestPace(caller)
        if request.runs(in: self) { return work() }
        let lease: Quota.Lease
        do throws(Problem) {
            lease = try self.lease(for: request.caller)
        } catch {
            return .now(error.httpResponse)
        }
        return .later { [self] responder in
            request.isFor(responder.client)
            add(request, mayRefuse: true) { [self] in
                defer { withExtendedLifetime(lease) {} }
                // The client has disconnected.
                if responder.client.hasLeft { return responder.send(busy.httpResponse) }
                work().send(to: responder)
            } refuse: { [self] in
                refused.add(1, ordering: .relaxed)
                responder.send(busy.httpResponse)
                withExtendedLifetime(lease) {}
            }
        }
    }

    /// Returns one of the caller's slots in the pool, which it keeps until the last reference is released. Throws 429
    /// if the caller has reached its limit.
    package func lease(for caller: LimitKey) throws(Problem) -> Quota.Lease {
        if let lease = quota.acquire(caller) { return lease }
        limited.add(1, ordering: .relaxed)
        var problem = Problem(
            names.limited,
            "You have \(quota.limit) \(names.work) waiting or running, which is your limit (\(names.setting)). \(names.remedy)"
        )
        problem.retryAfter = 1
        throw problem
    }

    /// Throws 503 if no more jobs may wait.
    package func checkRoom() throws(Problem) {
        guard state.withLock({ $0.scheduler.freshCount >= $0.scheduler.limits.queue }) else { return }
        refused.add(1, ordering: .relaxed)
        throw busy
    }

    private var busy: Problem {
        var problem = Problem(names.busy, "Too many \(names.work) are waiting. Try again in a moment.")
        problem.retryAfter = 1
        return problem
    }

    /// Runs work without a response, or with one that is sent in another way.
    ///
    /// - Parameter client: the client that is informed of the result.
    package func run(for caller: LimitKey?, _ client: ClientPresence? = nil, _ work: @escaping @Sendable () -> Void) {
        let request = RequestPace(caller ?? RequestPace.ownCaller)
        if let client { request.isFor(client) }
        add(request, mayRefuse: false, start: work) {}
    }

    /// Runs work on this thread when it has its turn.
    package func perform<R>(for asked: RequestPace, _ work: () throws -> R) rethrows -> R {
        if asked.runs(in: self) { return try work() }
        let turn = Promise<(id: FairScheduler.ID, request: RequestPace)?>()
        submit(asked, mayRefuse: false) { id, request in
            turn.set((id, request))
        } refuse: {
            turn.set(nil)
        }
        guard let job = turn.wait() else { return try work() }
        defer { finish(job.id, job.request) }
        return try run(work, as: job.request)
    }

    /// Runs work of a request on this thread, with what it is counted by.
    private func run<R>(_ work: () throws -> R, as request: RequestPace) rethrows -> R {
        try RequestPace.$current.withValue(request) { try TextMemory.$current.withValue(memory) { try work() } }
    }

    // MARK: - Turns

    private func add(
        _ asked: RequestPace, mayRefuse: Bool, start work: @escaping @Sendable () -> Void,
        refuse: @escaping @Sendable () -> Void
    ) {
        submit(asked, mayRefuse: mayRefuse) { [self] id, request in
            let hasThread = threads.start { [self] in
                run(work, as: request)
                finish(id, request)
            }
            guard !hasThread else { return }
            finish(id, request)
            refuse()
        } refuse: {
            refuse()
        }
    }

    /// - Parameter begin: called once it has a permit for the first time; must not block.
    private func submit(
        _ asked: RequestPace, mayRefuse: Bool,
        begin: @escaping @Sendable (FairScheduler.ID, RequestPace) -> Void, refuse: @escaping @Sendable () -> Void
    ) {
        let request = asked.sit(in: self) ? asked : RequestPace(asked.caller)
        if request !== asked {
            _ = request.sit(in: self)
            if let client = asked.client { request.isFor(client) }
        }
        let refused = state.withLock { state -> Job? in
            let (id, admission) = state.scheduler.add(
                request.caller, isExpendable: mayRefuse, at: now)
            let job = Job(request: request, begin: begin, refuse: refuse)
            switch admission {
            case .refused: return job
            case .waits: break
            case .replaces(let victim):
                defer { state.jobs[victim] = nil }
                state.jobs[id] = job
                return state.jobs[victim]
            }
            state.jobs[id] = job
            return nil
        }
        if let refused {
            refused.request.leave()
            refused.refuse()
        }
        startNext()
    }

    /// Lets all jobs continue that have a permit from now on.
    func startNext() {
        let (started, resumed, mustTick) = state.withLock { state in
            var started: [(FairScheduler.ID, Job)] = []
            var resumed: [RequestPace] = []
            for id in state.scheduler.grant(at: now) {
                guard let job = state.jobs[id] else { continue }
                if job.hasBegun {
                    resumed.append(job.request)
                } else {
                    state.jobs[id]?.hasBegun = true
                    started.append((id, job))
                }
            }
            crowded.store(state.scheduler.waitingCount > 0, ordering: .relaxed)
            let mustTick = !state.isTicking && state.scheduler.waitingCount > 0
            if mustTick { state.isTicking = true }
            return (started, resumed, mustTick)
        }
        for request in resumed { request.proceed() }
        for (id, job) in started {
            job.request.begin(id)
            job.begin(id, job.request)
        }
        if mustTick { tickLater() }
    }

    /// Called at a checkpoint: returns whether the job must pause. `startNext` must follow.
    func mustYield(_ id: FairScheduler.ID) -> Bool {
        state.withLock { $0.scheduler.checkpoint(id, at: now) }
    }

    private func finish(_ id: FairScheduler.ID, _ request: RequestPace) {
        request.leave()
        state.withLock { state in
            state.scheduler.remove(id, at: now)
            state.jobs[id] = nil
        }
        startNext()
    }

    /// While jobs wait, notifies the running ones when their slice is over.
    private func tickLater() {
        clockQueue.asyncAfter(deadline: .now() + .nanoseconds(Int(slice))) { [weak self] in
            guard let self else { return }
            let goesOn = state.withLock { state in
                // Under the lock: a job that has rested meanwhile would otherwise be asked to rest once more.
                for id in state.scheduler.tick(at: now) { state.jobs[id]?.request.requestPause() }
                state.isTicking = state.scheduler.waitingCount > 0
                return state.isTicking
            }
            // A permit taken from a job without checkpoints may be free.
            startNext()
            if goesOn { tickLater() }
        }
    }
}
