import Dispatch
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import StoreTesting
import TestBasics
import Testing

extension Wire {
    /// Asks for a barrier on the streams of the set `s`.
    @discardableResult
    fileprivate func askForBarrier(_ token: String) throws -> JSONValue {
        let answer = try send(.put, "/v1/subscriptions/s/barriers/\(token)", "")
        guard answer.status == 202, let json = answer.json else { throw WireFailure("\(answer)") }
        return json
    }
}

@Suite("Named subscriptions: barriers")
struct SubscriptionBarrierTests {
    @Test(
        "a barrier is one small event on each stream, behind what was committed before, and its id resumes the stream")
    func order() throws {
        let home = try SubscriptionFixture()
        try home.put("s/dogs", #"{"class":"Dog","fields":"_id"}"#)
        try home.put("s/people", #"{"class":"Person","fields":"handle"}"#)
        let streams = [try home.stream("s"), try home.stream("s")]
        for stream in streams { for name in ["subscriptions", "initial", "initial"] { _ = try stream.next(name) } }
        #expect(try home.wire.send(.post, "/v1/objects/Dog", #"{"_id":3}"#).status == 201)
        let answer = try home.wire.askForBarrier("one")
        #expect(answer["streams"] == 2)
        var ids: [String] = []
        for stream in streams {
            #expect(try stream.next("update")["subscription"] == "dogs")
            let barrier = try stream.next()
            #expect(barrier.name == "barrier")
            #expect(barrier.data == ["version": answer["version"] ?? .null, "token": "one"])
            ids.append(try #require(barrier.id))
        }
        // Both are at the barrier's version, also the one that nothing was told of.
        #expect(ids[0] == ids[1] && !ids[0].contains(";"))
        for stream in streams { stream.stream.didClose(.clientLeft) }
        #expect(try home.wire.send(.post, "/v1/objects/Person", #"{"handle":"cy"}"#).status == 201)
        let again = try home.stream("s", since: ids[0])
        #expect(try again.next("subscriptions")["subscriptions"]?.asArray?.count == 2)
        #expect(try again.next("update")["subscription"] == "people")
        // The stream before took its barriers along: it is asked for again.
        #expect(try home.wire.askForBarrier("two")["streams"] == 1)
        #expect(try again.next("barrier")["token"] == "two")
        home.settle()
        #expect(again.takeAll().isEmpty)
    }

    @Test("what cannot be asked for, and what nobody is told")
    func answers() throws {
        let home = try SubscriptionFixture()
        #expect(try home.put("s/barriers/one", "").status == 404)
        try home.put("s/dogs", #"{"class":"Dog","fields":"_id"}"#)
        #expect(try home.wire.askForBarrier("one")["streams"] == 0)
        let long = String(repeating: "x", count: 129)
        let refused = try home.put("s/barriers/\(long)", "")
        #expect(refused.status == 400 && refused["code"] == "subscription.invalid_name")
        let stream = try home.stream("s")
        for name in ["subscriptions", "initial"] { _ = try stream.next(name) }
        // While nothing can be told, so many wait and no more; the same one again is one.
        let hold = try home.holdResults()
        for number in 0..<16 { try home.wire.askForBarrier("t\(number)") }
        try home.wire.askForBarrier("t0")
        let more = try home.put("s/barriers/more", "")
        #expect(more.status == 429 && more["code"] == "subscription.too_many_barriers")
        hold.signal()
        let tokens = try (0..<16).map { _ in try stream.next("barrier")["token"]?.asString }
        #expect(tokens == (1..<16).map { "t\($0)" } + ["t0"])
        home.settle()
        #expect(stream.takeAll().isEmpty)
    }

    @Test("a subscription that cannot be observed is not waited for")
    func failed() throws {
        let home = try SubscriptionFixture { $0.maximumObserved = 3 }
        try home.put("s/dogs", #"{"class":"Dog","fields":"_id","waitForSync":"never"}"#)
        let stream = try home.stream("s")
        for name in ["subscriptions", "initial"] { _ = try stream.next(name) }
        let people = (0..<9).map { #"{"handle":"h\#($0)"}"# }.joined(separator: ",")
        #expect(try home.wire.send(.post, "/v1/objects/Person", "[\(people)]").status == 201)
        try home.put("s/people", #"{"class":"Person","fields":"handle","waitForSync":"never"}"#)
        #expect(try stream.next("error")["subscription"] == "people")
        try home.wire.askForBarrier("one")
        #expect(try stream.next("barrier")["token"] == "one")
        try home.put("s/all", #"{"class":"Dog","waitForSync":"never"}"#)
        #expect(try home.delete("s/people").status == 204)
        try home.wire.askForBarrier("two")
        var names: [String] = []
        while names.last != "barrier" { names.append(try stream.next().name) }
        #expect(names.sorted() == ["barrier", "initial", "removed"])
    }

    @Test("who waits for a barrier holds what a read gave before, however slowly it reads, and can go on from there")
    func slow() throws {
        var random = SeededRandom.ofTest()
        let home = try SubscriptionFixture()
        for (name, body) in SetReader.queries { try home.put("s/\(name)", body) }
        var steps = SeededRandom(seed: random.next())
        for limit in [1, 300, 2000] {
            var stream = try home.stream("s", limit: limit)
            var reader = SetReader()
            for round in 0..<40 {
                for _ in 0..<random.below(5) { try SetReader.write(home, &steps) }
                if random.oneIn(4) { home.gateway.settle() }
                if random.oneIn(4), let id = reader.lastID {
                    stream.stream.didClose(.clientLeft)
                    stream = try home.stream("s", since: id, limit: limit)
                }
                let expected = try SetReader.fresh(home)
                let token = "\(limit)-\(round)"
                try home.wire.askForBarrier(token)
                while true {
                    let event = try stream.next()
                    try reader.apply(event, "seed \(random.seed)")
                    if event.data["token"]?.asString == token { break }
                }
                #expect(reader.held == expected, "seed \(random.seed)")
            }
            stream.stream.didClose(.clientLeft)
        }
    }

    @Test("a barrier waits for a long update that comes in parts, and no position between says that it was told")
    func parts() throws {
        var random = SeededRandom.ofTest()
        let home = try WebFixture {
            $0.eventBytes = 2_000
            $0.eventMemory = 400_000
        }
        let wire = Wire(store: home.store, router: home.router)
        try home.fill((0..<60).map { #"{"id":\#($0),"text":"\#(String(repeating: "t", count: 400))"}"# })
        let queries = ["many": "sort=id", "few": "filter=id%20%3D%3D%201"]
        #expect(
            try wire.send(.put, "/v1/subscriptions/s/many", #"{"class":"Web","sort":"id","waitForSync":"never"}"#)
                .status < 300)
        #expect(
            try wire.send(.put, "/v1/subscriptions/s/few", #"{"class":"Web","filter":"id == 1","waitForSync":"never"}"#)
                .status < 300)
        func expected() throws -> [String: [JSONValue]] {
            try queries.mapValues { try wire.get("/v1/objects/Web?limit=1000&\($0)")["items"]?.asArray ?? [] }
        }
        func follow(_ stream: WireEvents, _ held: inout [String: [JSONValue]], to token: String) throws -> [(
            id: String, held: [String: [JSONValue]]
        )] {
            var points: [(id: String, held: [String: [JSONValue]])] = []
            while true {
                let event = try stream.next()
                if let name = event.data["subscription"]?.asString {
                    try ListReader.apply(event, to: &held[name, default: []])
                }
                if let id = event.id, !id.isEmpty { points.append((id, held)) }
                if event.data["token"]?.asString == token { return points }
            }
        }
        let stream = try wire.observe("/v1/subscriptions/s/stream", limit: 1 << 20)
        var held: [String: [JSONValue]] = [:]
        for round in 0..<8 {
            #expect(try home.send(.patch, "/v1/objects/Web?all=true", #"{"rank":\#(round + 1)}"#).status == 200)
            for _ in 0..<random.below(3) {
                #expect(try home.send(.patch, "/v1/objects/Web/1", #"{"rank":\#(random.below(99))}"#).status == 200)
            }
            try wire.askForBarrier("r\(round)")
            let wanted = try expected()
            let points = try follow(stream, &held, to: "r\(round)")
            #expect(held == wanted, "seed \(random.seed)")
            for (number, point) in points.enumerated() where random.oneIn(3) || point.id == points.last?.id {
                let again = try wire.observe(
                    "/v1/subscriptions/s/stream", headers: ["Last-Event-ID": point.id], limit: 1 << 20)
                try wire.askForBarrier("p\(round)-\(number)")
                var held = point.held
                _ = try follow(again, &held, to: "p\(round)-\(number)")
                #expect(held == wanted, "seed \(random.seed), \(point.id)")
                again.stream.didClose(.clientLeft)
            }
        }
    }
}
