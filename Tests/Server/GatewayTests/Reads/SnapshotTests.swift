import EmbeddedStore
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RepositoryFiles
import RequestHandling
import Testing

@Suite("Snapshots over HTTP")
struct SnapshotTests {
    private func make(_ wire: Wire, _ query: String = "") throws -> String {
        let answer = try wire.send(.post, "/v1/snapshots\(query)")
        guard answer.status == 201, let id = answer["snapshot"]?.asString else { throw WireFailure("\(answer)") }
        #expect(answer.headers["Location"] == "/v1/snapshots/\(id)")
        return id
    }

    static let reads = [
        "objects/Dog", "objects/Dog/1", "objects/Person/ada/dogs", "objects/Person/ada/tags", "objects/Dog/1/owners",
        "aggregates/objects/Dog?sum=age&by=breed", "aggregates/objects/Person/ada/dogs?max=age",
        "aggregates/objects/Person/ada/nums?sum", "sections/objects/Dog?by=breed",
        "sections/objects/Person/ada/dogs?by=breed", "index/objects/Dog?of=4", "index/objects/Dog?matching=age%3E6",
        "index/objects/Person/ada/tags?of=blue", "values/objects/Dog?key=name",
        "values/objects/Person/ada/dogs?key=age",
        "values/objects/Person/ada/tags?key=self",
    ]

    @Test(
        "every read shows the kept version while the data changes", arguments: DogOwnersGatewayFixture.Kind.allCases,
        reads)
    func keptVersion(kind: DogOwnersGatewayFixture.Kind, read: String) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        let id = try make(wire)
        let before = try wire.send(.get, "/v1/\(read)")
        #expect(before.status == 200, "\(before)")
        for (method, target, body) in [
            (HTTPMethod.patch, "/v1/objects/Person/ada", #"{"dogs":[4],"tags":["x"],"nums":[1]}"# as String?),
            (.patch, "/v1/objects/Dog/1", #"{"age":99,"breed":"Beagle"}"#), (.delete, "/v1/objects/Dog/2", nil),
            (.post, "/v1/objects/Dog", #"{"id":50,"name":"Late","age":1}"#),
            (.put, "/v1/values/objects/Dog?key=age&all", "4"),
        ] {
            #expect(try (200...204).contains(wire.send(method, target, body).status))
        }
        let now = try wire.send(.get, "/v1/\(read)")
        let mark = read.contains("?") ? "&" : "?"
        let kept = try wire.send(.get, "/v1/\(read)\(mark)snapshot=\(id)")
        #expect(kept.text == before.text)
        #expect(kept.headers["ETag"] == before.headers["ETag"])
        #expect(now.text != before.text)
        let form = try wire.send(
            .post, "/v1/query/\(read)", "snapshot=\(id)", headers: ["Content-Type": "application/x-www-form-urlencoded"]
        )
        #expect(form.text == before.text)
        #expect(try wire.send(.head, "/v1/\(read)\(mark)snapshot=\(id)").status == 200)
    }

    @Test("pages of a snapshot together are the collection as it was")
    func pages() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let whole = try wire.get("/v1/objects/Dog", ["sort": "-name"]).rows
        let id = try make(wire)
        var rows: [JSONValue] = []
        var after = ""
        for step in 0..<10 {
            let page = try wire.send(
                .get,
                "/v1/objects/Dog\(CollectionPath.query([("sort", "-name"), ("limit", "1"), ("snapshot", id), ("after", after)]))"
            )
            rows += page.rows
            #expect(try wire.send(.patch, "/v1/objects/Dog/\(step % 4 + 1)", #"{"name":"n\#(step)"}"#).status == 200)
            guard let next = page["next"]?.asString else { break }
            after = next
        }
        #expect(rows == whole)
    }

    @Test(
        "it lasts as long as it was asked for, and is then gone with its version",
        arguments: DogOwnersGatewayFixture.Kind.allCases)
    func expiry(kind: DogOwnersGatewayFixture.Kind) throws {
        let home = try DogOwnersGatewayFixture(kind)
        let wire = home.wire
        let (short, long) = (try make(wire, "?ttl=10"), try make(wire, "?ttl=100"))
        #expect(try wire.get("/v1/snapshots/\(short)")["expires"] == "1970-01-12T13:46:50Z")
        #expect(try wire.get("/v1/snapshots")["snapshots"]?.asArray?.count == 2)
        home.clock.pass(9)
        #expect(try wire.get("/v1/objects/Dog", ["snapshot": short]).status == 200)
        home.clock.pass(1)
        let gone = try wire.get("/v1/objects/Dog", ["snapshot": short])
        #expect(gone.status == 410 && gone.code == "snapshot.gone" && gone["parameter"] == "snapshot")
        #expect(try wire.get("/v1/snapshots/\(short)").status == 404)
        #expect(try wire.get("/v1/snapshots")["snapshots"]?.asArray?.map { $0["snapshot"] } == [.string(long)])
        #expect(home.gateway.snapshotCount == 2)
        home.gateway.expireSnapshots()
        #expect(home.gateway.snapshotCount == 1)
        #expect(try wire.send(.delete, "/v1/snapshots/\(long)").status == 204)
        let unknown = try wire.send(.delete, "/v1/snapshots/\(long)")
        #expect(unknown.status == 404 && unknown.code == "snapshot.not_found")
        #expect(try wire.get("/v1/objects/Dog", ["snapshot": long]).status == 410)
        #expect(home.gateway.snapshotCount == 0)
    }

    @Test("there are only so many, each for only so long")
    func bounds() throws {
        let home = try DogOwnersGatewayFixture(.model) {
            $0.maximumSnapshots = 2
            $0.maximumSnapshotLife = 50
            $0.snapshotLife = 60
        }
        #expect(try home.wire.send(.post, "/v1/snapshots?ttl=51").code == "parameter.invalid")
        #expect(try home.wire.send(.post, "/v1/snapshots?ttl=0").code == "parameter.invalid")
        #expect(try home.wire.send(.post, "/v1/snapshots", #"{"ttl":5}"#).code == "snapshot.no_body")
        let first = try make(home.wire)
        _ = try make(home.wire, "?ttl=20")
        let refused = try home.wire.send(.post, "/v1/snapshots")
        #expect(refused.status == 503 && refused.code == "snapshot.too_many" && refused.headers["Retry-After"] == "5")
        home.clock.pass(20)
        _ = try make(home.wire)
        #expect(try home.wire.get("/v1/snapshots/\(first)").status == 200)
        home.clock.pass(30)
        #expect(try home.wire.get("/v1/snapshots/\(first)").status == 404)
    }

    @Test("ids are all different, and say nothing")
    func ids() throws {
        let wire = try DogOwnersGatewayFixture(.model).wire
        let ids = try (0..<20).map { _ in try make(wire) }
        #expect(Set(ids).count == 20)
        #expect(ids.allSatisfy { $0.utf8.count == 22 })
    }

    static let refusals: [(HTTPMethod, String, String?)] = [
        (.get, "/v1/observe/objects/Dog", nil), (.get, "/v1/observe/objects/Dog/1", nil),
        (.post, "/v1/objects/Dog", #"{"id":7,"name":"x"}"#), (.put, "/v1/objects/Dog/1", #"{"name":"x"}"#),
        (.patch, "/v1/objects/Dog/1", #"{"name":"x"}"#), (.delete, "/v1/objects/Dog/1", nil),
    ]

    @Test("streams and writes are about the present and say so", arguments: refusals)
    func refused(method: HTTPMethod, target: String, body: String?) throws {
        let wire = try DogOwnersGatewayFixture(.model).wire
        let answer = try wire.send(method, "\(target)?snapshot=\(try make(wire))", body)
        #expect(answer.status == 400 && answer.code == "snapshot.not_possible", "\(answer)")
        #expect(try wire.version() == 3)
    }

    @Test("two versions are compared by what is different now", arguments: DogOwnersGatewayFixture.Kind.allCases)
    func comparison(kind: DogOwnersGatewayFixture.Kind) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        // A snapshot that gateways share is a version of its own.
        let pin = kind == .logged ? 1 : 0
        let first = try make(wire)
        #expect(
            try wire.get("/v1/snapshots/\(first)/changes").text
                == #"{"from":\#(3 + pin),"to":\#(3 + pin),"schemaChanged":false,"classes":[]}"#)
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":4,"name":"Rex"}"#).status == 200)
        #expect(try wire.send(.delete, "/v1/objects/Dog/4").status == 204)
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"id":6,"name":"New"}"#).status == 201)
        let second = try make(wire)
        // Changed, and changed back; made, and deleted.
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":1}"#).status == 200)
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":7}"#).status == 200)
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"id":8,"name":"Brief"}"#).status == 201)
        #expect(try wire.send(.delete, "/v1/objects/Dog/8").status == 204)
        let between = try wire.get("/v1/snapshots/\(first)/changes", ["to": second])
        #expect(
            between.text
                == #"{"from":\#(3 + pin),"to":\#(6 + 2 * pin),"schemaChanged":false,"classes":[{"class":"Person","counts":{"inserted":0,"deleted":0,"modified":1},"inserted":[],"deleted":[],"modified":[{"key":"dee","properties":["dog"]}]},{"class":"Dog","counts":{"inserted":1,"deleted":1,"modified":1},"inserted":[6],"deleted":[4],"modified":[{"key":1,"properties":["age"]}]}]}"#
        )
        let whole = try wire.get("/v1/snapshots/\(first)/changes")
        #expect(whole["classes"] == between["classes"] && whole["to"] == .int(Int64(10 + 2 * pin)))
        #expect(
            try wire.get("/v1/snapshots/\(first)/changes", ["limit": "0"])["classes"]?.asArray?.last?["inserted"] == [])
        #expect(try wire.get("/v1/snapshots/\(second)/changes", ["to": first]).code == "parameter.invalid")
        #expect(try wire.get("/v1/snapshots/nope/changes").status == 404)
        #expect(try wire.get("/v1/snapshots/\(first)/changes", ["to": "nope"]).status == 410)
    }

    @Test("owners of embedded objects whose class was changed are among the modified, however deep those are")
    func changedParts() throws {
        let home = try TestDirectory()
        let store = try EmbeddedStore.open(path: home.path + "/store")
        defer { store.close() }
        let wire = Wire(store: store, router: try Gateway(store: store).router)
        func put(_ version: Int, _ street: String, _ more: String = "") throws {
            let document =
                #"{"schemaVersion":\#(version),"classes":[{"name":"House","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"place","type":"Place?"},{"name":"note","type":"string?"}]},{"name":"Place","embedded":true,"properties":[{"name":"roads","type":"Road[]"}]},{"name":"Road","embedded":true,"properties":[{"name":"\#(street)","type":"string"}\#(more)]}],"migration":[\#(version == 2 ? #"{"rename":{"class":"Road","from":"street","to":"name"}}"# : "")]}"#
            let answer = try wire.send(.put, "/v1/schema", document)
            guard answer.status == 200 else { throw WireFailure("\(answer)") }
        }
        try put(1, "street")
        let houses = #"[{"id":1,"place":{"roads":[{"street":"Elm"}]}},{"id":2,"place":{"roads":[]}},{"id":3}]"#
        #expect(try wire.send(.post, "/v1/objects/House", houses).status == 201)
        for (version, street, more) in [(2, "name", ""), (3, "name", #",{"name":"lanes","type":"int"}"#)] {
            let before = try make(wire)
            try put(version, street, more)
            let changes = try wire.get("/v1/snapshots/\(before)/changes").text
            let named = #""class":"House","counts":{"inserted":0,"deleted":0,"modified":1},"inserted":[],"deleted":[],"#
            #expect(
                changes.contains(named + #""modified":[{"key":1,"properties":["place"]}]"#),
                "version \(version): \(changes)")
        }
    }
}
