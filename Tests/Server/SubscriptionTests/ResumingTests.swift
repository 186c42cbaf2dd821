import HTTPMessages
import Foundation
import HTTPServer
import JSONCoding
import RealmSwift
import RequestHandling
import StoreTesting
import TestBasics
import Testing

@Suite("Following a gateway through interruptions")
struct ResumingTests {
    private func path() -> String { NSTemporaryDirectory() + "/resuming-\(UUID().uuidString).realm" }

    private func remove(_ path: String) {
        for suffix in ["", "-lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    @Test("what is written while the gateway is down goes up when it is back, and what happened there comes down")
    func gatewayDown() async throws {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1},{"_id":2},{"_id":3}]"#)
        let (one, two) = (SyncedRealm(server), SyncedRealm(server))
        for client in [one, two] { try await client.dogs() }
        server.stop()
        try await one.write { realm in
            realm.create(SubDog.self, value: ["_id": 10, "name": "offline"])
            if let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 1) { realm.delete(dog) }
        }
        try await two.write { realm in realm.object(ofType: SubDog.self, forPrimaryKey: 2)?.name = "other" }
        #expect(try await one.keys() == [2, 3, 10])
        try server.start()
        for client in [one, two, one] { try await client.settle() }
        #expect(try await one.keys() == [2, 3, 10])
        #expect(try await two.keys() == [2, 3, 10])
        #expect(try await one.text() == two.text())
        #expect(server.object("SubDog", "10")?["name"] == "offline")
        // An outage is reported once, and nothing was rejected.
        #expect(one.errors.now.allSatisfy { $0.code == .connection } && one.errors.now.count <= 2)
    }

    @Test("a program that is started again goes on where it was, in both directions")
    func restart() async throws {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1,"age":9},{"_id":2,"age":9},{"_id":3,"age":9}]"#)
        let path = path()
        defer { remove(path) }
        let first = SyncedRealm(server, path: path)
        try await first.dogs(name: "all", "age > 5")
        try await first.settle()
        try await first.session()?.suspend()
        try await first.write { _ = $0.create(SubDog.self, value: ["_id": 7, "age": 7]) }
        await first.close()
        try server.send(.patch, "/v1/objects/SubDog/2", #"{"age":1}"#)
        try server.send(.patch, "/v1/objects/SubDog/3", #"{"name":"new"}"#)
        try server.send(.post, "/v1/objects/SubDog", #"{"_id":4,"age":6}"#)
        let second = SyncedRealm(server, path: path)
        #expect(try await second.run { $0.subscriptions.map(\.name) } == ["all"])
        try await second.settle()
        #expect(try await second.keys() == [1, 3, 4, 7])
        #expect(try await second.run { $0.object(ofType: SubDog.self, forPrimaryKey: 3)?.name } == "new")
        #expect(server.object("SubDog", "7") != nil)
        // The same query requires no download.
        try await second.dogs(name: "all", waitForSync: .onCreation, "age > 5")
    }

    @Test("a gateway that has forgotten the subscriptions is told them again")
    func forgotten() async throws {
        let server = try TestServer { $0.subscriptionFile = nil }
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":1},{"_id":2}]"#)
        let client = SyncedRealm(server)
        try await client.dogs()
        server.stop()
        try server.start()
        try server.send(.delete, "/v1/objects/SubDog/1")
        try server.send(.post, "/v1/objects/SubDog", #"[{"_id":5}]"#)
        try await client.settle()
        #expect(try await client.keys() == [2, 5])
    }

    @Test("when the gateway's backup was restored, the realm becomes what is there, and what was not sent is sent")
    func restored() async throws {
        var random = SeededRandom.ofTest()
        let server = try TestServer()
        let client = SyncedRealm(server)
        try await client.dogs()
        var next = 1
        func make(_ count: Int) throws {
            for _ in 0..<count {
                try server.send(.post, "/v1/objects/SubDog", #"{"_id":\#(next),"age":\#(random.below(9))}"#)
                if random.oneIn(3) {
                    try server.send(.patch, "/v1/objects/SubDog/\(1 + random.below(next))", #"{"name":"\#(next)"}"#)
                }
                next += 1
            }
        }
        for round in 0..<3 {
            try make(3)
            try await client.settle()
            try server.backUp()
            let kept = next
            try make(1 + random.below(4))
            try await client.write { realm in _ = realm.create(SubDog.self, value: ["_id": 1000 + round]) }
            try await client.settle()
            #expect(server.object("SubDog", "\(1000 + round)") != nil)
            server.stop()
            try await client.write { realm in
                _ = realm.create(SubDog.self, value: ["_id": 2000 + round])
                realm.object(ofType: SubDog.self, forPrimaryKey: 1)?.age = round + 50
            }
            try server.restore()
            // Other objects at the version numbers that were abandoned.
            next = kept
            try make(random.below(8))
            try await client.settle()
            let there = try server.send(.get, "/v1/objects/SubDog?fields=_id&sort=_id&limit=1000")["items"]?.parts ?? []
            let keys = there.compactMap { dog in if case .int(let key)? = dog["_id"] { Int(key) } else { nil as Int? } }
            #expect(try await client.keys() == keys)
            #expect(server.object("SubDog", "\(2000 + round)") != nil)
            #expect(server.object("SubDog", "\(1000 + round)") == nil)
            #expect(server.object("SubDog", "1")?["age"] == .int(Int64(round + 50)))
            for key in keys {
                let name = try await client.run { $0.object(ofType: SubDog.self, forPrimaryKey: key)?.name }
                #expect(server.object("SubDog", "\(key)")?["name"] == name.map { .string($0) } ?? .null)
            }
        }
        await client.close()
    }

    @Test("a suspended session neither sends nor receives, and does both when it is resumed")
    func suspended() async throws {
        let server = try TestServer()
        let client = SyncedRealm(server)
        try await client.dogs()
        let session = try #require(try await client.session())
        #expect(session.state == .active && session.connectionState == .connected)
        session.suspend()
        #expect(session.state == .inactive)
        try await client.write { _ = $0.create(SubDog.self, value: ["_id": 1]) }
        try server.send(.post, "/v1/objects/SubDog", #"{"_id":2}"#)
        try await Task.sleep(for: .milliseconds(100))
        #expect(server.object("SubDog", "1") == nil)
        #expect(try await client.keys() == [1])
        session.resume()
        try await client.settle()
        #expect(server.object("SubDog", "1") != nil)
        #expect(try await client.keys() == [1, 2])
    }

    @Test("two clients come to the same under random edits and interruptions")
    func convergence() async throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let server = try TestServer()
        let clients = [SyncedRealm(server), SyncedRealm(server)]
        for client in clients {
            try await client.dogs()
            try await client.owners()
        }
        for round in 0..<60 {
            let client = clients[Int.random(in: 0..<2, using: &random)]
            // Each step has choices of its own: how many an edit takes depends on what has arrived.
            let own = random.next()
            try await client.write { realm in
                var edits = SeededRandom(seed: own)
                Edits.random(realm, &edits)
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try await client.session()?.suspend()
            case 1: try await client.session()?.resume()
            case 2 where round % 20 == 10:
                server.stop()
                try server.start()
            default: break
            }
        }
        for client in clients { try await client.session()?.resume() }
        for client in clients + clients { try await client.settle() }
        let texts = [try await clients[0].text(), try await clients[1].text()]
        #expect(texts[0] == texts[1], "seed \(seed)")
        #expect(!texts[0].isEmpty)
        let atGateway = try server.send(.get, "/v1/objects/SubDog?fields=_id&sort=_id&limit=1000")["items"]
        let keys = try await clients[0].keys().map {
            JSONValue.object(JSONObject([.init(name: "_id", value: .int(Int64($0)))]))
        }
        #expect(atGateway == .array(keys), "seed \(seed)")
    }
}

/// All edits of dogs and owners that a program can make.
enum Edits {
    /// - Parameter limit: the dogs with this key and higher ones are left alone.
    static func random(_ realm: Realm, _ random: inout SeededRandom, below limit: Int = .max) {
        for _ in 0..<Int.random(in: 1...4, using: &random) { one(realm, &random, limit) }
    }

    private static func one(_ realm: Realm, _ random: inout SeededRandom, _ limit: Int) {
        let number = Int.random(in: 0..<12, using: &random)
        let all = realm.objects(SubDog.self).where { $0._id < limit }
        guard let dog = all.randomElement(using: &random), number > 1 else {
            realm.create(
                SubDog.self, value: ["_id": Int.random(in: 0..<40, using: &random), "name": "n\(number)"],
                update: .modified)
            return
        }
        switch number {
        case 2: realm.delete(dog)
        case 3: dog.name = "r\(Int.random(in: 0..<100, using: &random))"
        case 4: dog.age = Bool.random(using: &random) ? nil : Int.random(in: 0..<9, using: &random)
        case 5: dog.names.append("a\(Int.random(in: 0..<100, using: &random))")
        case 6: if !dog.names.isEmpty { dog.names.remove(at: Int.random(in: 0..<dog.names.count, using: &random)) }
        case 7: dog.marks.insert(Int.random(in: 0..<6, using: &random))
        case 8: dog.rates["k\(Int.random(in: 0..<4, using: &random))"] = Double.random(in: 0..<1, using: &random)
        case 9: dog.chip = SubChip(value: ["code": "c\(Int.random(in: 0..<100, using: &random))"])
        case 10: if let friend = all.randomElement(using: &random) { dog.friends.append(friend) }
        default:
            let handle = "o\(Int.random(in: 0..<5, using: &random))"
            dog.owner = realm.create(SubOwner.self, value: ["handle": handle], update: .modified)
        }
    }
}
