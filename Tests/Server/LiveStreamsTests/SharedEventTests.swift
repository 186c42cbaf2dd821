import HTTPProblems
import HTTPMessages
import HTTPServer
import LiveQueries
import ObjectCoding
import ObjectModel
import Promises
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import Testing
import WireProtocol

@testable import FairScheduling
@testable import LiveStreams

/// A member without a stream, which keeps what it receives.
private final class Receiver: TopicMember {
    let caller = LimitKey.caller("test")
    private let state = Mutex<(events: [EncodedEvent], ending: Ending?)>(([], nil))

    var plainStream: EventStream? { nil }
    var events: [EncodedEvent] { state.withLock { $0.events } }
    var ending: Ending? { state.withLock { $0.ending } }

    func receive(_ event: EncodedEvent) -> EventStream.SendResult {
        state.withLock { $0.events.append(event) }
        return .queued
    }

    func isAt(_ version: Version) {}
    func fallBehind(since version: Version?) {}
    func restart() {}
    func move(since version: Version?) {}
    func end(with ending: Ending) { state.withLock { $0.ending = ending } }
}

/// Topics over a store in memory with one class of numbered tasks.
private struct Home {
    let store: ModelStore
    let live: LiveQueries
    let topics: Topics
    let tasks: ClassSchema
    private let schema: Schema

    init(largest: Int = 100) throws {
        store = try ModelStore(
            Schema(
                version: 1,
                classes: [
                    ClassSchema(
                        "Task", primaryKey: "id",
                        properties: [
                            PropertySchema("id", PropertyType(.int)), PropertySchema("title", PropertyType(.string)),
                        ])
                ]))
        schema = try store.snapshot().schema
        tasks = try #require(schema["Task"])
        live = try LiveQueries(store)
        let workers = WorkerPool(
            count: 1, begun: 1, limit: 8, perCaller: 8,
            WorkerPool.Names(limited: .queriesLimited, busy: .gatewayBusy, work: "", remedy: "", setting: ""))
        topics = Topics(
            TopicContext(
                live: live, workers: workers,
                limits: EventLimits(
                    memory: EventMemory(limit: 1 << 20), eventBytes: { 1 << 20 }, answerBytes: { 1 << 20 }),
                largest: { largest }, problem: { $0 as? Problem ?? .internalError },
                newest: { [store] in try store.snapshot().mark }, mark: { _ in nil },
                schema: { [store] in try store.snapshot().schema }, exists: { _ in true }))
    }

    func key(fields: String? = nil) -> TopicKey {
        var key = TopicKey(subject: .objects(BoundQuery(classID: tasks.id)), fields: fields)
        key.reading = KeyReading(schema: schema) { [key] _ in key }
        return key
    }

    func add(_ ids: Int...) throws {
        let (id, title) = (try #require(tasks["id"]).id, try #require(tasks["title"]).id)
        let done = Promise<Result<Version, any Error>>()
        store.submit { [tasks] transaction in
            for number in ids {
                _ = try transaction.create(tasks.id, [id: .int(Int64(number)), title: .string("task \(number)")])
            }
        } completion: {
            done.set($0)
        }
        _ = try done.wait().get()
        live.settle()
    }
}

@Suite("Topics")
struct SharedEventTests {
    @Test("clients with the same request receive the same bytes, encoded once")
    func shared() throws {
        let home = try Home()
        try home.add(1)
        let (first, second) = (Receiver(), Receiver())
        let topic = home.topics.topic(for: home.key())
        #expect(home.topics.topic(for: home.key()) === topic)
        #expect(home.topics.count == 1)
        topic.join(first, since: nil)
        topic.join(second, since: nil)
        home.live.settle()
        try home.add(2, 3)
        for receiver in [first, second] {
            #expect(receiver.events.map(\.name) == [.initial, .update])
            #expect(receiver.ending == nil)
        }
        for (a, b) in zip(first.events, second.events) { #expect(a.bytes === b.bytes) }
    }

    @Test("requests that show other properties are other topics, and a topic ends with its last client")
    func apart() throws {
        let home = try Home()
        let all = home.topics.topic(for: home.key())
        let some = home.topics.topic(for: home.key(fields: "title"))
        #expect(all !== some && home.topics.count == 2)
        home.topics.release(some)
        #expect(home.topics.count == 1)
        home.topics.release(all)
        #expect(home.topics.count == 0)
    }

    @Test("a result with too many objects ends with a problem instead of an event")
    func tooLarge() throws {
        let home = try Home(largest: 2)
        try home.add(1, 2, 3)
        let receiver = Receiver()
        home.topics.topic(for: home.key()).join(receiver, since: nil)
        home.live.settle()
        #expect(receiver.events.isEmpty)
        #expect(receiver.ending?.problem?.code == Problem.Code.observeTooLarge.rawValue)
    }

    @Test("the memory of events counts an event until its last reader is gone")
    func memory() {
        let memory = EventMemory(limit: 1000)
        var counted: SharedBytes? = memory.counted(SharedBytes([UInt8](repeating: 0, count: 1200)))
        #expect(memory.bytes == 1200 && !memory.hasRoom)
        withExtendedLifetime(counted) {}
        counted = nil
        #expect(memory.bytes == 0 && memory.hasRoom)
    }
}
