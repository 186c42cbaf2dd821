import AccessRules
import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import ObjectModel
import Testing

@Suite("Endpoints of keys")
struct KeyEndpointTests {
    @Test("only administrators see and change keys", arguments: ["reader", "readOnlyAdmin"])
    func administratorsOnly(kind: String) throws {
        let guarded = try GuardedGateway()
        let secret =
            kind == "reader"
            ? try guarded.secret("reader") : try guarded.secret("admin", scope: KeyScope(isReadOnly: true))
        let headers: HeaderFields = ["X-API-Key": secret]
        for (method, path) in [(HTTPMethod.get, "/v1/keys"), (.get, "/v1/keys/x"), (.delete, "/v1/keys/x")] {
            #expect(try guarded.gateway.send(method, path, headers: headers).status == 403)
        }
        let made = try guarded.gateway.send(.post, "/v1/keys", #"{"name":"a","role":"admin"}"#, headers: headers)
        #expect(made.status == 403)
        #expect(made.member("code") == .string("access.denied"))
    }

    @Test("administrators see what each role may do, with the rules that select some objects")
    func roles() throws {
        let clerk = Role(
            name: "clerk",
            classes: [
                "Dog": ClassRule(
                    read: "TRUEPREDICATE", update: "owner.handle == $claims.handle",
                    readableProperties: ["name", "age"])
            ])
        let guarded = try GuardedGateway([clerk])
        let answer = try guarded.gateway.get("/v1/roles", headers: try guarded.bearer("admin"))
        #expect(answer.status == 200)
        let roles = try #require(answer.member("items")?.asArray)
        #expect(roles.compactMap { $0["name"]?.asString } == ["clerk", "admin"])
        #expect(roles.map { $0["administrator"] } == [false, true])
        let dog = try #require(roles.first?["classes"]?.asArray?.first { $0["name"] == "Dog" })
        #expect(
            dog == [
                "name": "Dog", "read": "all", "create": "none", "update": "some", "delete": "none",
                "rules": ["update": "owner.handle == $claims.handle"], "readable": ["age", "name"],
            ])
        let note = try #require(roles.first?["classes"]?.asArray?.first { $0["name"] == "Note" })
        #expect(note["read"] == "none" && note["rules"] == nil)
        #expect(try guarded.gateway.get("/v1/roles", headers: try guarded.bearer("clerk")).status == 403)
        #expect(try guarded.gateway.get("/v1/roles").status == 401)
        #expect(try TestGateway().get("/v1/roles").member("code") == .string("keys.unavailable"))
    }

    @Test("a key is made, listed, shown and taken back; its secret is in the first answer only")
    func life() throws {
        let guarded = try GuardedGateway()
        let admin = try guarded.bearer("admin")
        let body = #"""
            {"name":"till","role":"reader","claims":{"shop":7},"subject":"t3","expiresIn":60,"readOnly":true,"classes":["Dog"]}
            """#
        let made = try guarded.gateway.send(.post, "/v1/keys", body, headers: admin)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.headers["Cache-Control"] == "no-store")
        guard case .string(let secret)? = made.member("secret"), case .string(let id)? = made.member("id") else {
            Issue.record("no secret")
            return
        }
        #expect(secret.hasPrefix("rg_\(id)_"))
        #expect(made.headers["Location"] == "/v1/keys/\(id)")
        let shown = try guarded.gateway.get("/v1/keys/\(id)", headers: admin)
        #expect(shown.member("secret") == nil && shown.member("sha256") == nil)
        #expect(shown.member("name") == .string("till"))
        #expect(shown.member("claims") == ["shop": .int(7)])
        #expect(shown.member("expires") == .string(Timestamp(seconds: guarded.clock.now.seconds + 60).rfc3339))
        let list = try guarded.gateway.get("/v1/keys", headers: admin)
        #expect(!list.text.contains(secret) && !list.text.contains("sha256"))
        #expect(list.text.contains(id))
        let who = try guarded.gateway.get("/v1/whoami", headers: ["X-API-Key": secret])
        #expect(who.member("key") == .string(id))
        #expect(who.member("role") == .string("reader"))
        #expect(who.member("subject") == .string("t3"))
        #expect(who.member("administrator") == .bool(false))
        #expect(try guarded.gateway.send(.delete, "/v1/keys/\(id)", headers: admin).status == 204)
        #expect(try guarded.gateway.get("/v1/whoami", headers: ["X-API-Key": secret]).status == 401)
        #expect(try guarded.gateway.get("/v1/keys/\(id)", headers: admin).member("revoked") != nil)
        #expect(try guarded.gateway.send(.delete, "/v1/keys/\(id)", headers: admin).status == 204)
        #expect(try guarded.gateway.send(.delete, "/v1/keys/none", headers: admin).status == 404)
    }

    @Test(
        "a body that describes no key is refused with the member that is wrong",
        arguments: [
            (#"[]"#, "$"), (#"{"role":"admin"}"#, "$.name"), (#"{"name":"","role":"admin"}"#, "$.name"),
            (#"{"name":"a"}"#, "$.role"), (#"{"name":"a","role":"amdin"}"#, "$.role"),
            (#"{"name":"a","role":"admin","roles":["admin"]}"#, "$.role"),
            (#"{"name":"a","roles":"admin"}"#, "$.roles"),
            (#"{"name":"a","roles":[1]}"#, "$.roles"), (#"{"name":"a","role":"admin","claims":[]}"#, "$.claims"),
            (#"{"name":"a","role":"admin","expires":"soon"}"#, "$.expires"),
            (#"{"name":"a","role":"admin","expires":"2001-01-01T00:00:00Z"}"#, "$.expires"),
            (#"{"name":"a","role":"admin","expiresIn":0}"#, "$.expiresIn"),
            (#"{"name":"a","role":"admin","expiresIn":9223372036854775807}"#, "$.expiresIn"),
            (#"{"name":"a","role":"admin","readonly":true}"#, "$.readonly"),
            (#"{"name":"a","role":"admin","readOnly":1}"#, "$.readOnly"),
        ])
    func faults(body: String, path: String) throws {
        let guarded = try GuardedGateway()
        let response = try guarded.gateway.send(.post, "/v1/keys", body, headers: try guarded.bearer("admin"))
        #expect(response.status == 400, "\(response.text)")
        #expect(response.member("code") == .string("keys.invalid"))
        #expect(response.member("path") == .string(path))
    }

    @Test("a name that is nearly right comes with the right one")
    func hints() throws {
        let guarded = try GuardedGateway()
        let admin = try guarded.bearer("admin")
        let role = try guarded.gateway.send(.post, "/v1/keys", #"{"name":"a","role":"raeder"}"#, headers: admin)
        #expect(role.member("hint") == .string("reader"))
        let member = try guarded.gateway.send(.post, "/v1/keys", #"{"name":"a","claim":{}}"#, headers: admin)
        #expect(member.member("hint") == .string("claims"))
    }

    @Test("whoami lists what the caller may do with each class")
    func rights() throws {
        let rule = ClassRule(
            read: "TRUEPREDICATE", create: "owner == $claims.sub", readableProperties: ["name", "age"],
            writableProperties: ["name"])
        let guarded = try GuardedGateway([Role(name: "clerk", classes: ["Dog": rule])])
        let who = try guarded.gateway.get("/v1/whoami", headers: try guarded.bearer("clerk"))
        #expect(who.status == 200, "\(who.text)")
        guard case .array(let classes)? = who.member("classes"),
            let dog = classes.first(where: { $0["name"] == .string("Dog") })
        else {
            Issue.record("no classes: \(who.text)")
            return
        }
        #expect(
            dog == [
                "name": .string("Dog"), "read": .string("all"), "create": .string("some"), "update": .string("none"),
                "delete": .string("none"), "readable": [.string("age"), .string("name")], "writable": [.string("name")],
            ])
        let admin = try guarded.gateway.get("/v1/whoami", headers: try guarded.bearer("admin"))
        #expect(admin.member("administrator") == .bool(true))
        #expect(admin.text.contains(#"{"name":"Badge","read":"all","create":"all","update":"all","delete":"all"}"#))
    }

    @Test("a gateway without access control has no keys, and everybody is an administrator")
    func without() throws {
        let gateway = try TestGateway()
        #expect(try gateway.get("/v1/keys").member("code") == .string("keys.unavailable"))
        let who = try gateway.get("/v1/whoami")
        #expect(who.member("administrator") == .bool(true) && who.member("open") == .bool(true))
    }
}
