import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import StoreTesting
import Testing
import TestBasics

/// After a backup is restored, versions go back, and other commits reuse the same numbers.
@Suite("Clients of a gateway whose backup was restored")
struct RestoredClientsTests {
    /// Tags, cursors and ids that clients received at any time and kept.
    private struct Given {
        var points: [(follower: Follower, id: String, held: JSONValue)] = []
        var tags: [(target: String, tag: String)] = []
        var cursors: [String] = []
        var marks: [String] = []
        var positions: [(id: String, reader: SetReader)] = []
    }

    private static let reads = [
        "/v1/objects/Dog", "/v1/objects/Dog?sort=age&filter=age%20%3E%202", "/v1/objects/Dog/1",
        "/v1/objects/Person/ada",
        "/v1/objects/Person/bob?expand=dog", "/v1/aggregates/objects/Dog?sum=age", "/v1/sections/objects/Dog?by=breed",
        "/v1/values/objects/Dog?key=age", "/v1/index/objects/Dog?of=1", "/v1/objects/Person/ada/tags",
        "/v1/objects/Person/ada/age", "/v1/objects/Person/ada/dogs", "/v1/export/Dog", "/v1/schema",
    ]
    private static let pages = [
        "/v1/objects/Dog?limit=1", "/v1/objects/Dog?limit=1&sort=-age", "/v1/objects/Dog?limit=1&distinct=breed",
        "/v1/objects/Person/ada/dogs?limit=1", "/v1/objects/Person/ada/dogs?limit=1&sort=age",
    ]
    private static let sets: KeyValuePairs = [
        "aged": #"{"class":"Dog","filter":"age > 3","fields":"id,age"}"#,
        "young": #"{"class":"Dog","filter":"age <= 6","sort":"-age","fields":"id,age"}"#,
    ]

    private static func fresh(_ wire: Wire) throws -> [String: [JSONValue]] {
        [
            "aged": try wire.get("/v1/objects/Dog?filter=age%20%3E%203&fields=id,age")["items"]?.asArray ?? [],
            "young": try wire.get("/v1/objects/Dog?filter=age%20%3C%3D%206&sort=-age&fields=id,age")["items"]?.asArray
                ?? [],
        ]
    }

    private static func stream(_ wire: Wire, since id: String? = nil) throws -> WireEvents {
        try wire.observe("/v1/subscriptions/s/stream", headers: id.map { ["Last-Event-ID": $0] } ?? [:], limit: 1 << 20)
    }

    /// Writes a number of times, and collects what clients receive meanwhile.
    private func write(
        _ estate: StoredDogOwnersFixture, _ count: Int, _ random: inout SeededRandom, _ given: inout Given,
        _ note: String
    ) throws {
        let wire = try estate.wire
        for (name, body) in Self.sets {
            #expect(try wire.send(.put, "/v1/subscriptions/s/\(name)", body).status < 300, "\(note)")
        }
        var streams = try Follower.all.map { (follower: $0, events: try $0.open(wire), held: JSONValue.null) }
        let set = try Self.stream(wire)
        var reader = SetReader()
        for _ in 0..<count {
            try estate.write(&random)
            for index in streams.indices {
                let expected = try streams[index].follower.expected(wire)
                while streams[index].held != expected {
                    let event = try streams[index].follower.follow(
                        streams[index].events, &streams[index].held, to: expected, note)
                    if let id = event.id { given.points.append((streams[index].follower, id, streams[index].held)) }
                }
            }
            let expected = try Self.fresh(wire)
            while reader.held != expected {
                let event = try set.next()
                try reader.apply(event, note)
                if let id = event.id { given.positions.append((id, reader)) }
            }
            for target in Self.reads {
                let answer = try wire.send(.get, target)
                #expect(answer.status == 200, "\(note): \(answer)")
                let mark = try wire.mark()
                #expect(answer.headers["Realmgate-Mark"] == mark, "\(note): \(target)")
                given.tags.append((target, try #require(answer.headers["ETag"], "\(target)")))
                given.marks.append(mark)
            }
            for target in Self.pages {
                guard let next = try wire.send(.get, target)["next"]?.asString else { continue }
                given.cursors.append(target + "&after=" + Wire.encoded(next))
            }
        }
        for stream in streams { stream.events.stream.didClose(.clientLeft) }
        set.stream.didClose(.clientLeft)
    }

    @Test("whatever a client was given before, it begins anew and ends with what there is", arguments: 0..<3)
    func everything(_ run: Int) throws {
        var random = SeededRandom.ofTest(run)
        let note = "seed \(random.seed)"
        let estate = try StoredDogOwnersFixture()
        var given = Given()
        try write(estate, 4, &random, &given, note)
        try estate.backUp()
        try write(estate, Int.random(in: 1...8, using: &random), &random, &given, note)
        try estate.restore()
        let abandoned = given
        var own = Given()
        try write(estate, Int.random(in: 1...10, using: &random), &random, &own, note)
        let wire = try estate.wire
        for point in abandoned.points {
            let expected = try point.follower.expected(wire)
            let events = try point.follower.open(wire, since: point.id)
            var held = point.held
            let first = try point.follower.follow(events, &held, to: expected, note)
            #expect(first.name == "initial", "\(note): \(point.follower.target) at \(point.id)")
            #expect(held == expected, "\(note): \(point.follower.target) at \(point.id)")
            events.stream.didClose(.clientLeft)
        }
        let expected = try Self.fresh(wire)
        for position in abandoned.positions {
            let again = try Self.stream(wire, since: position.id)
            var reader = position.reader
            try reader.apply(try again.next())
            for _ in Self.sets {
                let event = try again.next()
                #expect(event.name == "initial", "\(note): \(position.id)")
                try reader.apply(event, note)
            }
            #expect(reader.held == expected, "\(note): \(position.id)")
            again.stream.didClose(.clientLeft)
        }
        for (target, tag) in abandoned.tags {
            let answer = try wire.send(.get, target, headers: ["If-None-Match": tag])
            #expect(answer.status == 200 && answer.headers["ETag"] != tag, "\(note): \(target) \(tag)")
        }
        for cursor in abandoned.cursors {
            let answer = try wire.send(.get, cursor)
            #expect(answer.status == 410 && answer.code == "cursor.gone", "\(note): \(cursor): \(answer)")
        }
        try refuseConditions(wire, abandoned, note)
        // Values of this history are valid: nothing was written since.
        for (target, tag) in own.tags.suffix(Self.reads.count) {
            // An export is always sent.
            let status = target.contains("export") ? 200 : 304
            #expect(try wire.send(.get, target, headers: ["If-None-Match": tag]).status == status, "\(note): \(target)")
        }
        for point in own.points.suffix(Follower.all.count) {
            let events = try point.follower.open(wire, since: point.id)
            let expected = try point.follower.expected(wire)
            var held = point.held
            while held != expected {
                let event = try point.follower.follow(events, &held, to: expected, note)
                #expect(event.name != "initial", "\(note): \(point.follower.target) at \(point.id)")
            }
            events.stream.didClose(.clientLeft)
        }
        estate.settle()
    }

    /// Sends writes with conditions on a state of an abandoned history.
    private func refuseConditions(_ wire: Wire, _ abandoned: Given, _ note: String) throws {
        let mark = try wire.mark()
        for (target, tag) in abandoned.tags.suffix(3 * Self.reads.count) {
            let headers: HeaderFields = ["If-Match": tag]
            let answers: [WireResponse]
            switch target {
            case "/v1/objects/Dog/1":
                answers = [
                    try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":1}"#, headers: headers),
                    try wire.send(.put, "/v1/objects/Dog/1", #"{"age":1}"#, headers: headers),
                    try wire.send(.delete, "/v1/objects/Dog/1", headers: headers),
                ]
            case "/v1/objects/Person/bob?expand=dog":
                answers = [try wire.send(.patch, "/v1/objects/Person/bob", #"{"age":1}"#, headers: headers)]
            case "/v1/objects/Person/ada":
                answers = [try wire.send(.post, "/v1/objects/Person/ada/tags", #""x""#, headers: headers)]
            case "/v1/objects/Dog":
                answers = [
                    try wire.send(.patch, "/v1/objects/Dog?all=true", #"{"age":1}"#, headers: headers),
                    try wire.send(.delete, "/v1/objects/Dog?all=true", headers: headers),
                    try wire.send(.put, "/v1/values/objects/Dog?key=age&all=true", "1", headers: headers),
                ]
            default: continue
            }
            for answer in answers { #expect(answer.status == 412, "\(note): \(target) \(tag): \(answer)") }
        }
        for known in abandoned.marks {
            let body = #"{"ifVersion":"\#(known)","operations":[{"op":"require","class":"Dog"}]}"#
            #expect(try wire.send(.post, "/v1/transactions", body).status == 412, "\(note): \(known)")
        }
        #expect(try wire.mark() == mark, "\(note): nothing was done")
    }
}
