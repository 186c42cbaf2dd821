import HTTPServer

/// Decides which long jobs run and which wait. It gets the time as an argument and starts nothing itself, so that tests
/// can simulate any sequence.
///
/// A job needs one of a few permits to run. It keeps the permit for a time slice; after that, at its next checkpoint,
/// it passes the permit to the waiting job with the highest priority:
/// - Of sixteen turns, thirteen go to the job that has run least (least attained service), in levels that each are
///   twice the preceding one. So short jobs do not wait for long ones, whoever requests either. Among equals, the
///   caller with the least recent service comes first.
/// - Two turns go to the caller with the least recent service, so that no caller's short jobs starve another's long
///   ones.
/// - One turn goes to the job that has waited longest. So every job gets a turn, after at most sixteen for each job
///   that has waited longer.
///
/// Service counts only while another caller waits: a caller that had the processors to itself owes nothing to those
/// who come later.
///
/// A job that passes no checkpoint for some slices is overdrawn: it continues, but its permit is lent to another. Once
/// as many jobs are overdrawn as there are permits, only a caller without running jobs is lent one, and a caller with
/// an overdrawn job begins and resumes nothing else. So jobs without checkpoints cannot occupy all threads, and another
/// caller waits for them only a few slices.
struct FairScheduler: Sendable {
    typealias ID = Int

    struct Limits: Hashable, Sendable {
        /// The number of jobs that run at a time.
        var permits: Int
        /// The number of jobs that may have begun, most of which are paused.
        var begun: Int
        /// The number of jobs that may wait to begin.
        var queue: Int
        /// The time slice in nanoseconds.
        var slice: Int64
    }

    /// The decision about a new job.
    enum Admission: Hashable, Sendable {
        case waits
        /// It replaces this waiting job, which will not run.
        case replaces(ID)
        case refused
    }

    private struct Item: Sendable {
        let caller: LimitKey
        /// Whether it may be rejected while it waits to begin.
        let isExpendable: Bool
        /// The time that it has run, up to `countedUntil`, in nanoseconds.
        var attained: Int64 = 0
        var countedUntil: Int64 = 0
        /// When the present slice began; nil while it waits.
        var runningSince: Int64?
        var hasBegun = false
        /// Whether its permit was lent to another job although it still runs.
        var isOverdrawn = false
        /// Increases with each wait: the smaller, the longer it has waited.
        var waitingSince: Int
    }

    private struct Account: Sendable {
        /// The service that others had to wait for, in nanoseconds; older service counts less.
        var attained = 0.0
        var asOf: Int64
        /// Jobs that have not begun, in order.
        var fresh: [ID] = []
        /// Jobs that have begun and wait for their next slice.
        var resting: [ID] = []
        var begun = 0
        var running = 0
        /// The number of running jobs that are overdrawn.
        var overdrawn = 0

        /// The time in nanoseconds after which service counts half.
        static let halfLife = 2e9

        func attained(at now: Int64) -> Double {
            let age = Double(max(now - asOf, 0)) / Self.halfLife
            return age >= 64 ? 0 : attained * scale(age)
        }

        /// Returns 2^-age with an error of a few percent: only the order matters.
        private func scale(_ age: Double) -> Double {
            let whole = age.rounded(.down)
            return (1 - (age - whole) / 2) / Double(UInt64(1) << UInt64(whole))
        }

        mutating func charge(_ nanoseconds: Int64, at now: Int64) {
            attained = attained(at: now) + Double(nanoseconds)
            asOf = now
        }

        /// Whether it has jobs that wait, begun or not.
        var isWaiting: Bool { !(fresh.isEmpty && resting.isEmpty) }

        var isIdle: Bool { !isWaiting && begun == 0 }
    }

    let limits: Limits
    private var items: [ID: Item] = [:]
    private var accounts: [LimitKey: Account] = [:]
    private var lastID = 0
    private var lastWait = 0
    /// The number of scheduling decisions.
    private(set) var turns = 0
    private(set) var begunCount = 0
    /// The number of jobs that wait to begin.
    private(set) var freshCount = 0
    private var restingCount = 0
    private var running: Set<ID> = []
    private var overdrawnCount = 0
    /// The number of callers with waiting jobs.
    private var waitingCallers = 0

    /// The number of slices that a job may exceed before another runs beside it.
    private static let patience: Int64 = 3
    /// The number of callers without jobs that are remembered.
    private static let maximumIdle = 4096

    init(_ limits: Limits) { self.limits = limits }

    /// The number of waiting jobs, begun or not.
    var waitingCount: Int { freshCount + restingCount }

    private var permitsInUse: Int { running.count - overdrawnCount }

    /// The number of waiting or running jobs.
    var count: Int { items.count }

    /// Returns how long a job has run, in nanoseconds, approximately up to its present slice.
    func attained(_ id: ID) -> Int64 { items[id]?.attained ?? 0 }

    // MARK: - Events

    /// Adds a job of a caller. If too many wait, the caller with most waiting jobs loses its last one to a caller with
    /// fewer.
    ///
    /// - Parameter isExpendable: whether it may be rejected, now or while it waits to begin.
    mutating func add(_ caller: LimitKey, isExpendable: Bool = true, at now: Int64) -> (id: ID, Admission) {
        count(at: now)
        lastID += 1
        var admission = Admission.waits
        if freshCount >= limits.queue, isExpendable {
            let own = accounts[caller]?.fresh.count ?? 0
            let longest = accounts.filter { $0.value.fresh.count > own + 1 }
                .max { $0.value.fresh.count < $1.value.fresh.count }?.key
            let victim = longest.flatMap { key in
                accounts[key]?.fresh.last { items[$0]?.isExpendable == true }
            }
            guard let victim else { return (lastID, .refused) }
            remove(victim, at: now)
            admission = .replaces(victim)
        }
        lastWait += 1
        items[lastID] = Item(caller: caller, isExpendable: isExpendable, waitingSince: lastWait)
        if accounts.count > Self.maximumIdle { forgetIdle(at: now) }
        if accounts[caller] == nil { accounts[caller] = Account(asOf: now) }
        let id = lastID
        update(caller) { $0.fresh.append(id) }
        freshCount += 1
        return (lastID, admission)
    }

    /// Assigns free permits, and returns the jobs that must run from now on.
    mutating func grant(at now: Int64) -> [ID] {
        count(at: now)
        var granted: [ID] = []
        while permitsInUse < limits.permits, let id = next(at: now) {
            run(id, at: now)
            granted.append(id)
        }
        return granted
    }

    /// Called at a checkpoint of a running job. Returns true if it must pause: its permit is free for `grant`, which
    /// may assign it to another job only.
    mutating func checkpoint(_ id: ID, at now: Int64) -> Bool {
        guard let item = items[id], let since = item.runningSince else { return false }
        guard now - since >= limits.slice || item.isOverdrawn else { return false }
        count(at: now)
        items[id]?.runningSince = now
        guard waitingCount > 0 || item.isOverdrawn else { return false }
        rest(id)
        // The running job may have the highest priority itself.
        guard permitsInUse < limits.permits, next(at: now, .inspection()) == id else { return true }
        turns += 1
        run(id, at: now)
        return false
    }

    /// Removes a job that has ended, or will not begin.
    mutating func remove(_ id: ID, at now: Int64) {
        count(at: now)
        guard let item = items.removeValue(forKey: id) else { return }
        if item.runningSince != nil {
            running.remove(id)
            if item.isOverdrawn { overdrawnCount -= 1 }
        }
        if item.hasBegun { begunCount -= 1 }
        if item.runningSince == nil {
            if item.hasBegun { restingCount -= 1 } else { freshCount -= 1 }
        }
        update(item.caller) { account in
            if item.runningSince != nil { account.running -= 1 }
            if item.isOverdrawn { account.overdrawn -= 1 }
            if item.hasBegun { account.begun -= 1 }
            account.fresh.removeAll { $0 == id }
            account.resting.removeAll { $0 == id }
        }
    }

    /// Called when time has passed. Returns the jobs that must pause at their next checkpoint. Lends the permits of
    /// jobs without recent checkpoints to waiting jobs that may have them.
    mutating func tick(at now: Int64) -> [ID] {
        count(at: now)
        guard waitingCount > 0 else { return [] }
        var late: [ID] = []
        for id in running.sorted() {
            guard let since = items[id]?.runningSince, now - since >= limits.slice else { continue }
            late.append(id)
        }
        for id in late {
            guard let item = items[id], let since = item.runningSince, !item.isOverdrawn,
                now - since >= limits.slice * Self.patience
            else { continue }
            // Callers that have permits already must wait for their turn.
            guard permitsInUse >= limits.permits else { break }
            guard next(at: now, .inspection(forIdle: overdrawnCount >= limits.permits)) != nil else { break }
            items[id]?.isOverdrawn = true
            overdrawnCount += 1
            update(item.caller) { $0.overdrawn += 1 }
        }
        return late
    }

    // MARK: - Priority

    /// Whether a permit is assigned, or the scheduler only checks who would get it.
    private enum Purpose {
        case turn
        /// - Parameter forIdle: considers only callers without running jobs.
        case inspection(forIdle: Bool = false)
    }

    /// Returns the job with the highest priority that may run; nil if there is none.
    private mutating func next(at now: Int64, _ purpose: Purpose = .turn) -> ID? {
        guard waitingCount > 0 else { return nil }
        let turn = turns + 1
        var best: (id: ID, rank: Rank)?
        for (caller, account) in accounts where account.isWaiting {
            if account.overdrawn > 0, overdrawnCount >= limits.permits { continue }
            if case .inspection(forIdle: true) = purpose, account.running > 0 { continue }
            let served = account.attained(at: now)
            func consider(_ id: ID) {
                guard let item = items[id], item.caller == caller else { return }
                let rank = Rank(turn: turn, level: Self.level(item.attained), served: served, item.waitingSince)
                if best.map({ rank < $0.rank }) ?? true { best = (id, rank) }
            }
            for id in account.resting { consider(id) }
            if let first = account.fresh.first, mayBegin(account) { consider(first) }
        }
        if case .turn = purpose, best != nil { turns = turn }
        return best?.id
    }

    private struct Rank: Comparable {
        let first: Double
        let second: Double
        let waitingSince: Int

        init(turn: Int, level: Int, served: Double, _ waitingSince: Int) {
            (first, second) =
                switch turn % 16 {
                case 0: (0, 0)
                case 5, 11: (served, 0)
                default: (Double(level), served)
                }
            self.waitingSince = waitingSince
        }

        static func < (a: Rank, b: Rank) -> Bool {
            (a.first, a.second, a.waitingSince) < (b.first, b.second, b.waitingSince)
        }
    }

    /// Returns 0 below 8 ms, and one more for each doubling: 11 from 8 s on.
    static func level(_ attained: Int64) -> Int {
        let steps = UInt64(max(attained, 0)) / 8_000_000
        return min(UInt64.bitWidth - steps.leadingZeroBitCount, 11)
    }

    /// Each caller may use half of the remaining capacity, so that there is always room for another caller.
    private func mayBegin(_ account: Account) -> Bool {
        let left = limits.begun - begunCount
        return left > 0 && account.begun <= left / 2
    }

    // MARK: - Changes

    private mutating func run(_ id: ID, at now: Int64) {
        guard var item = items[id] else { return }
        let isNew = !item.hasBegun
        item.hasBegun = true
        item.runningSince = now
        item.countedUntil = now
        items[id] = item
        running.insert(id)
        if isNew {
            begunCount += 1
            freshCount -= 1
        } else {
            restingCount -= 1
        }
        update(item.caller) { account in
            account.running += 1
            if isNew {
                account.begun += 1
                account.fresh.removeAll { $0 == id }
            } else {
                account.resting.removeAll { $0 == id }
            }
        }
    }

    private mutating func rest(_ id: ID) {
        guard var item = items[id], item.runningSince != nil else { return }
        let wasOverdrawn = item.isOverdrawn
        running.remove(id)
        if wasOverdrawn { overdrawnCount -= 1 }
        item.isOverdrawn = false
        item.runningSince = nil
        lastWait += 1
        item.waitingSince = lastWait
        items[id] = item
        restingCount += 1
        update(item.caller) { account in
            account.running -= 1
            if wasOverdrawn { account.overdrawn -= 1 }
            account.resting.append(id)
        }
    }

    /// Counts the time of the running jobs since the last event. All of it counts for the jobs; for their callers, only
    /// what another caller waited for.
    private mutating func count(at now: Int64) {
        for id in running {
            guard let item = items[id], now > item.countedUntil else { continue }
            let nanoseconds = now - item.countedUntil
            items[id]?.attained += nanoseconds
            items[id]?.countedUntil = now
            let isWaiting = accounts[item.caller]?.isWaiting ?? false
            guard waitingCallers > (isWaiting ? 1 : 0) else { continue }
            update(item.caller) { $0.charge(nanoseconds, at: now) }
        }
    }

    private mutating func update(_ caller: LimitKey, _ change: (inout Account) -> Void) {
        guard var account = accounts[caller] else { return }
        let wasWaiting = account.isWaiting
        change(&account)
        accounts[caller] = account
        if account.isWaiting != wasWaiting { waitingCallers += wasWaiting ? -1 : 1 }
    }

    /// Removes callers without jobs: first those whose service no longer counts, then all.
    private mutating func forgetIdle(at now: Int64) {
        accounts = accounts.filter { !$0.value.isIdle || $0.value.attained(at: now) > 1e6 }
        if accounts.count > Self.maximumIdle { accounts = accounts.filter { !$0.value.isIdle } }
    }
}
