import AccessRules
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import ObjectModel
import RequestHandling
import Synchronization
import Testing

/// A clock that tests set.
final class HandClock: Sendable {
    private let seconds = Mutex<Int64>(1_800_000_000)

    var now: Timestamp { Timestamp(seconds: seconds.withLock { $0 }) }

    func advance(_ count: Int64) { seconds.withLock { $0 += count } }
}

/// A gateway with access control, keys in memory, and a clock that tests set.
struct GuardedGateway {
    let clock = HandClock()
    let keys: KeyRing
    let control: AccessControl
    let gateway: TestGateway

    static let reader = Role(name: "reader", others: ClassRule(read: "TRUEPREDICATE"))

    init(
        _ roles: [Role] = [reader], isRequired: Bool = true,
        _ configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws {
        let clock = clock
        let keys = KeyRing(clock: { clock.now })
        let control = AccessControl(
            AccessControl.Rules(roles: roles, isRequired: isRequired), keys: keys, clock: { clock.now })
        self.keys = keys
        self.control = control
        gateway = try TestGateway {
            $0.accessControl = control
            $0.clock = { clock.now }
            configure(&$0)
        }
    }

    func secret(
        _ role: String, claims: JSONValue = [:], expires: Timestamp? = nil, scope: KeyScope = .all
    ) throws -> String {
        try keys.create(.init(name: "test", roles: [role], claims: claims, expires: expires, scope: scope)).secret
    }

    func bearer(_ role: String) throws -> HeaderFields { ["Authorization": "Bearer \(try secret(role))"] }
}

@Suite("Access control")
struct AccessControlTests {
    @Test(
        "a request without a credential gets 401, but for what is public",
        arguments: [
            ("/v1/objects/Dog", 401), ("/v1/schema", 401), ("/v1/whoami", 401), ("/v1/keys", 401), ("/nowhere", 401),
            ("/healthz/", 401), ("/healthz", 200), ("/readyz", 200), ("/", 200), ("/static/none.js", 404),
        ])
    func withoutCredential(path: String, status: Int) throws {
        let guarded = try GuardedGateway()
        let response = try guarded.gateway.get(path)
        #expect(response.status == status, "\(response.text)")
        guard status == 401 else { return }
        #expect(response.headers["WWW-Authenticate"] == "Bearer realm=\"realmgate\"")
        #expect(response.member("code") == .string("auth.required"))
    }

    @Test("a preflight needs no credential")
    func preflight() throws {
        #expect(try GuardedGateway().gateway.send(.options, "/v1/objects/Dog").status == 204)
    }

    @Test("unknown, altered, cut and revoked keys are refused with the same answer")
    func sameRefusal() throws {
        let guarded = try GuardedGateway()
        let good = try guarded.secret("reader")
        let revoked = try guarded.keys.create(.init(name: "b", roles: ["reader"]))
        _ = try guarded.keys.revoke(revoked.key.id)
        let altered = String(good.dropLast()) + (good.hasSuffix("A") ? "B" : "A")
        let wrong = [
            altered, revoked.secret, String(good.dropLast()), "rg_00000000_" + good.suffix(43), "x", "a.b.c",
            good + "\u{e9}",
        ]
        var answers: Set<String> = []
        for text in wrong {
            let response = try guarded.gateway.get("/v1/objects/Dog", headers: ["Authorization": "Bearer \(text)"])
            #expect(response.status == 401)
            #expect(response.headers["WWW-Authenticate"] == "Bearer realm=\"realmgate\", error=\"invalid_token\"")
            answers.insert(PermissionMatrixTests.plain(response.text))
        }
        #expect(answers.count == 1)
        #expect(try guarded.gateway.get("/v1/objects/Dog", headers: ["Authorization": "Bearer \(good)"]).status == 200)
    }

    @Test("a key is taken from either header, the scheme in any case; other schemes are refused")
    func headers() throws {
        let guarded = try GuardedGateway()
        let key = try guarded.secret("reader")
        for headers: HeaderFields in [
            ["Authorization": "bearer \(key)"], ["authorization": "BEARER  \(key) "], ["X-API-Key": key],
        ] {
            #expect(try guarded.gateway.get("/v1/schema", headers: headers).status == 200)
        }
        for headers: HeaderFields in [
            ["Authorization": "Basic \(key)"], ["Authorization": key], ["Authorization": ""], ["X-API-Key": ""],
            ["Authorization": "Basic x", "X-API-Key": key],
        ] {
            #expect(try guarded.gateway.get("/v1/schema", headers: headers).status == 401)
        }
    }

    @Test("a stream takes the key as a parameter, which nothing else does")
    func parameter() throws {
        let guarded = try GuardedGateway()
        let key = try guarded.secret("reader")
        #expect(try guarded.gateway.get("/v1/observe/objects/Dog?access_token=\(key)").status == 200)
        #expect(try guarded.gateway.get("/v1/observe/objects/Dog?access_token=x").status == 401)
        #expect(try guarded.gateway.get("/v1/objects/Dog?access_token=\(key)").status == 401)
        #expect(try guarded.gateway.send(.post, "/v1/observe/objects/Dog?access_token=\(key)", "{}").status == 401)
    }

    @Test("a genuine key without a role that is configured gets 403")
    func noRole() throws {
        let guarded = try GuardedGateway()
        let key = try guarded.keys.create(.init(name: "a", roles: ["gone"])).secret
        let response = try guarded.gateway.get("/v1/schema", headers: ["X-API-Key": key])
        #expect(response.status == 403)
        #expect(response.member("code") == .string("auth.no_role"))
    }

    @Test("of several roles the first that is configured counts")
    func firstRole() throws {
        let guarded = try GuardedGateway([Role(name: "b"), Role(name: "a")])
        let key = try guarded.keys.create(.init(name: "x", roles: ["a", "b", "admin"])).secret
        let who = try guarded.gateway.get("/v1/whoami", headers: ["X-API-Key": key])
        #expect(who.member("role") == .string("b"))
    }

    @Test("the role anonymous is for those without a credential, and not for those with a wrong one")
    func anonymous() throws {
        let guarded = try GuardedGateway([Role(name: "anonymous", others: ClassRule(read: "TRUEPREDICATE"))])
        #expect(try guarded.gateway.get("/v1/objects/Dog").status == 200)
        #expect(try guarded.gateway.get("/v1/objects/Dog", headers: ["X-API-Key": "wrong"]).status == 401)
        #expect(try guarded.gateway.get("/v1/keys").status == 403)
    }

    @Test("an expired key is told so, and its caller is no longer valid")
    func expiry() throws {
        let guarded = try GuardedGateway()
        let key = try guarded.secret("reader", expires: Timestamp(seconds: guarded.clock.now.seconds + 10))
        let request = try Request(.get, "/v1/schema", headers: ["X-API-Key": key])
        let caller = try guarded.control.caller(of: request)
        let count = Counter()
        guarded.control.onChange { count.add() }
        guarded.control.checkForChanges()
        #expect(count.value == 0)
        #expect(guarded.control.isValid(caller))
        guarded.clock.advance(10)
        #expect(!guarded.control.isValid(caller))
        guarded.clock.advance(1)
        guarded.control.checkForChanges()
        #expect(count.value == 1)
        let response = try guarded.gateway.get("/v1/schema", headers: ["X-API-Key": key])
        #expect(response.status == 401)
        #expect(response.member("code") == .string("auth.expired"))
    }

    @Test("callers are valid until their key is revoked or their role changes, and changes are told")
    func changes() throws {
        let guarded = try GuardedGateway()
        let count = Counter()
        guarded.control.onChange { count.add() }
        let (key, secret) = try guarded.keys.create(.init(name: "a", roles: ["reader"]))
        let request = try Request(.get, "/v1/schema", headers: ["X-API-Key": secret])
        let caller = try guarded.control.caller(of: request)
        guarded.control.replace(.init(roles: [GuardedGateway.reader, Role(name: "other")]))
        #expect(count.value == 1)
        #expect(guarded.control.isValid(caller), "its own role is as it was")
        guarded.control.replace(.init(roles: [Role(name: "reader")]))
        #expect(!guarded.control.isValid(caller))
        guarded.control.replace(.init(roles: [GuardedGateway.reader]))
        #expect(guarded.control.isValid(caller))
        let admin = try guarded.bearer("admin")
        #expect(try guarded.gateway.send(.delete, "/v1/keys/\(key.id)", headers: admin).status == 204)
        #expect(count.value == 4)
        #expect(!guarded.control.isValid(caller))
    }

    @Test("without roles, keys and tokens a server that requires nothing is open, until the first key is made")
    func openUntilFirstKey() throws {
        let guarded = try GuardedGateway([], isRequired: false)
        let caller = try guarded.control.caller(of: try Request(.get, "/v1/schema"))
        #expect(caller == .unrestricted)
        #expect(guarded.control.isOpen && guarded.control.isValid(caller))
        #expect(try guarded.gateway.get("/v1/whoami").member("open") == .bool(true))
        let made = try guarded.gateway.send(.post, "/v1/keys", #"{"name":"me","role":"admin"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(!guarded.control.isOpen && !guarded.control.isValid(caller))
        #expect(try guarded.gateway.get("/v1/schema").status == 401)
        guard case .string(let secret)? = made.member("secret") else {
            Issue.record("no secret")
            return
        }
        #expect(try guarded.gateway.get("/v1/schema", headers: ["X-API-Key": secret]).status == 200)
        // Revoking the only key does not make the server open again.
        guard case .string(let id)? = made.member("id") else {
            Issue.record("no id")
            return
        }
        _ = try guarded.gateway.send(.delete, "/v1/keys/\(id)", headers: ["X-API-Key": secret])
        #expect(try guarded.gateway.get("/v1/schema").status == 401)
    }

    @Test("a scope never gives more than the role, and an administrator's key with one is not an administrator")
    func scopes() throws {
        let guarded = try GuardedGateway()
        func control(_ role: String, _ scope: KeyScope) throws -> Role {
            let key = try guarded.secret(role, scope: scope)
            return try guarded.control.caller(of: try Request(.get, "/v1/schema", headers: ["X-API-Key": key])).view
                .role
        }
        let always = "TRUEPREDICATE"
        let dogs = try control("admin", KeyScope(classes: ["Dog"]))
        #expect(!dogs.isAdministrator)
        #expect(dogs.others == ClassRule())
        #expect(dogs.classes == ["Dog": ClassRule(read: always, create: always, update: always, delete: always)])
        let looking = try control("admin", KeyScope(isReadOnly: true))
        #expect(!looking.isAdministrator)
        #expect(looking.others == ClassRule(read: always))
        let narrow = try control("reader", KeyScope(isReadOnly: true, classes: ["Dog"]))
        #expect(narrow.classes == ["Dog": ClassRule(read: always)] && narrow.others == ClassRule())
        #expect(try control("admin", .all).isAdministrator)
    }
}

/// Counts calls from any thread.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func add() { count.withLock { $0 += 1 } }
}
