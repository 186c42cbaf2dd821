import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import Testing

/// Tokens, failures, schemas that change, and stores that close.
struct LifecycleTests {
    @Test("the observer of a cancelled or dropped token gets no more events")
    func tokens() throws {
        let tasks = try TaskStore()
        let query = BoundQuery(classID: TaskStore.task)
        let (cancelled, token) = try tasks.observe(query)
        let dropped = Recorder()
        do {
            let token = tasks.live.observe(query, deliver: dropped.receive)
            tasks.live.settle()
            withExtendedLifetime(token) {}
        }
        let (kept, other) = try tasks.observe(query)
        token.cancel()
        token.cancel()
        try tasks.write { try $0.task(1, 1) }
        #expect(cancelled.changes == [])
        #expect(dropped.changes == [])
        #expect(kept.changes.count == 1)
        other.cancel()
        tasks.live.settle()
        #expect(tasks.live.resultCount == 0)
    }

    @Test("an observer that cancels itself during a call gets no more events")
    func cancelsItself() throws {
        let tasks = try TaskStore()
        let token = Mutex<LiveToken?>(nil)
        let events = Mutex(0)
        let made = tasks.live.observe(BoundQuery(classID: TaskStore.task)) { _ in
            events.withLock { $0 += 1 }
            if let token = token.withLock({ $0 }) { token.cancel() }
        }
        tasks.live.settle()
        token.withLock { $0 = made }
        for id in 0..<3 { try tasks.write { try $0.task(Int64(id), 1) } }
        #expect(events.withLock { $0 } == 2)
        token.withLock { $0 = nil }
    }

    @Test("an observer can begin another observation during a call")
    func observesFromWithin() throws {
        let tasks = try TaskStore()
        let inner = Recorder()
        let tokens = Mutex<[LiveToken]>([])
        let outer = tasks.live.observe(BoundQuery(classID: TaskStore.task)) { event in
            guard case .update = event else { return }
            let token = tasks.live.observe(BoundQuery(classID: TaskStore.task), deliver: inner.receive)
            tokens.withLock { $0.append(token) }
        }
        tasks.live.settle()
        try tasks.write { try $0.task(1, 1) }
        tasks.live.settle()
        #expect(inner.keys == [ObjectKey(0)])
        #expect(inner.faults == [])
        outer.cancel()
    }

    @Test("a later observer of the same query starts from the present result and gets the same changes")
    func lateObserver() throws {
        let tasks = try TaskStore()
        let query = BoundQuery(classID: TaskStore.task)
        let (early, a) = try tasks.observe(query)
        try tasks.write { try $0.task(1, 1) }
        let (late, b) = try tasks.observe(query)
        #expect(late.keys == [ObjectKey(0)])
        #expect(late.version == Version(2))
        try tasks.write { try $0.task(2, 2) }
        #expect(late.changes == early.changes.suffix(1))
        a.cancel()
        b.cancel()
    }

    @Test("versions that cancel out are not reported, and simultaneous versions are reported as one")
    func coalescing() throws {
        let tasks = try TaskStore()
        let (recorder, token) = try tasks.observe(BoundQuery(classID: TaskStore.task))
        try tasks.withWorkerBusy {
            for id in 0..<20 { try tasks.store.write { try $0.task(Int64(id), 1) } }
            for id in 5..<20 { try tasks.store.write { try $0.deleteTask(Int64(id)) } }
        }
        #expect(recorder.changes == [IndexChanges(insertions: [0, 1, 2, 3, 4])])
        token.cancel()
    }

    @Test("changes that an observer has not consumed yet become one, or none when they cancel out")
    func followedBy() throws {
        let tasks = try TaskStore()
        let changes = Mutex<[LiveChange]>([])
        let token = tasks.live.observe(BoundQuery(classID: TaskStore.task)) { event in
            if case .update(let change) = event { changes.withLock { $0.append(change) } }
        }
        tasks.live.settle()
        try tasks.write { try $0.task(1, 1) }
        try tasks.write { try $0.task(2, 1) }
        try tasks.write { try $0.deleteTask(1) }
        try tasks.write { try $0.deleteTask(2) }
        let told = changes.withLock { $0 }
        let three = try #require(told[0].followed(by: told[1])?.followed(by: told[2]))
        #expect(three.indices == IndexChanges(insertions: [0]))
        #expect(three.newKeys == [ObjectKey(1)])
        #expect(three.version == Version(4))
        #expect(three.followed(by: told[3]) == nil)
        token.cancel()
    }

    @Test("a query that does not fit the schema fails")
    func unknownQueries() throws {
        let tasks = try TaskStore()
        let (noClass, a) = try tasks.observe(BoundQuery(classID: ClassID(42)))
        #expect(noClass.failureCode == .unknownClass)
        let path = BoundPath(end: .property(PropertyID(42), PropertyType(.int)))
        let (noProperty, b) = try tasks.observe(BoundQuery(classID: TaskStore.task, steps: [.sort([SortKey(path)])]))
        #expect(noProperty.failureCode == .unknownProperty)
        let (otherClass, c) = try tasks.observe(BoundQuery(classID: TaskStore.person))
        let foreign = Recorder()
        let d = tasks.live.observe(
            BoundQuery(classID: TaskStore.person), keyPaths: [try TaskStore.keyPath("title")], deliver: foreign.receive)
        tasks.live.settle()
        #expect(foreign.failureCode == .unknownProperty)
        #expect(otherClass.failureCode == nil)
        #expect(tasks.live.resultCount == 1)
        for token in [a, b, c, d] { token.cancel() }
    }

    @Test("a new schema ends the results whose class or property it removes, and the others continue")
    func schemaChanges() throws {
        let tasks = try TaskStore()
        try tasks.write { try $0.task(1, 5) }
        let all = BoundQuery(classID: TaskStore.task)
        let byTitle = BoundQuery(
            classID: TaskStore.task, steps: [.sort([SortKey(TaskStore.path(TaskStore.title, .string))])])
        let (plain, a) = try tasks.observe(all)
        let (sorted, b) = try tasks.observe(byTitle)
        let (people, c) = try tasks.observe(BoundQuery(classID: TaskStore.person))
        let (titles, d) = try tasks.observe(all, keyPaths: ["title"])
        var classes = TaskStore.schema.classes
        classes.remove(at: 1)
        classes[0].properties.removeAll { $0.name == "owner" || $0.name == "title" }
        try tasks.store.replaceSchema(with: Schema(version: 2, classes: classes))
        tasks.live.settle()
        #expect(sorted.failureCode == .unknownProperty)
        #expect(people.failureCode == .unknownClass)
        #expect(titles.failureCode == .unknownProperty)
        #expect(plain.failureCode == nil)
        #expect(plain.changes == [])
        try tasks.write { try $0.setScore(1, 6) }
        #expect(plain.changes.map(\.modifications) == [[0]])
        #expect(tasks.live.resultCount == 1)
        for recorder in [plain, sorted, people, titles] { #expect(recorder.faults == []) }
        for token in [a, b, c, d] { token.cancel() }
    }

    @Test("observing a closed store fails with closed")
    func closedStore() throws {
        let tasks = try TaskStore()
        let (before, a) = try tasks.observe(BoundQuery(classID: TaskStore.task))
        tasks.store.close()
        let (after, b) = try tasks.observe(BoundQuery(classID: TaskStore.person))
        #expect(after.failureCode == .closed)
        #expect(before.failureCode == .closed)
        #expect(throws: StoreError.self) { try LiveQueries(tasks.store) }
        a.cancel()
        b.cancel()
    }

    @Test("only the observers' version is kept, and none without observers")
    func pins() throws {
        let tasks = try TaskStore()
        let store = ProbeStore(tasks.store)
        let live = try LiveQueries(store)
        let token = live.observe(BoundQuery(classID: TaskStore.task)) { _ in }
        live.settle()
        #expect(store.pinned == 1)
        try tasks.store.write { try $0.task(1, 1) }
        live.settle()
        #expect(store.given > 1)
        #expect(store.pinned == 1)
        #expect(throws: StoreError.self) { try store.snapshot(at: Version(1)) }
        token.cancel()
        live.settle()
        #expect(store.pinned == 0)
    }

    @Test("a version that can be read before its change set arrives is reported when it has arrived, and completely")
    func lateChangeSets() throws {
        let tasks = try TaskStore()
        try tasks.write { try $0.task(1, 1) }
        let store = ProbeStore(tasks.store)
        let live = try LiveQueries(store)
        let early = Recorder()
        let first = live.observe(BoundQuery(classID: TaskStore.task), deliver: early.receive)
        live.settle()
        store.holdBack()
        try tasks.store.write { try $0.setScore(1, 2) }
        let late = Recorder()
        let second = live.observe(BoundQuery(classID: TaskStore.task), deliver: late.receive)
        live.settle()
        #expect(early.changes == [])
        #expect(late.keys == nil)
        store.release()
        live.settle()
        #expect(early.changes.map(\.modifications) == [[0]])
        #expect(late.version == Version(3))
        #expect(late.changes == [])
        #expect(early.faults + late.faults == [])
        first.cancel()
        second.cancel()
    }
}
