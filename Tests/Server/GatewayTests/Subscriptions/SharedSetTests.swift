import Dispatch
import EmbeddedStore
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import StoreContract
import StoreTesting
import Synchronization
import Testing

extension SharedGateways.Side {
    @discardableResult
    fileprivate func put(_ target: String, _ body: String) throws -> WireResponse {
        let answer = try wire.send(.put, "/v1/subscriptions/\(target)", body)
        guard answer.status < 300 else { throw WireFailure("\(answer)") }
        return answer
    }

    fileprivate func get(_ target: String) throws -> WireResponse { try wire.get("/v1/subscriptions/\(target)") }

    fileprivate func stream(_ set: String, since id: String? = nil) throws -> WireEvents {
        try wire.observe("/v1/subscriptions/\(set)/stream", headers: id.map { ["Last-Event-ID": $0] } ?? [:])
    }

    fileprivate func labels(_ set: String) throws -> [String] {
        try get(set)["subscriptions"]?.asArray?.compactMap { $0["name"]?.asString ?? $0["id"]?.asString } ?? []
    }
}

@Suite("Subscription sets of several gateways")
struct SharedSetTests {
    private static let dogs = #"{"class":"Dog","fields":"_id","sort":"_id"}"#
    private static let people = #"{"class":"Person","fields":"handle","sort":"handle"}"#

    @Test("what is subscribed, replaced and removed at one gateway is so at the other")
    func everywhere() throws {
        let home = try SharedGateways()
        #expect(try home.near.wire.get("/v1/subscriptions/s").status == 404)
        #expect(try home.near.put("s/dogs", Self.dogs).status == 201)
        #expect(try home.far.labels("s") == ["dogs"])
        // The same query at another gateway changes nothing.
        #expect(try home.far.put("s/dogs", Self.dogs).status == 200)
        #expect(try home.far.put("s/people", Self.people).status == 201)
        #expect(try home.near.labels("s") == ["dogs", "people"])
        for side in home.sides {
            try SharedGateways.wait("the first result") { try side.get("s")["state"] == "complete" }
        }
        #expect(
            try home.near.get("s/people").json?.canonical == home.far.get("s/people").json?.canonical)
        let changed = try home.near.put("s/people", #"{"class":"Person","filter":"city == 'Turin'"}"#)
        #expect(changed["filter"] == "city == 'Turin'")
        #expect(try home.far.get("s/people")["filter"] == "city == 'Turin'")
        #expect(try home.far.wire.send(.delete, "/v1/subscriptions/s/dogs").status == 204)
        #expect(try home.near.get("s/dogs").status == 404)
        #expect(try home.near.labels("s") == ["people"])
        // An unnamed one is found by its query.
        let unnamed = try home.near.wire.send(.post, "/v1/subscriptions/s", Self.dogs)
        #expect(unnamed.status == 201)
        #expect(try home.far.wire.send(.post, "/v1/subscriptions/s", Self.dogs)["id"] == unnamed["id"])
        // Names of all kinds are names of records.
        for name in ["a%20b", "%C3%A4", "x:y", "%25", String(repeating: "n", count: 128)] {
            #expect(try home.near.put("\(name)/dogs", Self.dogs).status == 201)
            #expect(try home.far.labels(name) == ["dogs"], "\(name)")
        }
    }

    @Test("changes at both gateways at once are all kept, with ids of their own")
    func atOnce() throws {
        let home = try SharedGateways()
        let ids = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { [sides = home.sides.map(\.wire)] number in
            for round in 0..<5 {
                let body = #"{"class":"Dog","filter":"age > \#(number * 10 + round)","waitForSync":"never"}"#
                let answer = try? sides[number % 2].send(.put, "/v1/subscriptions/s/n\(number)-\(round)", body)
                if answer?.status == 201, let id = answer?["id"]?.asString { ids.withLock { $0.append(id) } }
            }
        }
        let all = ids.withLock { $0 }
        #expect(all.count == 40 && Set(all).count == 40)
        for side in home.sides { #expect(try side.get("s")["count"] == 40) }
    }

    @Test("a stream is told what is subscribed and removed at the other gateway")
    func stream() throws {
        let home = try SharedGateways()
        try home.near.put("s/dogs", Self.dogs)
        let stream = try home.near.stream("s")
        for name in ["subscriptions", "initial"] { _ = try stream.next(name) }
        try home.far.put("s/people", Self.people)
        let initial = try stream.next("initial")
        #expect(initial["subscription"] == "people" && initial["items"]?.asArray?.count == 2)
        try SharedGateways.wait("its state") { try home.near.get("s/people")["state"] == "complete" }
        try home.far.put("s/people", #"{"class":"Person","filter":"city == 'Turin'","fields":"handle"}"#)
        #expect(try stream.next("initial")["items"]?.asArray?.count == 1)
        #expect(try home.far.wire.send(.delete, "/v1/subscriptions/s/people").status == 204)
        #expect(try stream.next("removed")["subscription"] == "people")
        #expect(try home.far.wire.send(.post, "/v1/objects/Dog", #"{"_id":3}"#).status == 201)
        #expect(try stream.next("update")["subscription"] == "dogs")
    }

    @Test("a client that changes gateway goes on from where it was, and nobody ends the stream that it left")
    func moving() throws {
        let home = try SharedGateways()
        try home.near.put("s/dogs", Self.dogs)
        try home.near.put("s/people", Self.people)
        var stream = try home.near.stream("s")
        for name in ["subscriptions", "initial", "initial"] { _ = try stream.next(name) }
        var last: String?
        for round in 0..<6 {
            let (here, there) = (home.sides[round % 2], home.sides[1 - round % 2])
            #expect(try there.wire.send(.post, "/v1/objects/Dog", #"{"_id":\#(10 + round)}"#).status == 201)
            let update = try stream.next()
            #expect(update.name == "update" && update.data["subscription"] == "dogs")
            last = update.id
            let missed = try here.wire.send(.post, "/v1/objects/Person", #"{"handle":"p\#(round)"}"#)
            #expect(missed.status == 201)
            let next = try there.stream("s", since: last)
            #expect(try next.next("subscriptions")["subscriptions"]?.asArray?.count == 2)
            let reported = try next.next("update")
            #expect(reported["subscription"] == "people", "\(reported)")
            // The stream that the client has left goes on until its connection ends.
            #expect(try stream.next("update")["subscription"] == "people")
            stream.stream.didClose(.clientLeft)
            stream = next
        }
    }

    @Test("two clients share a set through two gateways: each stream gets every change and every barrier once")
    func sharing() throws {
        let home = try SharedGateways()
        try home.near.put("s/dogs", Self.dogs)
        let streams = try home.sides.map { try $0.stream("s") }
        for stream in streams { for name in ["subscriptions", "initial"] { _ = try stream.next(name) } }
        for round in 0..<10 {
            let side = home.sides[round % 2]
            let written = try side.wire.send(.post, "/v1/objects/Dog", #"{"_id":\#(10 + round)}"#)
            #expect(written.status == 201)
            let answer = try side.wire.send(.put, "/v1/subscriptions/s/barriers/b\(round)", "")
            #expect(answer.status == 202 && answer["streams"] == 2, "\(answer)")
            for stream in streams {
                #expect(try stream.next().data["subscription"] == "dogs")
                let barrier = try stream.next("barrier")
                #expect(barrier["token"] == .string("b\(round)") && barrier["version"] == answer["version"])
            }
        }
        // What one client subscribes to, the other one gets too.
        try home.far.put("s/people", Self.people)
        for stream in streams { #expect(try stream.next("initial")["subscription"] == "people") }
        // When one leaves, the other one stays.
        streams[0].stream.didClose(.clientLeft)
        var requests = 0
        try SharedGateways.wait("the end of the first stream") {
            requests += 1
            return try home.far.wire.send(.put, "/v1/subscriptions/s/barriers/left\(requests)", "")["streams"] == 1
        }
        for request in 1...requests {
            #expect(try streams[1].next("barrier")["token"] == .string("left\(request)"))
        }
        #expect(try home.near.wire.send(.delete, "/v1/subscriptions/s/people").status == 204)
        #expect(try streams[1].next("removed")["subscription"] == "people")
    }

    @Test("a barrier that is requested at the other gateway comes on the stream, after what was committed before")
    func barriers() throws {
        let home = try SharedGateways()
        try home.near.put("s/dogs", Self.dogs)
        let none = try home.far.wire.send(.put, "/v1/subscriptions/s/barriers/none", "")
        #expect(none["streams"] == 0)
        let stream = try home.near.stream("s")
        for name in ["subscriptions", "initial"] { _ = try stream.next(name) }
        for round in 0..<20 {
            let written = try home.far.wire.send(.post, "/v1/objects/Dog", #"{"_id":\#(10 + round)}"#)
            #expect(written.status == 201)
            let answer = try home.far.wire.send(.put, "/v1/subscriptions/s/barriers/b\(round)", "")
            #expect(answer.status == 202 && answer["streams"] == 1, "\(answer)")
            #expect(try stream.next("update")["subscription"] == "dogs")
            let barrier = try stream.next("barrier")
            #expect(barrier["token"] == .string("b\(round)") && barrier["version"] == answer["version"])
        }
        stream.stream.didClose(.clientLeft)
        try SharedGateways.wait("the end of the claim") {
            try home.far.wire.send(.put, "/v1/subscriptions/s/barriers/late", "")["streams"] == 0
        }
    }

    @Test("limits count the sets of all gateways")
    func limits() throws {
        let home = try SharedGateways {
            $0.maximumSubscriptionSets = 3
            $0.subscriptionSetsPerCaller = 2
            $0.metricsAreOpen = true
        }
        func refused(_ side: SharedGateways.Side, _ set: String) throws -> String? {
            try side.wire.send(.put, "/v1/subscriptions/\(set)/dogs", Self.dogs).code
        }
        try home.near.put("a/dogs", Self.dogs)
        try home.near.put("b/dogs", Self.dogs)
        #expect(try refused(home.near, "c") == "subscription.sets_limited")
        try home.far.put("c/dogs", Self.dogs)
        #expect(try refused(home.far, "d") == "subscription.too_many_sets")
        for side in home.sides {
            side.gateway.expireSubscriptions()
            #expect(try side.wire.send(.get, "/metrics").text.contains("realmgate_subscription_sets 3"))
            // One that is there is not another one.
            try side.put("a/people", Self.people)
        }
    }

    @Test("a set that nobody uses is deleted by any gateway, after its time; clocks do not matter")
    func expiry() throws {
        let home = try SharedGateways { $0.subscriptionSetLifetime = 400 }
        home.far.clock.pass(3600)
        for name in ["left", "used", "open"] { try home.near.put("\(name)/dogs", Self.dogs) }
        let stream = try home.near.stream("open")
        _ = try stream.next("subscriptions")
        for side in home.sides { side.gateway.expireSubscriptions() }
        for _ in 0..<9 {
            for side in home.sides { side.clock.pass(50) }
            #expect(try home.near.labels("used") == ["dogs"])
            // Of a set that is used here, the other gateway hears by its record.
            for side in home.sides { side.gateway.expireSubscriptions() }
        }
        for _ in 0..<3 {
            for side in home.sides { side.clock.pass(50) }
            #expect(try home.near.labels("used") == ["dogs"])
            home.near.gateway.expireSubscriptions()
        }
        // The gateway that made the sets need not be there.
        home.near.store.close()
        home.far.gateway.expireSubscriptions()
        #expect(try home.far.get("left").status == 404)
        for name in ["used", "open"] { #expect(try home.far.labels(name) == ["dogs"], "\(name)") }
        // It has used them just now, and says so; from then on nobody does.
        for seconds in [150, 500] as [Int64] {
            home.far.clock.pass(seconds)
            home.far.gateway.expireSubscriptions()
        }
        for name in ["used", "open"] { #expect(try home.far.get(name).status == 404, "\(name)") }
        #expect(home.log.records.all.isEmpty)
    }

    @Test("a log that is away is 503, and leaves the set as it was; a set's record that is damaged says so")
    func faults() throws {
        let home = try SharedGateways()
        try home.near.put("s/dogs", Self.dogs)
        home.near.faults.plan(.record, .unavailable)
        let answer = try home.near.wire.send(.put, "/v1/subscriptions/s/people", Self.people)
        #expect(answer.status == 503 && answer.code == "store.unavailable")
        // The set is read, and then not written.
        home.near.faults.plan(.record, after: 1, .unavailable)
        #expect(try home.near.wire.send(.put, "/v1/subscriptions/s/people", Self.people).status == 503)
        for side in home.sides { #expect(try side.labels("s") == ["dogs"]) }
        let (name, record) = try #require(home.log.records.all.first)
        #expect(try home.log.connect().store([1, 2, 3], as: name, over: record.revision))
        #expect(try home.far.get("s").code == "store.log_damaged")
    }
}
