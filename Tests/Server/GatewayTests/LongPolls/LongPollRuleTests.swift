import AccessRules
import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import Identity
import JSONCoding
import RequestHandling
import Synchronization
import TestBasics
import Testing

/// What holds for waiting reads of every kind. `LongPollKindTests` has the kinds.
@Suite("Rules of reads that wait")
struct LongPollRuleTests {
    private static let dogs = "/v1/objects/Dog?filter=age%20%3E%206&fields=id,age&sort=id"

    @Test(
        "wrong parameters are refused at once, as those of the read are",
        arguments: [
            ("wait=x&since=MARK", "parameter.invalid", "wait"), ("wait=-1", "parameter.invalid", "wait"),
            ("wait=1.5", "parameter.invalid", "wait"), ("wait=", "parameter.invalid", "wait"),
            ("wait=1&wait=2", "parameter.repeated", "wait"), ("since=MARK&since=MARK", "parameter.repeated", "since"),
            ("since=5", "parameter.invalid", "since"), ("wait=9&since=", "parameter.invalid", "since"),
            ("wait=9&since=MARK&snapshot=x", "snapshot.not_possible", "snapshot"),
            ("wait=9&since=MARK&fields=nose", "query.unknown_property", "fields"),
            ("wait=9&since=MARK&colour=red", "parameter.unknown", "colour"),
            ("wait=9&since=MARK&limit=x", "parameter.invalid", "limit"),
        ])
    func refused(_ parameters: String, _ code: String, _ parameter: String) throws {
        let gateway = try PollingGateway()
        let mark = try gateway.mark()
        let query = parameters.replacing("MARK", with: mark)
        let answer = try gateway.hold("/v1/objects/Dog?\(query)").response()
        #expect(answer.status >= 400 && answer.status < 500)
        #expect(answer.code == code && answer["parameter"]?.asString == parameter, "\(answer)")
        #expect(gateway.site.gateway.longPollCount == 0)
        // Errors of the resource, too.
        for target in ["objects/Cat", "objects/Dog/99", "objects/Dog/1/nose"] {
            let missing = try gateway.hold("/v1/\(target)", since: mark).response()
            let plain = try gateway.get("/v1/\(target)")
            #expect(missing.status == 404 && missing.code == plain.code && missing["detail"] == plain["detail"])
        }
    }

    @Test("streams, writes and other resources have no such parameters")
    func elsewhere() throws {
        let gateway = try PollingGateway()
        for target in ["observe/objects/Dog", "export/Dog", "schema"] {
            #expect(try gateway.hold("/v1/\(target)?wait=9").response().code == "parameter.unknown", "\(target)")
        }
        #expect(try gateway.hold("/v1/objects/Dog/1?wait=9", .delete).response().code == "parameter.unknown")
    }

    @Test("without a known state there is an answer at once, and how it runs is told at once")
    func atOnce() throws {
        let gateway = try PollingGateway()
        let plain = try gateway.get(Self.dogs)
        let first = try gateway.hold(Self.dogs, since: nil).response()
        #expect(first.status == 200 && first.body == plain.body && first.mark == plain.mark)
        let explained = try gateway.hold(Self.dogs + "&explain=true", since: plain.mark).response()
        #expect(explained.status == 200 && explained["plan"] != nil)
        // Of another history, of the future, and from before the change log.
        for mark in ["3-00000000", "999-" + (try gateway.mark()).suffix(8)] {
            let answer = try gateway.hold(Self.dogs, since: mark).response()
            #expect(answer.status == 200 && answer.body == plain.body, "\(mark)")
        }
        // Zero seconds ask whether it has changed.
        #expect(try gateway.hold(Self.dogs, since: plain.mark, wait: 0).response().status == 204)
        #expect(gateway.site.gateway.longPollCount == 0)
    }

    @Test("a conditional request waits as one with the mark, and ends with 304")
    func conditional() throws {
        let gateway = try PollingGateway()
        for (target, own) in [
            (Self.dogs, #"{"age":8}"#), ("/v1/objects/Dog/1", #"{"age":9}"#),
            ("/v1/objects/Dog/1?expand=owner", #"{"age":10}"#), ("/v1/values/objects/Dog?key=age", #"{"age":11}"#),
        ] {
            let plain = try gateway.get(target)
            let tag = try #require(plain.headers["ETag"])
            let path = PollingGateway.waiting(target, since: nil)
            for tags in [tag, "\"other\", \(tag)", "*"] {
                let held = try gateway.hold(path, headers: ["If-None-Match": tags])
                #expect(gateway.waiting(1), "\(target) \(tags)")
                gateway.pass(seconds: 30)
                #expect(try held.response().status == 304)
            }
            let quiet = try gateway.hold(path, headers: ["If-None-Match": tag])
            #expect(gateway.waiting(1))
            try gateway.write(.patch, "Dog/2", #"{"name":"\#(target.count)"}"#)
            gateway.pass(seconds: 30)
            let unchanged = try quiet.response()
            #expect(try unchanged.status == 304 && unchanged.mark == (gateway.mark()), "\(target): \(unchanged)")
            #expect(unchanged.headers["ETag"] == (try gateway.get(target).headers["ETag"]))
            let last = try #require(unchanged.headers["ETag"])
            let held = try gateway.hold(path, headers: ["If-None-Match": last])
            #expect(gateway.waiting(1))
            try gateway.write(.patch, "Dog/1", own)
            let answer = try held.response()
            #expect(try answer.status == 200 && answer.body == (gateway.get(target).body), "\(target): \(answer)")
            // The mark of the URL comes first: caches add tags of their own.
            let both = try gateway.hold(
                PollingGateway.waiting(target, since: plain.mark), headers: ["If-None-Match": "*"])
            #expect(try both.response().status == 200)
        }
    }

    @Test("HEAD waits as GET does, and so does a form")
    func otherMethods() throws {
        let gateway = try PollingGateway()
        let mark = try gateway.mark()
        let head = try gateway.hold(PollingGateway.waiting(Self.dogs, since: mark), .head)
        let form = try gateway.hold(
            "/v1/query/objects/Dog", .post, form: "filter=age%20%3E%206&fields=id,age&sort=id&wait=30&since=\(mark)")
        #expect(gateway.waiting(2))
        try gateway.write(.patch, "Dog/1", #"{"age":8}"#)
        let plain = try gateway.get(Self.dogs)
        #expect(try head.response().status == 200 && head.response().mark == plain.mark)
        #expect(try form.response().body == plain.body)
    }

    @Test("as many may wait as may stream, and the longest wait is that of the server")
    func limits() throws {
        let gateway = try PollingGateway {
            $0.streamsPerCaller = 2
            $0.longestPoll = 40
        }
        let mark = try gateway.mark()
        let held = try (0..<2).map { _ in try gateway.hold(Self.dogs, since: mark, wait: 1_000_000) }
        #expect(gateway.waiting(2))
        let refused = try gateway.hold(Self.dogs, since: mark).response()
        #expect(
            refused.status == 429 && refused.code == "streams.limited" && refused.headers["Retry-After"] != nil)
        // What does not wait is not a stream.
        #expect(try gateway.hold(Self.dogs, since: mark, wait: 0).response().status == 204)
        gateway.pass(seconds: 39)
        #expect(gateway.site.gateway.longPollCount == 2)
        gateway.pass(seconds: 1)
        for one in held { #expect(try one.response().status == 204) }
        #expect(gateway.waiting(0))
        let next = try gateway.hold(Self.dogs, since: mark)
        #expect(gateway.waiting(1))
        gateway.pass(seconds: 30)
        #expect(try next.response().status == 204)
    }

    @Test("each waits as long as it asks for")
    func times() throws {
        let gateway = try PollingGateway()
        let mark = try gateway.mark()
        let held = try [30, 10, 20].map { try gateway.hold(Self.dogs, since: mark, wait: $0) }
        #expect(gateway.waiting(3))
        for (passed, ended) in [(9, []), (1, [1]), (10, [1, 2]), (10, [1, 2, 0])] {
            gateway.pass(seconds: passed)
            for index in ended { #expect(try held[index].response().status == 204) }
            #expect(gateway.waiting(3 - ended.count))
        }
    }

    @Test("equal reads get the same answer, which is read once for those that wait for it")
    func shared() throws {
        let gateway = try PollingGateway()
        let mark = try gateway.mark()
        let held = try (0..<20).map { _ in try gateway.hold(Self.dogs, since: mark) }
        #expect(gateway.waiting(20))
        #expect(eventually { gateway.site.gateway.liveResultCount == 1 })
        try gateway.write(.patch, "Dog/1", #"{"age":8}"#)
        let plain = try gateway.get(Self.dogs)
        for one in held { #expect(try one.response().body == plain.body) }
        #expect(
            eventually {
                gateway.site.gateway.settle(); return gateway.site.gateway.liveResultCount == 0
            })
    }

    @Test("an object that is deleted, or a path that leads elsewhere, ends the wait")
    func gone() throws {
        let gateway = try PollingGateway()
        let mark = try gateway.mark()
        let dog = try gateway.hold("/v1/objects/Dog/1", since: mark)
        let owned = try gateway.hold("/v1/objects/Dog/1/owner/dogs", since: mark)
        #expect(gateway.waiting(2))
        try gateway.write(.patch, "Dog/1", #"{"owner":"bob"}"#)
        #expect(try owned.response().items("id") == [3])
        #expect(try dog.response()["owner"] == "bob")
        let again = try gateway.hold("/v1/objects/Dog/1", since: try gateway.mark())
        let dogs = try gateway.hold("/v1/objects/Person/ada/dogs", since: try gateway.mark())
        #expect(gateway.waiting(2))
        try gateway.write(.delete, "Person/ada")
        #expect(try dogs.response().status == 404)
        try gateway.write(.delete, "Dog/1")
        #expect(try again.response().status == 404)
        // Another object with its key is another one.
        try gateway.write(.post, "Dog", #"{"id":1,"name":"Rex","age":7,"weight":11.5}"#)
        #expect(try gateway.hold("/v1/objects/Dog/1", since: mark).response().status == 200)
    }

    @Test(
        "members of an object are compared whatever their names are",
        arguments: ["Page/1?fields=", "Page/1/other?fields="], ["id,next", "version,id", "version,next"])
    func members(_ target: String, _ fields: String) throws {
        let gateway = try PollingGateway()
        for change in fields.split(separator: ",") where change != "id" {
            let held = try gateway.hold("/v1/objects/\(target)\(fields)", since: try gateway.mark())
            #expect(gateway.waiting(1))
            let id = target.contains("other") ? 2 : 1
            try gateway.write(.patch, "Page/\(id)", change == "next" ? #"{"next":"b"}"# : #"{"version":9}"#)
            #expect(try held.response().status == 200, "\(change)")
        }
    }

    @Test("a client that is behind misses no change, whoever writes meanwhile")
    func behind() throws {
        let gateway = try PollingGateway()
        let targets = [
            Self.dogs, "/v1/objects/Dog/1?fields=age", "/v1/objects/Dog/1/age",
            "/v1/sections/objects/Dog?by=age&fields=id",
            "/v1/index/objects/Dog?of=1&sort=age", "/v1/values/objects/Dog?keyPath=@sum.age",
            "/v1/objects/Dog?distinct=owner.city&fields=id,age&count=true&limit=2",
        ]
        let ends = Mutex(false)
        let noise = Task.detached {
            var number = 0
            while !ends.withLock({ $0 }) {
                number += 1
                try gateway.write(.patch, "Dog/6", #"{"name":"\#(number)"}"#)
            }
        }
        defer { ends.withLock { $0 = true } }
        for round in 0..<12 {
            for target in targets {
                let mark = try gateway.mark()
                try gateway.write(.patch, "Dog/1", #"{"age":\#(20 + round)}"#)
                #expect(try gateway.hold(target, since: mark).response().status == 200, "\(target)")
                try gateway.write(.patch, "Dog/1", #"{"age":\#(round % 2)}"#)
            }
        }
        withExtendedLifetime(noise) {}
    }

    @Test("another schema ends the wait, whatever it changes")
    func migration() throws {
        let gateway = try PollingGateway()
        let mark = try gateway.mark()
        let held = try [Self.dogs, "/v1/objects/Dog/1", "/v1/aggregates/objects/Dog", "/v1/index/objects/Dog?of=1"]
            .map { try gateway.hold($0, since: mark) }
        #expect(gateway.waiting(4))
        let schema = PollingGateway.schema.replacing(#""schemaVersion":1"#, with: #""schemaVersion":2"#)
            .replacing(
                #"{"name":"hidden","type":"bool"}"#,
                with: #"{"name":"hidden","type":"bool"},{"name":"chip","type":"int?"}"#)
        #expect(try gateway.site.send(.put, "/v1/schema", schema).status == 200)
        for one in held { #expect(try one.response().status == 200) }
        #expect(try gateway.hold(Self.dogs, since: mark).response().status == 200)
    }

    @Test("the end of the server ends the wait, and nothing waits after it")
    func draining() throws {
        let gateway = try PollingGateway()
        let mark = try gateway.mark()
        let held = try gateway.hold(Self.dogs, since: mark)
        #expect(gateway.waiting(1))
        gateway.site.gateway.beginDraining()
        #expect(try held.response().status == 204 && held.response().mark == mark)
        #expect(try gateway.hold(Self.dogs, since: mark).response().status == 204)
    }

    @Test("a client that leaves ends the wait")
    func leaving() throws {
        let gateway = try PollingGateway { $0.streamsPerCaller = 1 }
        let mark = try gateway.mark()
        let held = try gateway.hold(Self.dogs, since: mark)
        #expect(gateway.waiting(1))
        held.client.leave()
        #expect(gateway.waiting(0))
        #expect(try held.response().status == 204)
        // The place is free.
        let next = try gateway.hold(Self.dogs, since: mark)
        #expect(gateway.waiting(1))
        next.client.leave()
    }

    @Test("over a socket, too: a client that hangs up is noticed, and one that stays is answered")
    func socket() throws {
        let gateway = try PollingGateway()
        try gateway.site.serve { port in
            let mark = try gateway.mark()
            let target = PollingGateway.waiting(Self.dogs, since: mark)
            let (first, second) = (try LoopbackClient(port: port), try LoopbackClient(port: port))
            for client in [first, second] { try client.send("GET \(target)") }
            #expect(gateway.waiting(2))
            first.hangUp()
            #expect(gateway.waiting(1))
            try gateway.write(.patch, "Dog/1", #"{"age":8}"#)
            let answer = try second.receive()
            #expect(try answer.status == 200 && answer["Realmgate-Mark"] == (gateway.mark()))
            // The connection goes on.
            try second.send("GET \(PollingGateway.waiting(Self.dogs, since: try gateway.mark()))")
            #expect(gateway.waiting(1))
            gateway.pass(seconds: 30)
            #expect(try second.receive().status == 204)
        }
    }

    @Test("a caller whose permissions change is told so, and a hidden change wakes nobody")
    func permissions() throws {
        func rules(_ read: String) -> AccessControl.Rules {
            AccessControl.Rules(roles: [
                Role(
                    name: "anonymous",
                    classes: ["Dog": ClassRule(read: read, readableProperties: ["id", "age"])])
            ])
        }
        let control = AccessControl(AccessControl.Rules())
        let gateway = try PollingGateway { $0.accessControl = control }
        control.replace(rules("hidden == false"))
        for target in [
            "/v1/objects/Dog", "/v1/objects/Dog?count=true&limit=1", "/v1/aggregates/objects/Dog?sum=age",
            "/v1/index/objects/Dog?of=2", "/v1/values/objects/Dog?key=age", "/v1/sections/objects/Dog?by=age",
            "/v1/objects/Dog/2",
        ] {
            try gateway.write(.patch, "Dog/6", #"{"hidden":true}"#)
            let before = try gateway.get(target)
            let held = try gateway.hold(target, since: before.mark)
            #expect(gateway.waiting(1))
            // A hidden object, a hidden property.
            try gateway.write(.patch, "Dog/6", #"{"age":\#(target.count)}"#)
            try gateway.write(.patch, "Dog/2", #"{"name":"\#(target.count)"}"#)
            gateway.pass(seconds: 30)
            let quiet = try held.response()
            #expect(quiet.status == 204, "\(target): \(quiet)")
            // Nor later.
            #expect(try gateway.hold(target, since: before.mark, wait: 0).response().status == 204, "\(target)")
            let next = try gateway.hold(target, since: quiet.mark)
            #expect(gateway.waiting(1))
            // An object that is hidden from now on, or not any more.
            try gateway.write(.patch, "Dog/\(target.hasSuffix("/2") ? 2 : 1)", #"{"hidden":true}"#)
            let now = try gateway.get(target)
            let answer = try next.response()
            #expect(answer.status == now.status && (answer.status == 404 || answer.body == now.body), "\(target)")
            try gateway.write(.patch, "Dog/1", #"{"hidden":false}"#)
            try gateway.write(.patch, "Dog/2", #"{"hidden":false}"#)
        }
        let held = try gateway.hold("/v1/objects/Dog", since: try gateway.get("/v1/objects/Dog").mark)
        #expect(gateway.waiting(1))
        control.replace(rules("hidden == false"))
        #expect(!held.isAnswered)
        control.replace(rules("age > 3"))
        let ended = try held.response()
        #expect(ended.status == 401 && ended.code == "access.ended")
    }

    @Test("caches may keep what all without a credential may see, for those that wait for it together")
    func caches() throws {
        let key = Caller(Principal(credential: .key("k")), AccessView.unrestricted)
        for (caller, isShared) in [(nil, true), (key, false)] {
            let gateway = try PollingGateway(as: caller)
            let mark = try gateway.mark()
            #expect(try gateway.get(Self.dogs).headers["Cache-Control"] == nil)
            let quiet = try gateway.hold(Self.dogs, since: mark, wait: 0).response()
            #expect(quiet.headers["Cache-Control"] == (isShared ? "public, max-age=1" : "private, no-cache"))
            try gateway.write(.patch, "Dog/1", #"{"age":8}"#)
            let changed = try gateway.hold(Self.dogs, since: mark).response()
            #expect(changed.headers["Cache-Control"] == (isShared ? "public, max-age=5" : "private, no-cache"))
            // What is known is in no URL.
            let conditional = try gateway.hold(
                PollingGateway.waiting(Self.dogs, since: nil), headers: ["If-None-Match": "\"\(mark)\""])
            #expect(try conditional.response().headers["Cache-Control"] == "private, no-cache")
            let atLeast = try gateway.hold(
                PollingGateway.waiting(Self.dogs, since: mark), headers: ["Realmgate-At-Least": try gateway.mark()])
            #expect(try atLeast.response().headers["Cache-Control"] == "private, no-cache")
            #expect(try gateway.hold("/v1/objects/Cat", since: mark).response().headers["Cache-Control"] == nil)
        }
    }
}
