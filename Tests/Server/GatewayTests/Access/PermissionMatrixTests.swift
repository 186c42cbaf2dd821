import Basics
import AccessRules
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import ObjectModel
import QueryLanguage
import RequestHandling
import StoreContract
import Testing

/// Tests every route with a role: no response contains hidden data, and denied requests change nothing. A new route
/// must be added here: see `everyRoute`.
@Suite("permissions, route by route")
struct PermissionMatrixTests {
    /// The requests for each reading route, sent to both gateways, whose responses must be equal.
    static let reads: [String: [String]] = [
        "/v1/schema": ["/v1/schema"],
        "/v1/objects/:class": [
            "/v1/objects/Person", "/v1/objects/Person?count=true&limit=2", "/v1/objects/Person?sort=-weight&limit=1",
            "/v1/objects/Person?sort=friend.age", "/v1/objects/Person?sort=any",
            "/v1/objects/Person?distinct=friend.name",
            "/v1/objects/Person?expand=friend,friends,pals,by,fans,notes,home.guest,homes.guest",
            "/v1/objects/Person?types=typed", "/v1/objects/Person?fields=id,friend,secret",
            "/v1/objects/Person?sort=secret",
            "/v1/objects/Person?sort=vault.name", "/v1/objects/Person?expand=vault",
            "/v1/objects/Person?fields=secrets",
            "/v1/objects/Person?after=x", "/v1/objects/Vault", "/v1/objects/Vaul", "/v1/objects/Note",
            "/v1/objects/Note?count=true", "/v1/objects/Note?expand=author.friend",
        ] + filters.map { "/v1/objects/Person?count=true&filter=" + Wire.encoded($0) },
        "/v1/objects/:class/:key": [
            "/v1/objects/Person/1",
            "/v1/objects/Person/1?expand=friend,friends,pals,by,home.guest,homes.guest,notes,fans",
            "/v1/objects/Person/2?expand=fans.friend", "/v1/objects/Person/666001", "/v1/objects/Person/666009",
            "/v1/objects/Person/1?fields=secret", "/v1/objects/Person/1?types=typed", "/v1/objects/Note/0",
            "/v1/objects/Note/1", "/v1/objects/Note/2", "/v1/objects/Vault/666009",
        ],
        "/v1/objects/:class/:key/:property": [
            "friends", "pals", "by", "anys", "anySet", "anyMap", "nums", "homes", "fans", "notes", "secret", "vault",
            "friends?count=true&sort=-age", "friends?filter=age%20%3E%2050", "pals?expand=friend", "fans?count=true",
            "friends?limit=1", "friends?offset=1&limit=1", "homes?expand=guest", "anys?types=typed",
            "anySet?count=true", "friends?after=x", "pals?distinct=age&limit=1",
            "anys?filter=SELF.@type%20==%20'link'", "anys?filter=SELF%20==%20NULL", "anys?sort=-self",
            "anys?filter=SELF%20==%20obj('Person',666001)", "anys?filter=SELF%20==%20obj('Person',2)",
            "anySet?filter=SELF%20!=%205&sort=self", "anySet?distinct=self", "anyMap?filter=SELF%20==%20NULL",
            "anyMap?filter=@keys%20!=%20'x'", "nums?filter=SELF%20%3E%200",
            "anys?filter=SELF%20==%20obj('Vault',666009)",
            "anys?filter=ANY%20SELF[*].@type%20==%20'link'", "anys?filter=secret%20==%201",
        ].flatMap { ["/v1/objects/Person/1/\($0)", "/v1/objects/Person/666001/\($0)"] } + [
            "/v1/objects/Person/3/friends", "/v1/objects/Person/2/fans",
        ],
        "/v1/objects/:class/:key/:property/*steps": held("objects", deeper),
        "/v1/aggregates/objects/:class/:key/:property/*steps": [
            "/v1/aggregates/objects/Person/2/friend/friends?max=age&sum=weight",
            "/v1/aggregates/objects/Person/1/friends/0/fans?sum=weight",
            "/v1/aggregates/objects/Person/1/friend/friends?sum=weight",
        ],
        "/v1/sections/objects/:class/:key/:property/*steps": [
            "/v1/sections/objects/Person/2/friend/friends?by=name",
            "/v1/sections/objects/Person/1/friend/friends?by=name",
        ],
        "/v1/index/objects/:class": positions,
        "/v1/index/objects/:class/:key/:property": held(
            "index/objects",
            [
                "friends?of=2", "friends?of=3", "friends?of=666001", "pals?of=3", "fans?of=2",
                "friends?matching=age%20%3E%2050", "nums?of=1", "secret?of=x",
                "anys?matching=SELF%20==%20obj('Person',666001)", "anys?matching=SELF%20==%20obj('Person',2)",
                "anys?matching=SELF%20==%20NULL", "anySet?matching=SELF.@type%20==%20'link'",
            ]),
        "/v1/index/objects/:class/:key/:property/*steps": [
            "/v1/index/objects/Person/2/friend/friends?of=3", "/v1/index/objects/Person/2/friend/friends?of=666002",
            "/v1/index/objects/Person/1/friend/friends?of=1",
        ],
        "/v1/values/objects/:class": values,
        "/v1/values/objects/:class/:key/:property": held(
            "values/objects",
            [
                "friends?key=name", "friends?keyPath=@max.age", "pals?key=weight", "fans?key=name", "anys?key=self",
                "anySet?key=self", "nums?keyPath=@count", "anySet?keyPath=@count", "secret?key=self",
                "homes?key=guest", "anys?key=self&filter=SELF.@type%20!=%20'int'",
                "anySet?keyPath=@count&filter=SELF.@type%20==%20'link'",
            ]),
        "/v1/values/objects/:class/:key/:property/*steps": [
            "/v1/values/objects/Person/2/friend/friends?key=name", "/v1/values/objects/Person/2/friend/anys?key=self",
            "/v1/values/objects/Person/1/friend/friends?key=name",
        ],
        "/v1/export/:class": [
            "/v1/export/Person", "/v1/export/Person?format=csv&fields=id,name,age,friend",
            "/v1/export/Person?sort=friend.age&limit=2", "/v1/export/Person?fields=secret", "/v1/export/Note",
            "/v1/export/Vault",
        ],
        "/openapi.json": ["/openapi.json"],
        "/v1/aggregates/objects/:class": [
            "/v1/aggregates/objects/Person", "/v1/aggregates/objects/Person?min=age&max=age&sum=weight&average=weight",
            "/v1/aggregates/objects/Person?max=friend.age&sum=friend.weight",
            "/v1/aggregates/objects/Person?by=friend.name&sum=age&having=sum(age)%20%3E%200",
            "/v1/aggregates/objects/Person?by=weight&bins=5",
            "/v1/aggregates/objects/Person?by=friend.name&sum=age", "/v1/aggregates/objects/Person?by=any",
            "/v1/aggregates/objects/Person?max=any", "/v1/aggregates/objects/Person?max=secret",
            "/v1/aggregates/objects/Vault", "/v1/aggregates/objects/Note?by=author.name",
        ],
        "/v1/aggregates/objects/:class/:key/:property": [
            "friends?max=age&sum=weight", "pals?by=name", "fans?sum=weight", "anys?max=", "anySet?min=&max=&sum=",
            "nums?sum=", "by?max=age", "secret", "notes", "anys?filter=SELF.@type%20==%20'link'", "anySet?by=self",
            "anys?by=self&max=", "anys?filter=SELF%20!=%20NULL&min=&max=", "anyMap?by=@keys&max=",
        ].flatMap { ["/v1/aggregates/objects/Person/1/\($0)", "/v1/aggregates/objects/Person/666001/\($0)"] },
        "/v1/sections/objects/:class": [
            "/v1/sections/objects/Person?by=name.first", "/v1/sections/objects/Person?by=friend.name",
            "/v1/sections/objects/Person?by=any&keys=true", "/v1/sections/objects/Person?by=secret",
            "/v1/sections/objects/Note?by=author.age", "/v1/sections/objects/Vault?by=name",
        ],
        "/v1/sections/objects/:class/:key/:property": [
            "/v1/sections/objects/Person/1/friends?by=name", "/v1/sections/objects/Person/1/fans?by=age",
            "/v1/sections/objects/Person/666001/friends?by=name", "/v1/sections/objects/Person/1/anys?by=self",
            "/v1/sections/objects/Person/1/anySet?by=self.isNull",
            "/v1/sections/objects/Person/1/anyMap?by=@keys.first",
            "/v1/sections/objects/Person/1/anys?by=self&keys=true", "/v1/sections/objects/Person/666001/nums?by=self",
        ],
    ]

    /// Requests for an existing and a missing object.
    private static func held(_ resource: String, _ paths: [String]) -> [String] {
        ["1", "666001"].flatMap { key in paths.map { "/v1/\(resource)/Person/\(key)/\($0)" } }
    }

    private static let positions: [String] = [
        "Person?of=1", "Person?of=2", "Person?of=3", "Person?of=666001", "Person?matching=age%20%3E%2050",
        "Person?matching=id%20==%203", "Person?of=3&sort=-weight", "Person?of=3&sort=friend.age",
        "Person?matching=secret%20!=%20NULL", "Person?of=2&sort=secret", "Note?of=0", "Note?of=1", "Note?of=3",
        "Vault?of=666009",
    ].map { "/v1/index/objects/" + $0 }

    private static let values: [String] = [
        "Person?key=name", "Person?key=friend", "Person?key=secret", "Person?key=vault", "Person?keyPath=friend.name",
        "Person?keyPath=friend.secret", "Person?keyPath=@max.age", "Person?keyPath=@sum.weight",
        "Person?keyPath=@count", "Person?keyPath=@unionOfObjects.name", "Person?keyPath=@distinctUnionOfObjects.age",
        "Person?keyPath=@unionOfArrays.friends", "Person?key=any", "Person?key=anys", "Person?key=anySet",
        "Person?key=by", "Person?key=fans", "Person?keyPath=home.guest.name", "Person?key=homes",
        "Note?keyPath=author.name", "Vault?key=name",
    ].map { "/v1/values/objects/" + $0 }

    private static let deeper: [String] = [
        "friends/0", "friends/1", "friends/2", "friends/3", "friends/0/name", "friends/0/friends", "friends/0/secret",
        "friend/name", "friend/friends", "pals/0", "pals/2", "by/a", "by/b", "by/a/name", "by/zz", "anys/1", "anys/2",
        "anys/3/0", "anyMap/x", "anyMap/y/z", "anySet/0", "anySet/1", "home/guest", "home/guest/name", "home/street",
        "homes/0/guest", "homes/1/guest", "homes/1/guest/name", "homes/1/street", "fans/0", "fans/1", "fans/0/name",
        "notes/0/text", "notes/1", "nums/0", "vault/name", "secret/x",
    ]

    private static let filters = [
        "friend != NULL", "friend == NULL", "friend.name CONTAINS 'S'", "friends.@count > 1", "friends.@count == 3",
        "friends[0].name == 'bob'", "friends[FIRST].id == 2", "friends[LAST].id == 2", "ANY friends.age > 50",
        "NONE friends.open == false", "ALL friends.open == true", "friends.@max.age > 50", "friends.@sum.weight > 100",
        "SUBQUERY(friends, $f, $f.age > 50).@count > 0", "pals.@count == 2", "by['a'] != NULL", "by.@keys == 'a'",
        "@links.Person.friend.@count > 0", "@links.@count > 1", "ANY fans.age > 50", "fans.@count > 0",
        "any.@type == 'link'", "any == NULL", "anySet.@count == 2", "anys[1] == NULL", "anyMap['x'] == NULL",
        "ANY anys.@type == 'link'", "home.guest.name CONTAINS 'S'", "home.guest == NULL", "ANY homes.guest.age > 50",
        "friend == obj('Person', 666001)", "any == obj('Person', 666001)", "secret == 'x'", "secret TEXT 'one'",
        "vault.name == 'x'", "@links.Vault.name.@count > 0", "friend.secret != NULL", "friend == obj('Vault', 666009)",
        "ANY notes.text CONTAINS 'S'", "notes.@count > 0", "friend.friend.name == 'ada'", "secre == 1", "vaul == 1",
    ]

    @Test("what is read is what there would be without the hidden", arguments: reads.keys.sorted())
    func reading(_ pattern: String) throws {
        let fixture = try HiddenPartFixture()
        for target in Self.reads[pattern] ?? [] {
            let seen = try fixture.whole.send(as: HiddenPartFixture.caller, .get, target)
            let truth = try fixture.part.send(.get, target)
            #expect(Self.plain(seen) == Self.plain(truth), "\(target)")
            Self.expectNoSecret(seen, target)
            guard pattern.hasPrefix("/v1/"), !["/v1/schema", "/v1/export/:class"].contains(pattern) else { continue }
            // The same request as a form.
            let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
            let form = try fixture.whole.send(
                as: HiddenPartFixture.caller, .post, "/v1/query" + parts[0].dropFirst(3),
                parts.count > 1 ? parts[1] : "",
                headers: ["Content-Type": "application/x-www-form-urlencoded"])
            #expect(Self.plain(form) == Self.plain(truth), "\(target) by a form")
        }
    }

    @Test("an administrator sees all of it")
    func administrator() throws {
        let fixture = try HiddenPartFixture()
        let all = try fixture.whole.send(.get, "/v1/objects/Person?count=true&expand=vault").text
        for word in [HiddenPartFixture.marker, HiddenPartFixture.number, "secret", #""count":5"#] {
            #expect(all.contains(word))
        }
        let shown = try fixture.whole.send(
            as: HiddenPartFixture.caller, .get, "/v1/objects/Person?count=true&expand=friends"
        ).text
        for word in ["ada", #""count":3"#] { #expect(shown.contains(word)) }
    }

    @Test("a plan, which would tell of the hidden, is for administrators")
    func explaining() throws {
        let fixture = try HiddenPartFixture()
        for mode in ["plan", "run", "true"] {
            let answer = try fixture.whole.send(
                as: HiddenPartFixture.caller, .get, "/v1/objects/Person?explain=\(mode)")
            #expect(answer.status == 403 || answer.status == 400)
            Self.expectNoSecret(answer, mode)
        }
    }

    @Test("a page goes on behind a cursor as without the hidden")
    func cursors() throws {
        let fixture = try HiddenPartFixture()
        for sort in ["", "&sort=-weight", "&sort=friend.age,any"] {
            let target = "/v1/objects/Person?limit=1" + sort
            var (afterSeen, afterTruth) = ("", "")
            for _ in 0..<5 {
                let seen = try fixture.whole.send(as: HiddenPartFixture.caller, .get, target + afterSeen)
                let truth = try fixture.part.send(.get, target + afterTruth)
                #expect(Self.plain(seen) == Self.plain(truth), "\(target)")
                guard let next = truth["next"]?.asString, let seenNext = seen["next"]?.asString else { break }
                // Each cursor is of its store's history.
                afterSeen = "&after=" + Wire.encoded(seenNext)
                afterTruth = "&after=" + Wire.encoded(next)
            }
        }
    }

    @Test("a page of what a property holds goes on behind a cursor as without the hidden")
    func heldCursors() throws {
        let fixture = try HiddenPartFixture()
        for query in [
            "friends?limit=1", "friends?limit=1&sort=-age", "pals?limit=1&distinct=name", "by?limit=1", "fans?limit=1",
        ] {
            var seenTarget = "/v1/objects/Person/1/" + query
            var truthTarget = seenTarget
            for _ in 0..<5 {
                let seen = try fixture.whole.send(as: HiddenPartFixture.caller, .get, seenTarget)
                let truth = try fixture.part.send(.get, truthTarget)
                #expect(Self.plain(seen) == Self.plain(truth), "\(query)")
                guard let next = seen["next"]?.asString, let other = truth["next"]?.asString else { break }
                seenTarget = "/v1/objects/Person/1/\(query)&after=" + Wire.encoded(next)
                truthTarget = "/v1/objects/Person/1/\(query)&after=" + Wire.encoded(other)
                // The cursor is now of an earlier version, whose hidden data is equally hidden.
                let change = #"{"name":"SECRETMARK \#(seen.text.count)"}"#
                #expect(try fixture.whole.send(.patch, "/v1/objects/Person/666001", change).status == 200)
                for wire in [fixture.whole, fixture.part] {
                    #expect(try wire.send(.patch, "/v1/objects/Person/3", #"{"weight":3}"#).status == 200)
                }
            }
        }
    }

    /// Streams, and the reads with which they begin.
    static let streams: [String: [String]] = [
        "/v1/observe/objects/:class": [
            "/v1/observe/objects/Person", "/v1/observe/objects/Person?filter=ANY%20friends.age%20%3E%200",
            "/v1/observe/objects/Person?sort=friend.age&expand=friend,friends",
            "/v1/observe/objects/Note?expand=author",
        ],
        "/v1/observe/objects/:class/:key": ["/v1/observe/objects/Person/1"],
        "/v1/observe/objects/:class/:key/:property": [
            "friends", "pals", "by", "anys", "anyMap", "nums", "homes", "fans", "notes",
        ].map { "/v1/observe/objects/Person/1/\($0)" },
        "/v1/observe/objects/:class/:key/:property/*steps": [
            "friends/0", "friend/friends", "friends/0/nums", "by/a", "by/a/fans", "pals/0/friends",
            "fans/0/by", "homes/0/guest", "friends/0/friends?sort=age", "notes/0", "friends/9", "vault/name",
        ].map { "/v1/observe/objects/Person/1/\($0)" },
        "/v1/observe/sections/:class/:key/:property/*steps": [
            "/v1/observe/sections/Person/1/friends/0/friends?by=name"
        ],
        "/v1/observe/sections/:class": ["/v1/observe/sections/Person?by=friend.name"],
        "/v1/observe/sections/:class/:key/:property": ["/v1/observe/sections/Person/1/friends?by=name"],
        "/v1/observe/aggregates/objects/:class": [
            "/v1/observe/aggregates/objects/Person?by=friend.name&sum=age",
            "/v1/observe/aggregates/objects/Person?min=any&max=age",
            "/v1/observe/aggregates/objects/Person?by=friend.name&max=age&having=max(age)%20%3E%200",
            "/v1/observe/aggregates/objects/Person?by=friend.weight&bins=5",
        ],
        "/v1/observe/aggregates/objects/:class/:key/:property": [
            "/v1/observe/aggregates/objects/Person/1/friends?by=name"
        ],
        "/v1/observe/aggregates/objects/:class/:key/:property/*steps": [
            "/v1/observe/aggregates/objects/Person/1/friends/0/friends?by=name&sum=age"
        ],
        "/v1/observe/index/objects/:class": [
            "/v1/observe/index/objects/Person?of=2&sort=-age", "/v1/observe/index/objects/Person?of=666001",
            "/v1/observe/index/objects/Person?matching=friend.age%20%3E%200&sort=age",
        ],
        "/v1/observe/index/objects/:class/:key/:property": [
            "/v1/observe/index/objects/Person/1/friends?of=2", "/v1/observe/index/objects/Person/1/nums?of=1",
        ],
        "/v1/observe/index/objects/:class/:key/:property/*steps": [
            "/v1/observe/index/objects/Person/1/friends/0/friends?matching=age%20%3E%200"
        ],
        "/v1/observe/values/objects/:class": [
            "age", "friend", "any", "by", "home.guest", "friends.friend.name", "@sum.age", "@unionOfObjects.friend",
            "@distinctUnionOfObjects.any", "@unionOfArrays.friends", "@distinctUnionOfArrays.anys",
        ].map { "/v1/observe/values/objects/Person?keyPath=\($0)" },
        "/v1/observe/values/objects/:class/:key/:property": [
            "friends?key=any", "pals?keyPath=friend.name", "nums?key=self", "anys?key=self", "fans?key=name",
        ].map { "/v1/observe/values/objects/Person/1/\($0)" },
        "/v1/observe/values/objects/:class/:key/:property/*steps": [
            "/v1/observe/values/objects/Person/1/friends/0/friends?key=name",
            "/v1/observe/values/objects/Person/1/friends/0/nums?key=self",
        ],
    ]

    @Test("a stream begins with what is there, and is silent about the hidden", arguments: streams.keys.sorted())
    func streaming(_ pattern: String) throws {
        let fixture = try HiddenPartFixture()
        for target in Self.streams[pattern] ?? [] {
            // A query that cannot be observed is rejected as it is without the hidden data.
            let answer = try fixture.part.send(.get, target.replacingOccurrences(of: "/observe", with: ""))
            if pattern.hasPrefix("/v1/observe/objects"), pattern.hasSuffix("*steps"), answer.status != 200 {
                let seen = try fixture.whole.send(as: HiddenPartFixture.caller, .get, target)
                #expect(Self.plain(seen) == Self.plain(try fixture.part.send(.get, target)), "\(target)")
                continue
            }
            let seen = try fixture.whole.observe(as: HiddenPartFixture.caller, target)
            let truth = try fixture.part.observe(target)
            #expect(Self.plain(try seen.next()) == Self.plain(try truth.next()), "\(target)")
            for (path, body) in [
                ("Person/666001", #"{"name":"SECRETMARK anew","age":97,"nums":[1]}"#),
                ("Person/1", #"{"secret":"SECRETMARK other"}"#),
                ("Note/1", #"{"text":"SECRETMARK changed"}"#), ("Vault/666009", #"{"name":"SECRETMARK v"}"#),
            ] {
                #expect(try fixture.whole.send(.patch, "/v1/objects/\(path)", body).status == 200)
            }
            let made = try fixture.whole.send(
                .post, "/v1/objects/Person?update=modified", #"{"id":666003,"name":"SECRETMARK new"}"#)
            #expect((200...201).contains(made.status))
            // The first event contains visible data only.
            for wire in [fixture.whole, fixture.part] {
                let current = try wire.get("/v1/objects/Person/1")["age"]?.asInt ?? 0
                let change =
                    #"{"age":\#(current + 1),"name":"ada\#(current)","nums":[\#(current)],"anys":[\#(current)],"anyMap":{"w":\#(current)}}"#
                #expect(try wire.send(.patch, "/v1/objects/Person/1", change).status == 200)
                #expect(try wire.send(.patch, "/v1/objects/Note/0", #"{"text":"hello \#(current)"}"#).status == 200)
                #expect(
                    try wire.send(.patch, "/v1/objects/Person/2", #"{"age":\#(current),"name":"bob\#(current)"}"#)
                        .status == 200)
            }
            fixture.gateway.settle()
            fixture.partGateway.settle()
            let heard = seen.waitingText()
            #expect(
                !heard.contains(HiddenPartFixture.marker) && !heard.contains(HiddenPartFixture.number),
                "\(target): \(heard)")
        }
    }

    @Test("a stream of one object, or of what it holds, ends as a deletion does when the object is hidden")
    func hiding() throws {
        for target in [
            "/v1/observe/objects/Person/2", "/v1/observe/objects/Person/2/friends", "/v1/observe/objects/Person/2/nums",
            "/v1/observe/objects/Person/2/by", "/v1/observe/sections/Person/2/friends?by=name",
            "/v1/observe/aggregates/objects/Person/2/friends?by=name",
            "/v1/observe/values/objects/Person/2/friends?key=name", "/v1/observe/values/objects/Person/2/nums?key=self",
            "/v1/observe/index/objects/Person/2/friends?of=1", "/v1/observe/index/objects/Person/2/nums?of=1",
        ] {
            let fixture = try HiddenPartFixture()
            let seen = try fixture.whole.observe(as: HiddenPartFixture.caller, target)
            let truth = try fixture.part.observe(target)
            for events in [seen, truth] { _ = try events.next() }
            let change = #"{"open":false,"name":"SECRETMARK now","nums":[666001]}"#
            #expect(try fixture.whole.send(.patch, "/v1/objects/Person/2", change).status == 200)
            #expect(try fixture.part.send(.delete, "/v1/objects/Person/2").status == 204)
            var event: WireEvents.Event
            repeat {
                event = try seen.next()
                #expect(Self.plain(event) == Self.plain(try truth.next()), "\(target)")
            } while event.name == "update"
            #expect(event.name == "deleted", "\(target): \(event)")
            #expect(seen.ends(), "\(target)")
            let again = try fixture.whole.send(
                as: HiddenPartFixture.caller, .get, target.replacingOccurrences(of: "/observe", with: ""))
            #expect(again.status == 404, "\(target)")
        }
    }

    @Test("who comes back to an object that was always hidden is told nothing of it")
    func closingEvent() throws {
        let fixture = try HiddenPartFixture()
        let version = try fixture.whole.mark()
        #expect(try fixture.whole.send(.delete, "/v1/objects/Person/666001").status == 204)
        for headers in [HeaderFields(), ["Last-Event-ID": version]] {
            let answer = try fixture.whole.send(
                as: HiddenPartFixture.caller, .get, "/v1/observe/objects/Person/666001", headers: headers)
            #expect(answer.status == 404)
        }
    }

    @Test("a rule's objects come and go in a stream as objects that are made and deleted")
    func comingAndGoing() throws {
        let fixture = try HiddenPartFixture()
        let seen = try fixture.whole.observe(as: HiddenPartFixture.caller, "/v1/observe/objects/Person?fields=id")
        #expect(try seen.next("initial")["count"] == 3)
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/666001", #"{"open":true}"#).status == 200)
        #expect(try seen.next("update")["insertions"] == [1])
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/1", #"{"open":false}"#).status == 200)
        let left = try seen.next()
        #expect(left.name == "update" && left.data["deletions"] == [0])
        let id = try #require(left.id)
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/2", #"{"open":false}"#).status == 200)
        let resumed = try fixture.whole.observe(
            as: HiddenPartFixture.caller, "/v1/observe/objects/Person?fields=id", headers: ["Last-Event-ID": id])
        #expect(try resumed.next("update")["deletions"] == [1])
    }

    @Test("a row whose link is hidden from now on is told with null, and without a word of whom")
    func hiddenLinks() throws {
        let fixture = try HiddenPartFixture()
        let rows = try fixture.whole.observe(
            as: HiddenPartFixture.caller, "/v1/observe/objects/Person?filter=id%3D%3D2&fields=id,friend,by")
        #expect(try rows.next("initial")["items"] == [["id": 2, "friend": 1, "by": ["a": 1]]])
        let object = try fixture.whole.observe(as: HiddenPartFixture.caller, "/v1/observe/objects/Person/2")
        _ = try object.next("initial")
        let map = try fixture.whole.observe(as: HiddenPartFixture.caller, "/v1/observe/objects/Person/2/by")
        _ = try map.next("initial")
        let change = #"{"open":false,"name":"SECRETMARK now"}"#
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/1", change).status == 200)
        let update = try rows.next("update")
        #expect(update["objects"]?["modifications"] == [["id": 2, "friend": .null, "by": ["a": .null]]])
        let reported = try object.next("change")["changes"]?.asArray?.compactMap { $0["name"]?.asString } ?? []
        #expect(Set(reported).isSuperset(of: ["friend", "by"]))
        #expect(try map.next("update")["objects"]?["modifications"] == ["a": .null])
        // Nothing more is reported of it, and nothing of its other properties.
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/1", #"{"age":1}"#).status == 200)
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/2", #"{"age":77}"#).status == 200)
        #expect(try rows.next("update")["modifications"] == [0])
        #expect(try object.next("change")["changes"] == [["name": "age", "old": 20, "new": 77]])
        fixture.gateway.settle()
        #expect(rows.waitingText() == "" && object.waitingText() == "")
    }

    /// Writes that the role may not make, by route.
    static let writes: [String: [(HTTPMethod, String, String?)]] = [
        "GET /v1/backup": [(.get, "/v1/backup", nil)],
        "GET /metrics": [(.get, "/metrics", nil)],
        "GET /v1/logs": [(.get, "/v1/logs", nil)],
        "GET /v1/slow-queries": [(.get, "/v1/slow-queries", nil)],
        "GET /v1/connections": [(.get, "/v1/connections", nil)],
        "DELETE /v1/connections/:id": [(.delete, "/v1/connections/1", nil)],
        "GET /v1/observe/logs": [(.get, "/v1/observe/logs", nil)],
        "GET /v1/metrics/history": [(.get, "/v1/metrics/history", nil)],
        "GET /v1/roles": [(.get, "/v1/roles", nil)],
        "PUT /v1/values/objects/:class": [
            (.put, "/v1/values/objects/Person?key=name", #""x""#),
            (.put, "/v1/values/objects/Person?key=name&filter=friend%20!=%20NULL", #""x""#),
            (.put, "/v1/values/objects/Person?key=secret", #""x""#),
            (.put, "/v1/values/objects/Note?key=text", #""x""#),
            (.put, "/v1/values/objects/Vault?key=name", #""x""#),
        ],
        "PUT /v1/values/objects/:class/:key/:property": [
            (.put, "/v1/values/objects/Person/1/friends?key=name", #""x""#),
            (.put, "/v1/values/objects/Person/1/pals?key=secret", #""x""#),
            (.put, "/v1/values/objects/Person/666001/friends?key=name", #""x""#),
        ],
        "PUT /v1/values/objects/:class/:key/:property/*steps": [
            (.put, "/v1/values/objects/Person/2/friend/friends?key=name", #""x""#),
            (.put, "/v1/values/objects/Person/1/friend/friends?key=name", #""x""#),
        ],
        "POST /v1/transactions": transactions,
        "GET /v1/keys": [(.get, "/v1/keys", nil)],
        "POST /v1/keys": [(.post, "/v1/keys", #"{"name":"x","role":"admin"}"#)],
        "GET /v1/keys/:id": [(.get, "/v1/keys/guest", nil)],
        "DELETE /v1/keys/:id": [(.delete, "/v1/keys/guest", nil)],
        "PATCH /v1/objects/:class": [
            (.patch, "/v1/objects/Person?all=true", #"{"name":"x"}"#), (.patch, "/v1/objects/Vault?all=true", "{}"),
            (.patch, "/v1/objects/Person?filter=id%3D%3D1", #"{"secret":"x"}"#),
            (.patch, "/v1/objects/Note?all=true", #"{"text":"x"}"#),
        ],
        "DELETE /v1/objects/:class": [
            (.delete, "/v1/objects/Person?all=true", nil),
            (.delete, "/v1/objects/Person?filter=friend%20!=%20NULL", nil),
            (.delete, "/v1/objects/Vault?all=true", nil),
            (.delete, "/v1/objects/Person?filter=secret%20!=%20NULL", nil),
        ],
        "POST /v1/objects/:class/:key/:property": [
            (.post, "/v1/objects/Person/1/nums", "[1]"), (.post, "/v1/objects/Person/1/friends", "[666001]"),
            (.post, "/v1/objects/Person/1/friends", #"[{"id":77,"open":true}]"#),
            (.post, "/v1/objects/Person/666001/nums", "[1]"),
            (.post, "/v1/objects/Person/1/homes", #"[{"street":"x"}]"#),
        ],
        "PUT /v1/objects/:class/:key/:property": [
            (.put, "/v1/objects/Person/1/nums", "[1]"), (.put, "/v1/objects/Person/1/friends", "[]"),
            (.put, "/v1/objects/Person/1/secret", #""x""#), (.put, "/v1/objects/Person/666001/nums", "[]"),
        ],
        "PATCH /v1/objects/:class/:key/:property": [
            (.patch, "/v1/objects/Person/1/friend", #"{"name":"x"}"#),
            (.patch, "/v1/objects/Person/2/friend", #"{"name":"x"}"#),
            (.patch, "/v1/objects/Person/1/friends?all=true", #"{"name":"x"}"#),
            (.patch, "/v1/objects/Person/1/home", #"{"street":"x"}"#),
        ],
        "DELETE /v1/objects/:class/:key/:property": [
            (.delete, "/v1/objects/Person/1/nums", nil), (.delete, "/v1/objects/Person/1/friend", nil),
            (.delete, "/v1/objects/Person/1/friends", nil), (.delete, "/v1/objects/Person/1/home", nil),
            (.delete, "/v1/objects/Person/666001/home", nil),
        ],
        "POST /v1/objects/:class/:key/:property/*steps": [
            (.post, "/v1/objects/Person/1/friends/move", #"{"from":0,"to":1}"#),
            (.post, "/v1/objects/Person/2/friend/nums", "[1]"),
        ],
        "PUT /v1/objects/:class/:key/:property/*steps": [
            (.put, "/v1/objects/Person/1/friends/0", "2"), (.put, "/v1/objects/Person/1/by/a", "2"),
            (.put, "/v1/objects/Person/1/home/street", #""x""#), (.put, "/v1/objects/Person/1/friend/name", #""x""#),
            (.put, "/v1/objects/Person/1/home/guest/name", #""x""#),
        ],
        "PATCH /v1/objects/:class/:key/:property/*steps": [
            (.patch, "/v1/objects/Person/1/friends/0", #"{"name":"x"}"#),
            (.patch, "/v1/objects/Person/1/by/a", #"{"name":"x"}"#),
        ],
        "DELETE /v1/objects/:class/:key/:property/*steps": [
            (.delete, "/v1/objects/Person/1/friends/0", nil), (.delete, "/v1/objects/Person/1/by/a", nil),
            (.delete, "/v1/objects/Person/1/nums/0", nil),
        ],
        "PUT /v1/schema": [(.put, "/v1/schema", HiddenPartFixture.visibleSchema)],
        "POST /v1/schema/inference": [(.post, "/v1/schema/inference?class=Vault", #"{"id":1}"#)],
        "GET /v1/demo": [(.get, "/v1/demo", nil)],
        "POST /v1/demo": [(.post, "/v1/demo", nil)],
        "POST /v1/schema/plan": [(.post, "/v1/schema/plan", HiddenPartFixture.visibleSchema)],
        "POST /v1/objects/:class": [
            (.post, "/v1/objects/Person", #"{"id":9,"open":true}"#), (.post, "/v1/objects/Vault", #"{"id":9}"#),
            (.post, "/v1/objects/Person?update=modified", #"{"id":666001,"open":true}"#),
            (.post, "/v1/objects/Person?update=modified", #"{"id":1,"name":"x"}"#),
            (.post, "/v1/objects/Note", #"{"text":"x","author":{"id":1,"name":"x"}}"#),
        ],
        "PUT /v1/objects/:class/:key": [
            (.put, "/v1/objects/Person/1", #"{"name":"x"}"#), (.put, "/v1/objects/Person/666001", #"{"name":"x"}"#),
        ],
        "PATCH /v1/objects/:class/:key": [
            (.patch, "/v1/objects/Person/1", #"{"name":"x"}"#), (.patch, "/v1/objects/Person/666001", #"{"name":"x"}"#),
            (.patch, "/v1/objects/Person/1", #"{"secret":"x"}"#),
            (.patch, "/v1/objects/Person/1", #"{"friend":666002}"#),
            (.patch, "/v1/objects/Note/1", #"{"text":"x"}"#),
        ],
        "DELETE /v1/objects/:class/:key": [
            (.delete, "/v1/objects/Person/1", nil), (.delete, "/v1/objects/Person/666001", nil),
            (.delete, "/v1/objects/Note/1", nil), (.delete, "/v1/objects/Vault/666009", nil),
        ],
    ]

    private static let operations: [String] = [
        #"{"op":"create","class":"Person","value":{"id":9,"open":true}}"#,
        #"{"op":"create","class":"Vault","value":{"id":9}}"#,
        #"{"op":"set","object":{"class":"Person","key":1},"value":{"name":"x"}}"#,
        #"{"op":"set","object":{"class":"Person","key":666001},"value":{"name":"x"}}"#,
        #"{"op":"set","object":{"class":"Person","key":1},"value":{"secret":"x"}}"#,
        #"{"op":"delete","object":{"class":"Note","key":1}}"#,
        #"{"op":"delete","object":{"class":"Person","key":1}}"#,
        #"{"op":"append","object":{"class":"Person","key":1},"property":"friends","value":2}"#,
        #"{"op":"clear","object":{"class":"Person","key":1},"property":"pals"}"#,
        #"{"op":"put","object":{"class":"Person","key":1},"property":"by","mapKey":"a","value":2}"#,
        #"{"op":"require","object":{"class":"Person","key":666001},"exists":true}"#,
        #"{"op":"require","class":"Person","filter":"age > 50","exists":true}"#,
        #"{"op":"require","class":"Person","filter":"secret != NULL","exists":true}"#,
        #"{"op":"require","class":"Person","filter":"friend != NULL","count":3}"#,
        #"{"op":"require","class":"Vault","exists":true}"#,
    ]
    private static let transactions: [(HTTPMethod, String, String?)] = operations.map {
        (.post, "/v1/transactions", #"{"operations":[\#($0)]}"#)
    }

    @Test("what is forbidden does nothing and tells nothing", arguments: writes.keys.sorted())
    func writing(_ route: String) throws {
        let fixture = try HiddenPartFixture()
        let before = try Self.content(fixture.whole.store)
        let version = try fixture.whole.version()
        for (method, target, body) in Self.writes[route] ?? [] {
            let answer = try fixture.whole.send(as: HiddenPartFixture.caller, method, target, body)
            #expect([400, 403, 404, 409, 412, 422].contains(answer.status), "\(method) \(target): \(answer)")
            // The response repeats the client's own numbers.
            #expect(!answer.text.contains(HiddenPartFixture.marker), "\(target): \(answer)")
            // Without a commit there is nothing to compare.
            if try fixture.whole.version() == version { continue }
            #expect(try Self.content(fixture.whole.store) == before, "\(method) \(target)")
        }
    }

    @Test("an import writes what the role may write")
    func importing() throws {
        let fixture = try HiddenPartFixture()
        let before = try Self.content(fixture.whole.store)
        for row in [
            #"{"id":9,"open":true}"#, #"{"id":1,"name":"x"}"#, #"{"id":666001,"name":"x"}"#, #"{"id":9,"secret":"x"}"#,
        ] {
            let answer = try fixture.whole.send(
                as: HiddenPartFixture.caller, .post, "/v1/import/Person?update=modified", row,
                headers: ["Content-Type": "application/x-ndjson"])
            #expect(!answer.text.contains(HiddenPartFixture.marker), "\(answer)")
            #expect(try Self.content(fixture.whole.store) == before, "\(row)")
        }
    }

    @Test("what may be written and not read is written and not shown")
    func writeOnly() throws {
        let rule = ClassRule(
            read: "TRUEPREDICATE", create: "TRUEPREDICATE", update: "TRUEPREDICATE", readableProperties: ["name"],
            writableProperties: ["name", "secret"])
        let caller = Caller(.anonymous, AccessView(role: Role(name: "w", classes: ["Person": rule])))
        let fixture = try HiddenPartFixture(caller)
        let made = try fixture.whole.send(as: caller, .post, "/v1/objects/Person", #"{"id":9,"name":"x","secret":"y"}"#)
        #expect(made.status == 201)
        #expect(made.json == ["id": 9, "name": "x"])
        let changed = try fixture.whole.send(as: caller, .patch, "/v1/objects/Person/9", #"{"secret":"z"}"#)
        #expect(changed.json == ["id": 9, "name": "x"])
        // The tags of writes equal those of reads.
        let read = try fixture.whole.send(as: caller, .get, "/v1/objects/Person/9")
        #expect(read.headers["ETag"] == changed.headers["ETag"])
        let again = try fixture.whole.send(
            as: caller, .patch, "/v1/objects/Person/9", #"{"name":"x"}"#,
            headers: ["If-Match": read.headers["ETag"] ?? ""])
        #expect(again.status == 200)
        #expect(try fixture.whole.get("/v1/objects/Person/9")["secret"]?.asString == "z")
        #expect(try fixture.whole.send(as: caller, .patch, "/v1/objects/Person/9", #"{"age":1}"#).status == 422)
    }

    /// Routes that do not depend on rules, or that have tests of their own.
    private static let others: Set<String> = [
        "GET /healthz", "GET /readyz", "GET /docs", "GET /llms.txt", "GET /",
        // It describes the caller, and has its own tests.
        "GET /v1/whoami",
        // Stored data is read through the view; see `CallersApartTests`.
        "POST /v1/snapshots", "GET /v1/snapshots", "GET /v1/snapshots/:snapshot", "DELETE /v1/snapshots/:snapshot",
        "GET /v1/snapshots/:snapshot/changes",
        // The history of what the caller saw has its own tests; see `HistoryRuleTests`.
        "GET /v1/history/objects/:class/:key",
        // It writes through the view as POST /v1/objects does; see `importing`.
        "POST /v1/import/:class",
        // It reads no object of the store; see `BackupCheckTests`.
        "POST /v1/backup/check",
        // It is for administrators; see `RealmImportTests`.
        "POST /v1/import", "GET /static/*path", "POST /v1/query/*path",
        "GET /v1/subscriptions/:set", "POST /v1/subscriptions/:set", "DELETE /v1/subscriptions/:set",
        "GET /v1/subscriptions/:set/stream", "GET /v1/subscriptions/:set/:name", "PUT /v1/subscriptions/:set/:name",
        "DELETE /v1/subscriptions/:set/:name", "PUT /v1/subscriptions/:set/barriers/:token",
    ]

    @Test("every route is in the matrix: add yours to reads, streams, writes, or say in others why it needs none")
    func everyRoute() throws {
        let known = Set((Array(Self.reads.keys) + Array(Self.streams.keys)).map { "GET " + $0 })
            .union(Self.writes.keys).union(Self.others)
        let routes = try HiddenPartFixture().whole.router.routes.map { "\($0.method) \($0.pattern)" }
        #expect(Set(routes).subtracting(known) == [])
    }

    @Test("a subscription set is its maker's, and shows what is there for who streams it")
    func subscriptions() throws {
        let fixture = try HiddenPartFixture()
        let body = #"{"class":"Person","sort":"id","waitForSync":"never"}"#
        #expect(
            try fixture.whole.send(as: HiddenPartFixture.caller, .put, "/v1/subscriptions/mine/all", body).status == 201
        )
        #expect(try fixture.whole.send(.get, "/v1/subscriptions/mine").status == 404)
        #expect(try fixture.whole.send(.get, "/v1/subscriptions/mine/all").status == 404)
        #expect(try fixture.whole.send(.delete, "/v1/subscriptions/mine/all").status == 404)
        #expect(try fixture.whole.send(.put, "/v1/subscriptions/mine/barriers/b").status == 404)
        #expect(try fixture.whole.send(.put, "/v1/subscriptions/mine/all", body).status == 201)
        let refused = try fixture.whole.send(
            as: HiddenPartFixture.caller, .put, "/v1/subscriptions/mine/vault",
            #"{"class":"Vault","waitForSync":"never"}"#)
        #expect(refused.status == 404)
        let stream = try fixture.whole.observe(as: HiddenPartFixture.caller, "/v1/subscriptions/mine/stream")
        fixture.gateway.settle()
        fixture.gateway.settle()
        let heard = stream.waitingText()
        #expect(heard.contains("ada"))
        #expect(!heard.contains(HiddenPartFixture.marker) && !heard.contains(HiddenPartFixture.number), "\(heard)")
    }

    // MARK: Comparing

    static func plain(_ answer: WireResponse) -> String {
        "\(answer.status) \(answer.headers["Content-Type"] ?? "") " + plain(answer.text)
    }

    private static func plain(_ event: WireEvents.Event) -> String {
        let json = JSONWriter(capacity: 256)
        json.value(event.data)
        return event.name + plain(String(decoding: json.bytes, as: UTF8.self))
    }

    /// Returns the text without the version number, which hidden changes increase too, and without the request's
    /// identifier.
    static func plain(_ text: String) -> String {
        withoutCursorMark(text)
            .replacingOccurrences(of: #""version":\d+"#, with: #""version":0"#, options: .regularExpression)
            .replacingOccurrences(of: #","requestId":"[^"]*""#, with: "", options: .regularExpression)
    }

    /// Cursors begin with their form and the mark of their page.
    private static func withoutCursorMark(_ text: String) -> String {
        guard let range = text.range(of: #""next":"[^"]*""#, options: .regularExpression) else { return text }
        let cursor = text[range].dropFirst(8).dropLast()
        guard let bytes = Base64.url.decode(String(cursor)) else { return text }
        let plain = String(decoding: bytes, as: UTF8.self)
            .replacingOccurrences(
                of: #"^(\[\d+),"\d+(-[0-9a-f]{8}){1,2}""#, with: "$1,0", options: .regularExpression)
        return text.replacingCharacters(in: range, with: plain)
    }

    private static func expectNoSecret(_ answer: WireResponse, _ target: String) {
        let asked = target.removingPercentEncoding ?? target
        #expect(!answer.text.contains(HiddenPartFixture.marker), "\(target): \(answer)")
        if !asked.contains(HiddenPartFixture.number) {
            #expect(!answer.text.contains(HiddenPartFixture.number), "\(target): \(answer)")
        }
        // The description contains words such as secret.
        guard target != "/openapi.json" else { return }
        if !asked.contains("ault") { #expect(!answer.text.contains("ault\""), "\(target): \(answer)") }
        if !asked.contains("secre") { #expect(!answer.text.contains("secret"), "\(target): \(answer)") }
    }

    private static func content(_ store: any Store) throws -> [String: [[Value]]] {
        let snapshot = try store.snapshot()
        var content: [String: [[Value]]] = [:]
        for objectClass in snapshot.schema.classes {
            content[objectClass.name] = try snapshot.select(BoundQuery(classID: objectClass.id), .all).map { key in
                try objectClass.storedProperties.map { try snapshot.value(objectClass.id, key, $0.id) }
            }
        }
        return content
    }
}

extension WireEvents {
    /// Returns everything received and not yet read.
    func waitingText() -> String {
        stream.takeQueued().events.reduce(into: "") { $0 += String(decoding: $1.bytes, as: UTF8.self) }
    }
}
