import HTTPMessages
import HTTPProblems
import HTTPServer
import JSONCoding
import LiveQueries
import ObjectCoding
import ObjectModel
import Promises
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing
import WireProtocol

@testable import FairScheduling
@testable import LiveStreams
@testable import SyncSubscriptions

/// A stream of subscriptions of one class, without a socket: the test is the client that reads.
private final class Fixture {
    let store: ModelStore
    let live: LiveQueries
    let topics: Topics
    let memory = EventMemory(limit: 8 << 20)
    let stream: EventStream
    let set: SetStream
    private let tasks: ClassSchema
    private let schema: Schema
    private let workers: WorkerPool

    /// - Parameter eventBytes: the size above which an event is sent in parts.
    init(eventBytes: Int, streamLimit: Int) throws {
        store = try ModelStore(
            Schema(
                version: 1,
                classes: [
                    ClassSchema(
                        "Task", primaryKey: "id",
                        properties: [
                            PropertySchema("id", PropertyType(.int)), PropertySchema("title", PropertyType(.string)),
                            PropertySchema("rank", PropertyType(.int)),
                        ])
                ]))
        schema = try store.snapshot().schema
        tasks = try #require(schema["Task"])
        live = try LiveQueries(store)
        workers = WorkerPool(
            count: 4, begun: 4, limit: 64, perCaller: 64,
            WorkerPool.Names(limited: .queriesLimited, busy: .gatewayBusy, work: "", remedy: "", setting: ""))
        topics = Topics(
            TopicContext(
                live: live, workers: workers,
                limits: EventLimits(memory: memory, eventBytes: { eventBytes }, answerBytes: { 1 << 20 }),
                largest: { 1 << 20 }, problem: { $0 as? Problem ?? .internalError },
                newest: { [store] in try store.snapshot().mark },
                mark: { [store] version in (try? store.tag(of: version)).flatMap { $0 }.map { Mark(version, $0) } },
                schema: { [store] in try store.snapshot().schema }, exists: { _ in true }))
        stream = EventStream(limit: streamLimit)
        set = SetStream(
            stream, topics, for: .caller("test"), nil, bind: { _ in nil },
            bindQuery: { _ in .failure(.internalError) }, didFail: { _, _, _ in })
    }

    func add(_ ids: Range<Int>) throws {
        let properties = try ["id", "title", "rank"].map { try #require(tasks[$0]).id }
        let done = Promise<Result<Version, any Error>>()
        store.submit { [tasks] transaction in
            for id in ids {
                let values: [Value] = [.int(Int64(id)), .string("task \(id)"), .int(Int64(id % 7))]
                _ = try transaction.create(tasks.id, Dictionary(uniqueKeysWithValues: zip(properties, values)))
            }
        } completion: {
            done.set($0)
        }
        _ = try done.wait().get()
    }

    static func body(_ fields: String) -> JSONObject {
        JSONObject([.init(name: "class", value: "Task"), .init(name: "fields", value: .string(fields))])
    }

    func subscribe(_ fields: [String]) throws {
        let subscriptions = try fields.enumerated().map { index, fields in
            var key = TopicKey(subject: .objects(BoundQuery(classID: tasks.id)), fields: fields)
            key.reading = KeyReading(schema: schema) { [key] _ in key }
            let query = try SubscriptionQuery(Self.body(fields))
            return Subscription(
                id: index + 1, name: "s\(index)", query: query, key: key, createdAt: Timestamp(seconds: 0),
                updatedAt: Timestamp(seconds: 0), revision: 1)
        }
        set.begin(subscriptions, at: nil, revision: 1)
        for subscription in subscriptions {
            set.add(subscription, try #require(subscription.key), since: nil, revision: 1)
        }
    }

    private var parser = EventStreamParser()

    /// Reads what has been sent, as a client does that reads as fast as it can.
    func read() throws -> [(name: String, subscription: String, isPart: Bool)] {
        let (queue, _) = stream.takeQueued()
        var events: [ServerEvent] = []
        for bytes in queue {
            events += bytes.withUnsafeBytes { parser.feed($0) }
            stream.didSend(bytes.count)
        }
        return try events.compactMap { event in
            let parsed = try SetEvent(event)
            switch parsed.content {
            case .initial(let subscription, _), .update(let subscription, _):
                return (event.name, subscription, parsed.isPart)
            default: return nil
            }
        }
    }
}

@Suite("Large events of one stream")
struct LargeEventTurnTests {
    private static let fields = [
        "id,title", "title,id", "id,rank,title", "rank,title", "title,rank", "id,title,rank", "title,id,rank",
        "title,rank,id", "rank,id,title", "rank,title,id",
    ]

    @Test(
        "many large first results are encoded once each, however little a client has room for",
        arguments: [(eventBytes: 1 << 20, least: 1), (eventBytes: 8_000, least: 3)])
    func once(eventBytes: Int, least: Int) throws {
        let fixture = try Fixture(eventBytes: eventBytes, streamLimit: 4_000)
        try fixture.add(0..<1_000)
        try fixture.subscribe(Self.fields)
        var (done, count): (Set<String>, Int) = ([], 0)
        let isComplete = try eventually {
            for event in try fixture.read() {
                count += 1
                #expect(!done.contains(event.subscription), "\(event)")
                if !event.isPart { done.insert(event.subscription) }
            }
            return done.count == Self.fields.count
        }
        #expect(isComplete, "\(done)")
        #expect(count >= Self.fields.count * least)
        #expect(fixture.memory.encodedEvents == count)
        // All follow the class from then on.
        try fixture.add(1_000..<1_001)
        var updated: Set<String> = []
        #expect(
            try eventually {
                updated.formUnion(try fixture.read().map(\.subscription))
                return updated == done
            }, "\(updated)")
        fixture.set.end()
    }

    @Test("subscriptions that have a large update whenever it is their turn let the others begin")
    func fairness() throws {
        let fixture = try Fixture(eventBytes: 8_000, streamLimit: 1_000)
        try fixture.add(0..<500)
        try fixture.subscribe(Array(Self.fields.prefix(4)))
        var (done, next): (Set<String>, Int) = ([], 500)
        let isComplete = try eventually {
            let events = try fixture.read()
            for event in events where !event.isPart { done.insert(event.subscription) }
            if !events.isEmpty {
                // More than the client has room for.
                try fixture.add(next..<next + 40)
                next += 40
            }
            return done.count == 4
        }
        #expect(isComplete, "\(done)")
        fixture.set.end()
    }

    @Test("a subscription that is removed while its large event is sent lets the next one begin")
    func removal() throws {
        let fixture = try Fixture(eventBytes: 8_000, streamLimit: 4_000)
        try fixture.add(0..<1_000)
        try fixture.subscribe(Self.fields)
        var (begun, done): (Set<String>, Set<String>) = ([], [])
        let isComplete = try eventually {
            for event in try fixture.read() {
                if begun.insert(event.subscription).inserted, begun.count % 2 == 1 {
                    let index = try #require(Int(event.subscription.dropFirst()))
                    let query = try SubscriptionQuery(Fixture.body("id"))
                    fixture.set.remove(
                        Subscription(
                            id: index + 1, name: event.subscription, query: query, key: nil,
                            createdAt: Timestamp(seconds: 0), updatedAt: Timestamp(seconds: 0), revision: 1),
                        revision: 2)
                    done.insert(event.subscription)
                }
                if !event.isPart { done.insert(event.subscription) }
            }
            return done.count == Self.fields.count
        }
        #expect(isComplete, "\(done)")
        fixture.set.end()
    }
}
