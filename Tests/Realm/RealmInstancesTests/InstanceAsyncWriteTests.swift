import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import RealmInstances
import StoreContract
import StoreTesting
import Testing

/// Asynchronous writes of an instance.
@Suite("Asynchronous writes of an instance")
struct InstanceAsyncWriteTests {
    @Test(
        "a block is called in a turn with the write open, and what it leaves open is taken back",
        arguments: StoreKind.allCases)
    func blocks(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        var calls = 0
        try world.instance.beginAsyncWrite { error in
            #expect(error == nil)
            #expect(throws: Never.self) { try world.instance.transaction.task(2, 20) }
            calls += 1
        }
        #expect(calls == 0)
        #expect(try !world.instance.isInWriteTransaction && world.instance.isPerformingAsyncWrites)
        try world.turns { calls == 1 }
        #expect(try !world.instance.isInWriteTransaction && !world.instance.isPerformingAsyncWrites)
        #expect(try world.store.snapshot().version == Version(2))
    }

    @Test(
        "a commit in the background is told in a turn, observers before its completion", arguments: StoreKind.allCases)
    func commits(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (recorder, token) = try world.observe()
        var ends: [Int] = []
        try world.instance.beginAsyncWrite { _ in
            #expect(throws: Never.self) {
                try world.instance.transaction.task(2, 20)
                try world.instance.commitAsyncWrite { error in
                    #expect(error == nil)
                    ends.append(recorder.changes.count)
                }
                #expect(try !world.instance.isInWriteTransaction)
            }
        }
        try world.turns { !ends.isEmpty }
        #expect(ends == [1])
        #expect(recorder.changes == [IndexChanges(insertions: [1])])
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("a muted observer hears nothing of a commit in the background", arguments: StoreKind.allCases)
    func muted(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (recorder, token) = try world.observe()
        var isOver = false
        try world.instance.beginWrite()
        try world.instance.transaction.task(2, 20)
        try world.instance.commitAsyncWrite(withoutNotifying: [token]) { _ in isOver = true }
        try world.turns { isOver }
        #expect(recorder.changes == [])
        try world.instance.write { try $0.task(3, 30) }
        world.turns()
        #expect(recorder.takeRaw() == [IndexChanges(insertions: [2])])
        token.invalidate()
    }

    @Test(
        "a write that is begun takes the place of one that was asked for, which follows", arguments: StoreKind.allCases)
    func order(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(on: kind)
        var counts: [Int] = []
        try world.instance.beginAsyncWrite { _ in
            counts.append((try? world.instance.snapshot.count(of: TaskStore.task)) ?? -1)
        }
        for id in 1...3 { try world.instance.write { try $0.task(Int64(id), 10) } }
        #expect(counts == [])
        try world.turns { !counts.isEmpty }
        #expect(counts == [3])
    }

    @Test("a write after a commit in the background sees it", arguments: StoreKind.allCases)
    func following(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(on: kind)
        var ends = 0
        for id in 1...3 {
            try world.instance.beginWrite()
            #expect(try world.instance.snapshot.count(of: TaskStore.task) == id - 1)
            try world.instance.transaction.task(Int64(id), 10)
            try world.instance.commitAsyncWrite { error in if error == nil { ends += 1 } }
        }
        try world.turns { ends == 3 }
        #expect(try world.instance.version == world.store.snapshot().version)
    }

    @Test("instances take turns, and a request that is cancelled does not stop others", arguments: StoreKind.allCases)
    func several(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(on: kind)
        let scheduler = HandScheduler()
        let version = try world.store.snapshot().version
        let other = try world.hub.instance(on: scheduler)
        var calls: [String] = []
        let number = try world.instance.beginAsyncWrite { _ in calls.append("cancelled") }
        try other.beginAsyncWrite { _ in calls.append("other") }
        #expect(try world.instance.cancelAsyncWrite(number) && !world.instance.cancelAsyncWrite(number))
        // The write begins all the same, and ends.
        #expect(world.scheduler.waitForTurn())
        world.turns()
        while calls.isEmpty { try #require(scheduler.waitForTurn()) }
        #expect(calls == ["other"])
        #expect(try world.store.snapshot().version == version)
    }

    @Test("an instance that goes with nothing asked for any more leaves the writer free", arguments: StoreKind.allCases)
    func deleted(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(on: kind)
        try world.store.beginWrite().cancel()
        let open = try world.store.beginWrite()
        let scheduler = HandScheduler()
        try {
            let other = try world.hub.instance(on: scheduler)
            #expect(try other.cancelAsyncWrite(other.beginAsyncWrite { _ in }))
        }()
        open.cancel()
        try world.instance.write { try $0.task(1, 10) }
        #expect(try world.instance.snapshot.count(of: TaskStore.task) == 1)
    }

    @Test("without a run loop, and frozen or read-only, nothing is asked for")
    func refused() throws {
        let world = try TaskInstanceFixture(canDeliver: false)
        #expect(TaskInstanceFixture.fault { try world.instance.beginAsyncWrite { _ in } }?.code == .noRunLoop)
        try world.instance.beginWrite()
        #expect(TaskInstanceFixture.fault { try world.instance.commitAsyncWrite { _ in } }?.code == .noRunLoop)
        try world.instance.cancelWrite()
        #expect(TaskInstanceFixture.fault { try world.instance.commitAsyncWrite { _ in } }?.code == .noWrite)
        #expect(TaskInstanceFixture.fault { try world.instance.freeze().beginAsyncWrite { _ in } }?.code == .frozen)
        let readOnly = try TaskInstanceFixture(isReadOnly: true)
        #expect(TaskInstanceFixture.fault { try readOnly.instance.beginAsyncWrite { _ in } }?.code == .readOnly)
    }
}
