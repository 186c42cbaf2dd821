import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Observers of one instance that observe the same share what is kept current for them.
@Suite("Shared views of instances")
struct SharedViewTests {
    /// How often queries are evaluated, and values read, while the body runs.
    private func evaluations(_ store: ModelStore, _ body: () throws -> Void) rethrows -> Int {
        let before = store.evaluations
        try body()
        return store.evaluations - before
    }

    private func store(tasks: Int) throws -> ModelStore {
        let store = try ModelStore(TaskStore.schema)
        try store.write { transaction in
            for id in 0..<tasks { try transaction.task(Int64(id + 1), Int64(id + 1) * 10) }
        }
        return store
    }

    /// Returns the cost of so many observers of one query: at first, for a commit of others, and for one of the instance.
    private func costs(observers count: Int) throws -> [Int] {
        let store = try store(tasks: 40)
        let scheduler = HandScheduler()
        let hub = InstanceHub(store)
        let instance = try hub.instance(on: scheduler)
        let query = BoundQuery(
            classID: TaskStore.task, predicate: TaskStore.high.predicate,
            steps: [.sort([SortKey(TaskStore.path(TaskStore.score, .int))]), .limit(20)])
        var recorders: [InstanceRecorder] = []
        var tokens: [InstanceToken] = []
        let first = try evaluations(store) {
            for _ in 0..<count {
                let recorder = InstanceRecorder(instance)
                tokens.append(try instance.observe(query) { recorder.receive($0) })
                recorders.append(recorder)
            }
            while recorders.contains(where: { $0.keys == nil }) { #expect(scheduler.waitForTurn()) }
        }
        #expect(try instance.viewCount == 1)
        let next = try evaluations(store) {
            try store.write { try $0.setScore(40, 1) }
            while scheduler.turn() {}
        }
        let own = try evaluations(store) {
            try instance.write { try $0.setScore(1, 400) }
            while scheduler.turn() {}
        }
        let fresh = try instance.snapshot.select(query, .all)
        for recorder in recorders {
            #expect(recorder.calls == ["initial", "update", "update"])
            #expect(recorder.faults == [] && recorder.keys == fresh)
        }
        for token in tokens { token.invalidate() }
        while scheduler.turn() {}
        #expect(try instance.viewCount == 0)
        return [first, next, own]
    }

    @Test("twenty observers of a query cost the store what one does")
    func evaluatedOnce() throws {
        let one = try costs(observers: 1)
        #expect(one.allSatisfy { $0 > 0 })
        #expect(try costs(observers: 20) == one)
    }

    @Test("observers with other key paths share the result, and each is told what is its own")
    func keyPaths() throws {
        let world = try TaskInstanceFixture(taskCount: 3)
        let (all, first) = try world.observe()
        let (scores, second) = try world.observe(keyPaths: ["score"])
        let (titles, third) = try world.observe(keyPaths: ["title"])
        #expect(try world.instance.viewCount == 1)
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(all.calls == ["initial", "update"] && scores.calls == ["initial", "update"])
        #expect(titles.calls == ["initial"])
        for token in [first, second, third] { token.invalidate() }
    }

    @Test("who joins later begins with what the others know, and who leaves takes nothing from them")
    func joining() throws {
        let world = try TaskInstanceFixture(taskCount: 3)
        let (early, first) = try world.observe()
        try world.store.write { try $0.task(4, 40) }
        let (late, second) = try world.begin()
        world.turns()
        #expect(early.calls == ["initial", "update"] && late.calls == ["initial"])
        #expect(early.keys == late.keys && late.keys?.count == 4)
        first.invalidate()
        try world.store.write { try $0.task(5, 50) }
        world.turns()
        #expect(early.calls.count == 2 && late.calls == ["initial", "update"])
        #expect(try world.instance.viewCount == 1)
        second.invalidate()
        world.turns()
        #expect(try world.instance.viewCount == 0)
        #expect(early.faults + late.faults == [])
    }

    @Test("a write without notifying one of them is told to the others, together with what came after it")
    func muted() throws {
        let world = try TaskInstanceFixture(taskCount: 2)
        let (quiet, first) = try world.observe()
        let (loud, second) = try world.observe()
        try world.instance.write(withoutNotifying: [first]) { try $0.task(3, 30) }
        try world.store.write { try $0.task(4, 40) }
        try quiet.skip(to: world.instance.snapshot, TaskInstanceFixture.tasks)
        world.turns()
        #expect(quiet.takeChanges() == [IndexChanges(insertions: [3])])
        #expect(loud.takeChanges() == [IndexChanges(insertions: [2, 3])])
        #expect(quiet.faults + loud.faults == [])
        for token in [first, second] { token.invalidate() }
    }

    @Test("what waits for an observer is told at the version that the instance has by then")
    func movedOn() throws {
        let world = try TaskInstanceFixture(taskCount: 2)
        let (quiet, first) = try world.observe()
        let (loud, second) = try world.observe()
        try world.instance.write(withoutNotifying: [first]) { try $0.task(3, 30) }
        // Another version, which does not matter to the query.
        try world.store.write { _ = try $0.create(TaskStore.person, [TaskStore.name: .string("Ann")]) }
        world.turns()
        #expect(loud.calls == ["initial", "update"] && quiet.calls == ["initial"])
        #expect(loud.version == (try world.instance.version))
        #expect(loud.faults == [])
        for token in [first, second] { token.invalidate() }
    }

    @Test("an observer that writes from its block leaves the others with what they have missed")
    func nestedWrite() throws {
        let world = try TaskInstanceFixture(taskCount: 2)
        let (writer, first) = try world.observe()
        let (other, second) = try world.observe()
        var hasWritten = false
        writer.onCall = {
            guard !hasWritten else { return }
            hasWritten = true
            try world.instance.write { try $0.task(9, 90) }
        }
        try world.store.write { try $0.task(3, 30) }
        world.turns()
        let fresh = try world.instance.snapshot.select(TaskInstanceFixture.tasks, .all)
        #expect(fresh.count == 4)
        #expect(writer.keys == fresh && other.keys == fresh)
        #expect(writer.faults + other.faults == [])
        for token in [first, second] { token.invalidate() }
    }

    @Test("when a shared query fails, each of them is told so once, and the next one begins anew")
    func failing() throws {
        let world = try TaskInstanceFixture(taskCount: 2)
        let (one, first) = try world.observe()
        let (two, second) = try world.observe()
        let schema = Schema(
            version: 2,
            classes: [ClassSchema("Person", properties: [PropertySchema("name", PropertyType(.string))])])
        try world.store.replaceSchema(with: schema)
        world.turns()
        #expect(one.calls == ["initial", "failed"] && two.calls == ["initial", "failed"])
        #expect(try world.instance.viewCount == 0)
        let (three, third) = try world.begin()
        try world.turns { three.code != nil }
        #expect(three.calls == ["failed"])
        for token in [first, second, third] { token.invalidate() }
    }

    @Test(
        "whatever happens, what each of many observers was told adds up to a fresh query",
        arguments: 0..<6 * TestRun.length)
    func histories(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var history = try SharedHistory(seed)
        try history.run(250)
        #expect(history.faults == [], "seed \(seed)")
    }
}

/// Many observers of few queries in one instance, which come, go, write from their blocks and are left out.
private struct SharedHistory {
    private final class Observed {
        let query: BoundQuery
        let recorder: InstanceRecorder
        let token: InstanceToken

        init(_ query: BoundQuery, _ recorder: InstanceRecorder, _ token: InstanceToken) {
            self.query = query
            self.recorder = recorder
            self.token = token
        }
    }

    private static let queries = [
        TaskInstanceFixture.tasks, TaskStore.high,
        BoundQuery(
            classID: TaskStore.task,
            steps: [.sort([SortKey(TaskStore.path(TaskStore.score, .int), ascending: false)]), .limit(5)]),
    ]

    private var random: SeededRandom
    private let store: ModelStore
    private let scheduler = HandScheduler()
    private let instance: LiveInstance
    private var observed: [Observed] = []
    private var left: [(recorder: InstanceRecorder, calls: Int)] = []
    private(set) var faults: [String] = []

    init(_ seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        store = try ModelStore(TaskStore.schema)
        instance = try InstanceHub(store).instance(on: scheduler)
    }

    mutating func run(_ steps: Int) throws {
        for step in 0..<steps {
            try act()
            for one in observed { faults += one.recorder.faults.map { "step \(step): \($0)" } }
            for (recorder, calls) in left where recorder.calls.count != calls { faults.append("a call after the end") }
            if !faults.isEmpty { return }
            let views = try instance.viewCount
            if views > Self.queries.count { faults.append("\(views) views of \(Self.queries.count) queries") }
        }
        try instance.setAutorefresh(true)
        try instance.refresh()
        while scheduler.turn() {}
        for one in observed where try one.recorder.keys != instance.snapshot.select(one.query, .all) {
            faults.append("\(one.query) did not arrive")
        }
        for one in observed { one.token.invalidate() }
        while scheduler.turn() {}
        if try instance.viewCount != 0 { faults.append("views without observers") }
    }

    private mutating func act() throws {
        let seed = random.next()
        switch random.below(14) {
        case 0, 1, 2: try observe()
        case 3: leave()
        case 4: try instance.refresh()
        case 5: try instance.setAutorefresh(random.oneIn(2))
        case 6: try instance.invalidate()
        case 7, 8, 9: try write(seed)
        case 10, 11: try store.write { try Self.change($0, seed) }
        default: scheduler.turn()
        }
    }

    private mutating func observe() throws {
        guard observed.count < 15, let query = random.pick(Self.queries) else { return }
        let recorder = InstanceRecorder(instance)
        if random.oneIn(4) {
            var calls = random.below(4)
            let seed = random.next()
            recorder.onCall = { [instance] in
                calls -= 1
                guard calls == 0, try !instance.isInWriteTransaction else { return }
                try instance.write { try Self.change($0, seed) }
            }
        }
        let token = try instance.observe(query) { recorder.receive($0) }
        observed.append(Observed(query, recorder, token))
    }

    private mutating func leave() {
        guard !observed.isEmpty else { return }
        let removed = observed.remove(at: random.below(observed.count))
        removed.token.invalidate()
        left.append((removed.recorder, removed.recorder.calls.count))
    }

    private mutating func write(_ seed: UInt64) throws {
        let muted = observed.filter { _ in random.oneIn(2) }
        try instance.beginWrite()
        // A block may have written, and ended this write.
        guard try instance.isInWriteTransaction else { return }
        try Self.change(instance.transaction, seed)
        guard !random.oneIn(5) else { return try instance.cancelWrite() }
        let calls = muted.map { $0.recorder.calls.count }
        try instance.commitWrite(withoutNotifying: muted.map(\.token))
        for (one, calls) in zip(muted, calls) {
            if one.recorder.calls.count != calls { faults.append("one that was left out was called") }
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
}
