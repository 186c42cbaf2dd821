import AccessRules
import Foundation
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import ObjectModel
import RealmSwift
import RequestHandling
import Synchronization
import TestBasics
import Testing

@Suite("What a follower makes of gateways that are not in order")
struct OutageTests {
    private static let answers: [(status: String, headers: [String], body: String)] = [
        ("503 Service Unavailable", ["Retry-After: 1"], "{}"),
        ("429 Too Many Requests", ["Retry-After: 1"], #"{"code":"rate.limited","detail":"Too many."}"#),
        ("502 Bad Gateway", [], "<html></html>"),
        ("401 Unauthorized", [], #"{"code":"auth.invalid","detail":"Who?"}"#),
        ("404 Not Found", [], "<html></html>"),
        ("200 OK", ["Content-Type: text/html"], "<html>Please sign in</html>"),
    ]

    @Test("nothing is lost or undone whatever else answers at the gateway's address for a while", arguments: 0..<6)
    func answers(_ index: Int) async throws {
        let answer = Self.answers[index]
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1},{"_id":2}]"#)
        let client = SyncedRealm(server)
        try await client.dogs()
        server.stop()
        let other = try CannedServer(at: server.url, status: answer.status, headers: answer.headers, body: answer.body)
        try await client.write { realm in
            realm.object(ofType: SubDog.self, forPrimaryKey: 1)?.names.append("once")
            realm.create(SubDog.self, value: ["_id": 3])
            if let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 2) { realm.delete(dog) }
        }
        let session = try #require(try await client.session())
        // Of the stream and of the upload, in whichever order.
        let haveCome = try await eventually { other.requests >= 2 }
        #expect(haveCome)
        await #expect(throws: Realm.Error(.subscriptionFailed)) { try await session.wait(for: .upload, timeout: 0.2) }
        // Pauses double, so even after minutes there are few.
        #expect(other.requests < 30)
        other.stop()
        try server.start()
        session.resume()
        try await client.settle()
        #expect(try await client.keys() == [1, 3])
        #expect(server.object("SubDog", "1")?["names"] == ["once"])
        #expect(server.object("SubDog", "2") == nil && server.object("SubDog", "3") != nil)
        #expect(client.errors.now.allSatisfy { [.connection, .unauthorized].contains($0.code) })
        #expect(client.errors.now.count <= 4, "\(client.errors.now.map(\.message))")
    }

    @Test("waiting for a download ends when it is cancelled, also while the gateway is away")
    func cancelledDownload() async throws {
        let server = try TestServer()
        let client = SyncedRealm(server)
        try await client.dogs()
        let session = try #require(try await client.session())
        server.stop()
        let isAway = try await eventually { session.connectionState != .connected }
        #expect(isAway)
        let waiting = Task { try await session.wait(for: .download) }
        try await Task.sleep(for: .milliseconds(100))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("a gateway that says when to come again is left alone until then")
    func retryAfter() async throws {
        let server = try TestServer()
        let client = SyncedRealm(server)
        try await client.dogs()
        server.stop()
        let later = [
            "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: Sun, 06 Nov 1994 08:59:37 GMT",
        ]
        let other = try CannedServer(at: server.url, status: "503 Service Unavailable", headers: later)
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 3]) }
        let hasCome = try await eventually { other.requests > 0 }
        #expect(hasCome)
        // Without the header there would be further attempts after 0.2 and 0.6 seconds.
        try await Task.sleep(for: .seconds(1))
        // The stream's attempts, and one of the upload.
        #expect(other.requests <= 3)
        other.stop()
        try server.start()
        try await client.session()?.resume()
        try await client.settle()
        #expect(server.object("SubDog", "3") != nil)
    }

    @Test("what is too large for the gateway at once goes up in parts")
    func tooLarge() async throws {
        let server = try TestServer { $0.maximumTransaction = 7 }
        let client = SyncedRealm(server)
        try await client.dogs()
        try await client.write { realm in
            for id in 0..<50 { realm.create(SubDog.self, value: ["_id": id, "names": ["a"]] as [String: Any]) }
        }
        try await client.settle()
        let there = try server.send(.get, "/v1/objects/SubDog?fields=_id&sort=_id&limit=1000")["items"]
        #expect(there?.parts.count == 50)
        #expect(client.errors.now.map(\.message) == [])
    }

    @Test(
        "tokens that expire in the middle are asked for anew, and writes and the stream go on",
        arguments: ["ada", nil])
    func expiry(_ subject: String?) async throws {
        // Seconds of a clock that only the test moves.
        let time = Atomic<Int64>(1_000)
        let clock: @Sendable () -> Timestamp = { Timestamp(seconds: time.load(ordering: .acquiring)) }
        let keys = KeyRing(clock: clock)
        let role = Role(
            name: "clerk", classes: [:],
            others: ClassRule(
                read: "TRUEPREDICATE", create: "TRUEPREDICATE", update: "TRUEPREDICATE", delete: "TRUEPREDICATE"))
        let control = AccessControl(AccessControl.Rules(roles: [role]), keys: keys, clock: clock)
        let server = try TestServer {
            $0.accessControl = control
            $0.clock = clock
        }
        let admin: HeaderFields = [
            "Authorization": "Bearer \(try keys.create(.init(name: "a", roles: ["admin"])).secret)"
        ]
        // Each token is valid for three seconds.
        let asked = Atomic(0)
        let present = Mutex<(secret: String, end: Timestamp)?>(nil)
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: SubModels.all)
        let errors = SyncedRealm.Errors()
        configuration.syncConfiguration = SyncConfiguration(
            gateway: server.url, errorHandler: { errors.add($0) },
            tokenProvider: {
                try present.withLock { present in
                    if let known = present, known.end > clock() { return known.secret }
                    asked.add(1, ordering: .relaxed)
                    let end = Timestamp(seconds: clock().seconds + 3)
                    let key = try keys.create(
                        .init(name: "c\(UUID().uuidString)", roles: ["clerk"], subject: subject, expires: end))
                    present = (key.secret, end)
                    return key.secret
                }
            })
        let client = SyncedRealm(configuration)
        try await client.dogs()
        for id in 0..<12 {
            try await client.write { _ = $0.create(SubDog.self, value: ["_id": id]) }
            try server.send(.post, "/v1/objects/SubDog", #"{"_id":\#(100 + id)}"#, headers: admin)
            // What is sent now, and the stream, may be refused for a token that was valid when it was asked for.
            time.add(1, ordering: .acquiringAndReleasing)
            if id % 3 == 0 { try await client.settle() }
        }
        try await client.settle()
        #expect(try await client.keys() == Array(0..<12) + Array(100..<112))
        let times = asked.load(ordering: .relaxed)
        #expect(times > 1)
        #expect(errors.now.allSatisfy { [.unauthorized, .connection].contains($0.code) })
    }

    @Test("a property that the gateway has with another type, or not at all, fails the subscription, and others go on")
    func otherSchema() async throws {
        let other = SubModels.schema.replacingOccurrences(
            of: #"{"name":"city","type":"string?"}"#, with: #"{"name":"city","type":"int?"}"#)
        let server = try TestServer(schema: other)
        try server.send(.post, "/v1/objects/SubOwner", #"[{"handle":"a","city":7}]"#)
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1}]"#)
        let client = SyncedRealm(server)
        try await client.dogs()
        await #expect(throws: Realm.Error(.subscriptionFailed)) { try await client.owners() }
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":2}]"#)
        try await client.settle()
        #expect(try await client.keys() == [1, 2])
        #expect(client.errors.now.map(\.code) == [.subscriptionFailed])

        let without = SubModels.schema.replacingOccurrences(of: #"{"name":"city","type":"string?"},"#, with: "")
        let lacking = try TestServer(schema: without)
        let second = SyncedRealm(lacking)
        try await second.dogs()
        await #expect(throws: Realm.Error(.subscriptionFailed)) { try await second.owners() }
        try await second.write { _ = $0.create(SubDog.self, value: ["_id": 5]) }
        try await second.settle()
        #expect(lacking.object("SubDog", "5") != nil)
        #expect(second.errors.now.map(\.code) == [.subscriptionFailed])
    }

    @Test("what is created here and shown by no subscription there is removed here, and told")
    func outside() async throws {
        let keys = KeyRing()
        // Objects become hidden as soon as they have a secret, which this client does not have.
        let rule = ClassRule(read: "age < 100", create: "TRUEPREDICATE", update: "TRUEPREDICATE", delete: nil)
        let role = Role(name: "clerk", classes: ["SubDog": rule], others: ClassRule(read: "TRUEPREDICATE"))
        let control = AccessControl(AccessControl.Rules(roles: [role]), keys: keys)
        let server = try TestServer { $0.accessControl = control }
        let clerk = try keys.create(.init(name: "c", roles: ["clerk"])).secret
        let admin: HeaderFields = [
            "Authorization": "Bearer \(try keys.create(.init(name: "a", roles: ["admin"])).secret)"
        ]
        let client = SyncedRealm(server, token: clerk)
        try await client.dogs("age > 5")
        try await client.write { realm in
            realm.create(SubDog.self, value: ["_id": 1, "age": 2])
            realm.create(SubDog.self, value: ["_id": 2, "age": 200])
            realm.create(SubDog.self, value: ["_id": 3, "age": 20])
        }
        try await client.settle()
        let areNotified = try await eventually { client.errors.now.count >= 2 }
        #expect(areNotified)
        #expect(try await client.keys() == [3])
        for id in 1...3 {
            #expect(throws: Never.self) { try server.send(.get, "/v1/objects/SubDog/\(id)", headers: admin) }
        }
        #expect(client.errors.now.map(\.code) == [.outsideSubscriptions, .outsideSubscriptions])
        #expect(client.errors.now.flatMap(\.objects).map(\.primaryKey) == ["1", "2"])
    }
}
