import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import RealmSwift
import StoreTesting
import TestBasics
import Testing

/// The rules of `docs/swift/concurrent-edits.md`: what two followers that edit the same object apart come to.
@Suite("Rules for edits of two followers at the same time")
struct ConcurrentEditTests {
    /// Edits of two followers, and what the object has afterwards, depending on whose commits reach the gateway first.
    struct Rule: Sendable, CustomTestStringConvertible {
        var name: String
        /// The object's values before, without its key.
        var start: String
        var one: @Sendable (Realm, SubDog) -> Void
        var two: @Sendable (Realm, SubDog) -> Void
        /// The properties afterwards if the first follower's edits come first; nil for no object.
        var oneFirst: [String: JSONValue]?
        /// The same if they come last.
        var oneLast: [String: JSONValue]?

        var testDescription: String { name }

        /// A rule without a winner: the order does not matter.
        init(
            _ name: String, _ start: String, _ result: [String: JSONValue]?,
            one: @escaping @Sendable (Realm, SubDog) -> Void, two: @escaping @Sendable (Realm, SubDog) -> Void
        ) { self.init(name, start, oneFirst: result, oneLast: result, one: one, two: two) }

        init(
            _ name: String, _ start: String, oneFirst: [String: JSONValue]?, oneLast: [String: JSONValue]?,
            one: @escaping @Sendable (Realm, SubDog) -> Void, two: @escaping @Sendable (Realm, SubDog) -> Void
        ) {
            (self.name, self.start, self.oneFirst, self.oneLast) = (name, start, oneFirst, oneLast)
            (self.one, self.two) = (one, two)
        }
    }

    static let rules: [Rule] = [
        Rule("a value: the later", #""name":"a""#, oneFirst: ["name": "two"], oneLast: ["name": "one"]) { _, dog in
            dog.name = "one"
        } two: { _, dog in
            dog.name = "two"
        },
        Rule("a value and null: the later", #""age":1"#, oneFirst: ["age": 5], oneLast: ["age": .null]) { _, dog in
            dog.age = nil
        } two: { _, dog in
            dog.age = 5
        },
        Rule("two properties: both", #""name":"a","age":1"#, ["name": "one", "age": 2]) { _, dog in
            dog.name = "one"
        } two: { _, dog in
            dog.age = 2
        },
        Rule("a mixed value: the later, as a whole", #""extra":1"#, oneFirst: ["extra": [7]], oneLast: ["extra": "one"])
        {
            $1.extra = .string("one")
        } two: { _, dog in
            dog.extra = .fromArray([.int(7)])
        },
        Rule("a link: the later", #""owner":null"#, oneFirst: ["owner": "two"], oneLast: ["owner": "one"]) {
            realm, dog in
            dog.owner = realm.create(SubOwner.self, value: ["handle": "one"], update: .modified)
        } two: { realm, dog in
            dog.owner = realm.create(SubOwner.self, value: ["handle": "two"], update: .modified)
        },
        Rule(
            "a key of a map: the later; other keys: both", #""rates":{"a":1,"b":1}"#,
            oneFirst: ["rates": ["a": 2.0, "b": 3.0, "c": 1.0, "d": 2.0]],
            oneLast: ["rates": ["b": 3.0, "c": 1.0, "d": 2.0]]
        ) { _, dog in
            dog.rates["a"] = nil
            dog.rates["b"] = 3
            dog.rates["c"] = 1
        } two: { _, dog in
            dog.rates["a"] = 2
            dog.rates["d"] = 2
        },
        Rule(
            "elements of a set: all that were added, none that was removed", #""marks":[1,2,3]"#, ["marks": [3, 5, 6]]
        ) {
            $1.marks.remove(1)
            $1.marks.insert(5)
        } two: { _, dog in
            dog.marks.remove(1)
            dog.marks.remove(2)
            dog.marks.insert(objectsIn: [3, 5, 6])
        },
        Rule(
            "elements of a list: all edits, an insertion at the same place before the earlier one",
            #""names":["a","b","c"]"#,
            oneFirst: ["names": ["two", "one", "A", "b"]], oneLast: ["names": ["one", "two", "A", "b"]]
        ) { _, dog in
            dog.names.remove(at: 2)
            dog.names.insert("one", at: 0)
        } two: { _, dog in
            dog.names[0] = "A"
            dog.names.insert("two", at: 0)
        },
        Rule(
            "one element of a list: the earlier assignment, for the later one does not find what it replaced",
            #""names":["a","b"]"#, oneFirst: ["names": ["one", "b"]], oneLast: ["names": ["two", "b"]]
        ) { _, dog in
            dog.names[0] = "one"
        } two: { _, dog in
            dog.names[0] = "two"
        },
        Rule(
            "one element of a list that one removes: the earlier edit, as above", #""names":["a","b"]"#,
            oneFirst: ["names": ["b"]], oneLast: ["names": ["two", "b"]]
        ) { _, dog in
            dog.names.remove(at: 0)
        } two: { _, dog in
            dog.names[0] = "two"
        },
        Rule(
            "a list all of whose elements are replaced: the later", #""names":["a","b"]"#,
            oneFirst: ["names": ["z"]], oneLast: ["names": ["x"]]
        ) {
            $1.names.removeAll()
            $1.names.append("x")
        } two: { _, dog in
            dog.names.removeAll()
            dog.names.append("z")
        },
        Rule(
            "properties of an embedded object: each the later", #""chip":{"code":"a","scans":[1]}"#,
            oneFirst: ["chip": ["code": "two", "scans": [1, 2]]], oneLast: ["chip": ["code": "one", "scans": [1, 2]]]
        ) { _, dog in
            dog.chip?.code = "one"
            dog.chip?.scans.append(2)
        } two: { _, dog in
            dog.chip?.code = "two"
        },
        Rule("a deletion wins over edits", #""name":"a""#, nil) { realm, dog in
            realm.delete(dog)
        } two: { _, dog in
            dog.name = "two"
            dog.names.append("x")
        },
    ]

    @Test("each kind of property", arguments: rules, [true, false])
    func rule(_ rule: Rule, _ isOneFirst: Bool) async throws {
        let server = try TestServer()
        try server.send(.post, "/v1/objects/SubDog", "{\"_id\":1,\(rule.start)}")
        let clients = [SyncedRealm(server), SyncedRealm(server)]
        for client in clients {
            try await client.dogs()
            try await client.owners()
            try await client.session()?.suspend()
        }
        for (client, edit) in zip(clients, [rule.one, rule.two]) {
            try await client.write { realm in
                if let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 1) { edit(realm, dog) }
            }
        }
        for client in isOneFirst ? clients : clients.reversed() {
            try await client.session()?.resume()
            try await client.settle()
        }
        for client in clients { try await client.settle() }
        let dog = server.object("SubDog", "1")
        let expected = isOneFirst ? rule.oneFirst : rule.oneLast
        #expect((dog == nil) == (expected == nil))
        for (name, value) in expected ?? [:] { #expect(dog?[name] == value) }
        #expect(try await clients[0].text() == clients[1].text())
        #expect(clients.flatMap(\.errors.now).map(\.message) == [])
    }

    @Test(
        "an object that both create has the values of the later one, and its links unless they are null",
        arguments: [true, false])
    func created(_ isOneFirst: Bool) async throws {
        let server = try TestServer()
        let clients = [SyncedRealm(server), SyncedRealm(server)]
        for client in clients {
            try await client.dogs()
            try await client.owners()
            try await client.session()?.suspend()
        }
        try await clients[0].write { realm in
            _ = realm.create(SubDog.self, value: ["_id": 7, "name": "one", "age": 1, "names": ["x"]] as [String: Any])
        }
        try await clients[1].write { realm in
            _ = realm.create(
                SubDog.self,
                value: ["_id": 7, "name": "two", "owner": ["handle": "o"], "names": ["y"]] as [String: Any])
        }
        for client in isOneFirst ? clients : clients.reversed() {
            try await client.session()?.resume()
            try await client.settle()
        }
        for client in clients { try await client.settle() }
        let dog = server.object("SubDog", "7")
        #expect(dog?["name"] == (isOneFirst ? "two" : "one") && dog?["age"] == (isOneFirst ? .null : 1))
        #expect(dog?["names"] == (isOneFirst ? ["y"] : ["x"]) && dog?["owner"] == "o")
        #expect(try await clients[0].text() == clients[1].text())
    }

    /// Values, keys of a map and elements of a set have rules of their own that do not depend on one another: so the
    /// result of any edits is that of the net edits of one follower after those of the other.
    @Test("any edits of values, maps and sets come to those of the later follower after those of the earlier one")
    func net() async throws {
        for round in 0..<max(2, TestRun.length) {
            var random = SeededRandom.ofTest(round)
            let server = try TestServer()
            var start = State(age: 1, name: "start", rates: ["a": 1, "b": 2], marks: [1, 2, 3])
            try server.send(
                .post, "/v1/objects/SubDog",
                #"{"_id":1,"age":1,"name":"start","rates":{"a":1,"b":2},"marks":[1,2,3]}"#)
            let clients = [SyncedRealm(server), SyncedRealm(server)]
            for client in clients {
                try await client.dogs()
                try await client.session()?.suspend()
            }
            var nets: [Net] = []
            for client in clients {
                let steps = (0..<random.below(7) + 1).map { _ in Step(&random) }
                var net = Net()
                for step in steps { net.add(step, to: start) }
                nets.append(net)
                try await client.write { realm in
                    guard let dog = realm.object(ofType: SubDog.self, forPrimaryKey: 1) else { return }
                    for step in steps { step.edit(dog) }
                }
            }
            let order = random.oneIn(2) ? [0, 1] : [1, 0]
            for index in order {
                try await clients[index].session()?.resume()
                try await clients[index].settle()
                start.apply(nets[index])
            }
            for client in clients { try await client.settle() }
            let states = try await clients.asyncMap {
                try await $0.run { State($0.object(ofType: SubDog.self, forPrimaryKey: 1)) }
            }
            #expect(states == [start, start], "seed \(random.seed), order \(order): \(nets)")
        }
    }
}

extension ConcurrentEditTests {
    struct State: Equatable, Sendable {
        var age: Int?
        var name = ""
        var rates: [String: Double] = [:]
        var marks: Set<Int> = []

        init(age: Int?, name: String, rates: [String: Double], marks: Set<Int>) {
            (self.age, self.name, self.rates, self.marks) = (age, name, rates, marks)
        }

        init(_ dog: SubDog?) {
            guard let dog else { return }
            (age, name, marks) = (dog.age, dog.name, Set(dog.marks))
            rates = Dictionary(dog.rates.asKeyValueSequence().map { ($0.key, $0.value) }) { first, _ in first }
        }

        mutating func apply(_ net: Net) {
            if let value = net.age { age = value }
            if let value = net.name { name = value }
            for (key, value) in net.rates { rates[key] = value }
            for (mark, isIn) in net.marks {
                if isIn { marks.insert(mark) } else { marks.remove(mark) }
            }
        }
    }

    /// What a follower's edits together change.
    struct Net: Sendable {
        var age: Int??
        var name: String?
        var rates: [String: Double?] = [:]
        /// For each element that is in the set and was not, or the other way round: whether it is.
        var marks: [Int: Bool] = [:]

        mutating func add(_ step: Step, to start: State) {
            switch step {
            case .age(let value): age = .some(value)
            case .name(let value): name = value
            // A key that was not there and is not there again has not changed.
            case .rate(let key, let value):
                rates[key] = value == nil && start.rates[key] == nil ? nil : .some(value)
            case .mark(let mark, let isIn): marks[mark] = start.marks.contains(mark) == isIn ? nil : isIn
            }
        }
    }

    enum Step: Sendable {
        case age(Int?)
        case name(String)
        case rate(String, Double?)
        case mark(Int, Bool)

        init(_ random: inout SeededRandom) {
            switch random.below(6) {
            case 0: self = .age(random.oneIn(3) ? nil : random.below(100))
            case 1: self = .name("n\(random.below(100))")
            case 2, 3:
                let key = ["a", "b", "c", "d"][random.below(4)]
                self = .rate(key, random.oneIn(3) ? nil : Double(random.below(100)))
            default: self = .mark(random.below(6), random.oneIn(2))
            }
        }

        func edit(_ dog: SubDog) {
            switch self {
            case .age(let value): dog.age = value
            case .name(let value): dog.name = value
            case .rate(let key, let value): dog.rates[key] = value
            case .mark(let mark, let isIn): if isIn { dog.marks.insert(mark) } else { dog.marks.remove(mark) }
            }
        }
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await body(element)) }
        return result
    }
}
