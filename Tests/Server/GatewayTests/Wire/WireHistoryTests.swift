import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import Promises
import RequestHandling
import StoreTesting
import TestBasics
import Testing

@Suite("Histories over the wire")
struct WireHistoryTests {
    /// The expected contents of the gateway, as plain dictionaries.
    private struct Oracle {
        var dogs: [Int: [String: JSONValue]] = [:]

        static let fresh: [String: JSONValue] = [
            "name": "Stray", "breed": .null, "age": .null, "weight": 0.0, "good": .bool(true),
            "born": "1970-01-01T00:00:00Z", "owner": .null, "note": .null,
        ]

        func row(_ key: Int) -> JSONValue? {
            dogs[key].map { values in
                var members = values.map { JSONObject.Member(name: $0.key, value: $0.value) }
                members.append(JSONObject.Member(name: "_id", value: .int(Int64(key))))
                return JSONValue.object(JSONObject(members)).canonical
            }
        }
    }

    @Test("after any history of writes every object reads as plain dictionaries say", arguments: 0..<4)
    func agreesWithDictionaries(round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SeededRandom(seed: seed)
        let wire = try Wire()
        var oracle = Oracle()
        for step in 0..<250 {
            let key = Int.random(in: -3..<9, using: &random)
            let given = Self.values(&random)
            let body = Self.text(given)
            let exists = oracle.dogs[key] != nil
            let answer: WireResponse
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                answer = try wire.send(.post, "/v1/objects/Dog", Self.text(given, key))
                #expect(answer.status == (exists ? 409 : 201), "seed \(seed), step \(step): \(answer)")
                if !exists { oracle.dogs[key] = Oracle.fresh.merging(given) { $1 } }
            case 1:
                let policy = Bool.random(using: &random) ? "modified" : "all"
                answer = try wire.send(.post, "/v1/objects/Dog?update=\(policy)", Self.text(given, key))
                #expect(answer.status == (exists ? 200 : 201), "seed \(seed), step \(step): \(answer)")
                oracle.dogs[key] = (oracle.dogs[key] ?? Oracle.fresh).merging(given) { $1 }
            case 2:
                answer = try wire.send(.put, "/v1/objects/Dog/\(key)", body)
                #expect(answer.status == (exists ? 200 : 201), "seed \(seed), step \(step): \(answer)")
                oracle.dogs[key] = Oracle.fresh.merging(given) { $1 }
            case 3, 4:
                answer = try wire.send(.patch, "/v1/objects/Dog/\(key)", body)
                #expect(answer.status == (exists ? 200 : 404), "seed \(seed), step \(step): \(answer)")
                if exists { oracle.dogs[key]?.merge(given) { $1 } }
            default:
                answer = try wire.send(.delete, "/v1/objects/Dog/\(key)")
                #expect(answer.status == (exists ? 204 : 404), "seed \(seed), step \(step): \(answer)")
                oracle.dogs[key] = nil
            }
            if (200...201).contains(answer.status) {
                #expect(answer.json?.canonical == oracle.row(key), "seed \(seed), step \(step): \(answer)")
            }
            let read = try wire.get("/v1/objects/Dog/\(key)")
            #expect((read.status == 200 ? read.json?.canonical : nil) == oracle.row(key), "seed \(seed), step \(step)")
        }
        let all = try wire.get("/v1/objects/Dog", ["sort": "_id"])
        #expect(
            all["items"]?.asArray?.map(\.canonical) == oracle.dogs.keys.sorted().compactMap(oracle.row), "seed \(seed)")
    }

    @Test("writes from many threads are each kept or refused, and none is lost")
    func concurrentWriters() throws {
        let wire = try Wire()
        let outcomes = Promise<[Int]>()
        let statuses = Tally()
        DispatchQueue.global().async {
            DispatchQueue.concurrentPerform(iterations: 200) { index in
                // Two writers create every key; one of them must win.
                let answer = try? wire.send(.post, "/v1/objects/Dog", "{\"_id\":\(index / 2),\"age\":\(index)}")
                statuses.add(answer?.status ?? 0)
            }
            outcomes.set(statuses.values)
        }
        let all = try outcomes.take()
        #expect(all.filter { $0 == 201 }.count == 100)
        #expect(all.filter { $0 == 409 }.count == 100)
        #expect(try wire.get("/v1/objects/Dog", ["count": "true"])["count"] == 100)
    }

    /// Returns some of a dog's properties.
    private static func values(_ random: inout SeededRandom) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        let names = ["Rex", "", "Zoë", "\"\\\n", "日本", String(repeating: "x", count: 300)]
        if Bool.random(using: &random) { values["name"] = .string(names.randomElement(using: &random) ?? "") }
        if Bool.random(using: &random) {
            values["age"] = Bool.random(using: &random) ? .null : .int(.random(in: -5...5, using: &random))
        }
        if Bool.random(using: &random) {
            values["weight"] = .double(Double.random(in: -1e9...1e9, using: &random) + 0.5)
        }
        if Bool.random(using: &random) { values["good"] = .bool(Bool.random(using: &random)) }
        if Bool.random(using: &random) { values["breed"] = [.null, "b1", "b2"].randomElement(using: &random) }
        return values
    }

    private static func text(_ values: [String: JSONValue], _ key: Int? = nil) -> String {
        var members = values.map { JSONObject.Member(name: $0.key, value: $0.value) }
        if let key { members.append(JSONObject.Member(name: "_id", value: .int(Int64(key)))) }
        let writer = JSONWriter()
        writer.value(JSONValue.object(JSONObject(members)))
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Numbers collected from several threads.
private final class Tally: Sendable {
    private let lock = NSLock()
    // Accessed only under the lock.
    nonisolated(unsafe) private var collected: [Int] = []

    func add(_ value: Int) { lock.withLock { collected.append(value) } }

    var values: [Int] { lock.withLock { collected } }
}
