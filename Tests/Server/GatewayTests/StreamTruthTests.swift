import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import StoreTesting
import TestBasics
import Testing

/// A client that follows a stream has, after every commit, the result of a fresh read. A failure names its seed.
@Suite("streams tell what they show")
struct StreamTruthTests {
    private static let links = ["friend", "friends", "pals", "by", "fans", "listers"]

    /// Returns random `fields` or `expand`, up to four links deep.
    private static func shape(_ random: inout SeededRandom) -> String {
        func way(_ most: Int) -> [String] { (0..<random.below(most + 1)).map { _ in random.pick(links) ?? "friend" } }
        switch random.below(4) {
        case 0: return "types=plain"
        case 1:
            let paths = (0...random.below(2)).map { _ in way(3) + [random.pick(links + ["home.guest"]) ?? "friend"] }
            return "expand=" + paths.map { $0.joined(separator: ".") }.joined(separator: ",")
        default:
            let ends = [
                "name", "age", "tags", "any", "anys", "fans", "listers", "home", "homes", "by", "home.street",
                "home.place.x", "home.guest",
            ]
            let paths = (0...random.below(3)).map { _ in way(2) + [random.pick(ends) ?? "name"] }
            return "fields=id," + paths.map { $0.joined(separator: ".") }.joined(separator: ",")
        }
    }

    private static func follower(_ worlds: TwoWorlds, _ random: inout SeededRandom) -> Follower {
        let shape = shape(&random)
        let id = random.pick(worlds.seen) ?? 1
        switch random.below(10) {
        case 8, 9: return answer(worlds, &random)
        case 6, 7:
            let by =
                random.pick([
                    "", "by=age&", "by=friend.name&", "by=friend.friend.age&top=2&", "by=any&",
                    "by=age&order=-sum(age),-count&limit=2&",
                    "by=friend.name&order=min(any)&", "by=age&having=max(friend.age)%20%3E%201%20OR%20count%20%3E%202&",
                ]) ?? ""
            let of = random.pick(["", "/\(id)/friends", "/\(id)/pals", "/\(id)/fans"]) ?? ""
            let filter = random.oneIn(2) ? "" : "&filter=" + Wire.encoded("friend.age > 0 OR fans.@count > 0")
            return .aggregates("objects/Person\(of)?\(by)sum=age&max=friend.age&min=any\(filter)")
        case 0, 1:
            return Follower(kind: .object, target: "objects/Person/\(id)", fresh: "objects/Person/\(id)", members: [])
        case 2:
            let by = random.pick(["age", "name", "friend.name", "friend.friend.friend.friend.name"]) ?? "age"
            let query = "Person?by=\(by)&sort=id&\(shape)"
            return Follower(
                kind: .sections, target: "sections/\(query)", fresh: "sections/objects/\(query)", members: ["sections"])
        case 3:
            let held = random.pick(["friends?", "pals?sort=id&", "fans?sort=id&", "homes?"]) ?? "friends?"
            let query = "objects/Person/\(id)/\(held)" + (held == "homes?" ? "types=plain" : shape)
            return Follower(kind: .list, target: query, fresh: query)
        default:
            let filter =
                random.oneIn(2) ? "" : "filter=" + Wire.encoded("friend.friend.age > 0 OR fans.@count > 0") + "&"
            let sort = random.pick(["id", "age,id", "friend.name,id"]) ?? "id"
            return Follower(
                kind: .list, target: "objects/Person?\(filter)sort=\(sort)&\(shape)",
                fresh: "objects/Person?\(filter)sort=\(sort)&\(shape)")
        }
    }

    /// Values or a position.
    private static func answer(_ worlds: TwoWorlds, _ random: inout SeededRandom) -> Follower {
        let id = random.pick(worlds.seen) ?? 1
        let of = random.pick(["", "", "/\(id)/friends", "/\(id)/pals", "/\(id)/fans"]) ?? ""
        let sort = random.pick(["sort=id", "sort=age,id", "sort=friend.name,id"]) ?? "sort=id"
        let filter = random.oneIn(2) ? "" : "&filter=" + Wire.encoded("friend.age > 0 OR fans.@count > 0")
        if random.oneIn(3) {
            let wanted = random.pick(["of=\(id)", "matching=" + Wire.encoded("friend.age > 1 OR friends.@count > 1")])
            return .answer("index/objects/Person\(of)?\(sort)&\(wanted ?? "of=1")\(filter)")
        }
        let path =
            random.pick([
                "age", "friend", "any", "by", "home", "tags", "fans", "friend.friend", "friends.friend.name",
                "home.guest",
                "fans.by", "@max.age", "@sum.friend.age", "@count", "@unionOfObjects.friend", "@unionOfObjects.any",
                "@distinctUnionOfObjects.friend.name", "@unionOfArrays.friends", "@distinctUnionOfArrays.anys",
            ]) ?? "age"
        let limit = random.oneIn(3) ? "&limit=3" : ""
        return .answer("values/objects/Person\(of)?\(sort)&keyPath=\(path)\(filter)\(limit)")
    }

    private struct Observer {
        let follower: Follower
        let wire: Wire
        var events: WireEvents
        var held = JSONValue.null
        var last: String?

        /// Reads the received events. Returns false if the stream has ended.
        mutating func follow(_ note: String) throws -> Bool {
            for event in events.takeAll() {
                if ["deleted", "error"].contains(event.name) { return false }
                if event.name == "change" { try expectOld(event, note) }
                try follower.apply(event, to: &held)
                last = event.id ?? last
            }
            return true
        }

        /// Expects that old values are those that the client had.
        private func expectOld(_ event: WireEvents.Event, _ note: String) throws {
            for change in event.data["changes"]?.asArray ?? [] {
                guard let name = change["name"]?.asString, let old = change["old"] else { continue }
                #expect(old.canonical == held[name], "\(note): \(name) of \(follower.target)")
            }
        }
    }

    @Test(
        "what a client holds is what a fresh read gives, after every commit and every pause",
        arguments: 0..<3 * TestRun.length)
    func truth(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let worlds = try TwoWorlds(random, slot: round)
        var clients: [Observer] = []
        var paused: [Observer] = []
        for step in 0..<40 {
            let note = "seed \(random.seed), round \(round), step \(step)"
            if step % 3 == 0 {
                for wire in [worlds.all, worlds.whole] {
                    for _ in 0..<3 {
                        let follower = Self.follower(worlds, &random)
                        guard let events = try? follower.open(wire) else { continue }
                        clients.append(Observer(follower: follower, wire: wire, events: events))
                    }
                }
                if !paused.isEmpty {
                    var client = paused.removeFirst()
                    if let events = try? client.follower.open(client.wire, since: client.last) {
                        client.events = events
                        clients.append(client)
                    }
                }
                while clients.count > 14 {
                    let client = clients.remove(at: random.below(clients.count))
                    client.events.stream.didClose(.clientLeft)
                    if client.last != nil { paused.append(client) }
                }
            }
            let written = try worlds.commit(random.pick([1, 1, 2, 3]) ?? 1)
            var going: [Observer] = []
            for var client in clients {
                guard try client.follow("\(note), after \(written)") else { continue }
                let expected = try client.follower.expected(client.wire)
                #expect(client.held == expected, "\(note), after \(written): \(client.follower.target)")
                going.append(client)
            }
            clients = going
        }
        for client in clients { client.events.stream.didClose(.clientLeft) }
    }

    @Test("what was before is written as it was read before, whatever became of it")
    func old() throws {
        let fixture = try HiddenPartFixture()
        let person = try fixture.whole.observe("/v1/observe/objects/Person/3")
        let home = try fixture.whole.observe("/v1/observe/objects/Person/1?keyPaths=home.street")
        let plain = try fixture.whole.observe("/v1/observe/objects/Person/1")
        let begun = try #require(try person.next().id)
        for events in [home, plain] { _ = try events.next("initial") }
        // The link's target is deleted in the same commit.
        #expect(
            try fixture.whole.send(.patch, "/v1/objects/Person/3", #"{"any":\#(HiddenPartFixture.link(666002))}"#)
                .status
                == 200)
        _ = try person.next("change")
        #expect(try fixture.whole.send(.delete, "/v1/objects/Person/666002").status == 204)
        let changes = try person.next("change")["changes"]?.asArray ?? []
        func change(_ name: String) -> JSONValue? { changes.first { $0["name"]?.asString == name } }
        #expect(change("friend")?["old"] == 666002)
        #expect(change("friend")?["new"] == .null)
        #expect(change("any")?["old"]?["$link"]?["key"] == 666002)
        // A property of an embedded object, and another embedded object.
        _ = try plain.next("change")
        for (target, body, old, new) in [
            ("/v1/objects/Person/1/home", #"{"street":"Side"}"#, "Main", "Side"),
            ("/v1/objects/Person/1", #"{"home":{"street":"Back","guest":2}}"#, "Side", "Back"),
        ] {
            #expect(try fixture.whole.send(.patch, target, body).status == 200, "\(target)")
            for events in [home, plain] {
                let change = try events.next("change")["changes"]?.asArray?.first
                #expect(change?["name"] == "home")
                #expect(change?["old"]?["street"]?.asString == old, "\(body)")
                #expect(change?["new"]?["street"]?.asString == new, "\(body)")
            }
        }
        // A reconnecting client gets the changes of its property.
        let again = try fixture.whole.observe("/v1/observe/objects/Person/3", headers: ["Last-Event-ID": begun])
        let missed = try again.next("change")["changes"]?.asArray ?? []
        #expect(missed.first(where: { $0["name"] == "friend" })?["old"] == 666002)
    }

    @Test("a stream begins anew when what it shows is written otherwise under another schema, and no other does")
    func schemaChange() throws {
        let fixture = try HiddenPartFixture()
        func open(_ caller: Caller?, at target: String) throws -> WireEvents {
            try caller.map { try fixture.whole.observe(as: $0, "/v1/observe/" + target) }
                ?? fixture.whole.observe("/v1/observe/" + target)
        }
        let targets = ["objects/Note", "objects/Person?fields=id,name", "objects/Person/1"]
        let streams = try [nil, HiddenPartFixture.caller].flatMap { caller in
            try targets.map { try open(caller, at: $0) }
        }
        fixture.gateway.settle()
        for stream in streams { #expect(stream.takeAll().map(\.name) == ["initial"]) }
        func add(_ property: String, to className: String, _ schema: inout String) throws {
            let start = #"{"name":"\#(className)","#
            let index = try #require(schema.range(of: start))
            let list = try #require(schema.range(of: #""properties":["#, range: index.upperBound..<schema.endIndex))
            schema.insert(contentsOf: #"{"name":"\#(property)","type":"int"},"#, at: list.upperBound)
            #expect(try fixture.whole.send(.put, "/v1/schema", schema).status == 200)
            fixture.gateway.settle()
        }
        var schema = HiddenPartFixture.schema(version: 2)
        // The caller does not see the class.
        try add("gold", to: "Vault", &schema)
        for stream in streams { #expect(stream.takeAll() == []) }
        try add("stars", to: "Note", &schema)
        for (index, stream) in streams.enumerated() {
            if index % 3 == 0 {
                #expect(try stream.next("initial")["items"]?.asArray?.first?["stars"] == 0)
            } else {
                #expect(stream.takeAll() == [], "\(index)")
            }
        }
        // The caller's role names the visible properties of persons.
        try add("stars", to: "Person", &schema)
        for (index, stream) in streams.enumerated() {
            if index == 2 { _ = try stream.next("initial") } else { #expect(stream.takeAll() == [], "\(index)") }
        }
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/1", #"{"name":"new"}"#).status == 200)
        fixture.gateway.settle()
        for (index, stream) in streams.enumerated() where index % 3 != 0 {
            #expect(stream.takeAll().map(\.name) == [index % 3 == 1 ? "update" : "change"], "\(index)")
        }
        for stream in streams { stream.stream.didClose(.clientLeft) }
    }

    @Test("links that key-value operators give are those of objects that are there")
    func unions() throws {
        let fixture = try HiddenPartFixture()
        for path in ["@unionOfObjects.friend", "@distinctUnionOfObjects.friend", "friend", "@distinctUnionOfArrays.by"]
        {
            for base in ["Person", "Person/2/friends"] {
                let target = "/v1/values/objects/\(base)?keyPath=\(path)"
                let (seen, truth) = (
                    try fixture.whole.send(as: HiddenPartFixture.caller, .get, target), try fixture.part.get(target)
                )
                #expect(PermissionMatrixTests.plain(seen) == PermissionMatrixTests.plain(truth), "\(target)")
            }
        }
        // With full access, links are primary keys.
        let all = try fixture.whole.get("/v1/values/objects/Person?keyPath=@unionOfObjects.friend")
        #expect(all["values"] == [666001, 1, 1, 2, 666002], "\(all)")
    }
}
