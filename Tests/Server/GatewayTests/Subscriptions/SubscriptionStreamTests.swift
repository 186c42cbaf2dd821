import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RepositoryFiles
import RequestHandling
import StoreTesting
import TestBasics
import Testing

@Suite("Named subscriptions: streams")
struct SubscriptionStreamTests {
    @Test("one stream tells of all subscriptions of its set, also of those that come and go")
    func stream() throws {
        let home = try SubscriptionFixture()
        try home.put("s/old", #"{"class":"Dog","filter":"age > 10","fields":"_id"}"#)
        let streams = [try home.stream("s"), try home.stream("s")]
        for stream in streams {
            #expect(try stream.next("subscriptions") == ["subscriptions": ["old"]])
            let initial = try stream.next("initial")
            #expect(initial["subscription"] == "old")
            #expect(initial["items"] == [["_id": 2]])
        }
        // Answered after the result was passed to the streams.
        #expect(try home.post("s", #"{"class":"Person","fields":"handle"}"#)["state"] == "complete")
        for stream in streams {
            let initial = try stream.next("initial")
            #expect(initial["subscription"] == "$2")
            #expect(initial["items"] == [["handle": "ada"], ["handle": "bob"]])
        }
        #expect(try home.wire.send(.post, "/v1/objects/Dog", #"{"_id":3,"age":20}"#).status == 201)
        for stream in streams {
            let update = try stream.next("update")
            #expect(update["subscription"] == "old")
            #expect(update["insertions"] == [1])
        }
        try home.put("s/old", #"{"class":"Dog","filter":"age > 15","fields":"_id"}"#)
        for stream in streams { #expect(try stream.next("initial")["items"] == [["_id": 3]]) }
        #expect(try home.delete("s/old").status == 204)
        for stream in streams { #expect(try stream.next("removed") == ["subscription": "old"]) }
        #expect(try home.wire.send(.delete, "/v1/objects/Dog/3").status == 204)
        #expect(try home.wire.send(.delete, "/v1/objects/Person/bob").status == 204)
        for stream in streams { #expect(try stream.next("update")["subscription"] == "$2") }
        for stream in streams { stream.stream.didClose(.clientLeft) }
        #expect(home.gateway.topicCount == 0)
    }

    @Test("what is committed while a large beginning is being written is told after it, also to who breaks off between")
    func largeBeginning() throws {
        let home = try SubscriptionFixture()
        func add(_ ids: Range<Int>) throws {
            let dogs = ids.map { #"{"_id":\#($0)}"# }.joined(separator: ",")
            #expect(try home.wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201)
        }
        try add(10..<500)
        try home.put("s/dogs", #"{"class":"Dog","fields":"_id"}"#)
        try home.put("s/people", #"{"class":"Person","fields":"handle"}"#)
        let streams = try (0..<3).map { index in
            let stream = try home.stream("s")
            try add(1000 + index..<1001 + index)
            return stream
        }
        func follow(_ stream: WireEvents, _ held: inout [JSONValue]) throws -> [(id: String, held: [JSONValue])] {
            var points: [(id: String, held: [JSONValue])] = []
            while held.count < 495 {
                let event = try stream.next()
                if event.data["subscription"] == "dogs" { try ListReader.apply(event, to: &held) }
                if let id = event.id, !held.isEmpty { points.append((id, held)) }
            }
            return points
        }
        for stream in streams {
            var held: [JSONValue] = []
            for point in try follow(stream, &held) {
                let again = try home.stream("s", since: point.id)
                var held = point.held
                _ = try follow(again, &held)
                #expect(Set(held).count == 495)
                again.stream.didClose(.clientLeft)
            }
            stream.stream.didClose(.clientLeft)
        }
    }

    @Test("a subscription that the schema has left behind ends alone, and comes back with the schema")
    func failure() throws {
        let home = try SubscriptionFixture()
        try home.put("s/dogs", #"{"class":"Dog"}"#)
        try home.put("s/notes", #"{"class":"Note"}"#)
        let stream = try home.stream("s")
        for name in ["subscriptions", "initial", "initial"] { _ = try stream.next(name) }
        let schema = try home.wire.get("/v1/schema")
        var document = try #require(schema.json)
        guard case .object(var object) = document, case .array(let classes)? = object["classes"] else {
            throw WireFailure("\(document)")
        }
        object.members = object.members.map { member in
            switch member.name {
            case "schemaVersion": return JSONObject.Member(name: member.name, value: 2)
            case "classes":
                let kept = classes.compactMap { item -> JSONValue? in
                    guard item["name"] != "Note" else { return nil }
                    guard case .object(var entry) = item, case .array(let properties)? = entry["properties"] else {
                        return item
                    }
                    entry.members = entry.members.map {
                        $0.name != "properties"
                            ? $0
                            : JSONObject.Member(
                                name: $0.name, value: .array(properties.filter { $0["type"] != "Note?" }))
                    }
                    return .object(entry)
                }
                return JSONObject.Member(name: member.name, value: .array(kept))
            default: return member
            }
        }
        document = .object(object)
        let writer = JSONWriter()
        writer.value(document)
        let put = try home.wire.send(.put, "/v1/schema", String(decoding: writer.bytes, as: UTF8.self))
        #expect(put.status == 200, "\(put)")
        // The others begin again, because they may show other data under the new schema.
        var next = [try stream.next(), try stream.next()].sorted { $0.name < $1.name }
        #expect(next.map(\.name) == ["error", "initial"] && next[1].data["subscription"] == "dogs")
        let error = next.removeFirst().data
        #expect(error["subscription"] == "notes")
        #expect(error["code"] == "object.unknown_class")
        home.gateway.settle()
        #expect(try home.get("s/notes")["state"] == "error")
        #expect(try home.get("s/notes")["error"]?["code"] == "object.unknown_class")
        #expect(try home.get("s")["state"] == "error")
        #expect(try home.get("s/dogs")["state"] == "complete")
        #expect(try home.wire.send(.delete, "/v1/objects/Dog/1").status == 204)
        #expect(try stream.next("update")["subscription"] == "dogs")
        let later = try home.stream("s")
        #expect(try later.next("subscriptions")["subscriptions"] == ["dogs", "notes"])
        #expect(Set([try later.next().name, try later.next().name]) == ["initial", "error"])
    }

    @Test("a client that comes back at any event goes on from there with every subscription")
    func resume() throws {
        let home = try SubscriptionFixture()
        for (name, body) in SetReader.queries { try home.put("s/\(name)", body) }
        let stream = try home.stream("s")
        var reader = SetReader()
        var positions: [(id: String, reader: SetReader)] = []
        func read(until expected: [String: [JSONValue]]) throws {
            while reader.held != expected {
                let event = try stream.next()
                try reader.apply(event)
                if let id = event.id { positions.append((id, reader)) }
            }
        }
        try read(until: try SetReader.fresh(home))
        var random = SeededRandom.ofTest()
        for step in 0..<25 {
            try SetReader.write(home, &random)
            if step == 12 { try home.put("s/aged", #"{"class":"Dog","filter":"age > 6","fields":"_id,age"}"#) }
            try read(until: try SetReader.fresh(home, aged: step < 12 ? 3 : 6))
        }
        let expected = reader.held
        for position in positions {
            let again = try home.stream("s", since: position.id)
            var reader = position.reader
            home.gateway.settle()
            #expect(try again.next("subscriptions")["subscriptions"]?.asArray?.count == 3)
            while reader.held != expected { try reader.apply(try again.next()) }
            again.stream.didClose(.clientLeft)
        }
    }

    @Test("a slow reader of a set loses nothing, whatever its pauses")
    func slow() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        let home = try SubscriptionFixture()
        for (name, body) in SetReader.queries { try home.put("s/\(name)", body) }
        for limit in [1, 300, 2000] {
            var stream = try home.stream("s", limit: limit)
            var reader = SetReader()
            for step in 0..<60 {
                try SetReader.write(home, &random)
                guard Int.random(in: 0..<4, using: &random) == 0 || step == 59 else { continue }
                home.gateway.settle()
                if Int.random(in: 0..<5, using: &random) == 0, let id = reader.lastID {
                    stream.stream.didClose(.clientLeft)
                    stream = try home.stream("s", since: id, limit: limit)
                }
                let expected = try SetReader.fresh(home)
                while reader.held != expected { try reader.apply(try stream.next(), "seed \(seed)") }
            }
            stream.stream.didClose(.clientLeft)
        }
    }

    @Test("sets and their streams go on after a restart")
    func restart() throws {
        let directory = try TestDirectory()
        let path = directory.path + "/store.subscriptions"
        let home = try SubscriptionFixture { $0.subscriptionFile = path }
        for (name, body) in SetReader.queries { try home.put("s/\(name)", body) }
        try home.post("t", #"{"class":"Dog","filter":"age > $0","args":[{"$date":"2026-01-01T00:00:00Z"}]}"#)
        try home.post("t", #"{"class":"Dog","filter":"age > $0","args":[3],"limit":2}"#)
        #expect(try home.delete("s/towns").status == 204)
        let stream = try home.stream("s")
        var reader = SetReader()
        let expected = try SetReader.fresh(home).filter { $0.key != "towns" }
        while reader.held != expected { try reader.apply(try stream.next()) }
        let before = try home.get("t")

        let again = try SubscriptionFixture(home.store, clock: home.clock) { $0.subscriptionFile = path }
        let after = try again.get("t")
        #expect(after["subscriptions"]?.asArray?.map { $0["id"] } == before["subscriptions"]?.asArray?.map { $0["id"] })
        #expect(after["subscriptions"]?.asArray?.last?["args"] == [3])
        #expect(
            after["subscriptions"]?.asArray?.map { $0["createdAt"] }
                == before["subscriptions"]?.asArray?.map { $0["createdAt"] })
        #expect(try again.post("t", #"{"class":"Dog","filter":"age > $0","args":[3],"limit":2}"#).status == 200)
        #expect(try again.put("s/towns", #"{"class":"Person"}"#)["id"] == "$4")
        let resumed = try again.stream("s", since: reader.lastID)
        #expect(try resumed.next("subscriptions") == ["subscriptions": ["aged", "young", "towns"]])
        // Only the new objects have changed.
        let initial = try resumed.next("initial")
        #expect(initial["subscription"] == "towns")
    }

    @Test("a damaged file of sets is put aside")
    func damage() throws {
        let directory = try TestDirectory()
        let path = directory.path + "/store.subscriptions"
        try "{\"format\":1,\"sets\":[{}]}".write(toFile: path, atomically: true, encoding: .utf8)
        let home = try SubscriptionFixture { $0.subscriptionFile = path }
        #expect(try home.get("s").status == 404)
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
        #expect(try home.post("s", #"{"class":"Dog"}"#).status == 201)
        #expect(FileManager.default.fileExists(atPath: path))
    }
}

/// The state of a client of a set's stream.
struct SetReader {
    static let queries: KeyValuePairs = [
        "aged": #"{"class":"Dog","filter":"age > 3","fields":"_id,age"}"#,
        "young": #"{"class":"Dog","filter":"age <= 6","sort":"-age","fields":"_id,age"}"#,
        "towns": #"{"class":"Person","fields":"handle,city"}"#,
    ]

    private(set) var held: [String: [JSONValue]] = [:]
    private(set) var lastID: String?

    mutating func apply(_ event: WireEvents.Event, _ note: String = "") throws {
        if let id = event.id { lastID = id }
        switch event.name {
        case "subscriptions":
            let names = event.data["subscriptions"]?.asArray?.compactMap(\.asString) ?? []
            held = held.filter { names.contains($0.key) }
        case "removed":
            if let name = event.data["subscription"]?.asString { held[name] = nil }
        case "barrier": break
        case "initial", "update":
            guard let name = event.data["subscription"]?.asString else { throw WireFailure("\(event)") }
            var list = held[name] ?? []
            do {
                try ListReader.apply(event, to: &list)
            } catch {
                throw WireFailure("\(error), held \(held), \(note)")
            }
            held[name] = list
        default: throw WireFailure("\(event)")
        }
    }

    /// Returns the present results of the queries.
    static func fresh(_ home: SubscriptionFixture, aged: Int = 3) throws -> [String: [JSONValue]] {
        func items(_ target: String) throws -> [JSONValue] { try home.wire.get(target)["items"]?.asArray ?? [] }
        return [
            "aged": try items("/v1/objects/Dog?filter=age%20%3E%20\(aged)&fields=_id,age"),
            "young": try items("/v1/objects/Dog?filter=age%20%3C%3D%206&sort=-age&fields=_id,age"),
            "towns": try items("/v1/objects/Person?fields=handle,city"),
        ]
    }

    /// Makes one random commit.
    static func write(_ home: SubscriptionFixture, _ random: inout SeededRandom) throws {
        let key = Int.random(in: 0..<8, using: &random)
        let age = Int.random(in: 0..<10, using: &random)
        let answer: WireResponse
        switch Int.random(in: 0..<5, using: &random) {
        case 0: answer = try home.wire.send(.delete, "/v1/objects/Dog/\(key)")
        case 1: answer = try home.wire.send(.put, "/v1/objects/Person/p\(key % 3)", #"{"city":"c\#(age)"}"#)
        default: answer = try home.wire.send(.put, "/v1/objects/Dog/\(key)", #"{"age":\#(age)}"#)
        }
        guard answer.status < 300 || answer.status == 404 else { throw WireFailure("\(answer)") }
    }
}
