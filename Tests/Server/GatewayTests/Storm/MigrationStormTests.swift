import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

/// Writers and streams do not wait for each other, nor for the schema.
@Suite("Writes and streams while the schema is replaced")
struct MigrationStormTests {
    private static let followers: [Follower] = {
        func list(_ target: String) -> Follower { Follower(kind: .list, target: target, fresh: target) }
        func narrowed(_ target: String, by keyPaths: String) -> Follower {
            Follower(kind: .list, target: "\(target)&keyPaths=\(keyPaths)", fresh: target)
        }
        func sections(_ query: String) -> Follower {
            Follower(
                kind: .sections, target: "sections/\(query)", fresh: "sections/objects/\(query)", members: ["sections"])
        }
        return [
            list("objects/Item"), list("objects/Item?sort=-age,id"), list("objects/Other"),
            list("objects/Item?filter=age%20%3E%203&sort=id&fields=id,age"),
            list("objects/Item?filter=friend.age%20%3E%202&sort=id&expand=friend"),
            narrowed("objects/Item?sort=id&fields=id,name", by: "name"),
            narrowed("objects/Item?sort=id&fields=id,friend.kind", by: "friend.kind"),
            list("objects/Item?sort=id&expand=friends,home.guest&fields=id,friends,home,fans"),
            list("objects/Item?sort=id&fields=id,fans,friend.name,home.street"),
            list("objects/Item?sort=id&fields=id,label"), list("objects/Item?sort=id&fields=id,x1"),
            Follower(kind: .object, target: "objects/Item/1", fresh: "objects/Item/1", members: []),
            Follower(kind: .object, target: "objects/Item/2", fresh: "objects/Item/2", members: []),
            Follower(kind: .object, target: "objects/Item/1/home", fresh: "objects/Item/1/home", members: []),
            Follower(kind: .map, target: "objects/Item/1/rates", fresh: "objects/Item/1/rates"),
            list("objects/Item/1/tags"), list("objects/Item/1/marks"), list("objects/Item/1/friends"),
            list("objects/Item/1/friends?sort=age,id&fields=id,age"), list("objects/Item/1/homes"),
            list("objects/Item/1/homes?sort=street&fields=street"), list("objects/Item/1/fans?sort=id"),
            sections("Item?by=kind&sort=id"), sections("Item?by=friend.name&sort=id&fields=id,name"),
            sections("Item/1/friends?by=kind&sort=id"),
        ]
    }()

    /// A client that follows one stream and reconnects when it ends.
    private struct Observer {
        let follower: Follower
        let wire: Wire
        let limit: Int
        var events: WireEvents?
        var held = JSONValue.null
        var points: [(id: String, held: JSONValue)] = []
        var log: [String] = []

        static func text(_ value: JSONValue) -> String {
            let json = JSONWriter(capacity: 256)
            json.value(value)
            return String(decoding: json.bytes, as: UTF8.self)
        }

        /// Reads the received events.
        mutating func take() throws {
            guard let open = events else { return }
            for event in open.takeAll() {
                log.append("\(event.name) \(event.id ?? "") \(Self.text(event.data).prefix(600))")
                if ["deleted", "error"].contains(event.name) {
                    events = nil
                    points = []
                    return
                }
                try follower.apply(event, to: &held)
                if let id = event.id { points.append((id, held)) }
            }
        }

        /// Reads events until it has the result of a fresh read; when there is nothing to read, until the stream ends.
        mutating func catchUp(_ gateway: Gateway, _ note: String) throws {
            let expected = try? follower.expected(wire)
            let isDone = try eventually {
                if events == nil, expected != nil {
                    events = try follower.open(wire, limit: limit)
                    held = .null
                }
                gateway.settle()
                try take()
                return expected == nil ? events == nil : events != nil && held == expected
            }
            guard !isDone else { return }
            let text = log.suffix(8).joined(separator: "\n")
            throw WireFailure(
                "\(note): \(follower.target) \(limit)\n\(text)\nat \(try wire.mark())\nholds    \(Self.text(held))\nexpected \(expected.map(Self.text) ?? "the end")"
            )
        }
    }

    /// The stream of a subscription set, by the names of its subscriptions.
    private struct SetObserver {
        let wire: Wire
        let events: WireEvents
        var held: [String: [JSONValue]] = [:]
        var log: [String] = []

        static let queries = [
            "all": (#"{"class":"Item","sort":"id"}"#, "objects/Item?sort=id"),
            "some": (
                #"{"class":"Item","filter":"age > 3","sort":"id","fields":"id,age,name"}"#,
                "objects/Item?filter=age%20%3E%203&sort=id&fields=id,age,name"
            ),
        ]

        init(_ wire: Wire, _ name: String) throws {
            self.wire = wire
            for (subscription, query) in Self.queries {
                let answer = try wire.send(.put, "/v1/subscriptions/\(name)/\(subscription)", query.0)
                guard answer.status == 201 else { throw WireFailure("\(answer)") }
            }
            // It is not opened again, however late it is read.
            events = try wire.observe("/v1/subscriptions/\(name)/stream", limit: 1 << 30)
        }

        mutating func take() throws {
            for event in events.takeAll() {
                log.append("\(event.name) \(event.id ?? "") \(Observer.text(event.data).prefix(500))")
                guard let name = event.data["subscription"]?.asString, ["initial", "update"].contains(event.name) else {
                    continue
                }
                try ListReader.apply(event, to: &held[name, default: []])
            }
        }

        mutating func catchUp(_ gateway: Gateway, _ note: String) throws {
            for (name, query) in Self.queries {
                let expected = try wire.get("/v1/" + query.1)["items"]?.asArray?.map(\.canonical)
                let isDone = try eventually {
                    gateway.settle()
                    try take()
                    return held[name]?.map(\.canonical) == expected
                }
                guard !isDone else { continue }
                throw WireFailure(
                    "\(note): subscription \(name)\n\(log.suffix(12).joined(separator: "\n"))\nat \(try wire.mark())\nholds    \(Observer.text(.array(held[name] ?? [])))\nexpected \(Observer.text(.array(expected ?? [])))"
                )
            }
        }
    }

    private static func items(_ wire: Wire, _ more: String = "") throws -> [Int: JSONValue] {
        let answer = try wire.get("/v1/objects/Item?" + more)
        return Dictionary(
            uniqueKeysWithValues: (answer["items"]?.asArray ?? []).map { ($0["id"]?.asInt ?? 0, $0.canonical) })
    }

    /// Compares `…/changes` with the differences of two reads.
    private static func compare(_ wire: Wire, _ before: [Int: JSONValue], since snapshot: String, _ note: String) throws
    {
        let after = try items(wire)
        let changes = try wire.get("/v1/snapshots/\(snapshot)/changes")
        let item = changes["classes"]?.asArray?.first { $0["class"] == "Item" }
        func named(_ list: String) -> Set<Int> {
            Set((item?[list]?.asArray ?? []).compactMap { $0.asInt ?? $0["key"]?.asInt })
        }
        #expect(named("inserted") == Set(after.keys).subtracting(before.keys), "\(note): \(changes)")
        #expect(named("deleted") == Set(before.keys).subtracting(after.keys), "\(note): \(changes)")
        let different = Set(after.keys.filter { before[$0] != nil && after[$0] != before[$0] })
        let missed = different.subtracting(named("modified")).map { key in
            "\(key): \(Observer.text(before[key] ?? .null)) became \(Observer.text(after[key] ?? .null))"
        }
        #expect(missed == [], "\(note): \(changes)")
    }

    @Test(
        "no write meets the numbers of another schema, and every stream ends up at what is there",
        arguments: 0..<3 * TestRun.length)
    func storm(_ round: Int) throws {
        let note = "round \(round)"
        // Each thread and phase has a generator of its own, because threads decide how much each of them does.
        func random(_ purpose: String) -> SeededRandom { SeededRandom.ofTest("\(round) \(purpose)") }
        let home = try StormHome(slot: round)
        var migrator = StormMigrator(random("migrator"))
        try migrator.put([], to: home.wire)
        try home.fill()
        var writers = (1...3).map { StormWriter($0, random("writer \($0)")) }
        var limits = random("limits")
        var clients = home.wires.flatMap { wire in
            Self.followers.map { Observer(follower: $0, wire: wire, limit: limits.oneIn(4) ? 2000 : 1 << 20) }
        }
        var sets = try home.wires.enumerated().map { try SetObserver($1, "set\($0)") }
        for phase in 0..<3 {
            let note = "\(note), phase \(phase)"
            for index in clients.indices { try clients[index].catchUp(home.gateway, note) }
            let compared = try home.wires.map { wire in
                (
                    wire, try wire.send(.post, "/v1/snapshots?ttl=3600")["snapshot"]?.asString ?? "",
                    try Self.items(wire)
                )
            }
            let faults = Mutex<[String]>([])
            let isOver = Atomic(false)
            let group = DispatchGroup()
            let results = Mutex<(migrator: StormMigrator, writers: [StormWriter])>((migrator, []))
            DispatchQueue.global().async(group: group) { [migrator, wire = home.wire] in
                var own = migrator
                do {
                    for _ in 0..<5 { try own.migrate(wire) }
                } catch {
                    faults.withLock { $0.append("\(error)") }
                }
                results.withLock { [own] in $0.migrator = own }
                isOver.store(true, ordering: .sequentiallyConsistent)
            }
            for index in writers.indices { writers[index].random = random("writer \(index), phase \(phase)") }
            for writer in writers {
                DispatchQueue.global().async(group: group) { [wire = home.wires[writer.number == 3 ? 1 : 0]] in
                    var own = writer
                    var count = 0
                    do {
                        while !isOver.load(ordering: .sequentiallyConsistent) || count < 5, count < 400 {
                            count += 1
                            let write = own.next()
                            let answer = try wire.send(
                                write.method, write.target, write.body, headers: write.headers)
                            if let fault = own.fault(write, answer) { faults.withLock { $0.append(fault) } }
                        }
                    } catch {
                        faults.withLock { $0.append("\(error)") }
                    }
                    results.withLock { [own] in $0.writers.append(own) }
                }
            }
            while group.wait(timeout: .now() + .milliseconds(5)) == .timedOut {
                for index in clients.indices { try clients[index].take() }
                for index in sets.indices { try sets[index].take() }
            }
            (migrator, writers) = results.withLock { $0 }
            writers.sort { $0.number < $1.number }
            #expect(faults.withLock { $0.prefix(3) } == [], "\(note)")
            for index in clients.indices { try clients[index].catchUp(home.gateway, note) }
            for index in sets.indices { try sets[index].catchUp(home.gateway, note) }
            for (wire, snapshot, before) in compared { try Self.compare(wire, before, since: snapshot, note) }
            // Some resume from an earlier position while the others keep the result alive.
            for (index, client) in clients.enumerated() where client.events != nil {
                var choice = random("client \(index), phase \(phase)")
                guard let point = choice.pick(client.points) else { continue }
                var other = client
                other.events = try client.follower.open(client.wire, since: point.id)
                other.held = point.held
                other.points = [point]
                try other.catchUp(home.gateway, "\(note), since \(point.id)")
                other.events?.stream.didClose(.clientLeft)
            }
        }
        for client in clients { client.events?.stream.didClose(.clientLeft) }
        for set in sets { set.events.stream.didClose(.clientLeft) }
    }
}
