import Dispatch
import HTTPServer
import Synchronization

/// Where what takes long is done, a few at a time and by turns: see `FairScheduler`. Each work that has begun has a
/// thread of its own, on which it rests while others run.
final class WorkerPool: Sendable {
    /// What the pool is for, as far as it tells clients.
    struct Names: Sendable {
        /// The codes of refusals: because of the caller, because of everybody.
        var limited: String
        var busy: String
        /// `long requests`
        var work: String
        /// What a caller has too much of, and what to do.
        var remedy: String
        /// The setting of the limit for each caller.
        var setting: String
    }

    private struct Job: Sendable {
        let request: RequestWork
        /// Called when it has a permit for the first time.
        let begin: @Sendable (FairScheduler.ID, RequestWork) -> Void
        /// Called when it is not to run at all.
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
    private let names: Names
    /// What each caller has here, waiting or under way.
    let quota: Quota
    /// Whether more is to run than may at a time.
    private let crowded = Atomic(false)
    /// Refusals because of one caller, and because of all.
    let limited = Atomic(0)
    let refused = Atomic(0)

    /// - Parameters:
    ///   - count: how much runs at a time.
    ///   - begun: how much may have begun, most of which rests.
    ///   - limit: how much may wait to begin.
    ///   - perCaller: how much of one caller may be here.
    ///   - slice: nanoseconds between two turns.
    init(count: Int, begun: Int, limit: Int, perCaller: Int, slice: Int64 = 3_000_000, _ names: Names) {
        self.slice = slice
        self.names = names
        quota = Quota(limit: perCaller)
        state = Mutex(
            State(
                scheduler: FairScheduler(
                    FairScheduler.Limits(
                        permits: max(count, 1), begun: max(begun, count, 1), queue: max(limit, 0), slice: slice))))
    }

    /// Requests that run or wait.
    var length: Int { state.withLock { $0.scheduler.count } }

    /// Whether some wait for their turn.
    var isCrowded: Bool { crowded.load(ordering: .relaxed) }

    /// Those among them that have begun.
    var begun: Int { state.withLock { $0.scheduler.begunCount } }

    /// Answers later as `work` does on one of the threads, or at once with 429 or 503 when too much is waiting already.
    /// Work that is done here already does it now.
    ///
    /// - Parameter caller: whose work it is, unless it is part of work that runs here already.
    func reply(for caller: LimitKey, _ work: @escaping @Sendable () -> Reply) -> Reply {
        let request = RequestWork.current ?? RequestWork(caller)
        if request.runs(in: self) { return work() }
        let lease: Quota.Lease
        do throws(Problem) {
            lease = try place(for: request.caller)
        } catch {
            return .now(error.httpResponse)
        }
        return .later { [self] responder in
            request.isFor(responder.client)
            add(request, mayRefuse: true) { [self] in
                defer { withExtendedLifetime(lease) {} }
                // Nobody is there any more to hear the answer.
                if responder.client.hasLeft { return responder.answer(busy.httpResponse) }
                work().answer(responder)
            } refuse: { [self] in
                refused.add(1, ordering: .relaxed)
                responder.answer(busy.httpResponse)
                withExtendedLifetime(lease) {}
            }
        }
    }

    /// One of the caller's places here, which is his until the last reference to it is gone. Throws 429 when he has as
    /// many as he may have.
    func place(for caller: LimitKey) throws(Problem) -> Quota.Lease {
        if let lease = quota.take(caller) { return lease }
        limited.add(1, ordering: .relaxed)
        var problem = Problem(
            429, names.limited,
            "You have \(quota.limit) \(names.work) waiting or under way, as many as you may (\(names.setting)). \(names.remedy)"
        )
        problem.retryAfter = 1
        throw problem
    }

    /// Throws 503 when nothing more may wait.
    func checkRoom() throws(Problem) {
        guard state.withLock({ $0.scheduler.freshCount >= $0.scheduler.limits.queue }) else { return }
        refused.add(1, ordering: .relaxed)
        throw busy
    }

    private var busy: Problem {
        var problem = Problem(503, names.busy, "Too many \(names.work) are waiting. Try again in a moment.")
        problem.retryAfter = 1
        return problem
    }

    /// Does work that nobody waits for an answer of, or hears of it in another way.
    ///
    /// - Parameter client: who hears of it.
    func run(for caller: LimitKey?, _ client: ClientPresence? = nil, _ work: @escaping @Sendable () -> Void) {
        let request = RequestWork(caller ?? RequestWork.ownCaller)
        if let client { request.isFor(client) }
        add(request, mayRefuse: false, start: work) {}
    }

    /// Does work on this thread when it is its turn.
    func perform<R>(for asked: RequestWork, _ work: () throws -> R) rethrows -> R {
        if asked.runs(in: self) { return try work() }
        let bell = DispatchSemaphore(value: 0)
        let place = Slot<(id: FairScheduler.ID, request: RequestWork)>()
        submit(asked, mayRefuse: false) { id, request in
            place.put((id, request))
            bell.signal()
        } refuse: {
            bell.signal()
        }
        bell.wait()
        guard let place = place.value else { return try work() }
        defer { finish(place.id, place.request) }
        return try RequestWork.$current.withValue(place.request) { try work() }
    }

    // MARK: - Turns

    private func add(
        _ asked: RequestWork, mayRefuse: Bool, start work: @escaping @Sendable () -> Void,
        refuse: @escaping @Sendable () -> Void
    ) {
        submit(asked, mayRefuse: mayRefuse) { [self] id, request in
            let hasThread = threads.start { [self] in
                RequestWork.$current.withValue(request) { work() }
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
        _ asked: RequestWork, mayRefuse: Bool,
        begin: @escaping @Sendable (FairScheduler.ID, RequestWork) -> Void, refuse: @escaping @Sendable () -> Void
    ) {
        let request = asked.sit(in: self) ? asked : RequestWork(asked.caller)
        if request !== asked {
            _ = request.sit(in: self)
            if let client = asked.client { request.isFor(client) }
        }
        let refused = state.withLock { state -> Job? in
            let (id, admission) = state.scheduler.add(
                request.caller, isExpendable: mayRefuse, at: monotonicNanoseconds())
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

    /// Has everything go on that has a permit from now on.
    func startNext() {
        let (started, resumed, mustTick) = state.withLock { state in
            var started: [(FairScheduler.ID, Job)] = []
            var resumed: [RequestWork] = []
            for id in state.scheduler.grant(at: monotonicNanoseconds()) {
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
        for request in resumed { request.goOn() }
        for (id, job) in started {
            job.request.begin(id)
            job.begin(id, job.request)
        }
        if mustTick { tickLater() }
    }

    /// At a checkpoint: whether the work is to rest. `startNext` is to follow.
    func mustRest(_ id: FairScheduler.ID) -> Bool {
        state.withLock { $0.scheduler.checkpoint(id, at: monotonicNanoseconds()) }
    }

    private func finish(_ id: FairScheduler.ID, _ request: RequestWork) {
        request.leave()
        state.withLock { state in
            state.scheduler.remove(id, at: monotonicNanoseconds())
            state.jobs[id] = nil
        }
        startNext()
    }

    /// While somebody waits, those who run are told when their slice is over.
    private func tickLater() {
        clockQueue.asyncAfter(deadline: .now() + .nanoseconds(Int(slice))) { [weak self] in
            guard let self else { return }
            let (late, goesOn) = state.withLock { state in
                let late = state.scheduler.tick(at: monotonicNanoseconds()).compactMap { state.jobs[$0]?.request }
                state.isTicking = state.scheduler.waitingCount > 0
                return (late, state.isTicking)
            }
            for request in late { request.askForPause() }
            // A permit may be free that was taken from work without checkpoints.
            startNext()
            if goesOn { tickLater() }
        }
    }
}
