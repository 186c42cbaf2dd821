import HTTPServer
import TestBasics
import Testing

@testable import FairScheduling

/// Simulated jobs of a scheduler, with a clock that the test sets.
private struct Simulation {
    struct Job {
        let caller: LimitKey
        /// The remaining milliseconds.
        var left: Int
        let asked: Int
        var finished: Int?
        /// Whether it passes checkpoints.
        let isCooperative: Bool
        var isRunning = false
    }

    var scheduler: FairScheduler
    var jobs: [FairScheduler.ID: Job] = [:]
    /// Milliseconds.
    var now = 0
    /// Called with the job that begins to run, and the jobs that were waiting.
    var onGrant: ((FairScheduler.ID, Self) -> Void)?

    init(permits: Int = 2, begun: Int = 64, queue: Int = 1000) {
        scheduler = FairScheduler(
            FairScheduler.Limits(permits: permits, begun: begun, queue: queue, slice: 5_000_000))
    }

    private var time: Int64 { Int64(now) * 1_000_000 }

    /// The running jobs, and the unfinished ones.
    private(set) var running: Set<FairScheduler.ID> = []
    private(set) var unfinished: Set<FairScheduler.ID> = []

    var isOver: Bool { unfinished.isEmpty }

    @discardableResult
    mutating func ask(_ caller: String, milliseconds: Int, isCooperative: Bool = true) -> FairScheduler.ID? {
        let (id, admission) = scheduler.add(.caller(caller), at: time)
        switch admission {
        case .refused: return nil
        case .replaces(let victim):
            jobs[victim] = nil
            unfinished.remove(victim)
        case .waits: break
        }
        jobs[id] = Job(caller: .caller(caller), left: milliseconds, asked: now, isCooperative: isCooperative)
        unfinished.insert(id)
        grant()
        return id
    }

    mutating func grant() {
        for id in scheduler.grant(at: time) {
            jobs[id]?.isRunning = true
            running.insert(id)
            onGrant?(id, self)
        }
    }

    /// One millisecond of work.
    mutating func step() {
        now += 1
        for id in running.sorted() {
            guard let job = jobs[id] else { continue }
            jobs[id]?.left -= 1
            if job.left <= 1 {
                jobs[id]?.isRunning = false
                running.remove(id)
                unfinished.remove(id)
                jobs[id]?.finished = now
                scheduler.remove(id, at: time)
            } else if job.isCooperative, scheduler.checkpoint(id, at: time) {
                jobs[id]?.isRunning = false
                running.remove(id)
            }
            grant()
        }
        if now.isMultiple(of: 5) {
            _ = scheduler.tick(at: time)
            grant()
        }
    }

    mutating func run(until end: (Self) -> Bool, most: Int = 1_000_000) {
        let start = now
        while !end(self), now - start < most { step() }
    }
}

@Suite("Fair turns")
struct FairSchedulerTests {
    @Test(
        "a short query does not wait for long ones, whether they are one caller's or those of ten",
        arguments: [1, 10], [true, false])
    func short(callers: Int, isCooperative: Bool) {
        var world = Simulation()
        for number in 0..<100 {
            world.ask("attacker \(number % callers)", milliseconds: 8000, isCooperative: isCooperative)
        }
        world.run(until: { $0.now > 3000 })
        for _ in 0..<20 {
            guard let id = world.ask("innocent", milliseconds: 23) else {
                Issue.record("refused")
                return
            }
            world.run(until: { $0.jobs[id]?.finished != nil }, most: 5000)
            let took = world.jobs[id]?.finished.map { $0 - (world.jobs[id]?.asked ?? 0) } ?? .max
            #expect(took <= 23 * 2)
        }
    }

    @Test("callers who ask for long work are served alike, however much of it each asks for")
    func shares() {
        var world = Simulation()
        for _ in 0..<50 { world.ask("many", milliseconds: 100_000) }
        world.ask("one", milliseconds: 100_000)
        world.run(until: { $0.now > 40_000 })
        var served: [LimitKey: Int] = [:]
        for job in world.jobs.values { served[job.caller, default: 0] += 100_000 - job.left }
        let (many, one) = (served[.caller("many")] ?? 0, served[.caller("one")] ?? 0)
        // One job uses at most one of two permits.
        #expect(one > 8_000 && many > 8_000, "\(one) \(many)")
    }

    @Test(
        "a caller that had the processors to itself owes nothing to those who come later", arguments: [7, 10, 14, 20])
    func debts(milliseconds: Int) {
        var world = Simulation()
        /// Requests one query after the other until the end, and returns how long the caller's took.
        func times(of callers: [(name: String, milliseconds: Int)], until end: Int) -> [Int] {
            var times: [Int] = []
            var asked: [String: FairScheduler.ID] = [:]
            while world.now < end {
                for caller in callers {
                    if let id = asked[caller.name] {
                        guard let job = world.jobs[id], let finished = job.finished else { continue }
                        if caller.name == "first" { times.append(finished - job.asked) }
                    }
                    asked[caller.name] = world.ask(caller.name, milliseconds: caller.milliseconds)
                }
                world.step()
            }
            return times.sorted()
        }
        let first = (name: "first", milliseconds: 15)
        _ = times(of: [first], until: 5000)
        let others = (0..<10).map { (name: "other \($0)", milliseconds: milliseconds) }
        let contested = times(of: [first] + others, until: 7000)
        // Two permits for eleven callers.
        let share = 15 * 11 / 2
        #expect(!contested.isEmpty && contested[contested.count / 2] <= share * 5 / 4, "\(contested)")
    }

    @Test("who floods with short work keeps nobody's long work away")
    func flood() {
        var world = Simulation()
        let long = world.ask("patient", milliseconds: 2000)
        let isOver: (Simulation) -> Bool = { world in long.flatMap { world.jobs[$0]?.finished } != nil }
        while !isOver(world), world.now < 60_000 {
            for _ in 0..<4 { world.ask("flood", milliseconds: 10) }
            world.step()
        }
        #expect(isOver(world) && world.now < 20_000, "\(world.now) ms")
    }

    @Test("nothing starves, turns go to what has run least, and no wait is longer than its turns")
    func histories() {
        var random = SeededRandom.ofTest()
        for _ in 0..<20 * TestRun.length {
            let permits = 1 + random.below(3)
            var world = Simulation(permits: permits, begun: permits + random.below(20), queue: 20 + random.below(100))
            var bounds: [FairScheduler.ID: Int] = [:]
            let end = 200 + random.below(400)
            while !(world.now > end && world.isOver), world.now < 100_000 {
                if world.now <= end, random.oneIn(3) {
                    world.ask(
                        "\(random.below(6))",
                        milliseconds: random.oneIn(4) ? 1 + random.below(300) : 1 + random.below(20),
                        isCooperative: !random.oneIn(10))
                }
                let before = world.scheduler
                world.step()
                let active = world.running.compactMap { world.jobs[$0] }
                let running = active.count(where: \.isCooperative)
                #expect(running <= permits + active.count - running)
                // Each paused job gets its turn after sixteen turns for each one that waited longer, unless a job of
                // the same caller passes no checkpoints meanwhile.
                let overrunning = Set(active.filter { !$0.isCooperative }.map(\.caller))
                for id in world.unfinished where world.scheduler.attained(id) > 0 {
                    guard let job = world.jobs[id], !job.isRunning, !overrunning.contains(job.caller) else {
                        bounds[id] = nil
                        continue
                    }
                    let bound = bounds[id] ?? before.turns + 16 * (before.waitingCount + permits + 2)
                    bounds[id] = bound
                    #expect(world.scheduler.turns <= bound, "seed \(random.seed)")
                }
            }
            #expect(world.isOver, "seed \(random.seed)")
            #expect(world.scheduler.count == 0 && world.scheduler.waitingCount == 0)
        }
    }

    @Test(
        "whatever part of the others' work passes no checkpoints, a newcomer's waits a few slices, and threads stay few"
    )
    func newcomers() {
        var random = SeededRandom.ofTest()
        for round in 0..<20 * TestRun.length {
            let permits = 1 + random.below(3)
            let attackers = 1 + random.below(12)
            let stubborn = random.below(5)
            var world = Simulation(permits: permits, begun: 64, queue: 1000)
            let words: Comment = "seed \(random.seed), round \(round)"
            var newcomers: [FairScheduler.ID] = []
            for _ in 0..<600 {
                for attacker in 0..<attackers where random.oneIn(6) {
                    world.ask(
                        "\(attacker)", milliseconds: 1 + random.below(2000), isCooperative: random.below(4) >= stubborn)
                }
                // Once every other caller has been served: before, they are new as well.
                if world.now > 300, random.oneIn(60), let id = world.ask("new \(newcomers.count)", milliseconds: 5) {
                    newcomers.append(id)
                }
                world.step()
                let running = world.running.compactMap { world.jobs[$0] }
                var counts: [LimitKey: Int] = [:]
                for job in running { counts[job.caller, default: 0] += 1 }
                // A caller may overrun its own permits, and then as many as exist; beyond that it begins nothing.
                #expect(counts.values.allSatisfy { $0 <= 2 * permits }, words)
                #expect(world.scheduler.begunCount <= 64, words)
            }
            world.run(until: { _ in false }, most: 200)
            for id in newcomers {
                let took = world.jobs[id].map { ($0.finished ?? .max) - $0.asked } ?? .max
                #expect(took <= 5 + 5 * 12, words)
            }
        }
    }

    @Test("most turns go to the work that has run least")
    func least() {
        var random = SeededRandom.ofTest()
        var world = Simulation(permits: 1)
        var (least, others) = (0, 0)
        // Levels of 8 ms, each twice as long as the preceding one.
        func level(_ nanoseconds: Int64) -> Int {
            (0..<11).count { Int64(8 << $0) * 1_000_000 <= nanoseconds }
        }
        for round in 0..<4000 {
            if round % 50 == 0, world.jobs.count < 30 {
                world.ask("\(random.below(4))", milliseconds: 1 + random.below(4000))
            }
            let before = world.scheduler
            let resting = world.jobs.filter { !$0.value.isRunning && $0.value.finished == nil }.keys
            let running = world.jobs.filter(\.value.isRunning).keys
            world.step()
            guard let new = world.jobs.first(where: { $0.value.isRunning && !running.contains($0.key) })?.key,
                world.scheduler.turns == before.turns + 1, ![0, 5, 11].contains(world.scheduler.turns % 16)
            else { continue }
            if resting.allSatisfy({ level(before.attained(new)) <= level(before.attained($0)) }) {
                least += 1
            } else {
                others += 1
            }
        }
        #expect(others == 0, "seed \(random.seed): \(least) \(others)")
        if TestRun.hasFixedSeeds { #expect(least > 50) }
    }

    @Test("a full queue has room for a caller who has less in it, at the expense of who has most")
    func room() {
        var world = Simulation(permits: 1, begun: 4, queue: 10)
        for _ in 0..<50 { world.ask("greedy", milliseconds: 1000) }
        #expect(world.scheduler.freshCount == 10)
        #expect(world.ask("greedy", milliseconds: 1) == nil)
        for number in 0..<5 {
            #expect(world.ask("modest", milliseconds: 1) != nil, "\(number)")
            #expect(world.scheduler.freshCount <= 10)
        }
        // However many jobs have begun, a new caller may begin one as well.
        #expect(world.scheduler.begunCount < 4)
    }

    @Test("work without checkpoints loses its permit to another caller's, and rests once it passes one")
    func overdrawn() {
        var world = Simulation(permits: 1)
        world.ask("sorter", milliseconds: 1000, isCooperative: false)
        guard let id = world.ask("other", milliseconds: 10) else { return }
        world.run(until: { $0.jobs[id]?.finished != nil }, most: 100)
        #expect(world.jobs[id]?.finished != nil)
    }
}
