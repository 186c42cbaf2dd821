import EmbeddedStore
import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract
import StoreTesting
import TestBasics
import Testing

@Suite("Clients that follow streams")
struct FollowerTests {
    @Test("a client that comes back at any version is told the rest of a history, also by a server started anew")
    func resume() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        let estate = try StoredDogOwnersFixture()
        struct Reading {
            let follower: Follower
            let events: WireEvents
            var held = JSONValue.null
            var points: [(id: String, held: JSONValue)] = []
        }
        var readings = try Follower.all.map { Reading(follower: $0, events: try $0.open(try estate.wire)) }
        for _ in 0..<25 {
            try estate.write(&random)
            for index in readings.indices {
                let expected = try readings[index].follower.expected(estate.wire)
                while readings[index].held != expected {
                    let event = try readings[index].follower.follow(
                        readings[index].events, &readings[index].held, to: expected, "seed \(seed)")
                    if let id = event.id { readings[index].points.append((id, readings[index].held)) }
                }
            }
        }
        let idle = try estate.pinned()
        #expect(idle.versions == [idle.newest], "seed \(seed)")
        for reading in readings { reading.events.stream.didClose(.clientLeft) }
        #expect(try estate.pinned().versions == [], "seed \(seed)")
        for isNew in [false, true] {
            if isNew { try estate.reopen() }
            for reading in readings {
                let expected = try reading.follower.expected(estate.wire)
                for point in reading.points {
                    let events = try reading.follower.open(estate.wire, since: point.id)
                    var held = point.held
                    while held != expected {
                        let event = try reading.follower.follow(events, &held, to: expected, "seed \(seed)")
                        #expect(event.name != "initial", "seed \(seed), \(reading.follower.target), \(point.id)")
                    }
                    events.stream.didClose(.clientLeft)
                }
            }
            #expect(try estate.pinned().versions == [], "seed \(seed)")
        }
    }

    @Test("streams that came back and have nothing to be told of pin the newest version only")
    func idle() throws {
        let estate = try StoredDogOwnersFixture()
        let start = try estate.wire.mark()
        _ = try estate.wire.send(.patch, "/v1/objects/Person/ada", #"{"age":1,"tags":["x"],"nums":[]}"#)
        _ = try estate.wire.send(.patch, "/v1/objects/Dog/1", #"{"age":9}"#)
        let end = try estate.wire.mark()
        // Some receive what they missed, others nothing.
        let streams: [WireEvents] = try Follower.all.flatMap { follower in
            try [start, end, end].map { try follower.open(estate.wire, since: $0) }
        }
        for _ in 0..<2 {
            let idle = try estate.pinned()
            #expect(idle.versions == [idle.newest])
        }
        for events in streams { events.stream.didClose(.clientLeft) }
        #expect(try estate.pinned().versions == [])
        try estate.reopen()
    }

    @Test(
        "a stream of what an object holds ends when the object is deleted, even if it holds nothing any more",
        arguments: [
            "objects/Person/ada/tags", "objects/Person/ada/prices", "objects/Person/ada/dogs?fields=id",
            "objects/Person/ada/pets", "objects/Person/ada/dogs?sort=age&fields=id",
            "objects/Person/ada/dogs?filter=age%20%3E%20100&fields=id", "objects/Person/ada/friends",
            "sections/Person/ada/dogs?by=age", "objects/Dog/4/owners?fields=handle",
            "aggregates/objects/Person/ada/dogs?sum=age", "aggregates/objects/Person/ada/dogs?by=breed",
            "values/objects/Person/ada/dogs?key=age", "values/objects/Person/ada/tags?key=self",
            "index/objects/Person/ada/dogs?of=1", "index/objects/Person/ada/nums?of=1",
        ])
    func emptyHolderDeleted(target: String) throws {
        let estate = try StoredDogOwnersFixture()
        let empty = #"{"tags":[],"prices":{},"dogs":[],"pets":{},"friends":[]}"#
        #expect(try estate.wire.send(.patch, "/v1/objects/Person/ada", empty).status == 200)
        let start = try estate.wire.mark()
        let events = try estate.wire.observe("/v1/observe/\(target)")
        _ = try events.next("initial")
        let resumed = try estate.wire.observe("/v1/observe/\(target)", headers: ["Last-Event-ID": start])
        let holder = target.contains("Dog/4") ? "Dog/4" : "Person/ada"
        #expect(try estate.wire.send(.delete, "/v1/objects/\(holder)").status == 204)
        let version = try estate.wire.version()
        for events in [events, resumed] {
            #expect(try events.next("deleted") == ["version": .int(Int64(version))])
            #expect(events.ends())
        }
    }

    @Test("clients that pause, break off and come back end with what a fresh read gives", arguments: Follower.all)
    func slow(follower: Follower) throws {
        let seed = TestSeed.of(follower.target)
        var random = SeededRandom(seed: seed)
        let estate = try StoredDogOwnersFixture()
        for limit in [1, 500] {
            var events = try follower.open(estate.wire, limit: limit)
            var held = JSONValue.null
            var last: String?
            for step in 0..<20 {
                try estate.write(&random)
                guard Int.random(in: 0..<4, using: &random) == 0 || step == 19 else { continue }
                if Int.random(in: 0..<4, using: &random) == 0, let id = last {
                    events.stream.didClose(.clientLeft)
                    events = try follower.open(estate.wire, since: id, limit: limit)
                }
                let expected = try follower.expected(estate.wire)
                while held != expected {
                    let event = try follower.follow(events, &held, to: expected, "seed \(seed), limit \(limit)")
                    last = event.id ?? last
                }
            }
            events.stream.didClose(.clientLeft)
        }
    }

    @Test("what is committed while a large beginning is being written is told after it")
    func largeBeginning() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        let estate = try StoredDogOwnersFixture()
        let dogs = (10..<700).map { #"{"id":\#($0),"age":\#($0 % 7),"breed":"Beagle"}"# }.joined(separator: ",")
        #expect(try estate.wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201)
        let numbers = (0..<300).map(String.init).joined(separator: ",")
        #expect(try estate.wire.send(.patch, "/v1/objects/Person/ada", #"{"nums":[\#(numbers)]}"#).status == 200)
        var open: [(follower: Follower, events: WireEvents, held: JSONValue)] = []
        for _ in 0..<4 {
            for follower in Follower.all { open.append((follower, try follower.open(estate.wire), .null)) }
            try estate.write(&random)
        }
        // Some disconnect before their first event.
        for index in stride(from: 0, to: open.count, by: 7) { open[index].events.stream.didClose(.clientLeft) }
        for (follower, events, held) in open where !events.stream.isClosed {
            let expected = try follower.expected(estate.wire)
            var held = held
            repeat {
                let isFirst = held == .null
                let event = try follower.follow(events, &held, to: expected, "seed \(seed)")
                #expect((event.name == "initial") == isFirst, "seed \(seed), \(follower.target)")
            } while held != expected
        }
        for (_, events, _) in open { events.stream.didClose(.clientLeft) }
        #expect(try estate.pinned().versions == [], "seed \(seed)")
        #expect(estate.topicCount == 0)
    }

    @Test(
        "a stream of what an object holds ends when the object is deleted",
        arguments: ["tags", "prices", "dogs?fields=id", "pets", "dogs?sort=age&fields=id", "friends"])
    func holderDeleted(property: String) throws {
        let estate = try StoredDogOwnersFixture()
        let events = try estate.wire.observe("/v1/observe/objects/Person/ada/\(property)")
        let same = try estate.wire.observe("/v1/observe/objects/Person/ada/\(property)")
        #expect(try estate.wire.send(.patch, "/v1/objects/Person/ada", #"{"friends":["bob"]}"#).status == 200)
        for events in [events, same] {
            var event = try events.next()
            #expect(event.name == "initial")
            if property == "friends", event.data["count"] == 0 { event = try events.next() }
        }
        let version = try estate.wire.version()
        #expect(try estate.wire.send(.delete, "/v1/objects/Person/ada").status == 204)
        for events in [events, same] {
            let update = try events.next("update")
            #expect(update["deletions"]?.asArray?.isEmpty == false)
            #expect(update["insertions"] == [])
            let deleted = try events.next()
            #expect(deleted.name == "deleted")
            #expect(deleted.data == ["version": .int(Int64(version + 1))])
            #expect(events.ends())
        }
    }
}
