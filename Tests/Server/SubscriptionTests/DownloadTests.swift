import HTTPMessages
import Foundation
import HTTPServer
import RealmSwift
import RequestHandling
import Synchronization
import TestBasics
import Testing

@Suite("What comes down to a realm that follows a gateway")
struct DownloadTests {
    @Test("subscribe waits for what the query matches, and nothing else comes")
    func initial() async throws {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubOwner", #"[{"handle":"ada","city":"Turin"},{"handle":"bob"}]"#)
        try server.send(
            .post, "/v1/objects/SubDog",
            #"""
            [{"_id":1,"name":"Rex","age":7,"weight":11.5,"born":"2019-03-02T08:30:00Z","price":"1.10","owner":"ada",
              "tag":"123e4567-e89b-12d3-a456-426614174000","picture":"SGVsbG8=","extra":{"a":[1,{"$float":1.5}]},
              "names":["x","y"],"marks":[3,1],"rates":{"EUR":1.5},"chip":{"code":"c","scans":[1,2]},
              "chips":[{"code":"d"},{"code":"e","scans":[9]}]},
             {"_id":3,"name":"Ace","age":1},
             {"_id":2,"name":"Fido","age":12,"friends":[1,3],"owner":"bob"}]
            """#)
        let client = SyncedRealm(server)
        try await client.dogs("age > 5")
        let seen = try await client.run { realm -> [String] in
            guard let rex = realm.object(ofType: SubDog.self, forPrimaryKey: 1),
                let fido = realm.object(ofType: SubDog.self, forPrimaryKey: 2)
            else { return [] }
            return [
                rex.name, "\(rex.age ?? 0)", "\(rex.weight)", "\(Int(rex.born.timeIntervalSince1970))",
                "\(rex.price ?? 0)", rex.tag?.uuidString ?? "", String(decoding: rex.picture ?? Data(), as: UTF8.self),
                "\(rex.extra.dictionaryValue?["a"]?.listValue?.count ?? 0)", "\(rex.owner == nil)",
                rex.names.joined(separator: ","), rex.marks.map { "\($0)" }.joined(separator: ","),
                "\(rex.rates["EUR"] ?? 0)", rex.chip?.code ?? "", "\(rex.chip?.scans.count ?? 0)",
                rex.chips.map(\.code).joined(separator: ","), fido.friends.map { "\($0._id)" }.joined(separator: ","),
                "\(realm.objects(SubDog.self).count)", "\(realm.objects(SubOwner.self).count)",
            ]
        }
        #expect(
            seen == [
                "Rex", "7", "11.5", "1551515400", "1.10", "123E4567-E89B-12D3-A456-426614174000", "Hello", "2", "true",
                "x,y", "1,3", "1.5", "c", "2", "d,e", "1", "2", "0",
            ])
        #expect(client.errors.now.map(\.message) == [])
        // The target of a link becomes visible when it arrives.
        try await client.owners()
        #expect(try await client.run { $0.object(ofType: SubDog.self, forPrimaryKey: 1)?.owner?.city } == "Turin")
        try await client.dogs("age < 5")
        #expect(
            try await client.run { $0.object(ofType: SubDog.self, forPrimaryKey: 2)?.friends.map(\._id) } == [1, 3])
    }

    @Test("what is inserted, changed, deleted, and what enters or leaves the query, comes as it happens")
    func live() async throws {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":2,"age":7},{"_id":4,"age":8},{"_id":6,"age":1}]"#)
        let client = SyncedRealm(server)
        try await client.dogs("age > 5")
        #expect(try await client.keys() == [2, 4])
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":3,"age":9},{"_id":1,"age":9},{"_id":9,"age":2}]"#)
        try server.send(.patch, "/v1/objects/SubDog/6", #"{"age":6,"name":"in"}"#)
        try await client.settle()
        #expect(try await client.keys() == [1, 2, 3, 4, 6])
        try server.send(.patch, "/v1/objects/SubDog/4", #"{"name":"new","chip":{"code":"k"},"names":["a"]}"#)
        try server.send(.patch, "/v1/objects/SubDog/2", #"{"age":3}"#)
        try server.send(.delete, "/v1/objects/SubDog/3")
        try await client.settle()
        #expect(try await client.keys() == [1, 4, 6])
        let name = try await client.run { realm in
            let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 4)
            return [dog?.name, dog?.chip?.code, dog?.names.first]
        }
        #expect(name == ["new", "k", "a"])
        try server.send(.patch, "/v1/objects/SubDog/4", #"{"chip":{"code":"k2"}}"#)
        try await client.settle()
        #expect(try await client.run { $0.object(ofType: SubDog.self, forPrimaryKey: 4)?.chip?.code } == "k2")
        #expect(client.errors.now.map(\.message) == [])
    }

    @Test("a result that comes in parts is complete with the last one, and a second one removes only what it lacks")
    func parts() async throws {
        let server = try TestServer { $0.eventBytes = 2_000 }
        func post(_ keys: Range<Int>) throws {
            let rows = keys.map { #"{"_id":\#($0),"name":"dog \#($0)"}"# }.joined(separator: ",")
            try server.send(.post, "/v1/objects/SubDog", "[\(rows)]")
        }
        try post(0..<300)
        let client = SyncedRealm(server)
        try await client.dogs()
        #expect(try await client.keys() == Array(0..<300))

        try server.backUp()
        try post(300..<320)
        try await client.settle()
        #expect(try await client.keys() == Array(0..<320))
        let queue = DispatchQueue(label: "observer")
        let deletions = Deletions()
        let configuration = client.configuration
        let token = try queue.sync {
            try Realm(configuration: configuration, queue: queue).objects(SubDog.self).observe(on: queue) { change in
                if case .update(_, let positions, _, _) = change { deletions.add(positions.count) }
            }
        }
        // The backup is of another history, so the result begins again.
        server.stop()
        try server.restore()
        try await client.settle()
        #expect(try await client.keys() == Array(0..<300))
        queue.sync {
            token.invalidate()
            #expect(deletions.count <= 20)
        }
        #expect(try await client.run { $0.subscriptions.state } == .complete)
    }

    private final class Deletions: Sendable {
        private let total = Atomic(0)
        var count: Int { total.load(ordering: .acquiring) }
        func add(_ more: Int) { total.add(more, ordering: .acquiringAndReleasing) }
    }

    /// What tasks that hold the threads of Swift's pool wait for.
    private final class Occupation: Sendable {
        let isComplete = Atomic(false)
        let begun = Atomic(0)
        let outcome = Mutex<Result<Bool, any Error>?>(nil)

        /// Holds its thread until there is an outcome.
        func hold() {
            begun.add(1, ordering: .acquiringAndReleasing)
            while outcome.withLock({ $0 == nil }) { usleep(2_000) }
        }
    }

    @Test("what is committed comes while thousands of the application's tasks wait for a thread of Swift's pool")
    func busyPool() async throws {
        let server = try TestServer()
        let client = SyncedRealm(server)
        try await client.dogs()
        let configuration = client.configuration
        let pool = Occupation()
        // A thread looks, because another task would wait like these.
        Thread.detachNewThread {
            let result = Result {
                // From then on each thread of the pool has one of the tasks, or gets one before anything else.
                _ = eventually {
                    pool.isComplete.load(ordering: .acquiring) && pool.begun.load(ordering: .acquiring) > 0
                }
                try server.send(.post, "/v1/objects/SubDog", #"{"_id":1,"age":7}"#)
                let queue = DispatchQueue(label: "reader")
                return try queue.sync {
                    let dogs = try Realm(configuration: configuration, queue: queue).objects(SubDog.self)
                    return eventually {
                        dogs.realm?.refresh()
                        return !dogs.isEmpty
                    }
                }
            }
            pool.outcome.withLock { $0 = result }
        }
        await withTaskGroup { group in
            for _ in 0..<20_000 { group.addTask { pool.hold() } }
            pool.isComplete.store(true, ordering: .releasing)
        }
        #expect(try pool.outcome.withLock { $0 }?.get() == true)
    }

    @Test("an object that several subscriptions match stays until none does")
    func overlapping() async throws {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1,"age":7},{"_id":2,"age":17},{"_id":3,"age":27}]"#)
        let client = SyncedRealm(server)
        try await client.dogs(name: "old", "age > 10")
        try await client.dogs(name: "young", "age < 20")
        #expect(try await client.keys() == [1, 2, 3])
        try await client.update { $0.remove(named: "young") }
        try await client.settle()
        #expect(try await client.keys() == [2, 3])
        try await client.dogs(name: "old", "age > 20")
        #expect(try await client.keys() == [3])
        try await client.update { $0.removeAll() }
        try await client.settle()
        #expect(try await client.keys() == [])
    }

    @Test("a query that the gateway does not have fails, and the others go on")
    func failing() async throws {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1,"age":7}]"#)
        let client = SyncedRealm(server, [SubDog.self, SubOwner.self, SubChip.self, SubStranger.self])
        await #expect(throws: Realm.Error(.subscriptionFailed)) { try await client.strangers() }
        try await client.dogs()
        #expect(try await client.keys() == [1])
        #expect(client.errors.now.map(\.code) == [.subscriptionFailed])
        let state = try await client.run { $0.subscriptions.state }
        #expect(state != .complete && state != .pending)
    }
}

/// A class that the gateway does not have.
class SubStranger: Object {
    @Persisted(primaryKey: true) var _id = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension SyncedRealm {
    func strangers() async throws {
        let realm = try await open()
        _ = try await realm.objects(SubStranger.self).subscribe(timeout: TimeInterval(TestRun.patience))
    }

    func update(_ body: (SyncSubscriptionSet) -> Void) async throws {
        let realm = try await open()
        let set = realm.subscriptions
        try await set.update { body(set) }
    }
}
