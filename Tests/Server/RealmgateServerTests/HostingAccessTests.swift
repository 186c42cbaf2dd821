import Foundation
import HTTPTesting
import RealmSwift
import RealmgateServer
import Testing

@Suite("Access to a hosted realm", .timeLimit(.minutes(20)))
struct HostingAccessTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func server(_ options: RealmServer.Options) throws -> RealmServer {
        try RealmServer(
            realm: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Site.types),
            options: options)
    }

    private func code(_ options: RealmServer.Options) -> RealmServer.Error.Code? {
        do {
            try server(options).start()
            return nil
        } catch {
            return (error as? RealmServer.Error)?.code
        }
    }

    @Test("an address that others reach is refused while everybody may do everything")
    func openAddress() async throws {
        #expect(code(.init(host: "0.0.0.0")) == .openAddress)
        #expect(code(.init(host: "::")) == .openAddress)
        // Nothing is left listening, and the error says what to do.
        let refused = try server(.init(host: "0.0.0.0"))
        do { try refused.start() } catch { #expect("\(error)".contains("allowsOpenAddress")) }
        #expect(!refused.isRunning)
        #expect(code(.init(access: .init(isRequired: true))) == nil)
    }

    @Test("what cannot be used is refused with its reason, and nothing listens")
    func faults() throws {
        #expect(code(.init(host: "no.such.host.invalid", access: .init(isRequired: true))) == .address)
        #expect(code(.init(port: 70_000)) == .address)
        #expect(code(.init(access: .init(administratorKey: "short"))) == .access)
        #expect(code(.init(access: .init(tokens: .init()))) == .access)
        var tokens = RealmServer.Tokens(secret: Self.secret)
        tokens.algorithms = ["none"]
        #expect(code(.init(access: .init(tokens: tokens))) == .access)
        let roles = [RealmServer.Role("reader", rules: ["HostedDog": .init(read: "nme == 'a'")])]
        #expect(code(.init(access: .init(roles: roles))) == .access)
        let missing = URL(fileURLWithPath: "/nowhere")
        #expect(code(.init(tls: .init(certificateChain: missing, key: missing))) == .configuration)
        #expect(code(.init(console: .directory(missing))) == .configuration)
        var readOnly = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Site.types)
        readOnly.readOnly = true
        #expect(throws: RealmServer.Error.self) { try RealmServer(realm: readOnly) }
    }

    @Test("the administrator's key, keys made by the program, and roles decide who may do what")
    func keys() async throws {
        let access = RealmServer.Access(
            roles: [
                .init(
                    "member",
                    rules: [
                        "HostedEntry": .init(
                            read: "writer == $claims.name", create: "writer == $claims.name", update: nil, delete: nil)
                    ]),
                .init("anonymous", rules: ["HostedPerson": .readOnly]),
            ], administratorKey: Self.secret)
        let site = try Site(.init(access: access))
        try site.write { realm in
            realm.create(HostedEntry.self, value: ["id": 1, "writer": "ann"])
            realm.create(HostedEntry.self, value: ["id": 2, "writer": "bob"])
            realm.create(HostedPerson.self, value: ["name": "Ann"])
        }
        let admin = "Authorization: Bearer \(Self.secret)\r\n"
        #expect(try site.ask("GET /v1/objects/HostedEntry?count=true", headers: admin).json["count"] as? Int == 2)
        #expect(try site.ask("GET /v1/objects/HostedPerson?count=true").json["count"] as? Int == 1)
        #expect(try site.ask("GET /v1/objects/HostedEntry").status == 404)
        let key = try site.server.makeKey(name: "Ann's", role: "member", claims: ["name": "ann"])
        let member = "Authorization: Bearer \(key)\r\n"
        #expect(try site.ask("GET /v1/objects/HostedEntry?count=true", headers: member).json["count"] as? Int == 1)
        let own = #"{"id": 3, "writer": "ann"}"#
        let other = #"{"id": 4, "writer": "bob"}"#
        #expect(try site.ask("POST /v1/objects/HostedEntry", own, headers: member).status == 201)
        #expect(try site.ask("POST /v1/objects/HostedEntry", other, headers: member).status == 403)
        #expect(throws: RealmServer.Error.self) { try site.server.makeKey(name: "x", role: "nobody") }
        #expect(
            try site.run { $0.objects(HostedEntry.self).sorted(byKeyPath: "id").map(\.id) } == [1, 2, 3])
        await site.server.stop()
    }

    @Test("the schema stays as the program has it")
    func schemaIsFixed() async throws {
        let site = try Site()
        let present = try site.ask("GET /v1/schema").text
        #expect(try site.ask("PUT /v1/schema", present).status == 200)
        let other = present.replacingOccurrences(of: "HostedPerson", with: "HostedPersona")
        let refusal = try site.ask("PUT /v1/schema", other)
        #expect(refusal.status == 409 && refusal.json["code"] as? String == "schema.fixed")
        let plan = try site.ask("POST /v1/schema/plan", other)
        #expect(plan.json["applicable"] as? Bool == false && plan.json["code"] as? String == "schema.fixed")
        await site.server.stop()
    }

    @Test("other classes than the program's may be changed where that is allowed")
    func otherClasses() async throws {
        let site = try Site(.init(schemaChanges: .otherClasses))
        let text = try site.ask("GET /v1/schema").text
        var schema = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        var classes = try #require(schema["classes"] as? [[String: Any]])
        func put() throws -> Int {
            schema["classes"] = classes
            let body = String(decoding: try JSONSerialization.data(withJSONObject: schema), as: UTF8.self)
            return try site.ask("PUT /v1/schema", body).status
        }
        classes.append([
            "name": "Extra",
            "properties": [["name": "text", "type": "string"], ["name": "dog", "type": "HostedDog?"]],
        ])
        #expect(try put() == 200)
        try site.write { realm in realm.create(HostedDog.self, value: ["id": 1]) }
        #expect(try site.ask("POST /v1/objects/Extra", #"{"text": "x", "dog": 1}"#).status == 201)
        // A class of another configuration counts as the program's from then on.
        var more = site.configuration
        more.objectTypes = Site.types + [HostedLater.self]
        let queue = DispatchQueue(label: "more")
        try queue.sync { [more] in
            let realm = try Realm(configuration: more, queue: queue)
            try realm.write { _ = realm.create(HostedLater.self, value: ["id": 1]) }
        }
        #expect(try site.ask("GET /v1/objects/HostedLater/1").status == 200)
        #expect(try put() == 409)
        let now = try site.ask("GET /v1/schema").text
        schema = try #require(try JSONSerialization.jsonObject(with: Data(now.utf8)) as? [String: Any])
        classes = try #require(schema["classes"] as? [[String: Any]])
        for index in classes.indices where classes[index]["name"] as? String == "HostedDog" {
            let properties = classes[index]["properties"] as? [[String: Any]] ?? []
            classes[index]["properties"] = properties + [["name": "more", "type": "int"]]
        }
        #expect(try put() == 409)
        schema = try #require(try JSONSerialization.jsonObject(with: Data(now.utf8)) as? [String: Any])
        classes = try #require(schema["classes"] as? [[String: Any]])
        schema["schemaVersion"] = 7
        #expect(try put() == 409)
        #expect(try site.run { $0.objects(HostedDog.self).count } == 1)
        await site.server.stop()
    }
}
