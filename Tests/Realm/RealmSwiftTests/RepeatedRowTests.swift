import Foundation
import JSONCoding
import ObjectModel
import StoreTesting
import TestBasics
import Testing
import WireProtocol

@testable import RealmSwift
@testable import SyncEngine

/// Overlapping subscriptions bring the same objects more than once. Rows that are passed over must not make a
/// difference.
@Suite("Rows of the gateway that come again")
struct RepeatedRowTests {
    /// The gateway's objects, and what its two subscriptions match.
    private struct Remote {
        struct Dog: Equatable {
            var name: String
            var age: Int
            var owner: String?
        }

        var dogs: [Int: Dog] = [:]
        var version = 10

        static let conditions: [(text: String, matches: @Sendable (Dog) -> Bool)] = [
            ("age < 60", { $0.age < 60 }), ("age > 20", { $0.age > 20 }),
        ]

        func result(_ query: Int) -> [Int] {
            dogs.filter { Self.conditions[query].matches($0.value) }.keys.sorted()
        }

        func row(_ id: Int) -> String {
            guard let dog = dogs[id] else { return "null" }
            let owner = dog.owner.map { "\"\($0)\"" } ?? "null"
            return #"{"_id":\#(id), "dog_name":"\#(dog.name)","age":\#(dog.age),"owner":\#(owner)}"#
        }

        func initial(_ query: Int) -> String {
            let items = result(query).map(row).joined(separator: " ,\n")
            return #"{"subscription":"n\#(query + 1)","version":\#(version),"items":[\#(items)],"count":1}"#
        }

        /// The update from the result of an earlier state.
        func update(_ query: Int, since old: Remote) -> String {
            let (before, after) = (old.result(query), result(query))
            let deletions = before.indices.filter { !after.contains(before[$0]) }
            let insertions = after.indices.filter { !before.contains(after[$0]) }
            let modifications = before.indices.filter {
                after.contains(before[$0]) && dogs[before[$0]] != old.dogs[before[$0]]
            }
            let inserted = insertions.map { row(after[$0]) }.joined(separator: ",")
            let modified = modifications.map { row(before[$0]) }.joined(separator: ",")
            return #"""
                {"subscription":"n\#(query + 1)","version":\#(version),"deletions":\#(deletions),
                "insertions":\#(insertions),"modifications":\#(modifications),
                "objects":{"insertions":[\#(inserted)],"modifications":[\#(modified)]}}
                """#
        }
    }

    @Test("what is here, is changed here, leaves and comes back is what whole events give")
    func random() async throws {
        for round in 0..<3 * TestRun.length {
            var random = SeededRandom.ofTest(round)
            try await history(&random)
        }
    }

    private func history(_ random: inout SeededRandom) async throws {
        let realms = [LonelyRealm(), LonelyRealm()]
        for realm in realms {
            for (index, condition) in Remote.conditions.enumerated() {
                try await realm.subscribe("q\(index)", condition.text)
            }
        }
        let numbers = try await realms[0].run { _, realm in realm.subscriptions.map(\.query.number) }
        #expect(numbers == [1, 2])
        func tell(_ name: String, _ data: String, _ version: Int) async throws {
            for (index, realm) in realms.enumerated() {
                try await realm.tell(name, data, id: "\(version)-0a1b2c3d.1", isWhole: index == 1)
            }
        }
        var remote = Remote()
        for query in 0..<2 { try await tell("initial", remote.initial(query), remote.version) }
        for step in 0..<60 {
            let old = remote
            remote.version += 1
            for _ in 0..<random.below(4) {
                let id = random.below(12)
                switch random.below(4) {
                case 0: remote.dogs[id] = nil
                default:
                    remote.dogs[id] = Remote.Dog(
                        name: ["a", "b\\\"", "ü"][random.below(3)], age: random.below(80),
                        owner: random.below(3) == 0 ? "ada" : nil)
                }
            }
            if random.below(3) == 0 {
                let (id, age, kind) = (random.below(12), random.below(80), random.below(5))
                for realm in realms {
                    try await realm.edit { realm in
                        let dog = realm.object(ofType: RulesDog.self, forPrimaryKey: id)
                        switch (dog, kind) {
                        case (let dog?, 0): realm.delete(dog)
                        case (let dog?, _): dog.age = age
                        case (nil, 1): realm.create(RulesDog.self, value: ["_id": id, "age": age])
                        default: break
                        }
                    }
                }
            }
            if random.below(3) == 0 {
                for realm in realms { try await realm.acknowledge(at: UInt64(remote.version)) }
            }
            for query in random.below(2) == 0 ? [0, 1] : [1, 0] {
                if random.below(5) == 0 {
                    try await tell("initial", remote.initial(query), remote.version)
                } else {
                    try await tell("update", remote.update(query, since: old), remote.version)
                }
            }
            let (texts, whole) = (try await realms[0].dogs(), try await realms[1].dogs())
            #expect(texts == whole, "seed \(random.seed), step \(step)")
            guard texts == whole else { return }
        }
    }

    @Test("objects of an event are found wherever it has white space, and faults within them are told")
    func places() throws {
        func split(_ text: String, _ name: String = "initial") throws -> (SetEvent, EventObjects?) {
            let (event, objects) = try EventObjects.split(ServerEvent(name: name, data: Array(text.utf8)))
            return (event, objects)
        }
        let text =
            " {\"subscription\" : \"n1\", \"items\" : [ {\"a\":\"]\\\"}\",\"_id\": 12 } ,{\"_id\":\"x\"}, 7 ] ,\"version\":3}"
        let (event, objects) = try split(text)
        let found = try #require(objects)
        #expect(event.content == .initial(subscription: "n1", items: []) && event.version.rawValue == 3)
        #expect(found.count == 3)
        #expect(try found.member("_id", of: 0) == .int(12) && found.member("_id", of: 1) == .string("x"))
        #expect(try found.member("b", of: 0) == .null && found.member("_id", of: 2) == .null)
        #expect(try found.object(0)["a"] == .string("]\"}") && found.object(2) == .int(7))
        // A key that is written with an escape is found, too.
        #expect(try #require(try split(#"{"items":[{"\u005fid":5}]}"#).1).member("_id", of: 0) == .int(5))
        for fault in [
            "{\"items\":[1", "{\"items\":[1,]}", "{\"items\":[1 2]}", "{\"items\":[\"a]}", "{\"items\":[1]",
            "{\"items\":[]]}",
            "{\"items\":[],\"items\":[]}", "{", "", "{\"items\"}", "[1]x",
        ] {
            #expect(throws: (any Error).self, "\(fault)") {
                let (_, objects) = try split(fault)
                for index in 0..<(objects?.count ?? 0) { _ = try objects?.object(index) }
            }
        }
        #expect(throws: (any Error).self) { try #require(try split("{\"items\":[tru]}").1).object(0) }
        // An update has those that it inserts, and those that it modifies.
        let update =
            #"{"subscription":"n1","insertions":[0],"objects":{"insertions":[{"_id":1}] , "modifications" : [{"_id":2},{"_id":3}]},"modifications":[4,5]}"#
        let (changed, inserted) = try split(update, "update")
        let modified = try #require(inserted?.modified)
        #expect(try inserted?.count == 1 && modified.count == 2 && modified.member("_id", of: 1) == .int(3))
        guard case .update(_, let positions) = changed.content else { throw SyncMismatch() }
        #expect(positions.insertions == [0] && positions.modifications == [4, 5] && positions.modified == [])
        #expect(try split(#"{"objects":{"insertions":[]}}"#, "update").1?.modified == nil)
        #expect(throws: (any Error).self) { try split(update.replacingOccurrences(of: "3}]", with: "3}"), "update") }
        #expect(try split("{\"token\":\"t\"}", "barrier").1 == nil && split("{\"items\":3}").1 == nil)
    }
}
