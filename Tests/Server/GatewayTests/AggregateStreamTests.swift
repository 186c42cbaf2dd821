import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import Testing

/// The streams of aggregates. `Follower` has them among the streams that are compared with fresh reads.
@Suite("Streams of aggregates")
struct AggregateStreamTests {
    @Test("an aggregate is told as the read gives it, and again when it is another one")
    func whole() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/aggregates/objects/Dog?sum=age&average=age&max=weight")
        let read = try wire.get("/v1/aggregates/objects/Dog?sum=age&average=age&max=weight")
        let first = try stream.next()
        #expect(first.name == "initial")
        #expect(first.id == (try wire.mark()))
        #expect(first.data == read.json)
        // Neither another property, nor an equal value, nor another class.
        for (target, body) in [
            ("Dog/1", #"{"name":"Max"}"#), ("Dog/1", #"{"age":7}"#), ("Person/ada", #"{"city":"Rome"}"#),
        ] {
            #expect(try wire.send(.patch, "/v1/objects/\(target)", body).status == 200)
        }
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":9}"#).status == 200)
        let update = try stream.next()
        #expect(update.name == "update")
        #expect(update.id == (try wire.mark()))
        #expect(
            update.data == [
                "version": .int(Int64(try wire.version())), "count": 2, "max": ["weight": 13.0], "sum": ["age": 21],
                "average": ["age": 10.5],
            ])
    }

    @Test(
        "a sum that stays no number is told once, whether tallies or a scan give it",
        arguments: ["sum=weight", "average=weight", "by=breed&sum=weight&average=weight"])
    func notANumber(_ functions: String) throws {
        let wire = try Wire.populated()
        let weights = [#""Infinity""#, #""-Infinity""#, "0.5", "0.5"]
        let rows = weights.enumerated().map { #"{"_id":\#(10 + $0),"breed":"Collie","weight":\#($1)}"# }
        let body = "[\(rows.joined(separator: ","))]"
        #expect(try wire.send(.post, "/v1/objects/Dog", body).status == 201)
        let stream = try wire.observe(
            "/v1/observe/aggregates/objects/Dog?\(functions)&filter=_id%20%3E%209")
        _ = try stream.next("initial")
        // A sum of halves is exact, one with a tenth is not.
        for weight in ["0.1", "0.5", "0.1"] {
            #expect(try wire.send(.patch, "/v1/objects/Dog/12", #"{"weight":\#(weight)}"#).status == 200)
        }
        #expect(try wire.send(.delete, "/v1/objects/Dog/11").status == 204)
        let version = Int64(try wire.version())
        #expect(try stream.next("update")["version"] == .int(version))
    }

    @Test("groups that come, go and change are told by position, with what they are now")
    func groups() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/aggregates/objects/Dog?by=breed&sum=age&types=typed")
        #expect(
            try stream.next("initial")["groups"] == [
                ["key": ["breed": "Beagle"], "count": 1, "sum": ["age": 7]],
                ["key": ["breed": "Whippet"], "count": 1, "sum": ["age": 12]],
            ])
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":3,"breed":"Collie","age":2}"#).status == 201)
        let version = Int64(try wire.version())
        #expect(
            try stream.next("update") == [
                "version": .int(version), "deletions": [], "insertions": [1], "modifications": [],
                "groups": [
                    "insertions": [["key": ["breed": "Collie"], "count": 1, "sum": ["age": 2]]], "modifications": [],
                ],
            ])
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"breed":"Whippet"}"#).status == 200)
        #expect(
            try stream.next("update") == [
                "version": .int(version + 1), "deletions": [0], "insertions": [], "modifications": [2],
                "groups": [
                    "insertions": [],
                    "modifications": [["key": ["breed": "Whippet"], "count": 2, "sum": ["age": 19]]],
                ],
            ])
    }

    @Test("the largest groups are told in their order, with the size of the others")
    func largest() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/aggregates/objects/Dog?by=breed&top=1")
        let first = try stream.next("initial")
        #expect(first["groups"] == [["key": ["breed": "Beagle"], "count": 1]])
        #expect(first["others"] == ["groups": 1, "count": 1])
        // Only the others differ.
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":3,"breed":"Collie"}"#).status == 201)
        let second = try stream.next("update")
        #expect(second["others"] == ["groups": 2, "count": 2])
        #expect(second["insertions"] == [] && second["deletions"] == [] && second["modifications"] == [])
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":4,"breed":"Collie"}"#).status == 201)
        let third = try stream.next("update")
        #expect(third["deletions"] == [0] && third["insertions"] == [0])
        #expect(third["groups"]?["insertions"] == [["key": ["breed": "Collie"], "count": 2]])
        #expect(third["others"] == ["groups": 2, "count": 2])
    }

    @Test("groups in an order move, enter the window and leave it")
    func ordered() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe(
            "/v1/observe/aggregates/objects/Dog?by=breed&average=age&order=-average(age)&limit=1")
        let first = try stream.next("initial")
        #expect(first["groups"] == [["key": ["breed": "Whippet"], "count": 1, "average": ["age": 12.0]]])
        #expect(first["others"] == ["groups": 1, "count": 1])
        // The other group takes its place.
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":13}"#).status == 200)
        let second = try stream.next("update")
        #expect(second["deletions"] == [0] && second["insertions"] == [0] && second["modifications"] == [])
        #expect(
            second["groups"]?["insertions"] == [["key": ["breed": "Beagle"], "count": 1, "average": ["age": 13.0]]])
        // What is not in the window and leaves the others as they are is not told.
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":2}"#).status == 200)
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":14}"#).status == 200)
        let third = try stream.next("update")
        #expect(third["modifications"] == [0] && third["deletions"] == [] && third["insertions"] == [])
        #expect(third["version"] == .int(Int64(try wire.version())))
        // Without a window groups move.
        let whole = try wire.observe("/v1/observe/aggregates/objects/Dog?by=breed&max=age&order=max(age)")
        #expect(try whole.next("initial")["others"] == nil)
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":20}"#).status == 200)
        let moved = try whole.next("update")
        #expect(moved["deletions"]?.asArray?.count == 1 && moved["insertions"]?.asArray?.count == 1)
        #expect(moved["others"] == nil)
    }

    @Test("groups come when they begin to satisfy a condition, and go when they cease to")
    func conditional() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe(
            "/v1/observe/aggregates/objects/Dog?by=breed&average=age&having=average(age)%20%3E%2010&order=-average(age)&limit=5"
        )
        let first = try stream.next("initial")
        #expect(first["groups"] == [["key": ["breed": "Whippet"], "count": 1, "average": ["age": 12.0]]])
        #expect(first["others"] == ["groups": 0, "count": 0])
        // A group that does not satisfy it is not told of.
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":8}"#).status == 200)
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":20}"#).status == 200)
        let came = try stream.next("update")
        #expect(came["version"] == .int(Int64(try wire.version())))
        #expect(came["insertions"] == [0] && came["deletions"] == [] && came["modifications"] == [])
        #expect(came["groups"]?["insertions"] == [["key": ["breed": "Beagle"], "count": 1, "average": ["age": 20.0]]])
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":10}"#).status == 200)
        let went = try stream.next("update")
        #expect(went["insertions"] == [] && went["deletions"] == [1] && went["modifications"] == [])
        // A client that comes back is told what it missed of the groups that satisfy it.
        let mark = try wire.mark()
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":30}"#).status == 200)
        let resumed = try wire.observe(
            "/v1/observe/aggregates/objects/Dog?by=breed&average=age&having=average(age)%20%3E%2010",
            headers: ["Last-Event-ID": mark])
        let missed = try resumed.next("update")
        #expect(missed["insertions"] == [1] && missed["deletions"] == [] && missed["modifications"] == [])
    }

    @Test("intervals are told as the read gives them, and all of them again when a count or a bound is another one")
    func intervals() throws {
        let wire = try Wire.populated()
        let target = "aggregates/objects/Dog?by=age&bins=3"
        let stream = try wire.observe("/v1/observe/\(target)")
        let first = try stream.next()
        let read = try wire.get("/v1/\(target)")
        #expect(first.name == "initial" && first.data == read.json)
        #expect(first.data["bins"]?.asArray?.count == 2, "\(first)")
        // Another property, and an equal value.
        for body in [#"{"weight":3}"#, #"{"age":7}"#] {
            #expect(try wire.send(.patch, "/v1/objects/Dog/1", body).status == 200)
        }
        // The count, a null beside the intervals, the bounds, and no value at all.
        for (method, path, body) in [
            (HTTPMethod.post, "Dog", #"{"_id":3,"age":11}"#), (.patch, "Dog/3", #"{"age":null}"#),
            (.patch, "Dog/3", #"{"age":99}"#), (.delete, "Dog/3", ""), (.delete, "Dog", ""),
        ] {
            let all = path == "Dog" && method == .delete ? "?all=true" : ""
            let answer = try wire.send(method, "/v1/objects/\(path)\(all)", body)
            #expect(answer.status < 300, "\(answer)")
            let update = try stream.next()
            let fresh = try wire.get("/v1/\(target)").json
            #expect(update.name == "update" && update.data == fresh, "\(path) \(body)")
        }
        #expect(try wire.get("/v1/\(target)").json?["bins"] == [])
    }

    @Test("a form opens the same stream, and clients of the same aggregate share it")
    func shared() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let wire = Wire(store: gateway.store, router: gateway.router)
        let target = "/v1/observe/aggregates/objects/Dog?by=breed&sum=age"
        let streams = [
            try wire.observe("/v1/query/observe/aggregates/objects/Dog", form: "by=breed&sum=age"),
            try wire.observe(target), try wire.observe(target),
        ]
        let events = try streams.map { try $0.next() }
        #expect(events[0].name == "initial" && events[0] == events[1] && events[1] == events[2])
        #expect(gateway.gateway.topicCount == 1)
        _ = try gateway.send(.post, "/v1/objects/Dog", #"{"_id":99,"breed":"Zorse","age":1}"#)
        let updates = try streams.map { try $0.next() }
        #expect(updates[0].name == "update" && updates[0] == updates[1] && updates[1] == updates[2])
        for stream in streams { stream.stream.didClose(.clientLeft) }
        #expect(gateway.gateway.topicCount == 0)
    }

    @Test("a client that comes back is told the difference of the groups, or nothing if there is none")
    func resumed() throws {
        let wire = try Wire.populated()
        let mark = try wire.mark()
        let target = "/v1/observe/aggregates/objects/Dog?by=breed&average=age&min=age"
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":3}"#).status == 200)
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":4}"#).status == 200)
        let again = try wire.observe(target, headers: ["Last-Event-ID": mark])
        let update = try again.next("update")
        #expect(update["modifications"] == [1])
        #expect(
            update["groups"]?["modifications"] == [
                ["key": ["breed": "Whippet"], "count": 1, "min": ["age": 4], "average": ["age": 4.0]]
            ])
        // What is told next comes after that.
        let present = try wire.mark()
        let idle = try wire.observe(target, headers: ["Last-Event-ID": present])
        #expect(try wire.send(.delete, "/v1/objects/Dog/2").status == 204)
        #expect(try idle.next("update")["deletions"] == [1])
    }

    @Test("a sum that no longer fits ends the stream as the read refuses it, and so do too many groups")
    func refused() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/aggregates/objects/Dog?sum=age")
        _ = try stream.next("initial")
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":9223372036854775807}"#).status == 200)
        let read = try wire.get("/v1/aggregates/objects/Dog?sum=age")
        #expect(read.status == 400 && read.code == "query.sum_overflow")
        #expect(try stream.next("error")["code"] == "query.sum_overflow")
        #expect(stream.ends())
        #expect(
            try wire.observe("/v1/observe/aggregates/objects/Dog?sum=age").next("error")["code"]
                == "query.sum_overflow")

        let gateway = try TestGateway { $0.maximumGrouping = 2 }
        try gateway.fill()
        let small = Wire(store: gateway.store, router: gateway.gateway.router)
        let groups = try small.observe("/v1/observe/aggregates/objects/Dog?by=_id&filter=_id%20%3E%202")
        _ = try groups.next("initial")
        _ = try gateway.send(.post, "/v1/objects/Dog", #"{"_id":50}"#)
        #expect(try groups.next("error")["code"] == "aggregate.too_many_groups")
        #expect(groups.ends())
    }
}
