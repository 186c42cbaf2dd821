import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import Testing

/// The streams of values and positions. `Follower` has them among the streams that are compared with fresh reads.
@Suite("Streams of values and positions")
struct AnswerStreamTests {
    @Test(
        "an answer is told as the read gives it, and again when it is another one",
        arguments: [
            "values/objects/Dog?key=age", "values/objects/Dog?keyPath=@max.age",
            "values/objects/Dog?keyPath=@distinctUnionOfObjects.age&types=typed", "index/objects/Dog?of=1&sort=-age",
            "index/objects/Dog?matching=age%20%3C%2010&sort=-age", "values/objects/Person/ada/dogs?key=age",
            "index/objects/Person/ada/dogs?matching=age%20%3E%2010",
        ])
    func whole(_ target: String) throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/" + target)
        let first = try stream.next()
        #expect(first.name == "initial")
        #expect(first.id == (try wire.mark()))
        #expect(first.data == (try wire.get("/v1/" + target)).json)
        // Neither another property, nor an equal value, nor another class.
        for (path, body) in [
            ("Dog/1", #"{"name":"Max"}"#), ("Dog/1", #"{"age":7}"#), ("Person/ada", #"{"city":"Rome"}"#),
        ] {
            #expect(try wire.send(.patch, "/v1/objects/\(path)", body).status == 200)
        }
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":13}"#).status == 200)
        let update = try stream.next()
        #expect(update.name == "update")
        #expect(update.id == (try wire.mark()))
        #expect(update.data == (try wire.get("/v1/" + target)).json)
    }

    @Test("an object that is made later has a position then, and none when it is gone")
    func position() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/index/objects/Dog?of=9&sort=name")
        #expect(try stream.next("initial")["index"] == .null)
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":9,"name":"Lassie"}"#).status == 201)
        #expect(try stream.next("update")["index"] == 1)
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"name":"Zoe"}"#).status == 200)
        #expect(try stream.next("update")["index"] == 0)
        #expect(try wire.send(.delete, "/v1/objects/Dog/9").status == 204)
        #expect(try stream.next("update") == ["version": .int(Int64(try wire.version())), "index": .null])
    }

    @Test("a form opens the same stream, and clients of the same answer share it")
    func shared() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let wire = Wire(store: gateway.store, router: gateway.router)
        let target = "/v1/observe/values/objects/Dog?key=age&sort=breed"
        let streams = [
            try wire.observe("/v1/query/observe/values/objects/Dog", form: "key=age&sort=breed"),
            try wire.observe(target), try wire.observe(target),
        ]
        let events = try streams.map { try $0.next() }
        #expect(events[0].name == "initial" && events[0] == events[1] && events[1] == events[2])
        #expect(gateway.gateway.topicCount == 1)
        // Other forms of the same answer are other streams.
        let typed = try wire.observe(target + "&types=typed")
        let limited = try wire.observe(target + "&limit=1")
        for other in [typed, limited] { _ = try other.next("initial") }
        #expect(gateway.gateway.topicCount == 3)
        _ = try gateway.send(.post, "/v1/objects/Dog", #"{"_id":99,"breed":"Zorse","age":1}"#)
        let updates = try streams.map { try $0.next() }
        #expect(updates[0].name == "update" && updates[0] == updates[1] && updates[1] == updates[2])
        for stream in streams + [typed, limited] { stream.stream.didClose(.clientLeft) }
        #expect(gateway.gateway.topicCount == 0)
    }

    @Test("parameters are refused as the reads refuse them", arguments: ["values", "index"])
    func refused(_ kind: String) throws {
        let wire = try Wire.populated()
        for query in [
            "", "?key=nothing", "?key=a.b", "?keyPath=@most.age", "?of=x", "?matching=nothing%20%3E%201",
            "?matching=age%20%3E", "?of=1&matching=age%20%3E%201", "?key=age&offset=-1", "?what=1",
        ] {
            let read = try wire.get("/v1/\(kind)/objects/Dog\(query)")
            #expect(read.status == 400, "\(query)")
            let stream = try wire.send(.get, "/v1/observe/\(kind)/objects/Dog\(query)")
            #expect(stream.status == 400 && stream.code == read.code, "\(query): \(stream)")
        }
        for place in ["Nothing", "Person/ada/nothing"] {
            #expect(try wire.send(.get, "/v1/observe/\(kind)/objects/\(place)?key=age&of=1").status >= 400)
        }
    }

    @Test("an answer that the read refuses ends the stream")
    func ended() throws {
        let gateway = try TestGateway { $0.maximumObserved = 3 }
        try gateway.fill()
        let wire = Wire(store: gateway.store, router: gateway.gateway.router)
        let few = try wire.observe("/v1/observe/values/objects/Dog?key=age&filter=_id%20%3E%2040")
        let sum = try wire.observe("/v1/observe/values/objects/Dog?keyPath=@sum.age&filter=_id%20%3E%2040")
        for stream in [few, sum] { _ = try stream.next("initial") }
        for id in 50..<53 {
            #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":\#(id),"age":\#(Int64.max / 4)}"#).status == 201)
            _ = try few.next("update")
        }
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":53,"age":\#(Int64.max / 2)}"#).status == 201)
        #expect(try few.next("error")["code"] == "values.too_many")
        #expect(few.ends())
        var last = try sum.next()
        while last.name == "update" { last = try sum.next() }
        #expect(last.name == "error" && last.data["code"] == "query.sum_overflow")
        #expect(sum.ends())
    }

    @Test("the stream of a deeper path ends when the path leads elsewhere")
    func path() throws {
        let estate = try StoredDogOwnersFixture()
        let wire = try estate.wire
        #expect(
            try wire.send(.put, "/v1/objects/Person/zoe", #"{"dog":1,"friends":["ada"]}"#).status < 300)
        for target in ["values/objects/Person/zoe/dog/owners?key=age", "index/objects/Person/zoe/dog/owners?of=ada"] {
            let stream = try wire.observe("/v1/observe/\(target)")
            let first = try stream.next()
            #expect(first.name == "initial")
            #expect(try wire.send(.patch, "/v1/objects/Person/zoe", #"{"dog":2}"#).status == 200)
            var event = try stream.next()
            while event.name == "update" { event = try stream.next() }
            #expect(event.data["code"] == "observe.path_changed")
            #expect(stream.ends())
            // What the client knows is about another place.
            let again = try wire.observe("/v1/observe/\(target)", headers: ["Last-Event-ID": first.id ?? ""])
            #expect(try again.next().name == "initial")
            again.stream.didClose(.clientLeft)
            #expect(try wire.send(.patch, "/v1/objects/Person/zoe", #"{"dog":1}"#).status == 200)
        }
    }
}
