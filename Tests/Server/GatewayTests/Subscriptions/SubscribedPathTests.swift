import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import StoreTesting
import TestBasics
import Testing

/// Subscriptions to more than queries of classes: to whatever a stream shows.
@Suite("Named subscriptions: paths")
struct SubscribedPathTests {
    /// A client of a set whose subscriptions are followers, by their positions.
    private struct Reader {
        let followers: [Follower]
        private(set) var held: [JSONValue]
        private(set) var lastID: String?

        init(_ followers: [Follower]) {
            self.followers = followers
            held = followers.map { _ in .null }
        }

        mutating func apply(_ event: WireEvents.Event, _ note: String) throws {
            if let id = event.id { lastID = id }
            guard let name = event.data["subscription"]?.asString, let index = Int(name.dropFirst()) else { return }
            let own = WireEvents.Event(
                name: event.name, id: event.id, data: event.data.setting("subscription", nil))
            do {
                try followers[index].apply(own, to: &held[index])
            } catch {
                throw WireFailure("\(followers[index]), \(note): \(error), held \(held[index])")
            }
        }
    }

    private static func put(_ wire: Wire, _ name: String, path: String) throws -> WireResponse {
        let json = JSONWriter()
        json.beginObject()
        json.name("path")
        json.string(path)
        json.endObject()
        return try wire.send(.put, "/v1/subscriptions/s/\(name)", String(decoding: json.bytes, as: UTF8.self))
    }

    private static func stream(_ wire: Wire, since id: String? = nil, limit: Int = 1 << 20) throws -> WireEvents {
        try wire.observe("/v1/subscriptions/s/stream", headers: id.map { ["Last-Event-ID": $0] } ?? [:], limit: limit)
    }

    @Test("a set carries all that streams show, also for who comes back, and after a restart")
    func everything() throws {
        var random = SeededRandom.ofTest()
        let note = "seed \(random.seed)"
        let estate = try StoredDogOwnersFixture()
        for (index, follower) in Follower.all.enumerated() {
            let made = try Self.put(try estate.wire, "f\(index)", path: follower.target)
            #expect(made.status == 201 && made["path"]?.asString == follower.target, "\(made)")
            #expect(["Dog", "Person"].contains(made["class"]?.asString))
        }
        var stream = try Self.stream(try estate.wire)
        var reader = Reader(Follower.all)
        var points: [Reader] = []
        func read(_ reader: inout Reader, _ stream: WireEvents) throws {
            let expected = try Follower.all.map { try $0.expected(try estate.wire) }
            while reader.held != expected {
                try reader.apply(try stream.next(), note)
                points.append(reader)
            }
        }
        for _ in 0..<20 {
            try read(&reader, stream)
            try estate.write(&random)
        }
        try read(&reader, stream)
        stream.stream.didClose(.clientLeft)
        for isNew in [false, true] {
            if isNew { try estate.reopen() }
            for var point in points.filter({ $0.lastID != nil }) {
                guard random.oneIn(4) else { continue }
                stream = try Self.stream(try estate.wire, since: point.lastID)
                let expected = reader.held
                while point.held != expected {
                    try point.apply(try stream.next(), "\(note), since \(point.lastID ?? "")")
                }
                stream.stream.didClose(.clientLeft)
            }
        }
        #expect(try estate.wire.get("/v1/subscriptions/s")["count"]?.asInt == Follower.all.count)
    }

    @Test("a slow reader of a set of all kinds loses nothing, whatever its pauses", arguments: [1, 2000])
    func slow(limit: Int) throws {
        var random = SeededRandom.ofTest(limit)
        let note = "seed \(random.seed)"
        let estate = try StoredDogOwnersFixture()
        let wire = try estate.wire
        for (index, follower) in Follower.all.enumerated() {
            #expect(try Self.put(wire, "f\(index)", path: follower.target).status == 201)
        }
        var stream = try Self.stream(wire, limit: limit)
        var reader = Reader(Follower.all)
        for step in 0..<40 {
            try estate.write(&random)
            guard random.oneIn(4) || step == 39 else { continue }
            if random.oneIn(4), let id = reader.lastID {
                stream.stream.didClose(.clientLeft)
                stream = try Self.stream(wire, since: id, limit: limit)
            }
            let expected = try Follower.all.map { try $0.expected(wire) }
            while reader.held != expected { try reader.apply(try stream.next(), note) }
        }
        stream.stream.didClose(.clientLeft)
    }

    @Test("what a subscription observes is told to be deleted, and the others go on", arguments: [false, true])
    func deleted(_ isAway: Bool) throws {
        let estate = try StoredDogOwnersFixture()
        let wire = try estate.wire
        let paths = [
            "objects/Dog/1", "objects/Person/ada/tags", "aggregates/objects/Person/ada/dogs?sum=age",
            "values/objects/Person/ada/dogs?key=age", "index/objects/Person/ada/dogs?of=2",
            "sections/Person/ada/dogs?by=age",
            "values/objects/Dog?key=age",
        ]
        for (index, path) in paths.enumerated() {
            #expect(try Self.put(wire, "f\(index)", path: path).status == 201)
        }
        var stream = try Self.stream(wire)
        var last = ""
        for event in try (0...paths.count).map({ _ in try stream.next() }) {
            #expect(["subscriptions", "initial"].contains(event.name))
            last = event.id ?? last
        }
        if isAway { stream.stream.didClose(.clientLeft) }
        for path in ["Person/ada", "Dog/1"] {
            #expect(try wire.send(.delete, "/v1/objects/\(path)").status == 204)
        }
        if isAway { stream = try Self.stream(wire, since: last) }
        var gone: Set<String> = []
        var ages: JSONValue?
        while gone.count < paths.count - 1 || ages == nil {
            let event = try stream.next()
            guard let name = event.data["subscription"]?.asString else { continue }
            switch event.name {
            case "deleted": #expect(gone.insert(name).inserted, "\(event)")
            case "update", "change":
                #expect(!gone.contains(name), "\(event)")
                if name == "f\(paths.count - 1)" { ages = event.data["values"] }
            default: Issue.record("\(event)")
            }
        }
        #expect(ages == (try wire.get("/v1/values/objects/Dog?key=age"))["values"])
        #expect(try wire.get("/v1/subscriptions/s/f0")["state"] == "error")
        #expect(try wire.get("/v1/subscriptions/s/f0")["error"]?["code"] == "object.not_found")
        // Another object with the key is one that the client does not have.
        #expect(try wire.send(.put, "/v1/objects/Dog/1", #"{"age":30}"#).status == 201)
        stream.stream.didClose(.clientLeft)
        let again = try Self.stream(wire, since: last)
        var event = try again.next()
        while event.data["subscription"] != "f0" { event = try again.next() }
        #expect(event.name == "initial" && event.data["object"]?["age"] == 30, "\(event)")
        again.stream.didClose(.clientLeft)
    }

    @Test("a path that leads elsewhere ends its subscription alone, and what a client knows of it is not resumed")
    func elsewhere() throws {
        let estate = try StoredDogOwnersFixture()
        let wire = try estate.wire
        #expect(try wire.send(.put, "/v1/objects/Person/zoe", #"{"dog":1}"#).status < 300)
        let way = "values/objects/Person/zoe/dog/owners?key=handle&sort=handle"
        #expect(try Self.put(wire, "way", path: way).status == 201)
        #expect(try Self.put(wire, "all", path: "aggregates/objects/Dog?max=age").status == 201)
        let stream = try Self.stream(wire)
        var last = ""
        for _ in 0..<3 { last = try stream.next().id ?? last }
        #expect(try wire.send(.patch, "/v1/objects/Person/zoe", #"{"dog":2}"#).status == 200)
        let error = try stream.next("error")
        #expect(error["subscription"] == "way" && error["code"] == "observe.path_changed")
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":80}"#).status == 200)
        #expect(try stream.next("update")["max"] == ["age": 80])
        stream.stream.didClose(.clientLeft)
        let again = try Self.stream(wire, since: last)
        _ = try again.next("subscriptions")
        let events = try [again.next(), again.next()].sorted { $0.name < $1.name }
        #expect(events.map(\.name) == ["initial", "update"])
        #expect(events.map { $0.data["subscription"]?.asString } == ["way", "all"])
        again.stream.didClose(.clientLeft)
    }

    @Test("a path is refused as its stream is, and has its parameters in itself")
    func refused() throws {
        let home = try SubscriptionFixture()
        for (body, code) in [
            (#"{"path":""}"#, "subscription.invalid"), (#"{"path":"object/Dog"}"#, "subscription.invalid"),
            (#"{"path":"values/Dog?key=age"}"#, "subscription.invalid"), (#"{"path":7}"#, "subscription.invalid"),
            (#"{"path":"sections/Dog/1?by=age"}"#, "subscription.invalid"),
            (#"{"path":"values/objects/Dog/1?key=age"}"#, "subscription.invalid"),
            (#"{"path":"objects/%zz"}"#, "subscription.invalid"), (#"{"path":"logs"}"#, "subscription.invalid"),
            (#"{"path":"objects/Dog","filter":"age > 1"}"#, "subscription.invalid"),
            (#"{"path":"objects/Dog","class":"Person"}"#, "subscription.invalid"),
            (#"{"path":"objects/Dog?what=1"}"#, "parameter.unknown"),
            (#"{"path":"objects/Dog?snapshot=x"}"#, "snapshot.not_possible"),
            (#"{"path":"values/objects/Dog"}"#, "parameter.missing"),
            (#"{"path":"aggregates/objects/Cat"}"#, "object.unknown_class"),
            (#"{"path":"objects/Dog/77"}"#, "object.not_found"),
        ] {
            let answer = try home.put("s/a", body)
            #expect(answer.code == code, "\(body): \(answer)")
        }
        #expect(try home.get("s").status == 404)
        let made = try home.put("s/a", #"{"path":"objects/Dog?filter=age%20%3E%203","class":"Dog"}"#)
        #expect(made.status == 201 && made["class"] == "Dog")
        #expect(try home.put("s/a", #"{"path":"aggregates/objects/Dog?sum=age"}"#).status == 200)
        #expect(try home.put("s/a", #"{"path":"aggregates/objects/Person"}"#).code == "subscription.other_class")
        #expect(try home.post("s", #"{"path":"index/objects/Dog?of=1"}"#).status == 201)
        #expect(try home.post("s", #"{"path":"index/objects/Dog?of=1"}"#).status == 200)
        #expect(try home.delete("s?class=Dog")["removed"] == 2)
    }

    @Test("a subscription shows its caller what a stream of its own would")
    func rules() throws {
        let fixture = try HiddenPartFixture()
        let targets = [
            "aggregates/objects/Person?by=friend.name&sum=age", "values/objects/Person?keyPath=@unionOfObjects.friend",
            "index/objects/Person?of=3&sort=-age", "objects/Person/1/friends",
            "sections/Person?by=friend.name&fields=id",
            "objects/Person/1",
        ]
        for (index, target) in targets.enumerated() {
            let made = try fixture.whole.send(
                as: HiddenPartFixture.caller, .put, "/v1/subscriptions/s/f\(index)", #"{"path":"\#(target)"}"#)
            #expect(made.status == 201, "\(target): \(made)")
        }
        let set = try fixture.whole.observe(as: HiddenPartFixture.caller, "/v1/subscriptions/s/stream")
        let alone = try targets.map { try fixture.whole.observe(as: HiddenPartFixture.caller, "/v1/observe/\($0)") }
        func compare() throws {
            fixture.gateway.settle()
            var reported = targets.map { _ in [String]() }
            for event in set.takeAll() {
                guard let name = event.data["subscription"]?.asString, let index = Int(name.dropFirst()) else {
                    continue
                }
                reported[index].append("\(event.name) \(event.data.setting("subscription", nil))")
            }
            for (index, stream) in alone.enumerated() {
                #expect(reported[index] == stream.takeAll().map { "\($0.name) \($0.data)" }, "\(targets[index])")
            }
        }
        try compare()
        for (path, body) in [
            ("Person/666001", #"{"name":"SECRETMARK anew","age":97}"#), ("Person/1", #"{"secret":"SECRETMARK other"}"#),
            ("Person/1", #"{"age":50,"friends":[2,666001]}"#), ("Person/2", #"{"open":false}"#),
        ] {
            #expect(try fixture.whole.send(.patch, "/v1/objects/\(path)", body).status == 200)
            try compare()
        }
        for stream in alone + [set] { stream.stream.didClose(.clientLeft) }
    }
}
