import Dispatch
import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract
import StoreTesting
import Testing

/// Writes of an instance, and the observers that they notify.
@Suite("Writes of an instance")
struct InstanceWriteTests {
    @Test(
        "beginWrite moves to the latest version, and tells the difference before it returns, in the write",
        arguments: StoreKind.allCases)
    func beginTells(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (recorder, token) = try world.observe()
        var wasWriting: [Bool] = []
        recorder.onCall = { wasWriting.append(try world.instance.isInWriteTransaction) }
        try world.store.write { try $0.task(2, 20) }
        try world.instance.beginWrite()
        #expect(recorder.changes == [IndexChanges(insertions: [1])])
        #expect(wasWriting == [true])
        #expect(try world.instance.version == Version(3))
        try world.instance.cancelWrite()
        world.turns()
        #expect(recorder.changes.count == 1)
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("an own commit that no turn has told of is told by the next write's beginning", arguments: StoreKind.allCases)
    func twoWrites(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (recorder, token) = try world.observe()
        try world.instance.write { try $0.task(2, 20) }
        try world.instance.write { transaction in
            #expect(recorder.changes == [IndexChanges(insertions: [1])])
            try transaction.task(3, 30)
        }
        world.turns()
        #expect(recorder.changes == [IndexChanges(insertions: [1]), IndexChanges(insertions: [2])])
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("a block that is called when a write begins may write, commit or cancel", arguments: StoreKind.allCases)
    func blocksEndTheWrite(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (recorder, token) = try world.observe()
        recorder.onCall = {
            recorder.onCall = nil
            try world.instance.transaction.task(9, 90)
            try world.instance.commitWrite()
        }
        try world.store.write { try $0.task(2, 20) }
        try world.instance.beginWrite()
        #expect(try !world.instance.isInWriteTransaction)
        #expect(try world.instance.snapshot.key(of: TaskStore.task, primaryKey: .int(9)) != nil)
        world.turns()
        #expect(recorder.changes == [IndexChanges(insertions: [1]), IndexChanges(insertions: [2])])

        recorder.onCall = {
            recorder.onCall = nil
            try world.instance.cancelWrite()
        }
        try world.store.write { try $0.task(3, 30) }
        #expect(TaskInstanceFixture.fault { _ = try world.instance.write { try $0.task(4, 40) } }?.code == .noWrite)
        #expect(try !world.instance.isInWriteTransaction)
        #expect(try world.instance.write { try $0.task(4, 40) } != ObjectKey(0))
        world.turns()
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("a write shows its own changes, the instance's snapshot does not")
    func readYourWrites() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        try world.instance.beginWrite()
        let key = try world.instance.transaction.task(2, 20)
        #expect(try world.instance.transaction.exists(TaskStore.task, key))
        #expect(try !world.instance.snapshot.exists(TaskStore.task, key))
        try world.instance.commitWrite()
        #expect(try world.instance.snapshot.exists(TaskStore.task, key))
        #expect(try world.instance.version == Version(3))
    }

    @Test("a body that throws takes the write back, one that cancels keeps its result", arguments: StoreKind.allCases)
    func throwingBody(_ kind: StoreKind) throws {
        struct Stop: Error {}
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        #expect(throws: Stop.self) {
            try world.instance.write { transaction in
                try transaction.task(2, 20)
                throw Stop()
            }
        }
        let value = try world.instance.write { transaction in
            try transaction.task(2, 20)
            try world.instance.cancelWrite()
            return 7
        }
        #expect(value == 7)
        #expect(try world.store.snapshot().version == Version(2))
        #expect(try !world.instance.isInWriteTransaction)
    }

    @Test("turns within a write do nothing, and what they missed is told afterwards")
    func turnsInWrite() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (recorder, token) = try world.begin()
        try world.instance.beginWrite()
        _ = world.scheduler.waitForTurn()
        world.turns()
        #expect(recorder.calls == [])
        #expect(try !world.instance.refresh())
        try world.instance.cancelWrite()
        try world.turns { recorder.keys != nil }
        #expect(recorder.calls == ["initial"])
        token.invalidate()
    }

    @Test("the version after a commit is the write's own, whatever was committed since", arguments: StoreKind.allCases)
    func ownVersion(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        try world.instance.setAutorefresh(false)
        let other = try OtherInstance(world.hub)
        try other.queue.sync { try other.instance.setAutorefresh(false) }
        for id in 2..<30 {
            try world.instance.write { try $0.task(Int64(id), 1) }
            let own = try world.instance.version
            #expect(try world.instance.snapshot.key(of: TaskStore.task, primaryKey: .int(Int64(id))) != nil)
            try other.queue.sync { try other.instance.write { try $0.setScore(1, Int64(id)) } }
            world.turns()
            #expect(try world.instance.version == own)
        }
    }

    // MARK: Not notifying

    @Test(
        "a skipped commit is not told, and the next one is told relative to it",
        arguments: StoreKind.allCases)
    func example12(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 5, on: kind)
        let (recorder, token) = try world.observe()
        let (other, second) = try world.observe()
        try world.instance.write(withoutNotifying: [token]) { try $0.task(6, 60) }
        world.turns()
        #expect(recorder.calls == ["initial"])
        #expect(other.changes == [IndexChanges(insertions: [5])])
        try world.instance.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(recorder.changes == [IndexChanges(modifications: [0], modificationsNew: [0])])
        token.invalidate()
        second.invalidate()
    }

    @Test(
        "others' commits that are told together with a skipped one are told relative to it",
        arguments: StoreKind.allCases)
    func skippedAndOthers(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 3, on: kind)
        let (muted, token) = try world.observe()
        let (other, second) = try world.observe()
        try world.instance.write(withoutNotifying: [token]) { try $0.deleteTask(1) }
        try world.store.write { try $0.task(4, 40) }
        world.turns()
        #expect(muted.takeRaw() == [IndexChanges(insertions: [2])])
        #expect(other.changes == [IndexChanges(deletions: [0], insertions: [2])])
        #expect(muted.keys == other.keys)
        token.invalidate()
        second.invalidate()
    }

    @Test("versions that cancel out make no call, also when one of them was skipped for another observer")
    func skippedAndCancelled() throws {
        let world = try TaskInstanceFixture(taskCount: 3)
        let (muted, token) = try world.observe()
        let (other, second) = try world.observe()
        try world.instance.write(withoutNotifying: [token]) { try $0.task(4, 40) }
        try world.store.write { try $0.deleteTask(4) }
        world.turns()
        #expect(other.calls == ["initial"])
        #expect(muted.takeRaw() == [IndexChanges(deletions: [3])])
        token.invalidate()
        second.invalidate()
    }

    @Test("only one commit is skipped, even one that would not have been told")
    func skipsOnce() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (recorder, token) = try world.observe()
        try world.instance.write(withoutNotifying: [token]) { try $0.person("p") }
        try world.instance.write { try $0.setScore(1, 11) }
        try world.instance.write(withoutNotifying: [token]) { try $0.setScore(1, 12) }
        world.turns()
        #expect(recorder.calls == ["initial", "update"])
        token.invalidate()
    }

    @Test("what others committed before a skipped write is told when it begins")
    func pendingBeforeSkipped() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (recorder, token) = try world.observe()
        try world.store.write { try $0.task(2, 20) }
        try world.instance.write(withoutNotifying: [token]) { transaction in
            #expect(recorder.changes == [IndexChanges(insertions: [1])])
            try transaction.setScore(1, 11)
        }
        world.turns()
        #expect(recorder.changes.count == 1)
        token.invalidate()
    }

    @Test("an observer can skip its own write within its own block")
    func skipsWithinOwnBlock() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (recorder, token) = try world.observe()
        recorder.onCall = {
            _ = try world.instance.write(withoutNotifying: [token]) {
                try $0.task(Int64(100 + recorder.calls.count), 1)
            }
        }
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        world.turns()
        #expect(recorder.calls == ["initial", "update"])
        recorder.onCall = nil
        try world.store.write { try $0.setScore(1, 12) }
        world.turns()
        #expect(recorder.changes.last == IndexChanges(modifications: [0], modificationsNew: [0]))
        token.invalidate()
    }

    @Test("skipping works for objects and the instance's own observers")
    func otherKinds() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (object, a) = try world.observeObject()
        var bells: [InstanceEvent] = []
        let b = try world.instance.observeInstance { bells.append($0) }
        try world.instance.write(withoutNotifying: [a, b]) { try $0.setScore(1, 11) }
        world.turns()
        #expect(object.events == [])
        #expect(bells == [])
        try world.store.write { try $0.setScore(1, 12) }
        world.turns()
        #expect(object.events == ["2: 11 -> 12"])
        #expect(bells == [.didChange])
        try world.instance.write(withoutNotifying: [a]) { try $0.deleteTask(1) }
        world.turns()
        #expect(object.events.count == 1)
        #expect(bells == [.didChange, .didChange])
        a.invalidate()
        b.invalidate()
    }

    @Test("a token of another instance cannot be skipped, and the write stays open")
    func foreignTokens() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let other = try OtherInstance(world.hub)
        let token = try other.queue.sync { try other.instance.observe(TaskInstanceFixture.tasks) { _ in } }
        let sentence = "Incorrect Realm: only notifications for the Realm being modified can be skipped."
        var began = false
        let fault = TaskInstanceFixture.fault {
            try world.instance.write(withoutNotifying: [token]) { _ in began = true }
        }
        #expect(fault?.code == .foreignToken)
        #expect(fault?.message == sentence)
        #expect(!began)
        try world.instance.beginWrite()
        #expect(
            TaskInstanceFixture.fault { try world.instance.commitWrite(withoutNotifying: [token]) }?.message == sentence
        )
        #expect(try world.instance.isInWriteTransaction)
        try world.instance.commitWrite()
        let expected = try world.hub.observe(on: other.queue, from: Version(1)) {
            try $0.observeInstance { _ in }
        } failed: {
            Issue.record($0)
        }
        other.queue.sync {}
        #expect(
            TaskInstanceFixture.fault { try world.instance.write(withoutNotifying: [expected]) { _ in } }?.code
                == .foreignToken)
        token.invalidate()
        expected.invalidate()
    }

    @Test("a commit or cancellation without a write, and a second write, are faults")
    func faults() throws {
        let world = try TaskInstanceFixture()
        let (instance, fault) = (world.instance, TaskInstanceFixture.fault)
        #expect(fault { try instance.commitWrite() }?.message == "Can't commit a non-existing write transaction")
        #expect(fault { try instance.cancelWrite() }?.message == "Can't cancel a non-existing write transaction")
        #expect(fault { _ = try instance.transaction }?.code == .noWrite)
        try instance.beginWrite()
        #expect(fault { try instance.beginWrite() }?.message == "The Realm is already in a write transaction")
        #expect(fault { try instance.write { _ in } }?.code == .nestedWrite)
        try instance.cancelWrite()
        let kept = try instance.write { $0 }
        #expect(fault { _ = try kept.task(1, 1) }?.code == .closed)
    }

    @Test("a write that is left open by an instance that goes is taken back")
    func abandonedWrite() throws {
        let store = try ModelStore(TaskStore.schema)
        do {
            let hub = InstanceHub(store)
            let instance = try hub.instance(on: HandScheduler())
            try instance.beginWrite()
            try instance.transaction.task(1, 1)
        }
        try store.write { try $0.task(2, 2) }
        #expect(try store.snapshot().count(of: TaskStore.task) == 1)
    }
}

extension InstanceRecorder {
    /// Returns the changes without the recorder's check against the preceding ones, which fails after a skipped commit.
    func takeRaw() -> [IndexChanges] { takeChanges() }
}
