import EmbeddedStore
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics
import Testing

@Suite("The history of an object")
struct HistoryTests {
    private static let targets = [
        "Person/ada", "Person/bob", "Person/cy", "Dog/1", "Dog/2", "Dog/3", "Dog/4", "Dog/5",
    ]

    /// Makes one random commit, of values, links, collections, embedded objects, whole objects and many at once; it may
    /// be refused, where the path leads nowhere.
    private func write(_ wire: Wire, _ random: inout SeededRandom) throws {
        func some(_ values: [String], upTo count: Int) -> String {
            "[" + (0..<random.below(count + 1)).compactMap { _ in random.pick(values) }.joined(separator: ",") + "]"
        }
        let person = random.pick(["ada", "bob", "cy"]) ?? "ada"
        let dog = 1 + random.below(5)
        let number = random.below(4)
        let path = "/v1/objects/Person/\(person)"
        let (method, target, body): (HTTPMethod, String, String?)
        switch random.below(18) {
        case 0: (method, target, body) = (.patch, path, #"{"age":\#(number),"bio":"b\#(number)","extra":[\#(number)]}"#)
        case 1: (method, target, body) = (.patch, path, #"{"tags":\#(some(["\"a\"", "\"b\""], upTo: 3))}"#)
        case 2:
            (method, target, body) = (.patch, path, #"{"dog":\#(random.oneIn(2) ? "null" : "1"),"worth":"\#(number)"}"#)
        case 3: (method, target, body) = (.patch, path, #"{"dogs":\#(some(["1", "3"], upTo: 4)),"pets":{"x":1}}"#)
        case 4: (method, target, body) = (.patch, path, #"{"place":{"coordinates":[\#(number),1]}}"#)
        case 5: (method, target, body) = (.patch, path, #"{"place":null}"#)
        case 6: (method, target, body) = (.patch, "\(path)/place", #"{"type":"T\#(number)"}"#)
        case 7: (method, target, body) = (.post, "\(path)/place/coordinates", "[\(number)]")
        case 8: (method, target, body) = (.delete, "\(path)/tags/0", nil)
        case 9: (method, target, body) = (.put, "\(path)/prices/oak", "\(number)")
        case 10: (method, target, body) = (.delete, path, nil)
        case 11: (method, target, body) = (.put, path, #"{"age":\#(number),"dog":1}"#)
        case 12: (method, target, body) = (.delete, "/v1/objects/Dog/\(dog)", nil)
        case 13: (method, target, body) = (.patch, "/v1/objects/Dog?all=true", #"{"breed":"B\#(number)"}"#)
        case 14:
            (method, target, body) = (
                .post, "/v1/transactions",
                #"{"operations":[{"op":"set","object":{"class":"Dog","key":\#(dog)},"value":{"age":\#(number)}},{"op":"delete","object":{"class":"Dog","key":\#(dog)}},{"op":"create","class":"Dog","value":{"id":\#(dog),"name":"again"}}]}"#
            )
        case 15: (method, target, body) = (.patch, path, #"{"things":[\#(number),[1,{"a":"x"}]],"friends":["ada"]}"#)
        default:
            (method, target, body) = (
                .post, "/v1/objects/Dog?update=modified", #"{"id":\#(dog),"age":\#(number),"name":"n\#(number)"}"#
            )
        }
        let answer = try wire.send(method, target, body)
        guard answer.status < 300 || [404, 409, 412, 422].contains(answer.status) else {
            throw WireFailure("\(answer)")
        }
    }

    @Test(
        "is what reads showed after each version, in pages of any size",
        arguments: DogOwnersGatewayFixture.Kind.allCases, 0..<2 * TestRun.length)
    func randomHistories(kind: DogOwnersGatewayFixture.Kind, run: Int) throws {
        var random = SeededRandom.ofTest("\(kind) \(run)")
        let home = try DogOwnersGatewayFixture(kind)
        let wire = home.wire
        var recorder = try HistoryRecorder(wire, Self.targets)
        for step in 0..<60 {
            let before = try wire.version()
            try write(wire, &random)
            #expect(try wire.version() <= before + 1)
            try recorder.note()
            guard step % 15 == 14 else { continue }
            for target in Self.targets {
                let expected = recorder.changes(of: target)
                let isThere = try wire.send(.get, "/v1/objects/\(target)").status == 200
                if expected.isEmpty, !isThere { continue }
                let found = try wire.history(target, limit: 1 + random.below(7))
                #expect(
                    found.changes.filter { $0.version > recorder.first } == expected,
                    "\(target), seed \(random.seed), step \(step)")
                for item in found.items {
                    let mark = try wire.mark(item["version"]?.asInt)
                    // Each version of a log has a tag of its own.
                    #expect(item["mark"]?.asString == mark || kind == .logged)
                }
                #expect(found.begins["version"]?.asInt ?? .max < recorder.first)
            }
        }
    }

    @Test("an object that was deleted has one, and one that came again under its key goes on with it")
    func deleted() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let target = "/v1/history/objects/Dog/3"
        #expect(try wire.send(.delete, "/v1/objects/Dog/3").status == 204)
        let answer = try wire.get(target)
        #expect(answer.items("kind") == ["deleted", "created"])
        #expect(answer.rows.first?["properties"]?["name"] == ["old": "Ace"])
        let mark = try wire.mark()
        #expect(answer.headers["Realmgate-Mark"] == mark)
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"id":3,"name":"Ace II"}"#).status == 201)
        #expect(try wire.get(target).items("kind") == ["created", "deleted", "created"])
        let missing = try wire.get("/v1/history/objects/Dog/77")
        let unknown = try wire.get("/v1/objects/Dog/77")
        #expect(missing.status == 404)
        #expect(PermissionMatrixTests.plain(missing) == PermissionMatrixTests.plain(unknown))
    }

    @Test(
        "what it may be asked for",
        arguments: [
            ("Dog/1?limit=0", 400, "parameter.invalid"), ("Dog/1?limit=201", 400, "parameter.invalid"),
            ("Dog/1?types=odd", 400, "parameter.invalid"), ("Dog/1?filter=x", 400, "parameter.unknown"),
            ("Dog/1?snapshot=x", 400, "snapshot.not_possible"), ("Dog/1?after=x", 400, "cursor.invalid"),
            ("Dgo/1", 404, "object.unknown_class"), ("Dog/x", 400, "object.invalid_key"),
        ])
    func parameters(target: String, status: Int, code: String) throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let answer = try wire.send(.get, "/v1/history/objects/\(target)")
        #expect(answer.status == status && answer.code == code, "\(answer)")
    }

    @Test("a cursor is of one object")
    func cursors() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        #expect(try wire.send(.patch, "/v1/objects/Dog?all=true", #"{"age":9}"#).status == 200)
        let next = try #require(try wire.get("/v1/history/objects/Dog/1?limit=1")["next"]?.asString)
        #expect(try wire.get("/v1/history/objects/Dog/1?limit=1&after=\(next)").items("kind") == ["created"])
        #expect(try wire.get("/v1/history/objects/Dog/2?after=\(next)").code == "cursor.mismatch")
        let other = try #require(try wire.get("/v1/objects/Dog?limit=1")["next"]?.asString)
        #expect(try wire.get("/v1/history/objects/Dog/1?after=\(other)").code == "cursor.mismatch")
        #expect(try wire.get("/v1/objects/Dog?after=\(next)").code == "cursor.invalid")
    }

    @Test("values come with their types where that is asked for")
    func types() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        #expect(try wire.send(.patch, "/v1/objects/Person/ada", #"{"worth":"2.5"}"#).status == 200)
        let row = try wire.get("/v1/history/objects/Person/ada?types=typed&limit=1").rows.first
        #expect(row?["properties"]?["worth"] == ["old": ["$decimal": "10.10"], "new": ["$decimal": "2.5"]])
    }

    @Test("a page ends before it is larger than a response may be, and a change alone that is larger is refused")
    func largePages() throws {
        let home = try DogOwnersGatewayFixture(.embedded) { $0.answerBytes = 4000 }
        for letter in ["a", "b", "c"] {
            let text = String(repeating: letter, count: 1500)
            #expect(try home.wire.send(.patch, "/v1/objects/Person/cy", #"{"bio":"\#(text)"}"#).status == 200)
        }
        let first = try home.wire.get("/v1/history/objects/Person/cy")
        #expect(first.rows.count == 1)
        #expect(
            try home.wire.history("Person/cy", limit: 200).changes.map(\.kind) == [
                "modified", "modified", "modified", "created",
            ])
        let text = String(repeating: "x", count: 5000)
        #expect(try home.wire.send(.patch, "/v1/objects/Person/cy", #"{"bio":"\#(text)"}"#).status == 200)
        #expect(try home.wire.get("/v1/history/objects/Person/cy").code == "answer.too_large")
    }

    // MARK: Where it begins

    private func wire(_ change: (inout EmbeddedStoreOptions) -> Void) throws -> (Wire, TestDirectory) {
        let home = try TestDirectory()
        var options = EmbeddedStoreOptions()
        change(&options)
        let schema = try SchemaCoding.decode(try JSONValue.parse(DogOwnersFixture.schema))
        let store = try EmbeddedStore.open(path: home.path + "/store", schema: schema, options: options)
        let wire = Wire(store: store, router: try Gateway(store: store, configuration: .untimed).router)
        try DogOwnersFixture.fill { try wire.send(.post, $0, $1).status }
        return (wire, home)
    }

    @Test("it begins where the log begins, and says so")
    func logBegin() throws {
        let (wire, home) = try wire { $0.changeLogVersions = 5 }
        defer { withExtendedLifetime(home) {} }
        for age in 1...9 { #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":\#(age * 10)}"#).status == 200) }
        let found = try wire.history("Dog/1", limit: 2)
        #expect(found.changes.map { $0.properties["age"]?["new"] } == [90, 80, 70, 60, 50])
        #expect(found.begins == ["version": .int(Int64(try wire.store.changeLogFloor().rawValue)), "reason": "log"])
    }

    @Test("it begins with a version whose old values were too many to keep")
    func valuesBegin() throws {
        let (wire, home) = try wire { $0.undoLimit = 1000 }
        defer { withExtendedLifetime(home) {} }
        let text = String(repeating: "x", count: 2000)
        for bio in [text, "short", "shorter"] {
            #expect(try wire.send(.patch, "/v1/objects/Person/cy", #"{"bio":"\#(bio)"}"#).status == 200)
        }
        let found = try wire.history("Person/cy", limit: 10)
        #expect(found.changes.map(\.properties) == [["bio": ["old": "short", "new": "shorter"]]])
        #expect(found.begins == ["version": .int(Int64(try wire.version() - 1)), "reason": "values"])
    }

    @Test("it begins with the last migration; a property that came is in it from there on, one that went is not")
    func migrations() throws {
        let (wire, home) = try wire { _ in }
        defer { withExtendedLifetime(home) {} }
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"breed":"Poodle"}"#).status == 200)
        let cursor = try #require(try wire.get("/v1/history/objects/Dog/1?limit=1")["next"]?.asString)
        var text = DogOwnersFixture.schema
        text.replace(#"{"name":"breed","type":"string?"},"#, with: #"{"name":"size","type":"int"},"#)
        text.replace(#""schemaVersion":1"#, with: #""schemaVersion":2"#)
        try wire.store.replaceSchema(
            with: try SchemaCoding.decode(try JSONValue.parse(text)), migration: Migration(steps: []))
        let migrated = try wire.version()
        let begins: JSONValue = ["version": .int(Int64(migrated)), "reason": "schema"]
        let fresh = try wire.history("Dog/1", limit: 10)
        #expect(fresh.changes.isEmpty && fresh.begins == begins)
        // A cursor from before it has nothing older behind it.
        let rest = try wire.get("/v1/history/objects/Dog/1?after=\(cursor)")
        #expect(rest.rows.isEmpty && rest["begins"] == begins && rest["next"] == nil)
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"size":4}"#).status == 200)
        let found = try wire.history("Dog/1", limit: 10)
        #expect(found.changes.map(\.properties) == [["size": ["old": 0, "new": 4]]])
        #expect(found.begins == begins)
        #expect(try wire.send(.delete, "/v1/objects/Dog/1").status == 204)
        #expect(try wire.history("Dog/1", limit: 10).changes.first?.properties["size"] == ["old": 4])
    }

    @Test("a cursor from before a restored backup is gone, and the new history has its own marks")
    func restored() throws {
        let home = try StoredDogOwnersFixture()
        #expect(try home.wire.send(.patch, "/v1/objects/Dog/1", #"{"age":10}"#).status == 200)
        try home.backUp()
        let backedUp = try home.wire.version()
        for age in [11, 12] {
            #expect(try home.wire.send(.patch, "/v1/objects/Dog/1", #"{"age":\#(age)}"#).status == 200)
        }
        let cursor = try #require(try home.wire.get("/v1/history/objects/Dog/1?limit=1")["next"]?.asString)
        try home.restore()
        let wire = try home.wire
        let gone = try wire.get("/v1/history/objects/Dog/1?after=\(cursor)")
        #expect(gone.status == 410 && gone.code == "cursor.gone", "\(gone)")
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":20}"#).status == 200)
        let found = try wire.history("Dog/1", limit: 10)
        let later = found.changes.filter { $0.version > backedUp }
        #expect(later.map(\.properties) == [["age": ["old": 10, "new": 20]]])
        let mark = try wire.mark()
        #expect(found.items.first?["mark"]?.asString == mark)
        for value in [11, 12] as [JSONValue] {
            #expect(!found.changes.contains { $0.properties["age"]?["new"] == value })
        }
    }
}
