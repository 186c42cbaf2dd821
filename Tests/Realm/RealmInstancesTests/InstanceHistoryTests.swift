import Dispatch
import LiveTesting
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract
import StoreTesting
import Synchronization
import Testing
import TestBasics

/// Random histories of several instances of one store.
@Suite("Histories of instances")
struct InstanceHistoryTests {
    @Test(
        "whatever instances do, each observer sees a chain that leads to what its instance shows",
        arguments: 0..<4 * TestRun.length)
    func turnByTurn(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SeededRandom(seed: seed)
        let store = try ModelStore(TaskStore.schema)
        let hub = InstanceHub(store)
        let actors = try (0..<3).map { _ in
            let scheduler = HandScheduler()
            return (scheduler, InstanceActor(try hub.instance(on: scheduler)))
        }
        for _ in 0..<300 {
            guard let (scheduler, actor) = random.pick(actors) else { return }
            if random.oneIn(3) {
                scheduler.turn()
            } else {
                try actor.act(&random, store)
            }
            #expect(actor.faults == [], "seed \(seed)")
        }
        for (scheduler, actor) in actors {
            try actor.instance.setAutorefresh(true)
            try actor.instance.refresh()
            while scheduler.turn() {}
            #expect(try actor.finalFaults() == [], "seed \(seed)")
            actor.end()
            while scheduler.turn() {}
        }
    }

    @Test("so it is on run loops, queues and actors at the same time")
    func together() async throws {
        let store = try ModelStore(TaskStore.schema)
        let hub = InstanceHub(store)
        let kinds: [SchedulerKind] = [.queue, .queue, .actor, .actor, .runLoop]
        var actors: [(any LiveScheduler, Resident<InstanceActor>)] = []
        for kind in kinds {
            let scheduler = try kind.scheduler()
            let instance = try await scheduler.perform { try hub.instance(on: scheduler) }
            actors.append((scheduler, Resident(InstanceActor(instance))))
        }
        try await withThrowingTaskGroup { group in
            for (number, (scheduler, actor)) in actors.enumerated() {
                group.addTask {
                    let random = Resident(SeededRandom.ofTest(number))
                    for _ in 0..<60 { try await scheduler.perform { try actor.value.act(&random.value, store) } }
                }
            }
            try await group.waitForAll()
        }
        for (scheduler, actor) in actors {
            try await scheduler.perform {
                try actor.value.instance.setAutorefresh(true)
                try actor.value.instance.refresh()
                let faults = try actor.value.finalFaults()
                #expect(faults == [])
                actor.value.end()
            }
        }
    }
}

/// Makes random calls to an instance, and checks the notifications of its observers. For the instance's scheduler only.
private final class InstanceActor {
    private struct Observed {
        let query: BoundQuery
        let recorder: InstanceRecorder
        let token: InstanceToken
    }

    let instance: LiveInstance
    private var observed: [Observed] = []
    private var left: [(recorder: InstanceRecorder, calls: Int)] = []
    private var bells: [InstanceEvent] = []
    private var bell: InstanceToken?
    private(set) var faults: [String] = []

    private static let queries = [
        TaskInstanceFixture.tasks, TaskStore.high, BoundQuery(classID: TaskStore.task, steps: [.limit(4)]),
        BoundQuery(classID: TaskStore.task, steps: [.sort([SortKey(TaskStore.path(TaskStore.score, .int))])]),
    ]

    init(_ instance: LiveInstance) { self.instance = instance }

    func act(_ random: inout SeededRandom, _ store: ModelStore) throws {
        let seed = random.next()
        switch random.below(12) {
        case 0, 1: try observe(&random)
        case 2: leave(&random)
        case 3: try instance.refresh()
        case 4: try instance.setAutorefresh(random.oneIn(2))
        case 5: try instance.invalidate()
        case 6, 7: try write(&random, muting: false)
        case 8, 9: try write(&random, muting: true)
        default: try store.write { try Self.change($0, seed) }
        }
        check()
    }

    private func observe(_ random: inout SeededRandom) throws {
        guard observed.count < 6, let query = random.pick(Self.queries) else { return }
        if bell == nil { bell = try instance.observeInstance { [unowned self] in bells.append($0) } }
        let recorder = InstanceRecorder(instance)
        let token = try instance.observe(query) { recorder.receive($0) }
        observed.append(Observed(query: query, recorder: recorder, token: token))
    }

    private func leave(_ random: inout SeededRandom) {
        guard !observed.isEmpty else { return }
        let removed = observed.remove(at: random.below(observed.count))
        removed.token.invalidate()
        left.append((removed.recorder, removed.recorder.calls.count))
    }

    private func write(_ random: inout SeededRandom, muting: Bool) throws {
        let muted = muting ? observed.filter { _ in random.oneIn(2) } : []
        let seed = random.next()
        let isTaken = random.oneIn(5)
        var calls: [Int] = []
        bells = []
        try instance.write(withoutNotifying: muted.map(\.token)) { transaction in
            bells = []
            // Pending changes have been reported: from now on there is only this write.
            for one in observed where one.recorder.keys != nil {
                if try one.recorder.keys != instance.snapshot.select(one.query, .all) {
                    faults.append("\(one.query) was not told of everything when the write began")
                }
            }
            calls = muted.map { $0.recorder.calls.count }
            try Self.change(transaction, seed)
            if isTaken { try instance.cancelWrite() }
        }
        if bell != nil, bells != (isTaken ? [] : [.didChange]) { faults.append("the write rang \(bells)") }
        guard !isTaken else { return }
        for (one, calls) in zip(muted, calls) {
            if one.recorder.calls.count != calls { faults.append("a skipped observer was called by the write") }
            try one.recorder.skip(to: instance.snapshot, one.query)
        }
    }

    private static func change(_ transaction: any WriteTransaction, _ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<1 + random.below(3) {
            let id = Int64(random.below(12))
            if let key = try transaction.key(of: TaskStore.task, primaryKey: .int(id)) {
                if random.oneIn(3) {
                    try transaction.delete(TaskStore.task, key)
                } else {
                    try transaction.setScore(id, Int64(random.below(8)) - 2)
                }
            } else {
                try transaction.task(id, Int64(random.below(8)) - 2)
            }
        }
    }

    private func check() {
        for one in observed { faults += one.recorder.faults }
        for (recorder, calls) in left where recorder.calls.count != calls { faults.append("a call after invalidate") }
    }

    /// Returns the differences after a refresh to the latest version.
    func finalFaults() throws -> [String] {
        check()
        for one in observed {
            if try one.recorder.keys != instance.snapshot.select(one.query, .all) {
                faults.append("\(one.query) did not arrive")
            }
        }
        return faults
    }

    func end() {
        for one in observed { one.token.invalidate() }
        bell?.invalidate()
    }
}

extension InstanceRecorder {
    /// Updates the state for a commit that is not reported.
    func skip(to snapshot: any Snapshot, _ query: BoundQuery) throws {
        guard keys != nil else { return }
        keys = try snapshot.select(query, .all)
        version = snapshot.version
    }
}
