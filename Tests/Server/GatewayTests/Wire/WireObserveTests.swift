import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import Promises
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("Observing over the wire")
struct WireObserveTests {
    @Test("the stream begins with the result and goes on with what became different")
    func updates() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe(
            "/v1/observe/objects/Dog",
            ["filter": "age > 5", "sort": "-age", "include": "objects", "fields": "_id,age"])
        let first = try stream.next()
        #expect(first.name == "initial")
        #expect(first.id == (try wire.mark()))
        #expect(first.data["count"] == 2)
        #expect(first.data["items"] == [["_id": 2, "age": 12], ["_id": 1, "age": 7]])

        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":3,"age":20}"#).status == 201)
        let inserted = try stream.next()
        #expect(inserted.id == (try wire.mark()))
        #expect(inserted.data["version"] == .int(Int64(try wire.version())))
        #expect(inserted.data["insertions"] == [0])
        #expect(inserted.data["deletions"] == [])
        #expect(inserted.data["modifications"] == [])
        #expect(inserted.data["objects"]?["insertions"] == [["_id": 3, "age": 20]])

        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":13}"#).status == 200)
        let modified = try stream.next("update")
        #expect(modified["modifications"] == [1])
        #expect(modified["objects"]?["modifications"] == [["_id": 2, "age": 13]])

        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":1}"#).status == 200)
        #expect(try stream.next("update")["deletions"] == [2])
        #expect(try wire.send(.delete, "/v1/objects/Dog/3").status == 204)
        #expect(try stream.next("update")["deletions"] == [0])
    }

    @Test("objects come with an update unless only indices are asked for")
    func indicesOnly() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/objects/Dog?include=indices")
        let whole = try wire.observe("/v1/observe/objects/Dog?fields=_id")
        _ = try stream.next("initial")
        _ = try whole.next("initial")
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":3}"#).status == 201)
        #expect(try whole.next("update")["objects"]?["insertions"] == [["_id": 3]])
        let update = try stream.next("update")
        #expect(update["objects"] == nil)
        #expect(update["insertions"] == [2])
    }

    @Test("a stream tells first how long to wait before connecting again, in the block of its first event")
    func retry() throws {
        let wire = try Wire.populated()
        let events = WireEvents(limit: 1 << 20)
        let request = try Request(.get, "/v1/observe/objects/Dog")
        switch wire.router.respond(to: request) {
        case .events(_, let start): start(events.stream)
        case .later(let begin):
            let arrived = Promise<Responder.Outcome>()
            begin(Responder { arrived.set($0) })
            if case .events(_, let start) = try arrived.take() { start(events.stream) }
        case .now(let response): Issue.record("No stream: \(response.status)")
        }
        var bytes: [UInt8] = []
        let hasCome = eventually {
            bytes += events.stream.takeQueued().events.flatMap(\.bytes)
            return bytes.contains(UInt8(ascii: "{"))
        }
        #expect(hasCome)
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("retry: 2000\nid: "))
    }

    @Test("key paths narrow what counts as a modification")
    func keyPaths() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/objects/Dog", ["keyPaths": "name,owner.city"])
        _ = try stream.next("initial")
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":70}"#).status == 200)
        #expect(try wire.send(.patch, "/v1/objects/Person/ada", #"{"city":"Rome"}"#).status == 200)
        let update = try stream.next()
        #expect(update.id == (try wire.mark()))
        #expect(update.data["modifications"] == [0])
    }

    @Test("one object's stream tells old and new values and ends after it was deleted")
    func object() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/objects/Dog/1")
        let initial = try stream.next("initial")
        #expect(initial["object"]?["name"] == "Rex")
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":8,"owner":"bob"}"#).status == 200)
        let change = try stream.next("change")
        let changes = change["changes"]?.asArray ?? []
        #expect(changes.map { $0["name"] } == ["age", "owner"])
        #expect(changes.first?["old"] == 7)
        #expect(changes.first?["new"] == 8)
        #expect(changes.last?["old"] == "ada")
        #expect(changes.last?["new"] == "bob")
        #expect(try wire.send(.delete, "/v1/objects/Dog/1").status == 204)
        #expect(try stream.next("deleted")["version"] != nil)
        #expect(stream.ends())
    }

    @Test("all readers of one query are sent the same bytes")
    func shared() throws {
        let wire = try Wire.populated()
        let query: KeyValuePairs = ["filter": "age > 1", "include": "objects"]
        let streams = try (0..<5).map { _ in try wire.observe("/v1/observe/objects/Dog", query) }
        for stream in streams { _ = try stream.next("initial") }
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":70}"#).status == 200)
        var identities: Set<ObjectIdentifier> = []
        var taken: [[SharedBytes]] = streams.map { _ in [] }
        let haveCome = eventually {
            for (index, stream) in streams.enumerated() { taken[index] += stream.stream.takeQueued().events }
            return !taken.contains(where: \.isEmpty)
        }
        #expect(haveCome)
        for events in taken { identities.formUnion(events.map { ObjectIdentifier($0) }) }
        #expect(taken.allSatisfy { $0.count == 1 })
        #expect(identities.count == 1, "the event was encoded \(identities.count) times")
    }

    @Test("a reader who does not read is not queued for without bound, and gets the newest result once it reads")
    func slowReader() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/objects/Dog", ["include": "objects"], limit: 2048)
        _ = try stream.next("initial")
        for number in 0..<300 {
            #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"name":"n\#(number)"}"#).status == 200)
        }
        // Another client's event proves that everything was delivered.
        let witness = try wire.observe("/v1/observe/objects/Dog/1")
        _ = try witness.next("initial")
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"name":"last"}"#).status == 200)
        _ = try witness.next("change")
        let queued = stream.stream.takeQueued().events
        #expect(queued.reduce(0) { $0 + $1.count } < 16_384, "the queue must not grow with the number of writes")
        #expect(!queued.isEmpty)
        for event in queued { stream.stream.didSend(event.count) }
        var rows = queued.flatMap { WireEvents.parse($0.bytes) }
        let version = try wire.mark()
        while rows.last?.id != version { rows.append(try stream.next()) }
        let name: JSONValue?
        if rows.last?.name == "initial" {
            name = rows.last?.data["items"]?[0]?["name"]
        } else {
            name = rows.last?.data["objects"]?["modifications"]?[0]?["name"]
        }
        #expect(name == "last")
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"name":"and on"}"#).status == 200)
        #expect(try stream.next().id == (try wire.mark()))
    }

    @Test("a reader who comes back is brought to the present")
    func lastEventID() throws {
        let wire = try Wire.populated()
        let version = try wire.version()
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"name":"Max"}"#).status == 200)
        let behind = try wire.observe("/v1/observe/objects/Dog", headers: ["Last-Event-ID": try wire.mark(version)])
        #expect(try behind.next().id == (try wire.mark()))
        // A number alone does not identify a state, nor does a mark of another history.
        let otherHistory = HistoryTag(rawValue: ~(try wire.store.snapshot().tag.rawValue))
        let other = Mark(Version(UInt64(version)), otherHistory).description
        let nonsenses = [
            "", "x", "-1", "99999999999999999999", "18446744073709551615", "\(version)", other,
            try wire.mark(version + 9),
        ]
        for nonsense in nonsenses {
            let stream = try wire.observe("/v1/observe/objects/Dog", headers: ["Last-Event-ID": nonsense])
            #expect(try stream.next().name == "initial")
        }
    }

    @Test("a stream of a class that goes ends with an error")
    func schemaGone() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/objects/Note")
        _ = try stream.next("initial")
        let schema = #"{"schemaVersion":2,"classes":[{"name":"Other","properties":[{"name":"a","type":"int"}]}]}"#
        #expect(try wire.send(.put, "/v1/schema", schema).status == 200)
        let error = try stream.next("error")
        #expect(error["code"]?.asString?.isEmpty == false)
        #expect(error["detail"]?.asString?.isEmpty == false)
        #expect(stream.ends())
    }

    @Test("a reader that left is forgotten")
    func leaves() throws {
        let wire = try Wire.populated()
        let gone = try wire.observe("/v1/observe/objects/Dog")
        let stays = try wire.observe("/v1/observe/objects/Dog")
        _ = try gone.next("initial")
        _ = try stays.next("initial")
        gone.stream.didClose(.clientLeft)
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":70}"#).status == 200)
        _ = try stays.next("update")
        #expect(gone.stream.takeQueued().events.isEmpty)
    }

    @Test(
        "a client that applies every update always holds what a fresh read gives",
        arguments: [
            ("TRUEPREDICATE", "", "", ""), ("age > 3", "-age,name", "", ""), ("owner.city == 'A'", "name", "", ""),
            ("ANY fans.city == 'B'", "_id", "", ""), ("age >= 0", "age", "5", ""), ("TRUEPREDICATE", "name", "", "age"),
            ("owner.favourite.age > 4", "-owner.city,_id", "7", ""),
        ])
    func replay(filter: String, sort: String, limit: String, distinct: String) throws {
        let seed = TestSeed.of("\(filter) \(sort) \(limit) \(distinct)")
        var random = SeededRandom(seed: seed)
        let wire = try Wire()
        #expect(
            try wire.send(
                .post, "/v1/objects/Person", #"[{"handle":"p0","city":"A"},{"handle":"p1","city":"B"},{"handle":"p2"}]"#
            ).status == 201)
        let parameters = [("filter", filter), ("sort", sort), ("distinct", distinct), ("fields", "_id,name,age,owner")]
        let query = parameters.filter { !$0.1.isEmpty }.map { "\($0.0)=\(Wire.encoded($0.1))" }.joined(separator: "&")
        let stream = try wire.observe(
            "/v1/observe/objects/Dog?include=objects&" + query + (limit.isEmpty ? "" : "&limit=\(limit)"))
        var held = try #require(try stream.next("initial")["items"]?.asArray)
        for _ in 0..<120 {
            try Self.step(wire, &random)
            let fresh = try wire.send(.get, "/v1/objects/Dog?limit=\(limit.isEmpty ? "10000" : limit)&" + query)
            let version = try wire.mark()
            let expected = try #require(fresh["items"]?.asArray, "seed \(seed): \(fresh)")
            // Commits that do not change the result send nothing: read until the client has the present result.
            var last: String?
            while held != expected, last != version {
                let event = try stream.next()
                last = event.id
                try ListReader.apply(event, to: &held)
            }
            #expect(held == expected, "seed \(seed), version \(version)")
        }
    }

    @Test("readers of all speeds end with what a fresh read gives, however many write meanwhile")
    func concurrentReaders() throws {
        let seeds = (0..<3).map { TestSeed.of($0) }
        let wire = try Wire()
        #expect(
            try wire.send(.post, "/v1/objects/Person", #"[{"handle":"p0"},{"handle":"p1"},{"handle":"p2"}]"#).status
                == 201)
        let query = "sort=-age&fields=_id,age,name&include=objects"
        // The smallest queues are full after one event.
        let limits = [1, 200, 2000, 1 << 20]
        let outcomes = limits.map { _ in Promise<Result<[JSONValue], any Error>>() }
        for (limit, outcome) in zip(limits, outcomes) {
            Thread.detachNewThread {
                outcome.set(
                    Result {
                        let stream = try wire.observe("/v1/observe/objects/Dog?" + query, limit: limit)
                        var held: [JSONValue] = []
                        repeat { try ListReader.apply(try stream.next(), to: &held) } while held.first?["_id"] != 1000
                        return held
                    })
            }
        }
        let written = Promise<Bool>()
        Thread.detachNewThread {
            DispatchQueue.concurrentPerform(iterations: 3) { writer in
                var random = SeededRandom(seed: seeds[writer])
                for _ in 0..<80 { try? Self.step(wire, &random) }
            }
            written.set(true)
        }
        _ = try written.take()
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":1000,"age":99}"#).status == 201)
        let fresh = try wire.send(.get, "/v1/objects/Dog?sort=-age&fields=_id,age,name")["items"]?.asArray
        for (limit, outcome) in zip(limits, outcomes) {
            #expect(try outcome.take().get() == fresh, "seeds \(seeds), queue of \(limit) bytes")
        }
    }

    /// Makes one random write.
    private static func step(_ wire: Wire, _ random: inout SeededRandom) throws {
        let key = Int.random(in: 0..<12, using: &random)
        let age = Int.random(in: 0..<8, using: &random)
        let person = Int.random(in: 0..<3, using: &random)
        let answer: WireResponse
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2:
            answer = try wire.send(
                .put, "/v1/objects/Dog/\(key)", #"{"name":"n\#(age % 3)","age":\#(age),"owner":"p\#(person)"}"#)
        case 3: answer = try wire.send(.patch, "/v1/objects/Dog/\(key)", #"{"age":\#(age)}"#)
        case 4: answer = try wire.send(.patch, "/v1/objects/Dog/\(key)", #"{"owner":null,"name":"n\#(age)"}"#)
        case 5: answer = try wire.send(.delete, "/v1/objects/Dog/\(key)")
        case 6:
            answer = try wire.send(.patch, "/v1/objects/Person/p\(person)", #"{"city":"\#(age % 2 == 0 ? "A" : "B")"}"#)
        default:
            let dog = try wire.get("/v1/objects/Dog/\(key)").status == 200 ? "\(key)" : "null"
            answer = try wire.send(.patch, "/v1/objects/Person/p\(person)", #"{"favourite":\#(dog)}"#)
        }
        guard [200, 201, 204, 404].contains(answer.status) else { throw WireFailure("\(answer)") }
    }
}
