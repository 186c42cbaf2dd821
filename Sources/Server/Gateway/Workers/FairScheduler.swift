import HTTPServer

/// Decides which long work runs and which rests. It is told the time and starts nothing itself, so that tests can
/// play any history.
///
/// Work holds one of a few permits while it runs. It may keep the permit for a slice; after that, at its next
/// checkpoint, it hands the permit to whoever waits and comes first:
/// - Of sixteen turns, thirteen go to the work that has run least (least attained service), in levels that each are twice
///   the one before. So short work does not wait for long work, whoever asks for either. Of equals, the caller who has
///   been served least lately comes first.
/// - Two go to the caller who has been served least lately, so that nobody's short work keeps another's long work away.
/// - One goes to whatever has waited longest. So everything gets a turn, sixteen for each that has waited longer at the
///   most.
///
/// Work that passes no checkpoint for some slices is overdrawn: it goes on, but its permit is lent to another. Once as
/// much is overdrawn as there are permits, only a caller who has nothing running is lent one, and a caller whose work
/// is overdrawn begins and resumes nothing else. So work without checkpoints cannot take all the threads, and another
/// caller waits for it only a few slices.
struct FairScheduler: Sendable {
    typealias ID = Int

    struct Limits: Hashable, Sendable {
        /// How much work runs at a time.
        var permits: Int
        /// How much may have begun, most of which rests.
        var begun: Int
        /// How much may wait to begin.
        var queue: Int
        /// Nanoseconds.
        var slice: Int64
    }

    /// What becomes of new work.
    enum Admission: Hashable, Sendable {
        case waits
        /// It waits in the place of this work, which is not to run at all.
        case replaces(ID)
        case refused
    }

    private struct Item: Sendable {
        let caller: LimitKey
        /// Whether it may be turned away while it waits to begin.
        let isExpendable: Bool
        /// Nanoseconds that it has run, up to `countedUntil`.
        var attained: Int64 = 0
        var countedUntil: Int64 = 0
        /// When the present slice began; nil while it waits.
        var runningSince: Int64?
        var hasBegun = false
        /// Whether its permit was given to another although it still runs.
        var isOverdrawn = false
        /// Grows with each wait: the smaller, the longer it has waited.
        var waitingSince: Int
    }

    private struct Account: Sendable {
        /// Nanoseconds of service, of which what is longer ago counts less.
        var attained = 0.0
        var asOf: Int64
        /// Work that has not begun, in order.
        var fresh: [ID] = []
        /// Work that has begun and waits for its next slice.
        var resting: [ID] = []
        var begun = 0
        var running = 0
        /// How much of what runs is overdrawn.
        var overdrawn = 0

        /// Nanoseconds after which service counts half.
        static let halfLife = 2e9

        func attained(at now: Int64) -> Double {
            let age = Double(max(now - asOf, 0)) / Self.halfLife
            return age >= 64 ? 0 : attained * scale(age)
        }

        /// 2^-age, to a few percent: order matters, not the digits.
        private func scale(_ age: Double) -> Double {
            let whole = age.rounded(.down)
            return (1 - (age - whole) / 2) / Double(UInt64(1) << UInt64(whole))
        }

        mutating func charge(_ nanoseconds: Int64, at now: Int64) {
            attained = attained(at: now) + Double(nanoseconds)
            asOf = now
        }

        var isIdle: Bool { fresh.isEmpty && resting.isEmpty && begun == 0 }
    }

    let limits: Limits
    private var items: [ID: Item] = [:]
    private var accounts: [LimitKey: Account] = [:]
    private var lastID = 0
    private var lastWait = 0
    /// How often it was decided who runs.
    private(set) var turns = 0
    private(set) var begunCount = 0
    /// How much waits to begin.
    private(set) var freshCount = 0
    private var restingCount = 0
    private var running: Set<ID> = []
    private var overdrawnCount = 0

    /// Slices that work may overrun before another runs beside it.
    private static let patience: Int64 = 3
    /// Callers that are remembered while they have no work here.
    private static let mostIdle = 4096

    init(_ limits: Limits) { self.limits = limits }

    /// Work that waits, begun or not.
    var waitingCount: Int { freshCount + restingCount }

    private var permitsInUse: Int { running.count - overdrawnCount }

    /// Work that waits or runs.
    var count: Int { items.count }

    /// The nanoseconds that work has run, about up to its present slice.
    func attained(_ id: ID) -> Int64 { items[id]?.attained ?? 0 }

    // MARK: - What happens to work

    /// New work of a caller. When too much waits, the caller with most of it gives up his last for one who has less.
    ///
    /// - Parameter isExpendable: whether it may be turned away, now or while it waits to begin.
    mutating func add(_ caller: LimitKey, isExpendable: Bool = true, at now: Int64) -> (id: ID, Admission) {
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
        if accounts.count > Self.mostIdle { forgetIdle(at: now) }
        accounts[caller, default: Account(asOf: now)].fresh.append(lastID)
        freshCount += 1
        return (lastID, admission)
    }

    /// Gives out the permits that are free: the work that is to run from now on.
    mutating func grant(at now: Int64) -> [ID] {
        var granted: [ID] = []
        while permitsInUse < limits.permits, let id = next(at: now) {
            run(id, at: now)
            granted.append(id)
        }
        return granted
    }

    /// Work that runs passes a checkpoint. True when it is to rest: its permit is free for `grant`, which may give it
    /// to another only.
    mutating func checkpoint(_ id: ID, at now: Int64) -> Bool {
        guard let item = items[id], let since = item.runningSince else { return false }
        guard now - since >= limits.slice || item.isOverdrawn else { return false }
        settle(id, at: now)
        guard waitingCount > 0 || item.isOverdrawn else { return false }
        rest(id)
        // Whoever has just run may be the one who comes first.
        guard permitsInUse < limits.permits, next(at: now, .look()) == id else { return true }
        turns += 1
        run(id, at: now)
        return false
    }

    /// Work has ended, or is not to begin any more.
    mutating func remove(_ id: ID, at now: Int64) {
        settle(id, at: now)
        guard let item = items.removeValue(forKey: id) else { return }
        if item.runningSince != nil {
            running.remove(id)
            if item.isOverdrawn { overdrawnCount -= 1 }
        }
        if item.hasBegun { begunCount -= 1 }
        guard var account = accounts[item.caller] else { return }
        if item.runningSince != nil { account.running -= 1 }
        if item.isOverdrawn { account.overdrawn -= 1 }
        if item.hasBegun { account.begun -= 1 }
        if let place = account.fresh.firstIndex(of: id) {
            account.fresh.remove(at: place)
            freshCount -= 1
        }
        if let place = account.resting.firstIndex(of: id) {
            account.resting.remove(at: place)
            restingCount -= 1
        }
        accounts[item.caller] = account
    }

    /// Time has passed: the work that is to give way at its next checkpoint. What has passed none for long lends its
    /// permit, when somebody waits who may have it.
    mutating func tick(at now: Int64) -> [ID] {
        guard waitingCount > 0 else { return [] }
        var late: [ID] = []
        for id in running.sorted() {
            guard let since = items[id]?.runningSince, now - since >= limits.slice else { continue }
            late.append(id)
        }
        // What passes no checkpoint is served all the same.
        for id in late { count(id, at: now) }
        for id in late {
            guard let item = items[id], let since = item.runningSince, !item.isOverdrawn,
                now - since >= limits.slice * Self.patience
            else { continue }
            // What has permits already is to find its turn first.
            guard permitsInUse >= limits.permits else { break }
            guard next(at: now, .look(forIdle: overdrawnCount >= limits.permits)) != nil else { break }
            items[id]?.isOverdrawn = true
            overdrawnCount += 1
            update(item.caller) { $0.overdrawn += 1 }
        }
        return late
    }

    // MARK: - Who comes first

    /// Whether a permit is given away, or it is only asked who would have it.
    private enum Purpose {
        case turn
        /// - Parameter forIdle: asks for callers who have nothing running only.
        case look(forIdle: Bool = false)
    }

    /// Of all that may run, what comes first; nil when nothing may.
    private mutating func next(at now: Int64, _ purpose: Purpose = .turn) -> ID? {
        guard waitingCount > 0 else { return nil }
        let turn = turns + 1
        var best: (id: ID, rank: Rank)?
        for (caller, account) in accounts where !(account.fresh.isEmpty && account.resting.isEmpty) {
            if account.overdrawn > 0, overdrawnCount >= limits.permits { continue }
            if case .look(forIdle: true) = purpose, account.running > 0 { continue }
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

    /// 0 below 8 ms, and one more for each time twice as long: 11 from 8 s on.
    static func level(_ attained: Int64) -> Int {
        let steps = UInt64(max(attained, 0)) / 8_000_000
        return min(UInt64.bitWidth - steps.leadingZeroBitCount, 11)
    }

    /// Half of what is left is for each caller, so that there is always room for one more.
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

    /// Counts the present slice, and begins another.
    private mutating func settle(_ id: ID, at now: Int64) {
        guard items[id]?.runningSince != nil else { return }
        count(id, at: now)
        items[id]?.runningSince = now
    }

    /// Counts what has run so far.
    private mutating func count(_ id: ID, at now: Int64) {
        guard let item = items[id], item.runningSince != nil else { return }
        let nanoseconds = max(now - item.countedUntil, 0)
        items[id]?.attained += nanoseconds
        items[id]?.countedUntil = max(now, item.countedUntil)
        update(item.caller) { $0.charge(nanoseconds, at: now) }
    }

    private mutating func update(_ caller: LimitKey, _ change: (inout Account) -> Void) {
        guard var account = accounts[caller] else { return }
        change(&account)
        accounts[caller] = account
    }

    /// Forgets callers without work: first those whose service does not count any more, then all.
    private mutating func forgetIdle(at now: Int64) {
        accounts = accounts.filter { !$0.value.isIdle || $0.value.attained(at: now) > 1e6 }
        if accounts.count > Self.mostIdle { accounts = accounts.filter { !$0.value.isIdle } }
    }
}
