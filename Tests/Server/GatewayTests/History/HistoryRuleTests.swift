import AccessRules
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import ObjectCoding
import ObjectModel
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics
import Testing

/// A role sees of a history what it could see when it happened, by its present rules.
@Suite("The history of an object, for a role")
struct HistoryRuleTests {
    private static let plain: Set<String> = ["id", "name", "age", "tags"]

    /// The changes of properties without links; those of links follow what is hidden behind them.
    private static func plainChanges(_ wire: Wire, _ target: String, _ limit: Int) throws -> [HistoryChange] {
        let known = try wire.send(.get, "/v1/history/objects/\(target)?limit=1")
        guard known.status == 200 else { return [] }
        return try wire.history(target, limit: limit).changes.compactMap { change in
            var change = change
            // Hidden changes have versions, too.
            change.version = 0
            change.properties = change.properties.filter { plain.contains($0.key) }
            return change.properties.isEmpty ? nil : change
        }
    }

    @Test(
        "is that of the world without the hidden, where objects come when they are shown and go when they are hidden",
        arguments: 0..<3 * TestRun.length)
    func worlds(_ round: Int) throws {
        let random = SeededRandom.ofTest(round)
        let worlds = try TwoWorlds(random, slot: round)
        var met: Set<Int> = []
        for step in 0..<40 {
            try worlds.commit(worlds.random.pick([1, 1, 2, 4]) ?? 1)
            met.formUnion(worlds.seen)
            guard step % 8 == 7 else { continue }
            for id in met.sorted() {
                let limit = 1 + worlds.random.below(9)
                #expect(
                    try Self.plainChanges(worlds.whole, "Person/\(id)", limit)
                        == Self.plainChanges(worlds.part, "Person/\(id)", limit),
                    "\(id), seed \(random.seed), step \(step)")
            }
        }
    }

    @Test("has no hidden object, property or class, whatever happens to them")
    func hiddenParts() throws {
        let fixture = try HiddenPartFixture()
        for (target, body) in [
            ("Person/666001", #"{"name":"SECRETMARK else"}"#), ("Person/1", #"{"secret":"SECRETMARK other"}"#),
            ("Person/1", #"{"friend":666002}"#), ("Person/1", #"{"any":\#(HiddenPartFixture.link(666002))}"#),
            ("Person/1", #"{"homes":[{"street":"C","guest":666001}]}"#), ("Person/1", #"{"vault":null}"#),
            ("Person/1", #"{"age":31}"#), ("Note/0", #"{"text":"hello again"}"#),
        ] {
            #expect(try fixture.whole.send(.patch, "/v1/objects/\(target)", body).status == 200)
        }
        for target in ["Person/1", "Person/2", "Person/3", "Note/0", "Note/3"] {
            let all = try fixture.whole.send(.get, "/v1/history/objects/\(target)")
            #expect(all.status == 200)
            let seen = try fixture.whole.send(as: HiddenPartFixture.caller, .get, "/v1/history/objects/\(target)")
            #expect(seen.status == 200 && !seen.rows.isEmpty, "\(seen)")
            for word in [HiddenPartFixture.marker, HiddenPartFixture.number, "secret", "vault"] {
                #expect(!seen.text.contains(word), "\(target): \(seen)")
            }
        }
        let mine = try fixture.whole.send(as: HiddenPartFixture.caller, .get, "/v1/history/objects/Person/1")
        #expect(mine.rows.first?["properties"] == ["age": ["old": 30, "new": 31]])
        // As if they were not there.
        for target in ["Person/666001", "Person/666002", "Vault/666009", "Note/1", "Note/2"] {
            let seen = try fixture.whole.send(as: HiddenPartFixture.caller, .get, "/v1/history/objects/\(target)")
            let truth = try fixture.part.send(.get, "/v1/objects/\(target)")
            #expect(seen.status == 404)
            #expect(PermissionMatrixTests.plain(seen) == PermissionMatrixTests.plain(truth), "\(target)")
        }
    }

    private static let teams = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Team","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"open","type":"bool"}]},
          {"name":"Task","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"title","type":"string"},{"name":"pay","type":"int"},
            {"name":"team","type":"Team?"}]}]}
        """#

    @Test("an object that another object shows or hides comes and goes in it, and what happened meanwhile is not there")
    func shownByOthers() throws {
        let wire = try Wire(try SchemaCoding.decode(try JSONValue.parse(Self.teams)))
        let role = Role(
            name: "member",
            classes: ["Task": ClassRule(read: "team.open == true", readableProperties: ["id", "title"])])
        let member = Caller(Principal(credential: .key("m"), subject: "m"), AccessView(role: role))
        var versions: [Int] = []
        for (method, target, body) in [
            (HTTPMethod.post, "Team", #"{"id":1,"open":true}"#),
            (.post, "Task", #"[{"id":1,"title":"a","team":1,"pay":7},{"id":2,"title":"other"}]"#),
            (.patch, "Task/1", #"{"title":"b"}"#), (.patch, "Task/1", #"{"pay":8}"#),
            (.patch, "Team/1", #"{"open":false}"#), (.patch, "Task/1", #"{"title":"SECRET"}"#),
            (.patch, "Task/1", #"{"title":"c"}"#), (.patch, "Team/1", #"{"open":true}"#),
            (.patch, "Task/1", #"{"title":"d"}"#), (.patch, "Task/1", #"{"team":null}"#),
            (.patch, "Task/1", #"{"title":"SECRET"}"#),
        ] {
            #expect(try wire.send(method, "/v1/objects/\(target)", body).status < 300)
            versions.append(try wire.version())
        }
        let seen = Wire(store: wire.store, router: wire.router.calling(as: member))
        let found = try seen.history("Task/1", limit: 2)
        func side(_ name: String, _ title: JSONValue) -> [String: [String: JSONValue]] {
            ["id": [name: 1], "title": [name: title]]
        }
        #expect(found.changes.map(\.version) == [9, 8, 7, 4, 2, 1].map { versions[$0] })
        #expect(found.changes.map(\.kind) == ["deleted", "modified", "created", "deleted", "modified", "created"])
        #expect(
            found.changes.map(\.properties) == [
                side("old", "d"), ["title": ["old": "c", "new": "d"]], side("new", "c"), side("old", "b"),
                ["title": ["old": "a", "new": "b"]], side("new", "a"),
            ])
        for target in ["Task/2", "Task/3"] {
            let answer = try seen.send(.get, "/v1/history/objects/\(target)")
            let unknown = try seen.send(.get, "/v1/objects/\(target)")
            #expect(answer.status == 404)
            #expect(PermissionMatrixTests.plain(answer) == PermissionMatrixTests.plain(unknown))
        }
        #expect(try seen.send(.get, "/v1/history/objects/Team/1").status == 404)
    }
}
