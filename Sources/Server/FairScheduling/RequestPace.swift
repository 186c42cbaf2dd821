import Dispatch
package import HTTPServer
import StoreContract
import Synchronization

/// The long work of one request: its caller, and where it pauses. All threads that work for the request pass its
/// checkpoints here. Most requests are answered on a loop's thread and have no such work.
package final class RequestPace: WorkPace {
    /// The work of this thread; nil on a loop's thread.
    @TaskLocal package static var current: RequestPace?

    let caller: LimitKey

    /// The permit and the pool that issued it.
    private struct Permit {
        let pool: WorkerPool
        /// Nil before it begins.
        var id: FairScheduler.ID?
        /// When it was paused, on the clock of the pool; nil while it runs.
        var restsSince: Int64?
        /// The number of threads that wait until it continues.
        var waiting = 0
    }

    private let permit = Mutex<Permit?>(nil)
    /// Whether a pause is requested or in effect. All threads of the request pause.
    private let wish = Atomic(false)
    private let listener = Mutex<ClientPresence?>(nil)
    private let rested = Atomic<Int64>(0)
    private let wakeUp = DispatchSemaphore(value: 0)

    package init(_ caller: LimitKey) { self.caller = caller }

    /// The key of the program's own work, which has no caller.
    package static let ownCaller = LimitKey.caller("")

    /// The client that waits for the response; nil for the program's own work.
    package var client: ClientPresence? { listener.withLock { $0 } }

    func isFor(_ client: ClientPresence) { listener.withLock { $0 = client } }

    var mustPause: Bool { wish.load(ordering: .relaxed) }

    var isAlone: Bool { permit.withLock { $0?.pool }.map { $0.length <= 1 } ?? true }

    /// A request's work ends early when its client has left.
    var isAbandoned: Bool { client?.hasLeft == true }

    var paused: Duration { .nanoseconds(rested.load(ordering: .relaxed)) }

    /// Passes the permit on if another job has priority, and waits for the next one.
    func pause() {
        let (pool, waits) = permit.withLock { permit -> (WorkerPool?, Bool) in
            guard let present = permit, let id = present.id else { return (nil, false) }
            if present.restsSince == nil {
                guard present.pool.mustYield(id) else {
                    wish.store(false, ordering: .relaxed)
                    return (nil, false)
                }
                wish.store(true, ordering: .relaxed)
                permit?.restsSince = present.pool.now
            }
            permit?.waiting += 1
            return (present.pool, true)
        }
        pool?.startNext()
        if waits { wakeUp.wait() }
    }

    // MARK: - For the pool

    /// Whether this pool runs it.
    func runs(in pool: WorkerPool) -> Bool { permit.withLock { $0?.pool === pool } }

    /// Returns false if it waits or runs somewhere already.
    func sit(in pool: WorkerPool) -> Bool {
        permit.withLock { permit in
            guard permit == nil else { return false }
            permit = Permit(pool: pool)
            return true
        }
    }

    /// Called with the first permit.
    func begin(_ id: FairScheduler.ID) { permit.withLock { $0?.id = id } }

    /// Called when the job has ended. The request has no permit from now on, and its other threads, such as the one that
    /// produces its body, pause no longer. Those that wait go on: nobody would give them a permit.
    func leave() {
        let waiting = permit.withLock { permit -> Int in
            defer { permit = nil }
            wish.store(false, ordering: .relaxed)
            return endPause(&permit)
        }
        for _ in 0..<waiting { wakeUp.signal() }
    }

    /// Requests a pause at the next checkpoint. Must not take a lock: the pool calls it under its own.
    func requestPause() { wish.store(true, ordering: .relaxed) }

    /// Called when it has a permit again.
    func proceed() {
        let waiting = permit.withLock { endPause(&$0) }
        for _ in 0..<waiting { wakeUp.signal() }
    }

    /// Returns the number of threads that have waited for the end of the pause; 0 if it does not pause.
    private func endPause(_ permit: inout Permit?) -> Int {
        guard let present = permit, let since = present.restsSince else { return 0 }
        rested.wrappingAdd(max(present.pool.now - since, 0), ordering: .relaxed)
        wish.store(false, ordering: .relaxed)
        permit?.restsSince = nil
        permit?.waiting = 0
        return present.waiting
    }
}
