import LiveQueries
import Dispatch
import Foundation
import LiveTesting
import ObjectModel
import QueryLanguage
import RealmInstances
import StoreContract
import StoreTesting
import Synchronization
import Testing
import TestBasics

/// Run loops, queues and actors.
@Suite("Schedulers")
struct SchedulerTests {
    private actor Home {
        var events: [String] = []
        func add(_ event: String) { events.append(event) }
    }

    @Test(
        "a token held across many writes by other threads sees a chain that leads to the final state",
        arguments: SchedulerKind.allCases)
    func liveness(_ kind: SchedulerKind) async throws {
        let store = try ModelStore(TaskStore.schema)
        let hub = InstanceHub(store)
        let scheduler = try kind.scheduler()
        let queries = [
            TaskInstanceFixture.tasks,
            BoundQuery(classID: TaskStore.task, steps: [.sort([SortKey(TaskStore.path(TaskStore.score, .int))])]),
            BoundQuery(classID: TaskStore.task, steps: [.limit(3)]),
        ]
        let observers = try await scheduler.perform {
            let instance = try hub.instance(on: scheduler)
            return Resident(
                try queries.map { query in
                    let recorder = InstanceRecorder(instance)
                    return (query, recorder, try instance.observe(query) { recorder.receive($0) })
                })
        }
        let steps = 100 * TestRun.length
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = SeededRandom.ofTest("\(kind) \(thread)")
            for step in 0..<steps {
                let (id, score) = (Int64(thread * steps + step), Int64(random.below(50)))
                _ = try? store.write { transaction in
                    try transaction.task(id, score)
                    if step > 4, step % 3 != 0 { try transaction.setScore(id - 2, score + 1) }
                    if step % 3 == 2 { try transaction.deleteTask(id - 1) }
                }
            }
        }
        let snapshot = try store.snapshot()
        #expect(snapshot.version == Version(UInt64(4 * steps + 1)))
        let isThere = try await scheduler.eventually {
            try hub.instance(on: scheduler).version == snapshot.version
                && observers.value.allSatisfy { $0.1.keys != nil }
        }
        #expect(isThere)
        try await scheduler.perform {
            for (query, recorder, token) in observers.value {
                #expect(recorder.faults == [])
                let expected = try snapshot.select(query, .all)
                #expect(recorder.keys == expected)
                token.invalidate()
            }
        }
    }

    @Test("a scheduler knows whether the caller runs there", arguments: SchedulerKind.allCases)
    func isCurrent(_ kind: SchedulerKind) async throws {
        let scheduler = try kind.scheduler()
        let other = try SchedulerKind.queue.scheduler()
        #expect(try await scheduler.perform { scheduler.isCurrent && scheduler.canDeliver && !other.isCurrent })
        #expect(try await other.perform { other.isCurrent && !scheduler.isCurrent })
        #expect(scheduler.id != other.id)
        #expect(scheduler.id == scheduler.id)
    }

    @Test("one thread, queue or actor has one instance", arguments: SchedulerKind.allCases)
    func sharedInstances(_ kind: SchedulerKind) async throws {
        let store = try ModelStore(TaskStore.schema)
        let hub = InstanceHub(store)
        let scheduler = try kind.scheduler()
        let instance = try await scheduler.perform { try hub.instance(on: scheduler) }
        let known = try await scheduler.perform { try hub.instance(on: scheduler) }
        #expect(known === instance)
        let other = try OtherInstance(hub)
        #expect(other.instance !== instance)
        let again = try other.queue.sync { try hub.instance(on: QueueScheduler(other.queue)) }
        #expect(again === other.instance)
        let fault = TaskInstanceFixture.fault { _ = try hub.instance(on: scheduler) }
        #expect(fault?.code == .incorrectThread)
        if case .runLoop = kind {
            let same = try await scheduler.perform { try hub.instance(on: RunLoopScheduler.current) }
            #expect(same === instance)
        }
    }

    @Test("an instance is refused on another queue, actor or thread", arguments: SchedulerKind.allCases)
    func confinement(_ kind: SchedulerKind) async throws {
        let hub = InstanceHub(try ModelStore(TaskStore.schema))
        let scheduler = try kind.scheduler()
        let instance = try await scheduler.perform { try hub.instance(on: scheduler) }
        let others = [
            try SchedulerKind.queue.scheduler(), try SchedulerKind.actor.scheduler(), SchedulerKind.runningLoop(),
        ]
        for other in others {
            let fault = try await other.perform { TaskInstanceFixture.fault { _ = try instance.version }?.message }
            #expect(fault == "Realm accessed from incorrect thread.")
        }
        #expect(try await scheduler.perform { try instance.version } == Version(1))
    }

    // MARK: Run loops

    @Test("a thread that runs no loop cannot observe, but can read and write; one that does can")
    func threadWithoutLoop() async throws {
        let hub = InstanceHub(try ModelStore(TaskStore.schema))
        let fault = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let found = TaskInstanceFixture.fault {
                    let instance = try hub.instance(on: RunLoopScheduler.current)
                    _ = try instance.write { try $0.task(1, 1) }
                    #expect(try instance.snapshot.count(of: TaskStore.task) == 1)
                    _ = try instance.observe(TaskInstanceFixture.tasks) { _ in }
                }
                continuation.resume(returning: found?.code)
            }
        }
        #expect(fault == .noRunLoop)
        let loop = SchedulerKind.runningLoop()
        _ = try await loop.perform {
            try hub.instance(on: loop).observe(TaskInstanceFixture.tasks) { _ in }.invalidate()
        }
    }

    @Test("a loop that turns within a block makes no call in it, and makes up for it afterwards")
    func nestedLoop() async throws {
        let store = try ModelStore(TaskStore.schema)
        let hub = InstanceHub(store)
        let scheduler = SchedulerKind.runningLoop()
        let observer = try await scheduler.perform {
            let instance = try hub.instance(on: scheduler)
            let recorder = InstanceRecorder(instance)
            let token = try instance.observe(TaskInstanceFixture.tasks) { recorder.receive($0) }
            return Resident((recorder, token))
        }
        #expect(try await scheduler.eventually { observer.value.0.keys != nil })
        try await scheduler.perform {
            let recorder = observer.value.0
            recorder.onCall = {
                recorder.onCall = nil
                try store.write { try $0.task(2, 2) }
                let count = recorder.calls.count
                RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.01))
                #expect(recorder.calls.count == count)
            }
        }
        try store.write { try $0.task(1, 1) }
        #expect(try await scheduler.eventually { observer.value.0.keys?.count == 2 })
        #expect(try await scheduler.perform { observer.value.0.faults } == [])
        _ = try await scheduler.perform { observer.value.1.invalidate() }
    }

    // MARK: Queues

    @Test("a global queue is refused, and so is a second thread on a queue that is not serial")
    func concurrentQueues() async throws {
        let hub = InstanceHub(try ModelStore(TaskStore.schema))
        let fault = TaskInstanceFixture.fault { _ = try QueueScheduler(.global()) }
        #expect(fault?.code == .concurrentQueue)
        let scheduler = try QueueScheduler(DispatchQueue(label: "concurrent", attributes: .concurrent))
        let instance = try await scheduler.perform { try hub.instance(on: scheduler) }
        let gate = Gate()
        scheduler.run {
            _ = try? instance.write { _ in
                gate.arrive()
                gate.wait()
            }
        }
        gate.waitForArrival()
        let second = try await scheduler.perform { TaskInstanceFixture.fault { _ = try instance.version }?.code }
        #expect(second == .incorrectThread)
        gate.open()
    }

    @Test("observing on a queue happens there, with the queue's instance, at least at the caller's version")
    func observeOnQueue() async throws {
        let store = try ModelStore(TaskStore.schema)
        let hub = InstanceHub(store)
        let other = try OtherInstance(hub)
        try other.queue.sync { try other.instance.setAutorefresh(false) }
        let version = try store.submitAndWait { transaction in for id in 1...2 { try transaction.task(Int64(id), 10) } }
        let recorder = Resident(InstanceRecorder(other.instance))
        let scheduler = try QueueScheduler(other.queue)
        let token = try hub.observe(on: other.queue, from: version) { instance in
            #expect(instance === other.instance)
            return try instance.observe(TaskInstanceFixture.tasks) { recorder.value.receive($0) }
        } failed: {
            Issue.record($0)
        }
        #expect(try await scheduler.eventually { recorder.value.keys?.count == 2 })
        token.invalidate()
        try store.submitAndWait { try $0.task(3, 30) }
        #expect(try await scheduler.perform { try other.instance.refresh() })
        #expect(try await scheduler.perform { recorder.value.calls } == ["initial"])
    }

    @Test(
        "a token that is invalidated or dropped before its queue registered it prevents that", arguments: [true, false])
    func invalidatedBeforeRegistration(drops: Bool) throws {
        let world = try TaskInstanceFixture(taskCount: 1)
        let queue = DispatchQueue(label: "queue")
        let calls = Mutex(0)
        queue.suspend()
        do {
            let token = try world.hub.observe(on: queue, from: Version(1)) { instance in
                calls.withLock { $0 += 1 }
                return try instance.observeInstance { _ in }
            } failed: {
                Issue.record($0)
            }
            if !drops { token.invalidate() }
        }
        queue.resume()
        queue.sync {}
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("what registration on a queue throws is told there")
    func failedRegistration() throws {
        let world = try TaskInstanceFixture()
        let queue = DispatchQueue(label: "queue")
        let code = Mutex<StoreError.Code?>(nil)
        let token = try world.hub.observe(on: queue, from: Version(1)) { instance in
            try instance.observeObject(TaskInstanceFixture.first) { _ in }
        } failed: { error in
            code.withLock { $0 = (error as? StoreError)?.code }
        }
        queue.sync {}
        #expect(code.withLock { $0 } == .notFound)
        token.invalidate()
    }

    // MARK: Actors

    @Test("observing on an actor returns when it is registered there, so that every later write is told")
    func observeOnActor() async throws {
        for _ in 0..<50 {
            let store = try ModelStore(TaskStore.schema)
            let hub = InstanceHub(store)
            let version = try store.submitAndWait { try $0.task(1, 10) }
            let home = Home()
            let token = try await hub.observe(on: home, from: version) { home, instance in
                try instance.observeObject(TaskInstanceFixture.first) { (event: LiveObjectEvent) in
                    home.assumeIsolated { home in
                        guard case .update(let change) = event else { return }
                        home.add(change.properties.map { "\($0.id.rawValue): \($0.oldValue != nil)" }.joined())
                    }
                }
            }
            try store.submitAndWait { try $0.setScore(1, 11) }
            let scheduler = ActorScheduler(home)
            while await home.events.isEmpty { await Task.yield() }
            #expect(await home.events == ["2: true"])
            #expect(scheduler.canDeliver)
            token.invalidate()
        }
    }

    @Test("a task that was cancelled gets a token of nothing")
    func cancelledTask() async throws {
        let hub = InstanceHub(try ModelStore(TaskStore.schema))
        let home = Home()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await hub.observe(on: home, from: Version(1)) { home, instance in
                home.add("registered")
                return try instance.observeInstance { _ in }
            }
        }
        task.cancel()
        #expect(try await !task.value.isValid)
        #expect(await home.events == [])
    }
}

extension ModelStore {
    /// `write` for tests that are asynchronous, with the version.
    @discardableResult
    fileprivate func submitAndWait(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void
    ) throws -> Version {
        try write { transaction in
            try work(transaction)
            return transaction.version
        }
    }
}
