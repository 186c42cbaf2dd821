import Foundation
import HTTPTesting
import RealmSwift
import RealmgateServer
import Testing

@Suite("A hosted realm", .timeLimit(.minutes(20)))
struct HostingTests {
    @Test("what the realm commits is in the next answer, by the stored names")
    func realmToClient() async throws {
        let site = try Site()
        #expect(site.server.url.absoluteString == "http://127.0.0.1:\(site.server.port)" && site.server.isRunning)
        try site.write { realm in
            realm.create(HostedDog.self, value: ["id": 3, "name": "Rex", "tags": ["a"], "owner": ["name": "Ann"]])
        }
        let answer = try site.ask("GET /v1/objects/HostedDog/3")
        #expect(answer.status == 200)
        #expect(answer.json["_id"] as? Int == 3 && answer.json["dog_name"] as? String == "Rex")
        #expect(answer.json["tags"] as? [String] == ["a"] && answer.json["owner"] as? String == "Ann")
        #expect(
            try site.ask("GET /v1/objects/HostedDog?count=true&filter=dog_name+BEGINSWITH+%27R%27").json["count"]
                as? Int == 1)
        #expect(try site.ask("GET /v1/objects/HostedPerson/Ann").json["name"] as? String == "Ann")
        #expect(try site.ask("GET /").text.contains("<html"))
        #expect(try site.ask("GET /openapi.json").text.contains("HostedDog"))
        await site.server.stop()
    }

    @Test("what clients write reaches the realm's observers and its results")
    func clientToRealm() async throws {
        let site = try Site()
        let notes = Notes()
        let token = try site.observe { realm, queue in
            realm.objects(HostedDog.self).sorted(byKeyPath: "id").observe(on: queue) { change in
                switch change {
                case .initial(let dogs): notes.add("initial \(dogs.count)")
                case .update(let dogs, let deletions, let insertions, let modifications):
                    notes.add("\(Array(dogs.map(\.name))) -\(deletions) +\(insertions) ~\(modifications)")
                case .error(let error): notes.add("\(error)")
                }
            }
        }
        _ = try await notes.wait { $0.count == 1 }
        #expect(try site.ask("POST /v1/objects/HostedDog", #"{"_id": 1, "dog_name": "Max"}"#).status == 201)
        _ = try await notes.wait { $0.count == 2 }
        #expect(try site.ask("PUT /v1/objects/HostedDog/1", #"{"dog_name": "Moritz", "age": 4}"#).status == 200)
        _ = try await notes.wait { $0.count == 3 }
        #expect(try site.ask("DELETE /v1/objects/HostedDog/1").status == 204)
        let seen = try await notes.wait { $0.count == 4 }
        #expect(seen == ["initial 0", #"["Max"] -[] +[0] ~[]"#, #"["Moritz"] -[] +[] ~[0]"#, "[] -[0] +[] ~[]"])
        token.invalidate()
        await site.server.stop()
    }

    @Test("a realm that was open before a client's write has it after refresh, and its own writes build on it")
    func refresh() async throws {
        let site = try Site()
        try site.run { realm in
            realm.autorefresh = false
            let dogs = realm.objects(HostedDog.self)
            #expect(dogs.isEmpty)
            #expect(try site.ask("POST /v1/objects/HostedDog", #"{"_id": 1, "age": 5}"#).status == 201)
            #expect(dogs.isEmpty)
            #expect(realm.refresh() && dogs.first?.age == 5)
            #expect(try site.ask("PATCH /v1/objects/HostedDog/1", #"{"age": 6}"#).status == 200)
            try realm.write { if let dog = dogs.first { dog.age = (dog.age ?? 0) + 1 } }
            #expect(try site.ask("GET /v1/objects/HostedDog/1").json["age"] as? Int == 7)
        }
        await site.server.stop()
    }

    @Test("an event stream is told of a realm's commit, with its version and indices")
    func stream() async throws {
        let site = try Site()
        let client = try site.client()
        #expect(try client.ask("GET /v1/observe/objects/HostedDog?sort=_id&fields=_id,dog_name").status == 200)
        var news = try client.news()
        #expect(news.name == "initial" && news.json["count"] as? Int == 0)
        try site.write { realm in
            for id in 1...3 { realm.create(HostedDog.self, value: ["id": id, "name": "dog \(id)"]) }
        }
        news = try client.news()
        #expect(news.name == "update" && news.json["insertions"] as? [Int] == [0, 1, 2])
        try site.write { realm in
            realm.object(ofType: HostedDog.self, forPrimaryKey: 2)?.name = "Bello"
            realm.delete(realm.objects(HostedDog.self).where { $0.id == 1 })
        }
        news = try client.news()
        #expect(news.json["deletions"] as? [Int] == [0])
        let objects = news.json["objects"] as? [String: [[String: Any]]]
        #expect(objects?["modifications"]?.first?["dog_name"] as? String == "Bello")
        // A write that is rolled back is reported to no observer.
        try site.run { realm in
            realm.beginWrite()
            realm.deleteAll()
            realm.cancelWrite()
            try realm.write { realm.object(ofType: HostedDog.self, forPrimaryKey: 3)?.name = "last" }
        }
        news = try client.news()
        #expect(news.json["deletions"] as? [Int] == [] && news.json["modifications"] as? [Int] == [1])
        await site.server.stop()
    }

    @Test("a client's write waits for a write transaction that the program has open")
    func oneWriter() async throws {
        let site = try Site()
        let writer = try site.run { realm in
            let client = try site.client()
            try realm.write {
                realm.create(HostedEntry.self, value: ["id": 1, "writer": "realm"])
                try client.send("PUT /v1/objects/HostedEntry/1", body: #"{"writer": "client"}"#)
                // The response shows committed data, while the write waits.
                #expect(try site.ask("GET /v1/objects/HostedEntry/1").status == 404)
            }
            #expect(try client.answer().status == 200)
            realm.refresh()
            return realm.object(ofType: HostedEntry.self, forPrimaryKey: 1)?.writer
        }
        #expect(writer == "client")
        await site.server.stop()
    }

    @Test("a transaction of a client is one change for the realm")
    func transaction() async throws {
        let site = try Site()
        let notes = Notes()
        let token = try site.observe { realm, queue in
            realm.objects(HostedEntry.self).observe(on: queue) { change in
                switch change {
                case .initial: notes.add("initial")
                case .update(let entries, _, let insertions, _): notes.add("\(entries.count) +\(insertions.count)")
                case .error(let error): notes.add("\(error)")
                }
            }
        }
        _ = try await notes.wait { !$0.isEmpty }
        let operations = (1...20).map { #"{"op": "create", "class": "HostedEntry", "value": {"id": \#($0)}}"# }
        // The last operation fails, so none takes effect.
        let faulty = operations + [#"{"op": "create", "class": "HostedEntry", "value": {"id": 1}}"#]
        for (list, status) in [(faulty, 409), (operations, 200)] {
            let body = #"{"operations": [\#(list.joined(separator: ","))]}"#
            #expect(try site.ask("POST /v1/transactions", body).status == status)
        }
        let seen = try await notes.wait { $0.count == 2 }
        #expect(seen == ["initial", "20 +20"])
        token.invalidate()
        await site.server.stop()
    }
}

@Suite("A hosted realm's end", .timeLimit(.minutes(20)))
struct HostingEndTests {
    @Test("stop ends an open stream in order, refuses further requests and keeps the realm usable")
    func stopWithStream() async throws {
        let site = try Site()
        // The in-memory realm continues to exist with the program's own instance.
        let kept = try site.observe { realm, queue in realm.objects(HostedDog.self).observe(on: queue) { _ in } }
        let client = try site.client()
        _ = try client.ask("GET /v1/observe/objects/HostedDog")
        _ = try client.news()
        try site.write { realm in realm.create(HostedDog.self, value: ["id": 1]) }
        #expect(try client.news().name == "update")
        await site.server.stop(within: .seconds(5))
        #expect(try client.event().name == "closing" && client.ends())
        #expect(!site.server.isRunning)
        #expect(throws: (any Error).self) { try site.ask("GET /v1/objects/HostedDog") }
        #expect(throws: RealmServer.Error.self) { try site.server.start() }
        await site.server.stop()
        try site.write { realm in realm.create(HostedDog.self, value: ["id": 2]) }
        #expect(try site.run { $0.objects(HostedDog.self).count } == 2)
        // Another server of the same realm.
        let second = try RealmServer(realm: site.configuration)
        try second.start()
        let other = try LoopbackClient(port: UInt16(second.port), host: "127.0.0.1")
        #expect(try other.ask("GET /v1/objects/HostedDog?count=true").json["count"] as? Int == 2)
        await second.stop()
        kept.invalidate()
    }

    @Test("run ends with its task")
    func run() async throws {
        let server = try RealmServer(
            realm: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: Site.types))
        let running = Task { try await server.run() }
        while !server.isRunning { try await Task.sleep(for: .milliseconds(1)) }
        let client = try LoopbackClient(port: UInt16(server.port), host: "127.0.0.1")
        #expect(try client.ask("GET /v1/objects/HostedDog").status == 200)
        running.cancel()
        try await running.value
        #expect(!server.isRunning)
    }

    @Test("a realm in memory lives as long as its server, and no longer")
    func memory() async throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: Site.types)
        let server = try RealmServer(realm: configuration)
        let queue = DispatchQueue(label: "memory")
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            try realm.write { _ = realm.create(HostedDog.self, value: ["id": 1]) }
        }
        try server.start()
        let client = try LoopbackClient(port: UInt16(server.port), host: "127.0.0.1")
        #expect(try client.ask("GET /v1/objects/HostedDog?count=true").json["count"] as? Int == 1)
        await server.stop()
        let count = try queue.sync {
            try Realm(configuration: configuration, queue: queue).objects(HostedDog.self).count
        }
        #expect(count == 0)
    }
}
