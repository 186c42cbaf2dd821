import AccessRules
import Foundation
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import RealmSwift
import RequestHandling
import Synchronization
import Testing

@Suite("What the gateway refuses")
struct RefusalTests {
    private struct Guarded {
        let server: TestServer
        let clerk: String
        let admin: HeaderFields

        init() throws {
            let keys = KeyRing()
            let rule = ClassRule(
                read: "TRUEPREDICATE", create: "age < 10", update: "name != 'locked'", delete: nil)
            let role = Role(name: "clerk", classes: ["SubDog": rule], others: ClassRule(read: "TRUEPREDICATE"))
            let control = AccessControl(AccessControl.Rules(roles: [role]), keys: keys)
            server = try TestServer { $0.accessControl = control }
            clerk = try keys.create(.init(name: "c", roles: ["clerk"])).secret
            admin = ["Authorization": "Bearer \(try keys.create(.init(name: "a", roles: ["admin"])).secret)"]
            try server.send(
                .post, "/v1/objects/SubDog",
                #"[{"_id":1,"name":"locked","age":1},{"_id":2,"name":"b","age":2}]"#, headers: admin)
        }
    }

    @Test("what a rule forbids is undone here and reported, and what comes after it goes on")
    func rules() async throws {
        let guarded = try Guarded()
        let client = SyncedRealm(guarded.server, token: guarded.clerk)
        try await client.dogs()
        // Created against the rule, changed against it, deleted without one.
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 9, "age": 90]) }
        try await client.settle()
        #expect(try await client.keys() == [1, 2])
        try await client.write { $0.object(ofType: SubDog.self, forPrimaryKey: 1)?.name = "open" }
        try await client.settle()
        #expect(try await client.run { $0.object(ofType: SubDog.self, forPrimaryKey: 1)?.name } == "locked")
        try await client.write { realm in
            if let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 2) { realm.delete(dog) }
        }
        try await client.settle()
        #expect(try await client.run { $0.object(ofType: SubDog.self, forPrimaryKey: 2)?.name } == "b")
        try await client.write { realm in
            realm.object(ofType: SubDog.self, forPrimaryKey: 2)?.name = "c"
            _ = realm.create(SubDog.self, value: ["_id": 3, "age": 3])
        }
        try await client.settle()
        #expect(try await client.keys() == [1, 2, 3])
        let there = try guarded.server.send(.get, "/v1/objects/SubDog/2", headers: guarded.admin)
        #expect(there["name"] == "c")
        let errors = client.errors.now
        #expect(errors.map(\.code) == [.writeRejected, .writeRejected, .writeRejected])
        #expect(errors.map(\.status) == [403, 403, 403])
        #expect(errors.map { $0.objects.map(\.primaryKey) } == [["9"], ["1"], ["2"]])
        #expect(errors.allSatisfy { $0.objects.map(\.className) == ["SubDog"] && $0.gatewayCode == "access.denied" })
    }

    @Test("a token that is not taken is reported once, and another one is asked for")
    func tokens() async throws {
        let guarded = try Guarded()
        let clerk = guarded.clerk
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: SubModels.all)
        let counter = Counter()
        configuration.syncConfiguration = SyncConfiguration(
            gateway: guarded.server.url, errorHandler: { counter.note($0.code) },
            tokenProvider: { counter.next() < 3 ? "rg_wrong" : clerk })
        let client = SyncedRealm(configuration)
        try await client.dogs()
        #expect(try await client.keys() == [1, 2])
        #expect(counter.codes == [.unauthorized])
    }

    private final class Counter: Sendable {
        private let state = Mutex((count: 0, codes: [SyncError.Code]()))
        var codes: [SyncError.Code] { state.withLock { $0.codes } }
        func note(_ code: SyncError.Code) { state.withLock { $0.codes.append(code) } }
        func next() -> Int {
            state.withLock { state in
                state.count += 1
                return state.count
            }
        }
    }
}
