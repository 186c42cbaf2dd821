import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import RealmSwift
import StoreTesting
import TestBasics
import Testing

class SubEvent: AsymmetricObject {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var kind = ""
    @Persisted var chip: SubChip?
    @Persisted var dog: SubDog?
}

/// Invariant: an object of an asymmetric class is at the gateway or waits in the file, and never shows here.
@Suite("Asymmetric classes")
struct AsymmetricTests {
    private static let schema = SubModels.schema.replacingOccurrences(
        of: #"{"name":"SubDog","#,
        with: #"""
            {"name":"SubEvent","primaryKey":"_id","properties":[
              {"name":"_id","type":"int"},{"name":"kind","type":"string"},{"name":"chip","type":"SubChip?"},
              {"name":"dog","type":"SubDog?"}]},
            {"name":"SubDog",
            """#)

    private static let types: [ObjectBase.Type] = SubModels.all + [SubEvent.self]

    private func keys(_ server: TestServer) throws -> [Int] {
        let items = try server.send(.get, "/v1/objects/SubEvent?sort=_id&limit=1000")["items"]?.parts ?? []
        return items.compactMap { item in if case .int(let key)? = item["_id"] { Int(key) } else { nil } }
    }

    /// The number of objects in the file, which must be closed.
    private func stored(_ path: String, _ className: String) async throws -> Int {
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [SubOwner.self, SubDog.self, SubChip.self])
        let plain = SyncedRealm(configuration)
        let count = try await plain.run { $0.dynamicObjects(className).count }
        await plain.close()
        return count
    }

    @Test(
        "AsymmetricObject Realm.create(asymmetric) objects go up once, also after a restart without the gateway, and leave the file"
    )
    func upload() async throws {
        let server = try TestServer(schema: Self.schema)
        let path = NSTemporaryDirectory() + "/asymmetric-\(UUID().uuidString).realm"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let client = SyncedRealm(server, path: path, Self.types)
        // No subscription is needed, not even for another class.
        try await client.write { $0.create(SubEvent.self, value: ["_id": 1, "kind": "start"]) }
        try await client.session()?.wait(for: .upload, timeout: TimeInterval(TestRun.patience))
        #expect(try keys(server) == [1])
        try await client.dogs()
        server.stop()
        try await client.write { realm in
            let dog = realm.create(SubDog.self, value: ["_id": 7])
            realm.create(
                SubEvent.self, value: ["_id": 2, "kind": "late", "chip": ["code": "c", "scans": [1, 2]], "dog": dog])
            realm.create(SubEvent.self, value: SubEvent(value: ["_id": 3, "kind": "later"]))
            // Unsent objects are none of the realm's.
            #expect(!realm.isEmpty)
        }
        await client.close()
        #expect(try await stored(path, "SubEvent") == 2)
        try server.start()
        #expect(try keys(server) == [1])
        _ = try await client.keys()
        try await client.settle()
        #expect(try keys(server) == [1, 2, 3])
        let event = try #require(server.object("SubEvent", "2"))
        #expect(event["kind"] == "late" && event["dog"] == .int(7))
        #expect(event["chip"]?["code"] == "c")
        await client.close()
        #expect(try await stored(path, "SubEvent") == 0)
        #expect(try await stored(path, "SubDog") == 1)
        #expect(client.errors.now.allSatisfy { $0.code == .connection })
    }

    @Test(
        "an object that the gateway refuses, or has no class for, is reported and leaves the file",
        arguments: [true, false])
    func refused(hasClass: Bool) async throws {
        let server = try TestServer(
            schema: hasClass
                ? Self.schema.replacingOccurrences(
                    of: #"{"name":"kind","type":"string"}"#, with: #"{"name":"kind","type":"int"}"#)
                : SubModels.schema)
        let path = NSTemporaryDirectory() + "/asymmetric-\(UUID().uuidString).realm"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let client = SyncedRealm(server, path: path, Self.types)
        try await client.write { $0.create(SubEvent.self, value: ["_id": 1, "kind": "a"]) }
        try await client.session()?.wait(for: .upload, timeout: TimeInterval(TestRun.patience))
        #expect(try await eventually { !client.errors.now.isEmpty })
        let error = try #require(client.errors.now.first)
        #expect(error.code == .writeRejected)
        #expect(error.objects.map(\.className) == ["SubEvent"] && error.objects.map(\.primaryKey) == ["1"])
        await client.close()
        #expect(try await stored(path, "SubEvent") == 0)
    }

    @Test(
        "random edits beside asymmetric objects, with interruptions: each object is there once, and no follower has one"
    )
    func random() async throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let server = try TestServer(schema: Self.schema)
        let paths = (0..<2).map { NSTemporaryDirectory() + "/asymmetric-\(UUID().uuidString)-\($0).realm" }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        let clients = paths.map { SyncedRealm(server, path: $0, Self.types) }
        for client in clients {
            try await client.dogs()
            try await client.owners()
        }
        var made: [Int] = []
        for round in 0..<40 {
            let client = clients[random.below(2)]
            let own = random.next()
            let makes = random.below(3)
            try await client.write { realm in
                var edits = SeededRandom(seed: own)
                Edits.random(realm, &edits)
                for number in 0..<makes {
                    realm.create(SubEvent.self, value: ["_id": round * 10 + number, "kind": "\(round)"])
                }
                if edits.oneIn(9) { realm.deleteAll() }
            }
            made += (0..<makes).map { round * 10 + $0 }
            switch random.below(10) {
            case 0: try await client.session()?.suspend()
            case 1: try await client.session()?.resume()
            case 2: await client.close()
            case 3 where round % 10 == 5:
                server.stop()
                try server.start()
            default: break
            }
        }
        for client in clients { try await client.session()?.resume() }
        for client in clients + clients { try await client.settle() }
        #expect(try keys(server) == made, "seed \(seed)")
        #expect(try await clients[0].text() == clients[1].text(), "seed \(seed)")
        for client in clients { await client.close() }
        for path in paths { #expect(try await stored(path, "SubEvent") == 0, "seed \(seed)") }
    }
}
