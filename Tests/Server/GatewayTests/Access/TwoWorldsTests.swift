import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import StoreTesting
import Testing
import TestBasics

/// For a caller, a database with hidden objects equals the database without them, in every response and event, whatever
/// happens to the hidden objects. A failure names its seed.
@Suite("a world with the hidden, and one without")
struct TwoWorldsTests {
    private static let filters = [
        "age > 1", "friend.name == 'ada'", "friend != NULL", "ANY friends.age > 1", "friends.@count > 1",
        "fans.@count > 0", "any.@type == 'object'", "NONE friends.name == 'bob'", "home.guest.age >= 0",
        "SUBQUERY(friends, $f, $f.age > 1).@count > 0", "by.@count > 0", "any == NULL", "ANY pals.name != NULL",
        "ANY anys == NULL", "@links.@count > 1", "friend.friend.age > 0",
    ]

    private static let reads: [String] = [
        "objects/Person?sort=id&count=true", "objects/Person?sort=friend.age,id&expand=friend,friends.friend,pals",
        "objects/Person?sort=id&fields=id,fans,listers.name,friend.friend.friend.name",
        "objects/Person?sort=id&expand=fans,by,home.guest", "objects/Person?sort=id&distinct=friend",
        "objects/Person?sort=id&distinct=any", "values/objects/Person?sort=id&key=friend",
        "values/objects/Person?sort=id&key=any", "values/objects/Person?sort=id&key=by",
        "values/objects/Person?sort=id&key=friends", "values/objects/Person?sort=id&key=home",
        "values/objects/Person?sort=id&keyPath=friend.friend", "values/objects/Person?sort=id&keyPath=friends.friend",
        "values/objects/Person?sort=id&keyPath=home.guest",
        "values/objects/Person?sort=id&keyPath=@unionOfObjects.friend",
        "values/objects/Person?sort=id&keyPath=@distinctUnionOfObjects.friend",
        "values/objects/Person?sort=id&keyPath=@unionOfObjects.any",
        "values/objects/Person?sort=id&keyPath=@distinctUnionOfObjects.any",
        "values/objects/Person?sort=id&keyPath=@unionOfArrays.friends",
        "values/objects/Person?sort=id&keyPath=@distinctUnionOfArrays.anys",
        "values/objects/Person?sort=id&keyPath=@distinctUnionOfArrays.pals", "values/objects/Person?keyPath=@max.age",
        "aggregates/objects/Person?by=friend&sum=age", "aggregates/objects/Person?by=any",
        "aggregates/objects/Person?min=any&max=any&max=friend.age", "aggregates/objects/Person?by=friend.name",
        "aggregates/objects/Person?by=friend.name&sum=age&having=count%20%3C%203%20AND%20sum(age)%20%3E%201",
        "aggregates/objects/Person?by=friend.age&bins=3", "aggregates/objects/Person?by=age&bins=4",
        "sections/objects/Person?by=friend&sort=id", "sections/objects/Person?by=any&sort=id",
        "sections/objects/Person?by=friend.name&sort=id", "export/Person?format=csv&sort=id",
        "export/Person?format=ndjson&sort=id", "index/objects/Person?sort=friend.age,id&matching=friend%20!=%20NULL",
    ]

    private static let held: [String] = [
        "", "?expand=friend.friends", "?fields=id,fans", "/friends", "/pals?sort=id", "/by", "/anys", "/friend/friend",
        "/fans?sort=id", "/home/guest", "/friends/0", "/friends/0/friend", "/by/a/name", "/anys/0", "/any",
        "/home", "/home?fields=street", "/home/place", "/homes", "/homes?sort=street", "/homes/0",
        "/homes/0?expand=guest",
    ]

    private func expectEqualReads(_ worlds: TwoWorlds, _ note: String) throws {
        var targets: [String] = []
        for _ in 0..<6 {
            guard let target = worlds.random.pick(Self.reads) else { continue }
            let filter = worlds.random.pick(Self.filters).map { "filter=" + Wire.encoded($0) } ?? ""
            let takesFilter = worlds.random.oneIn(2) && !target.hasPrefix("index")
            targets.append(takesFilter ? target + "&" + filter : target)
        }
        for _ in 0..<3 {
            guard let id = worlds.random.pick(worlds.seen), let way = worlds.random.pick(Self.held) else { continue }
            targets.append("objects/Person/\(id)\(way)")
            targets.append("values/objects/Person/\(id)/friends?keyPath=@unionOfObjects.friend")
            targets.append("values/objects/Person/\(id)/friends?key=any")
        }
        for target in targets {
            let (seen, truth) = (try worlds.whole.get("/v1/" + target), try worlds.part.get("/v1/" + target))
            #expect(PermissionMatrixTests.plain(seen) == PermissionMatrixTests.plain(truth), "\(note): \(target)")
        }
    }

    /// A stream in both worlds.
    private struct Pair {
        let target: String
        var streams: [WireEvents]
        var ids: [String?] = [nil, nil]

        /// Reads the received events; throws if they differ.
        mutating func expectEqual(_ note: String) throws {
            var texts: [[String]] = []
            for (index, stream) in streams.enumerated() {
                let events = stream.takeAll()
                ids[index] = events.compactMap(\.id).last ?? ids[index]
                texts.append(
                    events.map { event in
                        let json = JSONWriter(capacity: 256)
                        json.value(event.data)
                        return
                            "\(event.name) \(PermissionMatrixTests.plain(String(decoding: json.bytes, as: UTF8.self)))"
                    })
            }
            guard texts[0] == texts[1] else {
                throw WireFailure("\(note): \(target)\nwith the hidden    \(texts[0])\nwithout the hidden \(texts[1])")
            }
        }

        func close() {
            for stream in streams { stream.stream.didClose(.clientLeft) }
        }
    }

    private static let keyPaths = [
        "friend.name", "name", "friends.age", "friend.friend.name", "home.guest.name", "any", "fans", "by",
        "home.street",
        "friends.friend.name", "fans.name",
    ]

    private static let shapes = [
        "fields=id,friend.name", "fields=id,fans", "expand=friend", "expand=friends",
        "expand=friend.friend.friend.friend",
        "fields=name,any", "expand=by", "fields=id,listers.age", "expand=home.guest", "fields=id,friend.friends.tags",
    ]

    private func target(_ worlds: TwoWorlds) -> String {
        var parameters: [String] = []
        if worlds.random.oneIn(2), let path = worlds.random.pick(Self.keyPaths) {
            parameters.append("keyPaths=" + path)
        }
        let id = worlds.random.pick(worlds.seen) ?? 1
        let kind = worlds.random.below(15)
        if kind > 11 { return answer(worlds, id) }
        if kind > 9 {
            let by =
                worlds.random.pick([
                    "", "&by=friend.name", "&by=friend", "&by=any", "&by=age&top=2",
                    "&by=name&order=-sum(age),-count&limit=2",
                    "&by=age&order=max(friend.age)&offset=1", "&by=age&having=max(friend.age)%20%3E%201",
                    "&by=friend.name&having=count%20%3C%203&order=-sum(age)&limit=2",
                ]) ?? ""
            let filter = worlds.random.oneIn(2) ? "" : worlds.random.pick(Self.filters) ?? ""
            let of = worlds.random.pick(["", "/\(id)/friends", "/\(id)/pals", "/\(id)/fans"]) ?? ""
            if worlds.random.oneIn(4) {
                let path = worlds.random.pick(["age", "friend.age"]) ?? "age"
                return "aggregates/objects/Person\(of)?bins=3&by=\(path)"
                    + (filter.isEmpty ? "" : "&filter=" + Wire.encoded(filter))
            }
            return "aggregates/objects/Person\(of)?sum=age&min=any&max=friend.age&average=age" + by
                + (filter.isEmpty ? "" : "&filter=" + Wire.encoded(filter))
        }
        if kind < 3 { return "objects/Person/\(id)?" + parameters.joined(separator: "&") }
        if worlds.random.oneIn(4) { parameters.append("include=indices") }
        if worlds.random.oneIn(2), let shape = worlds.random.pick(Self.shapes) { parameters.append(shape) }
        if kind < 5 {
            return "objects/Person/\(id)/"
                + (worlds.random.pick(["anys", "by", "tags", "friends", "pals", "fans?sort=id", "friend/friends"])
                    ?? "by")
        }
        if kind < 7 {
            let by = worlds.random.pick(["friend.name", "age", "name", "friend", "friend.friend.friend.friend.name"])
            return "sections/Person?sort=id&by=\(by ?? "age")&" + parameters.joined(separator: "&")
        }
        if worlds.random.oneIn(2), let filter = worlds.random.pick(Self.filters) {
            parameters.append("filter=" + Wire.encoded(filter))
        }
        parameters.append("sort=" + (worlds.random.pick(["id", "age,id", "friend.name,id"]) ?? "id"))
        return "objects/Person?" + parameters.joined(separator: "&")
    }

    /// Values or a position.
    private func answer(_ worlds: TwoWorlds, _ id: Int) -> String {
        let of = worlds.random.pick(["", "", "/\(id)/friends", "/\(id)/pals", "/\(id)/fans"]) ?? ""
        let chosen = worlds.random.oneIn(2) ? "" : worlds.random.pick(Self.filters) ?? ""
        let filter = chosen.isEmpty ? "" : "&filter=" + Wire.encoded(chosen)
        let sort = worlds.random.pick(["sort=id", "sort=age,id", "sort=friend.age,id"]) ?? "sort=id"
        if worlds.random.oneIn(3) {
            let condition = Wire.encoded(worlds.random.pick(Self.filters) ?? "age > 1")
            let wanted = worlds.random.oneIn(2) ? "of=\(id)" : "matching=\(condition)"
            return "index/objects/Person\(of)?\(sort)&\(wanted)\(filter)"
        }
        let path =
            worlds.random.pick([
                "friend", "any", "by", "friends", "home", "friend.friend", "friends.friend", "home.guest", "fans.age",
                "@max.age", "@sum.friend.age", "@count", "@unionOfObjects.friend", "@distinctUnionOfObjects.any",
                "@unionOfArrays.friends", "@distinctUnionOfArrays.pals",
            ]) ?? "friend"
        return "values/objects/Person\(of)?\(sort)&keyPath=\(path)\(filter)"
    }

    private func open(_ worlds: TwoWorlds, _ target: String, since ids: [String?] = [nil, nil]) throws -> Pair? {
        let wires = [worlds.whole, worlds.part]
        let streams = zip(wires, ids).map { wire, id in
            Result { try wire.observe("/v1/observe/" + target, headers: id.map { ["Last-Event-ID": $0] } ?? [:]) }
        }
        worlds.settle()
        // A path that leads nowhere does so in both worlds.
        if streams.allSatisfy({ (try? $0.get()) == nil }) { return nil }
        return Pair(target: target, streams: try streams.map { try $0.get() }, ids: ids)
    }

    @Test(
        "are one to the caller: in what it reads and in what streams tell it, also after a pause",
        arguments: 0..<3 * TestRun.length)
    func worlds(_ round: Int) throws {
        let random = SeededRandom.ofTest(round)
        let worlds = try TwoWorlds(random, slot: round)
        var pairs: [Pair] = []
        var paused: [Pair] = []
        for step in 0..<40 {
            let note = "seed \(random.seed), round \(round), step \(step)"
            if step % 3 == 0 {
                for _ in 0..<4 {
                    if let pair = try open(worlds, target(worlds)) { pairs.append(pair) }
                }
                if let pair = paused.first {
                    paused.removeFirst()
                    if let again = try open(worlds, pair.target, since: pair.ids) { pairs.append(again) }
                }
                for index in pairs.indices { try pairs[index].expectEqual(note + ", opening") }
                while pairs.count > 12 {
                    let pair = pairs.remove(at: worlds.random.below(pairs.count))
                    pair.close()
                    if !pair.ids.contains(nil) { paused.append(pair) }
                }
            }
            let written = try worlds.commit(worlds.random.pick([1, 1, 1, 2, 4]) ?? 1)
            for index in pairs.indices { try pairs[index].expectEqual("\(note), after \(written)") }
            try expectEqualReads(worlds, note)
        }
        for pair in pairs { pair.close() }
    }

    @Test("what happens to hidden objects is told to nobody who does not see them")
    func silence() throws {
        let fixture = try HiddenPartFixture()
        let targets = [
            "objects/Person", "objects/Person?keyPaths=friend.name,any,anys,by,friends.name", "objects/Person/1",
            "objects/Person/1?keyPaths=friend.name,friends.name,home.guest.name", "objects/Person/1/friends",
            "objects/Person/1/by", "objects/Person/1/anys", "objects/Person/1/anyMap", "objects/Person/1/anySet",
            "objects/Person/1/pals", "sections/Person?by=friend.name",
            "objects/Person?expand=friend,fans&fields=id,fans",
            "aggregates/objects/Person?by=friend.name&sum=age", "aggregates/objects/Person?min=any&max=friend.age",
            "aggregates/objects/Person/1/friends?by=age", "aggregates/objects/Person?by=friend.age&bins=3",
            "aggregates/objects/Person?by=friend.name&having=count%20%3E%200",
            "values/objects/Person?keyPath=friend.name",
            "values/objects/Person?key=any", "values/objects/Person?keyPath=@distinctUnionOfArrays.friends",
            "values/objects/Person/1/friends?key=name", "values/objects/Person/1/anys?key=self",
            "index/objects/Person?sort=-age&of=2", "index/objects/Person/1/friends?matching=age%20%3E%200",
        ]
        let streams = try targets.map { try fixture.whole.observe(as: HiddenPartFixture.caller, "/v1/observe/" + $0) }
        fixture.gateway.settle()
        for stream in streams { #expect(stream.takeAll().map(\.name) == ["initial"]) }
        for (target, body) in [
            ("Person/666001", #"{"name":"SECRETMARK else"}"#), ("Person/666001", #"{"age":1}"#),
            ("Person/1", #"{"secret":"SECRETMARK other"}"#), ("Person/1", #"{"friend":666002}"#),
            ("Person/1", #"{"by":{"a":666002,"b":2,"c":null}}"#), ("Person/1", #"{"friends":[2,3,2,666002]}"#),
            ("Person/1", #"{"any":\#(HiddenPartFixture.link(666002))}"#), ("Person/666002", #"{"friend":1}"#),
            // The response to an assignment without a visible change must not reveal the earlier value.
            ("Person/1", #"{"friend":null}"#), ("Person/1", #"{"friend":null}"#), ("Person/1", #"{"any":null}"#),
            ("Person/1", #"{"any":null}"#),
            // Another embedded object that looks the same.
            ("Person/1", #"{"home":{"street":"Main","guest":666001}}"#),
            ("Person/1", #"{"home":{"street":"Main","guest":null}}"#),
        ] {
            #expect(try fixture.whole.send(.patch, "/v1/objects/" + target, body).status == 200)
            fixture.gateway.settle()
            for (stream, observed) in zip(streams, targets) {
                #expect(stream.takeAll() == [], "\(body) of \(target) to \(observed)")
            }
        }
        for stream in streams { stream.stream.didClose(.clientLeft) }
    }
}
