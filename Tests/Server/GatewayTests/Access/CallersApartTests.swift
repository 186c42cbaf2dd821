import AccessRules
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import RequestHandling
import Testing

/// Data that the gateway stores between requests belongs to one caller: no other caller can find it, and the caller
/// sees it through its rules.
@Suite("what is kept for one caller")
struct CallersApartTests {
    private static let other = Caller(
        Principal(credential: .key("other"), subject: "other"), HiddenPartFixture.caller.view)

    /// The holder of a token without a subject, whom the rules identify by its claims.
    private static func nameless(_ team: String, _ role: Role) -> Caller {
        let claims: JSONValue = .object(JSONObject([JSONObject.Member(name: "team", value: .string(team))]))
        return Caller(
            Principal(credential: .token(signer: "s"), claims: claims), AccessView(role: role, claims: claims))
    }

    private func snapshot(_ wire: Wire, as caller: Caller = .unrestricted) throws -> String {
        let made = try wire.send(as: caller, .post, "/v1/snapshots?ttl=60")
        #expect(made.status == 201)
        #expect(!made.text.contains(HiddenPartFixture.marker))
        return try #require(made["snapshot"]?.asString)
    }

    @Test("a kept version is its maker's alone, in lists, reads, comparisons and deletions")
    func snapshots() throws {
        let fixture = try HiddenPartFixture()
        let mine = try snapshot(fixture.whole, as: HiddenPartFixture.caller)
        let theirs = try snapshot(fixture.whole)
        func send(_ caller: Caller, _ method: HTTPMethod, _ target: String) throws -> WireResponse {
            try fixture.whole.send(as: caller, method, target)
        }
        #expect(try send(HiddenPartFixture.caller, .get, "/v1/snapshots")["snapshots"]?.asArray?.count == 1)
        #expect(try send(Self.other, .get, "/v1/snapshots")["snapshots"] == [])
        for (caller, id) in [(HiddenPartFixture.caller, theirs), (Self.other, mine), (Self.other, theirs)] {
            for (method, target, status) in [
                (.get, "/v1/snapshots/\(id)", 404), (.get, "/v1/snapshots/\(id)/changes", 404),
                (.delete, "/v1/snapshots/\(id)", 404), (.get, "/v1/objects/Person?snapshot=\(id)", 410),
                (.get, "/v1/objects/Person/1?snapshot=\(id)", 410),
            ] as [(HTTPMethod, String, Int)] {
                let answer = try send(caller, method, target)
                #expect(answer.status == status, "\(method) \(target)")
                // The response is the same as for an id that never existed.
                let never = try send(caller, method, target.replacing(id, with: "never"))
                #expect(
                    PermissionMatrixTests.plain(answer.text.replacing(id, with: "never"))
                        == PermissionMatrixTests.plain(never.text))
            }
        }
        let changes = "/v1/snapshots/\(mine)/changes?to=\(theirs)"
        #expect(try send(HiddenPartFixture.caller, .get, changes).status == 410)
        #expect(try send(HiddenPartFixture.caller, .delete, "/v1/snapshots/\(mine)").status == 204)
        #expect(try send(.unrestricted, .get, "/v1/snapshots/\(theirs)").status == 200)
    }

    @Test(
        "a kept version shows what its version would be without the hidden",
        arguments: [
            "/v1/objects/Person?count=true&expand=friend,friends", "/v1/objects/Person/1", "/v1/objects/Person/666001",
            "/v1/objects/Person/1/friends", "/v1/objects/Note", "/v1/objects/Vault",
            "/v1/values/objects/Person?key=name",
            "/v1/aggregates/objects/Person?max=age&by=friend.name", "/v1/sections/objects/Person?by=friend.name",
            "/v1/index/objects/Person?of=3", "/v1/objects/Person?sort=secret",
        ])
    func reading(_ target: String) throws {
        let fixture = try HiddenPartFixture()
        let ids = try (snapshot(fixture.whole, as: HiddenPartFixture.caller), snapshot(fixture.part))
        for wire in [fixture.whole, fixture.part] {
            #expect(try wire.send(.patch, "/v1/objects/Person/1", #"{"name":"later"}"#).status == 200)
        }
        let sign = target.contains("?") ? "&" : "?"
        let seen = try fixture.whole.send(as: HiddenPartFixture.caller, .get, "\(target)\(sign)snapshot=\(ids.0)")
        let truth = try fixture.part.send(.get, "\(target)\(sign)snapshot=\(ids.1)")
        #expect(seen.status == truth.status)
        #expect(PermissionMatrixTests.plain(seen) == PermissionMatrixTests.plain(truth))
        #expect(!seen.text.contains(HiddenPartFixture.marker) && !seen.text.contains("later"))
    }

    @Test("between two versions a caller is told of what changed for it, and of nothing else")
    func changes() throws {
        let fixture = try HiddenPartFixture()
        let ids = try (snapshot(fixture.whole, as: HiddenPartFixture.caller), snapshot(fixture.part))
        for (method, target, body) in [
            (.patch, "Person/666001", #"{"name":"SECRETMARK anew","friends":[1]}"#),
            (.patch, "Person/1", #"{"secret":"SECRETMARK other"}"#), (.patch, "Note/1", #"{"text":"SECRETMARK x"}"#),
            (.post, "Vault", #"{"id":666008}"#), (.post, "Person", #"{"id":666003}"#),
            (.delete, "Person/666002", nil), (.patch, "Person/3", #"{"vault":666008}"#),
        ] as [(HTTPMethod, String, String?)] {
            #expect(
                (200...204).contains(try fixture.whole.send(method, "/v1/objects/\(target)", body).status), "\(target)")
        }
        func compare() throws -> (seen: WireResponse, truth: WireResponse) {
            (
                try fixture.whole.send(as: HiddenPartFixture.caller, .get, "/v1/snapshots/\(ids.0)/changes"),
                try fixture.part.send(.get, "/v1/snapshots/\(ids.1)/changes")
            )
        }
        let silent = try compare().seen
        #expect(silent.status == 200 && silent["classes"] == [] && silent["schemaChanged"] == false, "\(silent)")
        for wire in [fixture.whole, fixture.part] {
            #expect(try wire.send(.patch, "/v1/objects/Person/2", #"{"name":"bea"}"#).status == 200)
            #expect(try wire.send(.post, "/v1/objects/Person", #"{"id":7,"open":true}"#).status == 201)
            #expect(try wire.send(.delete, "/v1/objects/Note/3").status == 204)
        }
        let reported = try compare()
        #expect(reported.seen["classes"] == reported.truth["classes"])
        #expect(reported.seen["classes"]?.asArray?.count == 2)
    }

    @Test("an object that the rule shows no longer was deleted between two versions, also by what another one changed")
    func leaving() throws {
        let fixture = try HiddenPartFixture()
        let id = try snapshot(fixture.whole, as: HiddenPartFixture.caller)
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/1", #"{"open":false}"#).status == 200)
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/666001", #"{"open":true}"#).status == 200)
        let reported = try fixture.whole.send(as: HiddenPartFixture.caller, .get, "/v1/snapshots/\(id)/changes")
        let classes = reported["classes"]?.asArray ?? []
        #expect(classes.first { $0["class"] == "Person" }?["deleted"] == [1])
        #expect(classes.first { $0["class"] == "Person" }?["inserted"] == [666001])
        #expect(classes.first { $0["class"] == "Note" }?["deleted"] == [0, 3])
        #expect(classes.first { $0["class"] == "Note" }?["inserted"] == [1])
    }

    @Test("an Idempotency-Key is its user's: others do their own work under it, and are shown no answer but theirs")
    func idempotency() throws {
        let rule = ClassRule(read: "name == $claims.team", create: "name == $claims.team")
        let role = Role(name: "team", classes: ["Person": rule])
        let fixture = try HiddenPartFixture()
        let headers: HeaderFields = ["Idempotency-Key": "one"]
        let (red, blue) = (Self.nameless("red", role), Self.nameless("blue", role))
        func create(_ caller: Caller, _ name: String) throws -> WireResponse {
            try fixture.whole.send(
                as: caller, .post, "/v1/objects/Person", #"{"id":50,"name":"\#(name)"}"#, headers: headers)
        }
        let made = try create(red, "red")
        #expect(made.status == 201)
        #expect(try create(red, "red").headers["Idempotency-Replayed"] == "true")
        // The same request of another caller is its own, and must follow its rules.
        for caller in [blue, HiddenPartFixture.caller, Self.other] {
            let answer = try create(caller, "red")
            #expect(answer.headers["Idempotency-Replayed"] == nil)
            #expect(answer.status == 403 || answer.status == 409)
            #expect(answer.text != made.text)
        }
        // An error does not reveal that the key was used either.
        #expect(try create(blue, "blue").status == 409)
    }

    @Test("tags are of what is seen: a hidden property changes none of an object's")
    func tags() throws {
        let fixture = try HiddenPartFixture()
        let tag = try #require(
            try fixture.whole.send(as: HiddenPartFixture.caller, .get, "/v1/objects/Person/1").headers["ETag"])
        #expect(try fixture.whole.send(.patch, "/v1/objects/Person/1", #"{"secret":"SECRETMARK z"}"#).status == 200)
        let again = try fixture.whole.send(
            as: HiddenPartFixture.caller, .get, "/v1/objects/Person/1", headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        let head = try fixture.whole.send(as: HiddenPartFixture.caller, .head, "/v1/objects/Person/1")
        #expect(head.headers["ETag"] == tag)
        for target in ["/v1/objects/Person/666001", "/v1/objects/Vault", "/v1/objects/Person/1/secret"] {
            let seen = try fixture.whole.send(as: HiddenPartFixture.caller, .head, target)
            #expect(seen.status == 404 && seen.headers["ETag"] == nil, "\(target)")
        }
    }

    @Test("who made what is written and not shown gets its place, and no body of a hidden object")
    func location() throws {
        let rule = ClassRule(read: "open == true", create: "TRUEPREDICATE")
        let caller = Caller(.anonymous, AccessView(role: Role(name: "box", classes: ["Person": rule])))
        let fixture = try HiddenPartFixture(caller)
        let made = try fixture.whole.send(
            as: caller, .post, "/v1/objects/Person", #"{"id":9,"open":false,"name":"gone","friend":1}"#)
        #expect(made.status < 500)
        #expect(!made.text.contains(HiddenPartFixture.marker))
        #expect(try fixture.whole.send(as: caller, .get, "/v1/objects/Person/9").status == 404)
    }

    @Test("answers under /v1 depend on who asks, so that no cache shows one caller's to another")
    func caches() throws {
        let guarded = try GuardedGateway()
        let answer = try guarded.gateway.send(.get, "/v1/schema", headers: try guarded.bearer("reader"))
        #expect(answer.status == 200)
        let vary = answer.headers["Vary"] ?? ""
        #expect(vary.contains("Authorization") && vary.contains("X-API-Key"))
    }
}
