import EmbeddedStore
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics
import Testing

/// Two gateways on one log in memory.
@Suite("Realmgate-At-Least")
struct AtLeastTests {
    private static let schema =
        #"{"schemaVersion":1,"classes":[{"name":"Dog","primaryKey":"id","properties":[{"name":"id","type":"int"}]}]}"#

    private let directory: TestDirectory
    private let log = MemoryLog()
    private let faults = LogFaults()
    private let near: Wire
    private let far: Wire
    /// The same store as that of `far`, with a gateway that does not wait for long.
    private let impatient: Wire

    init() throws {
        directory = try TestDirectory()
        let schema = try SchemaCoding.decode(try JSONValue.parse(Self.schema))
        var configuration = GatewayConfiguration.untimed
        configuration.readWaitMilliseconds = TestRun.patience * 1000
        let path = directory.path
        let nearStore = try EmbeddedStore.open(path: path + "/a", schema: schema, log: log.connect())
        let farStore = try EmbeddedStore.open(path: path + "/b", schema: schema, log: log.connect(faults))
        near = Wire(store: nearStore, router: try Gateway(store: nearStore, configuration: configuration).router)
        far = Wire(store: farStore, router: try Gateway(store: farStore, configuration: configuration).router)
        configuration.readWaitMilliseconds = 700
        impatient = Wire(store: farStore, router: try Gateway(store: farStore, configuration: configuration).router)
    }

    @Test("a write is read at the other gateway with its mark, each time")
    func ownWrites() throws {
        for id in 1...200 {
            let written = try near.send(.post, "/v1/objects/Dog", #"{"id":\#(id)}"#)
            let mark = try #require(written.headers["Realmgate-Mark"])
            let read = try far.send(.get, "/v1/objects/Dog/\(id)", headers: ["Realmgate-At-Least": mark])
            #expect(read.status == 200, "\(id): \(read.text)")
            // It goes for edits and queries too, and the other way round.
            if id % 10 == 0 {
                let query = try far.send(
                    .get, "/v1/objects/Dog?filter=id%20%3D%3D%20\(id)&count=true", headers: ["Realmgate-At-Least": mark]
                )
                #expect(query["items"]?.asArray?.count == 1)
                let deleted = try far.send(.delete, "/v1/objects/Dog/\(id)", headers: ["Realmgate-At-Least": mark])
                let back = try #require(deleted.headers["Realmgate-Mark"])
                #expect(
                    try near.send(.get, "/v1/objects/Dog/\(id)", headers: ["Realmgate-At-Least": back]).status == 404)
            }
        }
    }

    @Test("a version that does not come is 503 with Retry-After, after the time that the setting gives")
    func behind() throws {
        let written = try near.send(.post, "/v1/objects/Dog", #"{"id":1}"#)
        let mark = try #require(written.headers["Realmgate-Mark"].flatMap { Mark($0) })
        let later = "\(mark.version.rawValue + 5)-\("\(mark)".split(separator: "-")[1])"
        let start = ContinuousClock.now
        let answer = try impatient.send(.get, "/v1/objects/Dog", headers: ["Realmgate-At-Least": later])
        #expect(answer.status == 503 && answer.code == "store.behind" && answer.headers["Retry-After"] == "1")
        #expect(ContinuousClock.now - start >= .milliseconds(700))
    }

    @Test("a version that comes while the request waits is read then")
    func arrival() throws {
        let mark = try #require(try near.send(.post, "/v1/objects/Dog", #"{"id":1}"#).headers["Realmgate-Mark"])
        let version = try #require(Mark(mark)).version.rawValue
        let tag = mark.split(separator: "-")[1]
        // The tag of a version that is not made yet is not known: the next one has another.
        let late = Thread { [near] in
            usleep(100_000)
            _ = try? near.send(.post, "/v1/objects/Dog", #"{"id":2}"#)
        }
        late.start()
        let answer = try far.send(.get, "/v1/objects/Dog/2", headers: ["Realmgate-At-Least": "\(version + 1)-\(tag)"])
        #expect(answer.status == 409 && answer.code == "store.history_lost")
        #expect(try far.send(.get, "/v1/objects/Dog/2").status == 200)
    }

    @Test("a mark of another history is 409, and what is not a mark 400")
    func faultyMarks() throws {
        let mark = try #require(try near.send(.post, "/v1/objects/Dog", #"{"id":1}"#).headers["Realmgate-Mark"])
        let version = mark.split(separator: "-")[0]
        let other = try near.send(.get, "/v1/objects/Dog", headers: ["Realmgate-At-Least": "\(version)-00c0ffee"])
        #expect(other.status == 409 && other.code == "store.history_lost")
        for text in ["", "7", "\(version)", "x-00c0ffee", mark + " "] {
            let answer = try near.send(.get, "/v1/objects/Dog", headers: ["Realmgate-At-Least": text])
            #expect(answer.status == 400 && answer.code == "header.invalid", "'\(text)'")
        }
    }

    @Test("a server without a log cannot get a version that it does not have: its history was lost, as by a restore")
    func restored() throws {
        let index = try TestDirectory()
        let schema = try SchemaCoding.decode(try JSONValue.parse(Self.schema))
        let store = try EmbeddedStore.open(path: index.path + "/file", schema: schema)
        var configuration = GatewayConfiguration.untimed
        // It waits for nothing.
        configuration.readWaitMilliseconds = 3_600_000
        let alone = Wire(store: store, router: try Gateway(store: store, configuration: configuration).router)
        let written = try alone.send(.post, "/v1/objects/Dog", #"{"id":1}"#)
        let mark = try #require(written.headers["Realmgate-Mark"].flatMap { Mark($0) })
        for (method, body) in [(HTTPMethod.get, nil), (.post, #"{"id":2}"#)] as [(HTTPMethod, String?)] {
            let answer = try alone.send(
                method, "/v1/objects/Dog", body,
                headers: ["Realmgate-At-Least": "\(mark.version.rawValue + 9)-00c0ffee"])
            #expect(answer.status == 409 && answer.code == "store.history_lost", "\(answer.text)")
        }
        #expect(try alone.send(.get, "/v1/objects/Dog/2").status == 404)
        let stream = try alone.observe(
            "/v1/observe/objects/Dog", headers: ["Last-Event-ID": "\(mark.version.rawValue + 9)-00c0ffee"])
        #expect(try next(of: stream).name == "initial")
        stream.stream.didClose(.clientLeft)
    }

    @Test("a stream goes on at a gateway that does not have its last event yet")
    func streams() throws {
        let initial = try near.observe("/v1/observe/objects/Dog")
        _ = try next("initial", of: initial)
        keepFarBehind()
        _ = try near.send(.post, "/v1/objects/Dog", #"{"id":1}"#)
        let event = try next("update", of: initial)
        let resumed = try far.observe("/v1/observe/objects/Dog", headers: ["Last-Event-ID": try #require(event.id)])
        _ = try near.send(.post, "/v1/objects/Dog", #"{"id":2}"#)
        // Not `initial`, which would mean that the gateway did not know the mark.
        let first = try next(of: resumed)
        #expect(first.name == "update" && first.data["insertions"]?.asArray?.count == 1, "\(first)")
        initial.stream.didClose(.clientLeft)
        resumed.stream.didClose(.clientLeft)
    }

    @Test("a set's stream goes on at a gateway that does not have its last event yet", arguments: [false, true])
    func sets(hasOther: Bool) throws {
        // Gateways of a log share their sets.
        for (name, filter) in [("all", "id > 0"), ("none", "id < 0")].prefix(hasOther ? 2 : 1) {
            let put = try near.send(
                .put, "/v1/subscriptions/phone/\(name)", #"{"class":"Dog","filter":"\#(filter)"}"#)
            #expect(put.status == 201, "\(put.text)")
        }
        let stream = "/v1/subscriptions/phone/stream"
        let initial = try near.observe(stream)
        _ = try next("initial", of: initial)
        #expect(try far.send(.get, "/v1/subscriptions/phone/all").status == 200)
        keepFarBehind()
        _ = try near.send(.post, "/v1/objects/Dog", #"{"id":1}"#)
        let event = try next("update", of: initial)
        let resumed = try far.observe(stream, headers: ["Last-Event-ID": try #require(event.id)])
        _ = try near.send(.post, "/v1/objects/Dog", #"{"id":2}"#)
        let first = try next("initial", "update", of: resumed)
        #expect(first.name == "update" && first.data["insertions"]?.asArray?.count == 1, "\(first)")
        initial.stream.didClose(.clientLeft)
        resumed.stream.didClose(.clientLeft)
    }

    @Test(
        "a page goes on at a gateway that does not have the version of its cursor yet",
        arguments: [HTTPMethod.get, .post])
    func pages(method: HTTPMethod) throws {
        func page(_ gateway: Wire, _ query: String) throws -> WireResponse {
            guard method == .post else { return try gateway.send(.get, "/v1/objects/Dog?\(query)") }
            return try gateway.send(
                .post, "/v1/query/objects/Dog", query, headers: ["Content-Type": "application/x-www-form-urlencoded"])
        }
        _ = try near.send(.post, "/v1/objects/Dog", #"{"id":1}"#)
        keepFarBehind()
        _ = try near.send(.post, "/v1/objects/Dog", #"{"id":2}"#)
        let cursor = try #require(try page(near, "sort=id&limit=1")["next"]?.asString)
        let second = try page(far, "sort=id&limit=1&after=\(cursor)")
        #expect(second.status == 200 && second["items"]?.asArray?.first?["id"] == .int(2), "\(second.text)")
    }

    /// Fails the next reads of the log by the other gateway, so that it does not have the next commit at once.
    private func keepFarBehind() {
        for _ in 0..<10 { faults.plan(.read, .unavailable) }
    }

    /// Waits for an event of one of the names, or for any if there are none.
    private func next(_ names: String..., of events: WireEvents) throws -> WireEvents.Event {
        var found: WireEvents.Event?
        _ = eventually {
            found = events.takeAll().first { names.isEmpty || names.contains($0.name) }
            return found != nil
        }
        return try #require(found)
    }
}
