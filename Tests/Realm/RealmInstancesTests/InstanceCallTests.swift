import QuerySyntax
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

/// Tests when the observers of an instance are called.
@Suite("Calls of an instance's observers")
struct InstanceCallTests {
    @Test("the first call comes in a later turn, and shows the instance's version")
    func firstCall() throws {
        let world = try TaskInstanceFixture(taskCount: 2)
        let (recorder, token) = try world.begin()
        #expect(recorder.calls == [])
        try world.turns { recorder.keys != nil }
        #expect(recorder.calls == ["initial"])
        #expect(recorder.keys?.count == 2)
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("a turn does not wait for what is being prepared")
    func turnsDoNotWait() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (ready, first) = try world.observe()
        world.background.suspend()
        // Another query: an equal one would share the view that is ready.
        let sorted = BoundQuery(
            classID: TaskStore.task, steps: [.sort([SortKey(TaskStore.path(TaskStore.score, .int))])])
        let (late, second) = try world.begin(sorted)
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(ready.calls == ["initial", "update"])
        #expect(late.calls == [])
        world.background.resume()
        try world.turns { late.keys != nil }
        #expect(late.calls == ["initial"])
        second.invalidate()
        first.invalidate()
    }

    @Test("what was committed between registration and the first call is part of the first call")
    func composedFirstCall() throws {
        let world = try TaskInstanceFixture(taskCount: 2)
        let sorted = BoundQuery(
            classID: TaskStore.task, steps: [.sort([SortKey(TaskStore.path(TaskStore.score, .int))])])
        let (recorder, token) = try world.begin(sorted)
        try world.store.write { try $0.setScore(1, 99) }
        try world.store.write { try $0.task(3, 5) }
        try world.turns { recorder.keys != nil }
        #expect(recorder.calls == ["initial"])
        #expect(recorder.keys == [ObjectKey(2), ObjectKey(1), ObjectKey(0)])
        #expect(recorder.version == Version(4))
        try world.store.write { try $0.setScore(2, 1) }
        world.turns()
        #expect(recorder.keys == [ObjectKey(1), ObjectKey(2), ObjectKey(0)])
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("an own write right after registration is part of the first call, and not told before")
    func writeAfterObserve() throws {
        let world = try TaskInstanceFixture()
        let (recorder, token) = try world.begin()
        try world.instance.write { try $0.task(1, 10) }
        #expect(recorder.calls == [])
        try world.turns { recorder.keys != nil }
        #expect(recorder.calls == ["initial"])
        #expect(recorder.keys == [ObjectKey(0)])
        token.invalidate()
    }

    @Test("own commits are told in a later turn, not by the write")
    func ownCommit() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (recorder, token) = try world.observe()
        try world.instance.write { transaction in
            try transaction.setScore(1, 11)
            #expect(recorder.changes.isEmpty)
        }
        #expect(recorder.changes.isEmpty)
        world.turns()
        #expect(recorder.changes == [IndexChanges(modifications: [0], modificationsNew: [0])])
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("versions that cancel out make no call", arguments: StoreKind.allCases)
    func example8(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 5, on: kind)
        let (recorder, token) = try world.observe()
        try world.store.write { try $0.task(6, 60) }
        try world.store.write { try $0.deleteTask(6) }
        world.turns()
        #expect(recorder.calls == ["initial"])
        try world.instance.write { try $0.task(7, 60) }
        try world.store.write { try $0.deleteTask(7) }
        world.turns()
        #expect(recorder.calls == ["initial"])
        #expect(try world.instance.version == Version(6))
        token.invalidate()
    }

    @Test("versions between two calls are one change", arguments: StoreKind.allCases)
    func example9(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 5, on: kind)
        let (recorder, token) = try world.observe()
        try world.store.write { try $0.setScore(2, 21) }
        try world.store.write { try $0.deleteTask(1) }
        world.turns()
        #expect(recorder.changes == [IndexChanges(deletions: [0], modifications: [1], modificationsNew: [0])])
        token.invalidate()
    }

    @Test("commits by others are taken up by a turn, and by no access before")
    func othersCommit() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (recorder, token) = try world.observe()
        try world.store.write { try $0.task(2, 20) }
        #expect(try world.instance.version == Version(2))
        world.turns()
        #expect(try world.instance.version == Version(3))
        #expect(recorder.changes == [IndexChanges(insertions: [1])])
        token.invalidate()
    }

    @Test(
        "without autorefresh, commits by others wait for refresh, while first calls and own commits are told",
        arguments: StoreKind.allCases)
    func withoutAutorefresh(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        try world.instance.setAutorefresh(false)
        let (recorder, token) = try world.observe()
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(recorder.calls == ["initial"])
        #expect(try world.instance.version == Version(2))
        #expect(try world.instance.refresh())
        #expect(recorder.calls == ["initial", "update"])
        try world.instance.write { try $0.task(2, 20) }
        try world.store.write { try $0.task(3, 30) }
        world.turns()
        #expect(recorder.takeChanges().last == IndexChanges(insertions: [1]))
        #expect(try world.instance.version == Version(4))
        try world.instance.setAutorefresh(true)
        world.turns()
        #expect(recorder.changes == [IndexChanges(insertions: [2])])
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("refresh waits for first calls, and makes all calls before it returns", arguments: StoreKind.allCases)
    func refreshWaits(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (recorder, token) = try world.begin()
        #expect(try !world.instance.refresh())
        #expect(recorder.calls == ["initial"])
        try world.store.write { try $0.setScore(1, 11) }
        let (second, other) = try world.begin()
        #expect(try world.instance.refresh())
        #expect(recorder.calls == ["initial", "update"])
        #expect(second.calls == ["initial"])
        #expect(try !world.instance.refresh())
        world.turns()
        #expect(recorder.calls == ["initial", "update"])
        token.invalidate()
        other.invalidate()
    }

    @Test("observers are called in the order of their registration, all at one version")
    func order() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        var order: [Int] = []
        var tokens: [InstanceToken] = []
        for number in 0..<5 {
            let (recorder, token) = try world.observe(number % 2 == 0 ? TaskInstanceFixture.tasks : TaskStore.high)
            recorder.onCall = { order.append(number) }
            tokens.append(token)
        }
        tokens.append(try world.instance.observeObject(TaskInstanceFixture.first) { _ in order.append(5) })
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(order == [0, 1, 2, 3, 4, 5])
        for token in tokens { token.invalidate() }
    }

    @Test("within a block, refresh and invalidate do nothing")
    func nothingWithinBlocks() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (recorder, token) = try world.observe()
        var refreshed: Bool?
        recorder.onCall = {
            try world.store.write { try $0.task(9, 90) }
            let version = try world.instance.version
            refreshed = try world.instance.refresh()
            try world.instance.invalidate()
            #expect(try world.instance.version == version)
            recorder.onCall = nil
        }
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(refreshed == false)
        #expect(recorder.changes.count == 2)
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("within a block, an observer can be added, and is called first in a later turn")
    func addWithinBlock() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (recorder, token) = try world.observe()
        var inner: (InstanceRecorder, InstanceToken)?
        recorder.onCall = {
            if inner == nil { inner = try world.begin() }
            // Not even while a block waits.
            _ = try world.instance.refresh()
        }
        try world.store.write { try $0.setScore(1, 11) }
        #expect(try world.instance.refresh())
        #expect(inner?.0.calls == [])
        try world.turns { inner?.0.keys != nil }
        #expect(inner?.0.calls == ["initial"])
        #expect(inner?.0.faults == [])
        inner?.1.invalidate()
        token.invalidate()
    }

    @Test("a block that another one's invalidates in the same turn does not start")
    func invalidatedInTurn() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (first, a) = try world.observe()
        let (second, b) = try world.observe()
        first.onCall = { b.invalidate() }
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(first.calls == ["initial", "update"])
        #expect(second.calls == ["initial"])
        a.invalidate()
    }

    @Test("within a block, starting a write delivers the other pending updates first, at the write's version")
    func writeWithinBlock() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (first, a) = try world.observe()
        let (second, b) = try world.observe()
        var seen: [String] = []
        first.onCall = {
            first.onCall = nil
            try world.instance.write { transaction in
                seen.append("\(second.calls)")
                try transaction.task(2, 20)
            }
            seen.append("\(second.calls)")
        }
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(seen == [#"["initial", "update"]"#, #"["initial", "update"]"#])
        for recorder in [first, second] {
            #expect(recorder.calls == ["initial", "update", "update"])
            #expect(recorder.keys?.count == 2)
            #expect(recorder.faults == [])
        }
        a.invalidate()
        b.invalidate()
    }

    @Test("after invalidate, an observer is told the difference since its last call", arguments: StoreKind.allCases)
    func afterInvalidate(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 2, on: kind)
        let (recorder, token) = try world.observe()
        try world.instance.invalidate()
        try world.store.write { try $0.setScore(1, 11) }
        try world.store.write { try $0.task(3, 30) }
        #expect(try world.instance.version == Version(4))
        #expect(recorder.calls == ["initial"])
        world.turns()
        #expect(recorder.changes == [IndexChanges(insertions: [2], modifications: [0], modificationsNew: [0])])
        try world.instance.setAutorefresh(false)
        try world.instance.invalidate()
        try world.store.write { try $0.deleteTask(1) }
        world.turns()
        #expect(recorder.changes.last == IndexChanges(deletions: [0]))
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("invalidate cancels an open write")
    func invalidateInWrite() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        try world.instance.beginWrite()
        try world.instance.transaction.setScore(1, 11)
        try world.instance.invalidate()
        #expect(try !world.instance.isInWriteTransaction)
        #expect(try world.store.snapshot().version == Version(2))
    }

    @Test("an instance that is given up lets go of the version it was at")
    func releasesVersions() throws {
        let base = try ModelStore(TaskStore.schema)
        let store = ProbeStore(base)
        let hub = InstanceHub(store)
        let scheduler = HandScheduler()
        let instance = try hub.instance(on: scheduler)
        #expect(store.pinned == 1)
        try instance.invalidate()
        #expect(store.pinned == 0)
        #expect(try instance.version == Version(1))
        try store.write { try $0.task(1, 1) }
        while scheduler.turn() {}
        #expect(try instance.version == Version(2))
        #expect(store.pinned == 1)
    }

    @Test("a schema change is taken up by observers, and ends those whose class is gone", arguments: StoreKind.allCases)
    func schemaChange(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (tasks, a) = try world.observe()
        let (people, b) = try world.observe(BoundQuery(classID: TaskStore.person))
        var classes = TaskStore.schema.classes
        classes.remove(at: 1)
        classes[0].properties.removeAll { $0.name == "owner" }
        try world.store.replaceSchema(with: Schema(version: 2, classes: classes))
        world.turns()
        #expect(tasks.calls == ["initial"])
        #expect(people.code == .unknownClass)
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(tasks.calls == ["initial", "update"])
        #expect(people.faults == [])
        a.invalidate()
        b.invalidate()
    }

    @Test("a query that does not fit is told so at its first call")
    func unknownClass() throws {
        let world = try TaskInstanceFixture()
        let (recorder, token) = try world.begin(BoundQuery(classID: ClassID(99)))
        try world.turns { recorder.failure != nil }
        #expect(recorder.calls == ["failed"])
        #expect(recorder.code == .unknownClass)
        token.invalidate()
    }

    @Test("key paths filter modifications for their own observer only")
    func keyPaths() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (filtered, a) = try world.observe(keyPaths: ["title"])
        let (all, b) = try world.observe()
        try world.store.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(filtered.calls == ["initial"])
        #expect(all.calls == ["initial", "update"])
        try world.store.write { try $0.setTitle(1, "x") }
        world.turns()
        #expect(filtered.calls == ["initial", "update"])
        a.invalidate()
        b.invalidate()
    }
}

extension TaskStore {
    /// Tasks with a score above 0.
    static let high = BoundQuery(
        classID: task,
        predicate: .comparison(
            BoundComparison(.path(path(score, .int)), .greater, .constant(.int(0)))))
}
