import HTTPMessages
import HTTPServer
import JSONCoding
import StoreTesting
import TestBasics
import Testing

/// The invariant: whatever happens to the object of a stream, a client that comes back with the id of any event that
/// it received holds what a fresh read gives, or is told that the object is deleted. The oracle is the fresh read.
@Suite("Streams of objects that are deleted and made again")
struct ReplacedObjectTests {
    static let followers = Follower.all.filter { $0.target.contains("Person/ada") }

    /// A person with random contents, as JSON members.
    private static func members(_ random: inout SeededRandom) -> String {
        func some(_ values: [String]) -> String {
            values.filter { _ in Bool.random(using: &random) }.joined(separator: ",")
        }
        let age = Int.random(in: 0...99, using: &random)
        return """
            "age":\(age),"tags":[\(some(["\"red\"", "\"\(age)\""]))],"nums":[\(some(["1", "null", "\(age)"]))],\
            "things":[\(some(["1", "\"x\""]))],"marks":[\(some(["\"1.5\"", "\"\(age)\""]))],\
            "dogs":[\(some(["1", "2", "3"]))],"friends":[\(some(["\"bob\"", "\"dee\""]))],\
            "prices":{\(some(["\"ash\":1", "\"oak\":\(age)"]))},"pets":{\(some(["\"rex\":1", "\"ace\":3"]))}
            """
    }

    /// Writes one step of the history. Returns whether ada exists then.
    private static func step(_ wire: Wire, exists: Bool, _ random: inout SeededRandom) throws -> Bool {
        let body = "{\(members(&random))}"
        let remove = #"{"op":"delete","object":{"class":"Person","key":"ada"}}"#
        let create = #"{"op":"create","class":"Person","value":{"handle":"ada",\#(members(&random))}}"#
        let requests: [(status: Int, body: String)]
        let existsAfter: Bool
        switch (exists, random.next() % 6) {
        case (true, 0): (requests, existsAfter) = ([(200, remove)], false)
        case (true, 1), (true, 2): (requests, existsAfter) = ([(200, "\(remove),\(create)")], true)
        case (true, 3): (requests, existsAfter) = ([(200, remove), (200, create)], true)
        case (true, _):
            let status = try wire.send(.patch, "/v1/objects/Person/ada", body).status
            guard status == 200 else { throw WireFailure("PATCH: \(status)") }
            return true
        case (false, 0), (false, 1): return false
        case (false, _): (requests, existsAfter) = ([(200, create)], true)
        }
        for request in requests {
            let answer = try wire.send(.post, "/v1/transactions", #"{"operations":[\#(request.body)]}"#)
            guard answer.status == request.status else { throw WireFailure("\(answer)") }
        }
        return existsAfter
    }

    @Test(
        "a client that comes back holds what a read gives, or learns that the object is deleted", arguments: followers)
    func comesBack(follower: Follower) throws {
        let seed = TestSeed.of(follower.target)
        var random = SeededRandom(seed: seed)
        for kind in DogOwnersGatewayFixture.Kind.allCases {
            let wire = try DogOwnersGatewayFixture(kind).wire
            var exists = true
            var held = JSONValue.null
            var id: String?
            for round in 0..<(12 * TestRun.length) {
                let note = "seed \(seed), \(kind), round \(round), since \(id ?? "-")"
                let events = try follower.open(wire, since: id)
                var ended = false
                // It follows what it missed, then the changes while it listens, and may leave before it has all.
                for _ in 0...Int.random(in: 0...2, using: &random) {
                    let patience = random.next() % 4
                    try follow(wire, follower, events, exists, &held, &id, &ended, note, isPatient: patience > 0)
                    guard !ended else { break }
                    exists = try Self.step(wire, exists: exists, &random)
                }
                events.stream.didClose(.clientLeft)
                exists = try Self.step(wire, exists: exists, &random)
            }
        }
    }

    /// Takes events until the client is up to date, or one event if it has no patience.
    private func follow(
        _ wire: Wire, _ follower: Follower, _ events: WireEvents, _ exists: Bool, _ held: inout JSONValue,
        _ id: inout String?, _ ended: inout Bool, _ note: String, isPatient: Bool
    ) throws {
        let expected = exists ? try follower.expected(wire) : .null
        while exists ? held != expected : !ended {
            let event: WireEvents.Event
            do {
                event = try events.next()
            } catch {
                throw WireFailure("\(follower.target), \(note): \(error)\nheld \(held)\nexpected \(expected)")
            }
            id = event.id ?? id
            if event.name == "deleted" {
                held = .null
                ended = true
                return
            }
            try follower.apply(event, to: &held)
            if !isPatient { return }
        }
    }
}
