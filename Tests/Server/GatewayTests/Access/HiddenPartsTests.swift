import AccessRules
import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import RequestHandling
import Testing

/// A caller's view of objects that belong to others and of which it sees some.
@Suite("Embedded objects and links of whom not everything is seen")
struct HiddenPartsTests {
    private static let paths = [
        "objects/Person/1/home", "objects/Person/1/home?fields=street", "objects/Person/1/home?expand=guest",
        "objects/Person/1/home?types=typed", "objects/Person/1/homes", "objects/Person/1/homes?sort=street",
        "objects/Person/1/homes/0", "objects/Person/1/homes?fields=street,$key",
        "sections/objects/Person/1/homes?by=street", "values/objects/Person/1/homes?key=self",
        "values/objects/Person?key=home", "values/objects/Person?keyPath=@unionOfObjects.home",
        "objects/Person/1?expand=home", "objects/Person?fields=id,home.street",
    ]

    @Test("what is reached through its owner has no number that counts those of others", arguments: paths)
    func numbers(path: String) throws {
        let fixture = try HiddenPartFixture()
        let (seen, truth) = (
            try fixture.whole.send(as: HiddenPartFixture.caller, .get, "/v1/" + path),
            try fixture.part.get("/v1/" + path)
        )
        #expect(PermissionMatrixTests.plain(seen) == PermissionMatrixTests.plain(truth))
        for answer in [seen, truth, try fixture.whole.get("/v1/" + path)] {
            #expect(
                answer.status == 200 && answer.text.contains("street") && !answer.text.contains("$key"), "\(answer)")
        }
    }

    @Test(
        "nor in streams",
        arguments: [
            "objects/Person/1/home", "objects/Person/1/homes", "objects/Person/1/homes?sort=street",
            "sections/Person/1/homes?by=street",
        ])
    func streams(target: String) throws {
        let fixture = try HiddenPartFixture()
        let streams = [
            try fixture.whole.observe(as: HiddenPartFixture.caller, "/v1/observe/" + target),
            try fixture.part.observe("/v1/observe/" + target),
        ]
        for wire in [fixture.whole, fixture.part] {
            let place = target.hasSuffix("home") ? "home" : "homes/0"
            #expect(try wire.send(.patch, "/v1/objects/Person/1/\(place)", #"{"street":"Side"}"#).status == 200)
        }
        let events = try streams.map { [try $0.next(), try $0.next()] }
        #expect(events[0].map(\.name) == events[1].map(\.name))
        for event in events.joined() { #expect(!"\(event.data)".contains("$key"), "\(event)") }
    }

    @Test("a class of embedded objects has a list of its own, in which they have their numbers")
    func list() throws {
        let items = try HiddenPartFixture().whole.get("/v1/objects/Address")["items"]?.asArray ?? []
        #expect(items.count == 4 && items.allSatisfy { $0["$key"]?.asInt != nil })
    }

    private static func caller(_ classes: [String: ClassRule]) -> Caller {
        Caller(
            Principal(credential: .key("other"), subject: "other"),
            AccessView(role: Role(name: "other", classes: classes)))
    }

    @Test("to append to a list needs no look at what it holds, to insert does")
    func append() throws {
        let fixture = try HiddenPartFixture()
        let caller = Self.caller(["Person": ClassRule(read: "open == true", update: "TRUEPREDICATE")])
        let target = "/v1/objects/Person/1/friends"
        #expect(try fixture.whole.send(as: caller, .post, target, "3").status == 200)
        let transaction =
            #"{"operations":[{"op":"append","object":{"class":"Person","key":1},"property":"friends","value":[1,2]}]}"#
        #expect(try fixture.whole.send(as: caller, .post, "/v1/transactions", transaction).status == 200)
        #expect(try fixture.whole.send(as: caller, .post, target + "?index=0", "3").code == "access.hidden_elements")
        #expect(
            try fixture.whole.get("/v1/objects/Person/1?fields=friends")["friends"] == [
                666001, 2, 666002, 3, 2, 3, 1, 2,
            ])
    }

    @Test("who follows embedded objects hears of those that take the places of others that look the same")
    func replaced() throws {
        let fixture = try HiddenPartFixture()
        let caller = Self.caller([
            "Person": ClassRule(read: "open == true"), "Address": ClassRule(read: "street != 'x'"),
        ])
        let wire = Wire(store: fixture.whole.store, router: fixture.whole.router.calling(as: caller))
        for query in ["objects/Person/1/homes?sort=street", "objects/Person/1/homes"] {
            let follower = Follower(kind: .list, target: query, fresh: query)
            let events = try follower.open(wire)
            var held = JSONValue.null
            for (target, body) in [
                ("Person/1", #"{"homes":[{"street":"A","guest":2},{"street":"B"}]}"#),
                ("Person/1", #"{"homes":[{"street":"A","guest":2},{"street":"B","guest":666001}]}"#),
                ("Person/1/homes/0", #"{"street":"D"}"#), ("Person/1/homes/1", #"{"street":"x"}"#),
                ("Person/1", #"{"homes":[{"street":"D","guest":2},{"street":"x"}]}"#),
                ("Person/1/homes/0", #"{"guest":3}"#), ("Person/1/homes/1", #"{"street":"C"}"#),
            ] {
                #expect(try fixture.whole.send(.patch, "/v1/objects/" + target, body).status == 200)
                fixture.gateway.settle()
                for event in events.takeAll() { try follower.apply(event, to: &held) }
                #expect(try held == follower.expected(wire), "\(query), \(target): \(body)")
            }
            events.stream.didClose(.clientLeft)
        }
    }

    @Test("versions differ in what is seen of them, also of objects that nobody wrote to")
    func comparisons() throws {
        let fixture = try HiddenPartFixture()
        let part = fixture.part.router.calling(as: HiddenPartFixture.caller)
        let wires = [
            Wire(store: fixture.whole.store, router: fixture.whole.router.calling(as: HiddenPartFixture.caller)),
            Wire(store: fixture.part.store, router: part),
        ]
        let snapshots = try wires.map { try $0.send(.post, "/v1/snapshots?ttl=300")["snapshot"]?.asString ?? "" }
        func expectEqual(_ note: String) throws -> JSONValue? {
            let answers = try zip(wires, snapshots).map { try $0.get("/v1/snapshots/\($1)/changes") }
            #expect(answers[0].status == 200)
            #expect(answers[0]["classes"] == answers[1]["classes"], "\(note)")
            #expect(!answers[0].text.contains("Address"), "\(answers[0])")
            return answers[0]["classes"]?.asArray?.first
        }
        for (target, body) in [
            ("Person/666001", #"{"age":3}"#), ("Person/666001/home", #"{"street":"SECRETMARK lane"}"#),
            ("Person/1/home", #"{"guest":666001}"#),
        ] {
            #expect(try fixture.whole.send(.patch, "/v1/objects/" + target, body).status == 200)
        }
        #expect(try expectEqual("what is hidden was written to") == nil)
        for wire in [fixture.whole, fixture.part] {
            #expect(try wire.send(.patch, "/v1/objects/Person/1/home", #"{"street":"New"}"#).status == 200)
        }
        let home = try expectEqual("an embedded object was written to")
        #expect(home?["modified"] == [["key": 1, "properties": ["home"]]])
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/2", #"{"open":false}"#).status == 200)
        #expect(try fixture.part.send(.delete, "/v1/objects/Person/2").status == 204)
        let gone = try expectEqual("an object is not seen any more")
        #expect(
            gone?["deleted"] == [2] && gone?["modified"]?.asArray?.first?["key"] == 1, "\(String(describing: gone))")
    }
}
