import Dispatch
import LiveTesting
import ObjectModel
import Promises
import QueryLanguage
import RealmInstances
import StoreContract
import StoreTesting
import Testing

/// Observations of objects, the instance's own observers, tokens, and errors of observing.
@Suite("Observers of an instance")
struct InstanceRulesTests {
    // MARK: Objects

    @Test("an object's observer has no first call")
    func noFirstCall() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (log, token) = try world.observeObject()
        world.turns()
        #expect(try !world.instance.refresh())
        #expect(log.events == [])
        token.invalidate()
    }

    @Test("an instance at rest takes up the version that it is given, or the newest; one that has one keeps it")
    func rest() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let old = try world.store.snapshot()
        try world.store.write { try $0.setScore(1, 4) }
        let newest = try world.store.snapshot()
        try world.instance.rest()
        try world.instance.begin(at: old)
        #expect(try world.instance.version == old.version)
        try world.instance.begin(at: newest)
        #expect(try world.instance.version == old.version)
        #expect(try world.instance.refresh())
        #expect(try world.instance.version == newest.version)
        try world.instance.rest()
        try world.store.write { try $0.setScore(1, 5) }
        #expect(try world.instance.version == newest.version.next)
        // Changes are relative to the version of the instance, however old.
        try world.instance.rest()
        try world.instance.begin(at: old)
        let (log, objectToken) = try world.observeObject()
        world.turns()
        #expect(log.events == ["2: 10 -> 5"])
        objectToken.invalidate()
        // The version that observers know is retained.
        let (recorder, token) = try world.observe()
        try world.instance.rest()
        try world.store.write { try $0.setScore(1, 6) }
        #expect(try world.instance.version == newest.version.next)
        #expect(recorder.faults == [])
        token.invalidate()
    }

    @Test("of the instance's own changes there are no old values", arguments: StoreKind.allCases)
    func example50(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (log, token) = try world.observeObject()
        try world.instance.write { try $0.setScore(1, 4) }
        world.turns()
        #expect(log.events == ["2: nil -> 4"])
        token.invalidate()
    }

    @Test("of others' changes there are, in the order of declaration", arguments: StoreKind.allCases)
    func example51(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (log, token) = try world.observeObject()
        try world.store.write { transaction in
            try transaction.setTitle(1, "Lu")
            try transaction.setScore(1, 4)
        }
        world.turns()
        #expect(log.events == ["2: 10 -> 4, 3:  -> Lu"])
        token.invalidate()
    }

    @Test("of several versions told as one, old values are those of the previous call", arguments: StoreKind.allCases)
    func mergedObject(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (log, token) = try world.observeObject()
        try world.instance.write { try $0.setTitle(1, "own") }
        try world.store.write { try $0.setScore(1, 4) }
        try world.store.write { try $0.setScore(1, 5) }
        world.turns()
        #expect(log.events == ["2: 10 -> 5, 3: nil -> own"])
        token.invalidate()
    }

    @Test("changes count from the version at registration, however late the next turn comes")
    func objectBaseline() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        try world.store.write { try $0.setTitle(1, "before") }
        try world.instance.refresh()
        let (log, token) = try world.observeObject()
        try world.store.write { try $0.setScore(1, 4) }
        world.turns()
        #expect(log.events == ["2: 10 -> 4"])
        token.invalidate()
    }

    @Test("a deletion is told once, and then nothing", arguments: StoreKind.allCases)
    func deletedObject(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (log, token) = try world.observeObject()
        try world.instance.write { transaction in
            try transaction.setScore(1, 4)
            try transaction.deleteTask(1)
        }
        world.turns()
        try world.store.write { try $0.task(1, 1) }
        world.turns()
        #expect(log.events == ["deleted"])
        token.invalidate()
    }

    @Test("an object's key paths follow links")
    func objectKeyPaths() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let person = try world.store.write { transaction in
            let person = try transaction.person("Li")
            try transaction.set(TaskStore.task, ObjectKey(0), [TaskStore.owner: .link(person)])
            return person
        }
        try world.instance.refresh()
        let (log, token) = try world.observeObject(keyPaths: ["owner.name"])
        try world.store.write { try $0.set(TaskStore.person, person, [TaskStore.name: .string("Lu")]) }
        world.turns()
        try world.instance.write { try $0.set(TaskStore.person, person, [TaskStore.name: .string("La")]) }
        world.turns()
        #expect(log.events == ["4: object 0 -> object 0", "4: nil -> object 0"])
        token.invalidate()
    }

    // MARK: The instance's own observers

    @Test("the instance's own observers are told within the commit, and after a refresh or turn that moved on")
    func bells() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        var events: [InstanceEvent] = []
        var versions: [Version?] = []
        let token = try world.instance.observeInstance { event in
            events.append(event)
            versions.append(try? world.instance.version)
        }
        try world.instance.beginWrite()
        try world.instance.transaction.setScore(1, 11)
        #expect(events == [])
        try world.instance.commitWrite()
        #expect(events == [.didChange])
        world.turns()
        #expect(events.count == 1)
        try world.store.write { try $0.setScore(1, 12) }
        world.turns()
        #expect(events == [.didChange, .didChange])
        try world.store.write { try $0.setScore(1, 13) }
        try world.instance.refresh()
        #expect(events.count == 3)
        try world.store.write { try $0.setScore(1, 14) }
        try world.instance.beginWrite()
        #expect(events.count == 4)
        try world.instance.cancelWrite()
        world.turns()
        #expect(versions == [3, 4, 5, 6].map { Version($0) })
        token.invalidate()
        try world.store.write { try $0.setScore(1, 15) }
        world.turns()
        #expect(events.count == 4)
    }

    @Test("without autorefresh they are told once of each newer version that waits")
    func refreshRequired() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        try world.instance.setAutorefresh(false)
        var events: [InstanceEvent] = []
        let token = try world.instance.observeInstance { events.append($0) }
        try world.instance.write { try $0.setScore(1, 11) }
        world.turns()
        #expect(events == [.didChange])
        try world.store.write { try $0.setScore(1, 12) }
        world.turns()
        let (_, other) = try world.observe()
        #expect(events == [.didChange, .refreshRequired])
        try world.store.write { try $0.setScore(1, 13) }
        world.turns()
        #expect(events == [.didChange, .refreshRequired, .refreshRequired])
        try world.instance.refresh()
        #expect(events.last == .didChange)
        token.invalidate()
        other.invalidate()
    }

    // MARK: Tokens

    @Test("a token that is dropped or invalidated before the first call prevents it", arguments: [true, false])
    func invalidatedBeforeFirstCall(drops: Bool) throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        world.background.suspend()
        let kept = try world.begin()
        weak var gone: InstanceToken?
        let recorder = InstanceRecorder(world.instance)
        do {
            let token = try world.instance.observe(TaskInstanceFixture.tasks) { recorder.receive($0) }
            gone = token
            if !drops { token.invalidate() }
        }
        #expect(gone == nil)
        world.background.resume()
        try world.turns { kept.0.keys != nil }
        #expect(recorder.calls == [])
        kept.1.invalidate()
    }

    @Test("an observer whose token is invalidated is forgotten, and what its block holds is let go of")
    func releasesBlocks() throws {
        final class Held {}
        let world = try TaskInstanceFixture(taskCount: 1)
        weak var held: Held?
        let token: InstanceToken
        do {
            let object = Held()
            held = object
            token = try world.instance.observe(TaskInstanceFixture.tasks) { _ in withExtendedLifetime(object) {} }
        }
        _ = world.scheduler.waitForTurn()
        #expect(held != nil)
        token.invalidate()
        token.invalidate()
        #expect(!token.isValid)
        world.turns()
        #expect(held == nil)
    }

    @Test("a token keeps the instance alive, and nothing else does")
    func lifetime() throws {
        let store = try ModelStore(TaskStore.schema)
        let hub = InstanceHub(store)
        let scheduler = HandScheduler()
        weak var instance: LiveInstance?
        var token: InstanceToken?
        var calls = 0
        do {
            let opened = try hub.instance(on: scheduler)
            instance = opened
            token = try opened.observeInstance { _ in calls += 1 }
            #expect(try hub.instance(on: scheduler) === opened)
        }
        try store.write { try $0.task(1, 1) }
        while scheduler.turn() {}
        #expect(calls == 1)
        #expect(instance != nil)
        token = nil
        while scheduler.turn() {}
        #expect(instance == nil)
        #expect(token == nil)
    }

    @Test("an observer that invalidates its own token within its block hears nothing more")
    func invalidatesItself() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (recorder, token) = try world.observe()
        recorder.onCall = { token.invalidate() }
        for score in 0..<3 {
            try world.store.write { try $0.setScore(1, Int64(score)) }
            world.turns()
        }
        #expect(recorder.calls == ["initial", "update"])
    }

    @Test("invalidated tokens can be named for skipping")
    func invalidatedTokenSkips() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let (_, token) = try world.observe()
        token.invalidate()
        try world.instance.write(withoutNotifying: [token]) { try $0.setScore(1, 2) }
    }

    // MARK: Refusals

    @Test("within a write nothing but the instance itself can be observed")
    func refusedInWrite() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let sentence = "Cannot create asynchronous query after making changes in a write transaction."
        try world.instance.beginWrite()
        let query = TaskInstanceFixture.fault { _ = try world.instance.observe(TaskInstanceFixture.tasks) { _ in } }
        #expect(query?.message == sentence)
        #expect(query?.code == .observedInWrite)
        let object = TaskInstanceFixture.fault { _ = try world.observeObject() }
        #expect(object?.message == sentence)
        let token = try world.instance.observeInstance { _ in }
        try world.instance.cancelWrite()
        token.invalidate()
    }

    @Test("a read-only instance does not notify, write or refresh")
    func readOnly() throws {
        let world = try TaskInstanceFixture(isReadOnly: true)
        let (instance, fault) = (world.instance, TaskInstanceFixture.fault)
        let sentence = "Read-only Realms do not change and do not have change notifications."
        #expect(fault { _ = try instance.observe(TaskInstanceFixture.tasks) { _ in } }?.message == sentence)
        #expect(fault { _ = try instance.observeInstance { _ in } }?.message == sentence)
        #expect(fault { try instance.beginWrite() }?.message == "Can't perform transactions on read-only Realms.")
        #expect(fault { try instance.refresh() }?.code == .readOnly)
        #expect(try instance.version == Version(2))
    }

    @Test("a frozen instance stays, does not notify or write, and is read on any thread", arguments: StoreKind.allCases)
    func frozen(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let frozen = try world.instance.freeze()
        let fault = TaskInstanceFixture.fault
        let sentence = "Frozen Realms do not change and do not have change notifications."
        #expect(fault { _ = try frozen.observe(TaskInstanceFixture.tasks) { _ in } }?.message == sentence)
        #expect(fault { _ = try frozen.observeInstance { _ in } }?.message == sentence)
        #expect(fault { try frozen.beginWrite() }?.message == "Can't perform transactions on a frozen Realm")
        #expect(fault { try frozen.setAutorefresh(true) }?.code == .frozen)
        try world.instance.write { try $0.task(2, 20) }
        #expect(try !frozen.refresh())
        try frozen.invalidate()
        #expect(elsewhere { try? frozen.snapshot.count(of: TaskStore.task) } == 1)
        #expect(elsewhere { try? frozen.freeze().version } == Version(2))
        #expect(frozen.isFrozen)
        #expect(try !frozen.autorefresh && !frozen.isInWriteTransaction)
    }

    @Test("where nobody turns, nothing can be observed, but everything read, written and refreshed")
    func noRunLoop() throws {
        let world = try TaskInstanceFixture(taskCount: 1, canDeliver: false)
        let fault = TaskInstanceFixture.fault { _ = try world.instance.observe(TaskInstanceFixture.tasks) { _ in } }
        #expect(fault?.message == "Can only add notification blocks from within runloops.")
        #expect(fault?.code == .noRunLoop)
        try world.store.write { try $0.task(2, 20) }
        #expect(try world.instance.refresh())
        try world.instance.write { try $0.task(3, 30) }
        #expect(try world.instance.snapshot.count(of: TaskStore.task) == 3)
    }

    @Test("an object that is gone cannot be observed")
    func goneObject() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        try world.instance.write { try $0.deleteTask(1) }
        let fault = TaskInstanceFixture.fault { _ = try world.observeObject() }
        #expect(fault?.message == "Object has been deleted or invalidated.")
        #expect(fault?.code == .notFound)
    }

    @Test("another thread is refused, whatever it asks for")
    func incorrectThread() throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let instance = world.instance
        let asked: [@Sendable () throws -> Void] = [
            { _ = try instance.snapshot }, { _ = try instance.observe(TaskInstanceFixture.tasks) { _ in } },
            { _ = try instance.observeObject(TaskInstanceFixture.first) { _ in } },
            { _ = try instance.observeInstance { _ in } }, { try instance.refresh() }, { try instance.invalidate() },
            { try instance.beginWrite() }, { try instance.commitWrite() }, { try instance.cancelWrite() },
            { try instance.write { _ in } }, { _ = try instance.isInWriteTransaction },
            { _ = try instance.autorefresh },
            { try instance.setAutorefresh(true) }, { _ = try instance.transaction }, { _ = try instance.freeze() },
            { [hub = world.hub, scheduler = world.scheduler] in _ = try hub.instance(on: scheduler) },
        ]
        for (number, ask) in asked.enumerated() {
            let fault = elsewhere { TaskInstanceFixture.fault(ask) }
            #expect(fault?.code == .incorrectThread, "number \(number)")
            #expect(fault?.message == "Realm accessed from incorrect thread.")
        }
    }

    @Test("a closed store ends all observations at the next turn", arguments: StoreKind.allCases)
    func closed(_ kind: StoreKind) throws {
        let world = try TaskInstanceFixture(taskCount: 1, on: kind)
        let (recorder, token) = try world.observe()
        world.store.close()
        #expect(TaskInstanceFixture.fault { try world.instance.refresh() }?.code == .closed)
        try world.instance.setAutorefresh(true)
        world.turns()
        #expect(recorder.code == .closed)
        token.invalidate()
    }
}

/// Runs the body on another thread; a queue may run synchronous work on the calling one.
private func elsewhere<R: Sendable>(_ body: @escaping @Sendable () -> R) -> R {
    let result = Promise<R>()
    DispatchQueue(label: "elsewhere").async { result.set(body()) }
    return result.wait()
}
