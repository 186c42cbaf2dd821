import AccessRules
import EmbeddedStore
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract

/// A gateway to a database of which a caller sees a part, and one to a database with only that part: hidden objects,
/// properties and classes were really deleted. For the caller both must be the same.
struct HiddenPartFixture {
    /// Occurs in all hidden data.
    static let marker = "SECRETMARK"
    /// The prefix of the numbers of hidden objects.
    static let number = "66600"

    let whole: Wire
    /// The gateway itself, to wait for its events.
    let gateway: Gateway
    let part: Wire
    let partGateway: Gateway
    private let homes: [TestDirectory]

    static func schema(version: Int) -> String {
        #"""
        {"schemaVersion":\#(version),"classes":[
          {"name":"Person","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"name","type":"string","indexed":true},{"name":"open","type":"bool"},
            {"name":"age","type":"int?"},{"name":"secret","type":"string?","fullText":true},{"name":"weight","type":"double"},
            {"name":"vault","type":"Vault?"},{"name":"friend","type":"Person?"},{"name":"friends","type":"Person[]"},
            {"name":"pals","type":"Person<>"},{"name":"by","type":"Person?{}"},{"name":"any","type":"mixed"},
            {"name":"anys","type":"mixed[]"},{"name":"anySet","type":"mixed<>"},{"name":"anyMap","type":"mixed{}"},
            {"name":"nums","type":"int[]"},{"name":"home","type":"Address?"},{"name":"homes","type":"Address[]"},
            {"name":"fans","type":"linkingObjects(Person.friend)"},{"name":"notes","type":"linkingObjects(Note.author)"}]},
          {"name":"Note","properties":[{"name":"text","type":"string"},{"name":"author","type":"Person?"}]},
          {"name":"Address","embedded":true,"properties":[{"name":"street","type":"string"},{"name":"guest","type":"Person?"}]},
          {"name":"Vault","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"name","type":"string"}]}]}
        """#
    }

    /// The schema that the caller sees.
    static let visibleSchema = #"""
        {"schemaVersion":2,"classes":[
          {"name":"Person","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"name","type":"string","indexed":true},{"name":"open","type":"bool"},
            {"name":"age","type":"int?"},{"name":"weight","type":"double"},
            {"name":"friend","type":"Person?"},{"name":"friends","type":"Person[]"},
            {"name":"pals","type":"Person<>"},{"name":"by","type":"Person?{}"},{"name":"any","type":"mixed"},
            {"name":"anys","type":"mixed[]"},{"name":"anySet","type":"mixed<>"},{"name":"anyMap","type":"mixed{}"},
            {"name":"nums","type":"int[]"},{"name":"home","type":"Address?"},{"name":"homes","type":"Address[]"},
            {"name":"fans","type":"linkingObjects(Person.friend)"},{"name":"notes","type":"linkingObjects(Note.author)"}]},
          {"name":"Note","properties":[{"name":"text","type":"string"},{"name":"author","type":"Person?"}]},
          {"name":"Address","embedded":true,"properties":[{"name":"street","type":"string"},{"name":"guest","type":"Person?"}]}]}
        """#

    static func link(_ key: Int) -> String { #"{"$link":{"class":"Person","key":\#(key)}}"# }

    private static let bodies: [(String, String)] = [
        ("/v1/objects/Vault", #"[{"id":666009,"name":"SECRETMARK vault"}]"#),
        (
            "/v1/objects/Person",
            #"""
            [{"id":1,"name":"ada","open":true,"age":30,"weight":1.5,"secret":"SECRETMARK one"},
             {"id":666001,"name":"SECRETMARK ida","age":99,"weight":1000,"secret":"SECRETMARK two"},
             {"id":2,"name":"bob","open":true,"age":20,"weight":2,"secret":"SECRETMARK three"},
             {"id":666002,"name":"SECRETMARK joe","age":98,"weight":2000},
             {"id":3,"name":"cyd","open":true,"weight":2}]
            """#
        ),
        (
            "/v1/objects/Note",
            #"""
            [{"text":"hello","author":1},{"text":"SECRETMARK note","author":666001},{"text":"SECRETMARK nobody's"},
             {"text":"bye","author":1}]
            """#
        ),
    ]

    private static let patches: [(String, String)] = [
        (
            "/v1/objects/Person/1",
            #"""
            {"vault":666009,"friend":666001,"friends":[666001,2,666002,3,2],"pals":[666001,2,3],
             "by":{"a":666001,"b":2,"c":null},"any":\#(link(666001)),"anys":[1,\#(link(666001)),\#(link(2)),[\#(link(666002))]],
             "anySet":[\#(link(666001)),\#(link(2)),7],"anyMap":{"x":\#(link(666001)),"y":{"z":\#(link(666002))},"w":3},
             "nums":[3,1],"home":{"street":"Main","guest":666002},"homes":[{"street":"A","guest":2},{"street":"B","guest":666001}]}
            """#
        ),
        ("/v1/objects/Person/2", #"{"friend":1,"friends":[3],"any":5,"by":{"a":1}}"#),
        ("/v1/objects/Person/3", #"{"friend":666002,"friends":[666002],"any":\#(link(1))}"#),
        (
            "/v1/objects/Person/666001",
            #"{"friend":1,"friends":[1,2],"home":{"street":"SECRETMARK street","guest":1},"nums":[1000]}"#
        ),
        ("/v1/objects/Person/666002", #"{"friend":2,"any":\#(link(1)),"pals":[1]}"#),
    ]

    static let role = Role(
        name: "guest",
        classes: [
            "Person": ClassRule(
                read: "open == $claims.wanted",
                readableProperties: [
                    "name", "open", "age", "weight", "vault", "friend", "friends", "pals", "by", "any", "anys",
                    "anySet",
                    "anyMap", "nums", "home", "homes", "fans", "notes",
                ]),
            "Note": ClassRule(read: "author.open == true"),
        ])

    static let caller = Caller(
        Principal(credential: .key("guest"), subject: "guest"),
        AccessView(role: role, claims: .object(JSONObject([JSONObject.Member(name: "wanted", value: .bool(true))]))))

    init(_ caller: Caller = HiddenPartFixture.caller) throws {
        let homes = [try TestDirectory(), try TestDirectory()]
        self.homes = homes
        let stores = try [2, 1].enumerated().map { index, version in
            var options = EmbeddedStoreOptions()
            options.clusterCapacity = 64
            return try EmbeddedStore.open(
                path: homes[index].path + "/store",
                schema: try SchemaCoding.decode(try JSONValue.parse(Self.schema(version: version))), options: options)
        }
        var configuration = GatewayConfiguration.untimed
        configuration.openapiDirectory = Checkout.root + "/openapi"
        gateway = try Gateway(store: stores[0], configuration: configuration)
        partGateway = try Gateway(store: stores[1], configuration: configuration)
        whole = Wire(store: stores[0], router: gateway.router)
        part = Wire(store: stores[1], router: partGateway.router)
        for wire in [whole, part] {
            for (target, body) in Self.bodies { try Self.check(try wire.send(.post, target, body)) }
            for (target, body) in Self.patches { try Self.check(try wire.send(.patch, target, body)) }
        }
        for target in ["Person/666001", "Person/666002", "Note/1", "Note/2"] {
            try Self.check(try part.send(.delete, "/v1/objects/\(target)"))
        }
        var schema = try SchemaCoding.decode(try JSONValue.parse(Self.visibleSchema))
        schema.version = 2
        _ = try stores[1].replaceSchema(with: schema, migration: Migration(steps: [.deleteClass("Vault")]))
    }

    private static func check(_ answer: WireResponse) throws {
        guard (200...299).contains(answer.status) else { throw WireFailure("setting up: \(answer)") }
    }
}

extension Wire {
    /// Sends a request as a caller.
    func send(
        as caller: Caller, _ method: HTTPMethod, _ target: String, _ body: String? = nil, headers: HeaderFields = [:]
    ) throws -> WireResponse {
        try Wire(store: store, router: router.calling(as: caller)).send(method, target, body, headers: headers)
    }

    func observe(as caller: Caller, _ target: String, headers: HeaderFields = [:]) throws -> WireEvents {
        try Wire(store: store, router: router.calling(as: caller)).observe(target, headers: headers)
    }
}

extension Router {
    /// Returns a router whose requests all come from one caller.
    func calling(as caller: Caller) -> Router {
        var calling = Router()
        for method in [HTTPMethod.get, .post, .put, .patch, .delete, .head, .options] {
            calling.on(method, "/*path") { [self] request, _ in
                var known = request
                known.context = CallerContext(caller)
                if request.path.hasPrefix("/v1/import/") { known.bodyFile = try BodyFile(request.body) }
                return respond(to: known)
            }
        }
        return calling
    }
}
