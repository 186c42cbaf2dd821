import Gateway
import Glibc
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import Testing

@Suite("Event streams", .serialized)
struct ObserveTests {
    @Test("two subscribers of a query see the same first result and the same update")
    func collection() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        try gateway.serve { port in
            let target = "GET /v1/observe/objects/Dog?filter=age+%3E+10&sort=-age&fields=_id,age&include=objects"
            let first = try LoopbackClient(port: port)
            let second = try LoopbackClient(port: port)
            for client in [first, second] {
                try client.send(target)
                #expect(try client.answer().status == 200)
                let initial = try client.event()
                #expect(initial.id == (try gateway.mark(4)))
                #expect(initial.name == "initial")
                #expect(initial.data == #"{"version":4,"count":2,"items":[{"_id":4,"age":14},{"_id":2,"age":12}]}"#)
            }
            #expect(gateway.gateway.topicCount == 1)
            let writer = try LoopbackClient(port: port)
            // Four leaves, one and three are added, two is modified in place.
            try writer.send(
                "POST /v1/objects/Dog?update=modified",
                body: #"[{"_id":4,"age":1},{"_id":1,"age":20},{"_id":3,"age":11},{"_id":2,"age":13}]"#)
            #expect(try writer.answer().status == 200)
            let expected =
                #"{"version":5,"deletions":[0],"insertions":[0,2],"modifications":[1],"objects":{"insertions":[{"_id":1,"age":20},{"_id":3,"age":11}],"modifications":[{"_id":2,"age":13}]}}"#
            for client in [first, second] {
                #expect(try client.event() == LoopbackClient.Event(id: gateway.mark(5), name: "update", data: expected))
            }
            // Changes that do not affect the result are not reported; others are.
            try writer.send("POST /v1/objects/Note", body: #"{"text":"a"}"#)
            #expect(try writer.answer().status == 201)
            try writer.send("DELETE /v1/objects/Dog/3")
            #expect(try writer.answer().status == 204)
            #expect(
                try second.event().data.hasSuffix(
                    #""deletions":[2],"insertions":[],"modifications":[],"objects":{"insertions":[],"modifications":[]}}"#
                )
            )
        }
        #expect(gateway.gateway.topicCount == 0)
    }

    @Test("a limit keeps the first objects of the sort")
    func limited() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        try gateway.serve { port in
            let client = try LoopbackClient(port: port)
            try client.send("GET /v1/observe/objects/Dog?sort=-_id&limit=2&fields=_id&include=indices")
            _ = try client.answer()
            #expect(try client.event().data == #"{"version":4,"count":2,"items":[{"_id":4},{"_id":3}]}"#)
            _ = try gateway.send(.post, "/v1/objects/Dog", #"{"_id":5}"#)
            #expect(
                try client.event().data == #"{"version":5,"deletions":[1],"insertions":[0],"modifications":[]}"#)
        }
    }

    @Test("a client that comes back is told what it missed in one, by header or parameter, and nothing twice")
    func lastEventID() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        _ = try gateway.send(.patch, "/v1/objects/Dog/1", #"{"age":8}"#)
        try gateway.serve { port in
            let target = "GET /v1/observe/objects/Dog?fields=_id&include=indices"
            for (version, missed) in [(2, "[0,1,2,3],\"modifications\":[]"), (3, "[],\"modifications\":[0,1,3]")] {
                let header = try LoopbackClient(port: port)
                // The header is more recent than the page's parameter.
                try header.send(
                    target + "&lastEventID=\(gateway.mark(1))", headers: "Last-Event-ID: \(gateway.mark(version))\r\n")
                let parameter = try LoopbackClient(port: port)
                try parameter.send(target + "&lastEventID=\(gateway.mark(version))")
                // Replacements of `EventSource` add theirs to the page's.
                let replacements = try ["lastEventId", "Last-Event-ID"].map { name in
                    let client = try LoopbackClient(port: port)
                    try client.send(target + "&lastEventID=\(gateway.mark(1))&\(name)=\(gateway.mark(version))")
                    return client
                }
                for client in [header, parameter] + replacements {
                    #expect(try client.answer().status == 200)
                    let event = try client.event()
                    #expect(event.name == "update")
                    #expect(event.id == (try gateway.mark(5)))
                    #expect(event.data == #"{"version":5,"deletions":[],"insertions":\#(missed)}"#)
                }
            }
            let current = try LoopbackClient(port: port)
            try current.send(target, headers: "Last-Event-ID: \(gateway.mark(5))\r\n")
            _ = try current.answer()
            gateway.settle()
            _ = try gateway.send(.delete, "/v1/objects/Dog/3")
            let event = try current.event()
            #expect(event.name == "update")
            #expect(event.data == #"{"version":6,"deletions":[2],"insertions":[],"modifications":[]}"#)
            let ahead = try LoopbackClient(port: port)
            try ahead.send(target, headers: "Last-Event-ID: \(gateway.mark(99))\r\n")
            _ = try ahead.answer()
            #expect(try ahead.event().name == "initial")
        }
    }

    @Test("a client that comes back to an object that was deleted meanwhile is told so")
    func deletedMeanwhile() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        _ = try gateway.send(.delete, "/v1/objects/Dog/1")
        try gateway.serve { port in
            let client = try LoopbackClient(port: port)
            try client.send("GET /v1/observe/objects/Dog/1", headers: "Last-Event-ID: \(gateway.mark(4))\r\n")
            #expect(try client.answer().status == 200)
            #expect(
                try client.event()
                    == LoopbackClient.Event(id: gateway.mark(4), name: "deleted", data: #"{"version":5}"#))
            #expect(client.ends())
            let stranger = try LoopbackClient(port: port)
            try stranger.send("GET /v1/observe/objects/Dog/1")
            #expect(try stranger.answer().status == 404)
        }
    }

    @Test(
        "what an object holds is told to be gone with the object, also when it was empty, and to those who come back",
        arguments: [
            "/v1/observe/objects/Dog/9/fans", "/v1/observe/objects/Dog/9/fans?sort=city&filter=city%20!=%20null",
            "/v1/observe/sections/Dog/9/fans?by=handle",
        ])
    func holderDeleted(target: String) throws {
        let gateway = try TestGateway()
        try gateway.fill()
        #expect(try gateway.send(.put, "/v1/objects/Dog/9", #"{"name":"Nobody's"}"#).status == 201)
        try gateway.serve { port in
            let client = try LoopbackClient(port: port)
            try client.send("GET \(target)")
            #expect(try client.answer().status == 200)
            let known = try #require(try client.event().id)
            _ = try gateway.send(.delete, "/v1/objects/Dog/9")
            #expect(try client.event().name == "deleted")
            #expect(client.ends())
            let late = try LoopbackClient(port: port)
            try late.send("GET \(target)", headers: "Last-Event-ID: \(known)\r\n")
            #expect(try late.answer().status == 200)
            #expect(try late.event().name == "deleted")
            #expect(late.ends())
            let stranger = try LoopbackClient(port: port)
            try stranger.send("GET \(target)")
            #expect(try stranger.answer().status == 404)
        }
    }

    @Test("an object's stream tells old and new values, and ends when it is deleted")
    func object() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        try gateway.serve { port in
            let client = try LoopbackClient(port: port)
            try client.send("GET /v1/observe/objects/Dog/1")
            _ = try client.answer()
            let initial = try client.event()
            #expect(initial.name == "initial")
            #expect(initial.data == #"{"version":4,"object":\#(ObjectTests.rex)}"#)
            _ = try gateway.send(.patch, "/v1/objects/Dog/1", #"{"age":null,"owner":"bob"}"#)
            let change = try client.event()
            #expect(change.id == (try gateway.mark(5)))
            #expect(change.name == "change")
            #expect(
                change.data
                    == #"{"version":5,"changes":[{"name":"age","old":7,"new":null},{"name":"owner","old":"ada","new":"bob"}]}"#
            )
            _ = try gateway.send(.delete, "/v1/objects/Dog/1")
            #expect(
                try client.event()
                    == LoopbackClient.Event(id: gateway.mark(5), name: "deleted", data: #"{"version":6}"#))
            #expect(client.ends())
        }
    }

    @Test("changes of mixed values and embedded objects are told with both values, of collections with the new one")
    func everyType() throws {
        let gateway = try TestGateway(schema: EveryTypeFixture.schema)
        _ = try gateway.send(.post, "/v1/objects/Shelf", #"{"label":"top"}"#)
        _ = try gateway.send(.post, "/v1/objects/Book", #"{"id":1,"tags":["a"],"publisher":{"name":"Ada"}}"#)
        try gateway.serve { port in
            let object = try LoopbackClient(port: port)
            try object.send("GET /v1/observe/objects/Book/1")
            _ = try object.answer()
            #expect(try object.event().data.contains(#""publisher":{"name":"Ada","address":null}"#))
            let collection = try LoopbackClient(port: port)
            try collection.send("GET /v1/observe/objects/Book?fields=tags,publisher")
            _ = try collection.answer()
            #expect(
                try collection.event().data.hasSuffix(
                    #""items":[{"tags":["a"],"publisher":{"name":"Ada","address":null}}]}"#))
            let body = #"""
                {"tags":["a","b"],"price":"1.10","extra":[{"$link":{"class":"Shelf","key":0}}],"publisher":{"name":"Bob"}}
                """#
            _ = try gateway.send(.patch, "/v1/objects/Book/1", body)
            #expect(
                try object.event().data
                    == #"{"version":4,"changes":[{"name":"price","old":"0","new":"1.10"},{"name":"extra","old":null,"new":[{"$link":{"class":"Shelf","key":0}}]},{"name":"tags","new":["a","b"]},{"name":"publisher","old":{"name":"Ada","address":null},"new":{"name":"Bob","address":null}}]}"#
            )
            #expect(
                try collection.event().data.contains(
                    #""modifications":[{"tags":["a","b"],"publisher":{"name":"Bob","address":null}}]"#))
        }
    }

    @Test("a stream whose class is removed ends with the reason")
    func failure() throws {
        let gateway = try TestGateway()
        try gateway.serve { port in
            let client = try LoopbackClient(port: port)
            try client.send("GET /v1/observe/objects/Note")
            _ = try client.answer()
            _ = try client.event()
            let schema = #"{"schemaVersion":2,"classes":[{"name":"A","properties":[{"name":"b","type":"int"}]}]}"#
            #expect(try gateway.send(.put, "/v1/schema", schema).status == 200)
            let event = try client.event()
            #expect(event.name == "error")
            #expect(try JSONValue.parse(event.data)["code"] == .string("object.unknown_class"))
            #expect(client.ends())
        }
    }

    @Test("a result too large to begin with is refused on the stream")
    func tooLarge() throws {
        let gateway = try TestGateway { $0.maximumObserved = 3 }
        try gateway.fill()
        try gateway.serve { port in
            let client = try LoopbackClient(port: port)
            try client.send("GET /v1/observe/objects/Dog")
            _ = try client.answer()
            #expect(try client.event().name == "error")
            #expect(client.ends())
        }
    }

    @Test("a client that does not read is told several commits in one once it does, and no queue grows meanwhile")
    func slow() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let text = String(repeating: "x", count: 20_000)
        try gateway.serve({ $0.streamQueueLimit = 64 * 1024 }) { port in
            let client = try LoopbackClient(port: port, receiveBuffer: 4096)
            try client.send("GET /v1/observe/objects/Note?include=objects&fields=text")
            _ = try client.answer()
            #expect(try client.event().name == "initial")
            // Many times the capacity of the socket and the queue.
            var last = 0
            for number in 0..<400 {
                let method = number == 0 ? HTTPMethod.post : .put
                let target = number == 0 ? "/v1/objects/Note" : "/v1/objects/Note/0"
                let response = try gateway.send(method, target, #"{"text":"\#(number) \#(text)"}"#)
                #expect(response.status < 300, "\(response.status)")
                last = number
            }
            gateway.settle()
            // A stream of every update would have 400 events; this one combines most of them, and ends up to date.
            var count = 0
            var initials = 0
            while count < 400 {
                let event = try client.event()
                count += 1
                if event.name == "initial" { initials += 1 }
                if event.data.contains("\"\(last) x") { break }
            }
            #expect(count < 399)
            #expect(initials == 0)
            _ = try gateway.send(.delete, "/v1/objects/Note/0")
            #expect(try client.event().data.contains(#""deletions":[0]"#))
        }
    }

    @Test("what is wrong with an observation is said before the stream begins")
    func refused() throws {
        let gateway = try TestGateway()
        try gateway.serve { port in
            let client = try LoopbackClient(port: port)
            try client.send("GET /v1/observe/objects/Dog?filter=agee+%3E+1")
            let answer = try client.answer()
            #expect(answer.status == 400)
            #expect(try JSONValue.parse(answer.body)["position"] == .int(0))
            try client.send("GET /healthz")
            #expect(try client.answer().body == #"{"status":"ok"}"#)
        }
    }
}
