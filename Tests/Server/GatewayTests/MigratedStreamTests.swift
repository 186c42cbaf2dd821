import Dispatch
import EmbeddedStore
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import Promises
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@Suite("Streams over migrations")
struct MigratedStreamTests {
    /// A store whose class changes its schema all the time.
    private final class Workshop {
        let home: TestDirectory
        let store: EmbeddedStore
        let gateway: Gateway
        let wire: Wire
        private var version = 1
        private var ageType = "int"
        private var text = "name"
        private var hasAlias = false
        private var isIndexed = false
        private var hasOther = true

        init() throws {
            home = try TestDirectory()
            store = try EmbeddedStore.open(path: home.path + "/store")
            var configuration = GatewayConfiguration.untimed
            configuration.defaultPage = configuration.maximumPage
            gateway = try Gateway(store: store, configuration: configuration)
            wire = Wire(store: store, router: gateway.router)
            try put([])
            let items = (1...6).map {
                #"{"id":\#($0),"name":"n\#($0)","age":\#($0),"kind":"k\#($0 % 2)","tags":["a","b"],"marks":[\#($0)],"rates":{"x":\#($0)}}"#
            }
            for (target, body) in [
                ("Item", "[\(items.joined(separator: ","))]"), ("Other", #"[{"id":1},{"id":2}]"#),
                ("Item?update=modified", #"[{"id":1,"friends":[1,2]}]"#),
            ] {
                let answer = try wire.send(.post, "/v1/objects/\(target)", body)
                guard answer.status < 300 else { throw WireFailure("\(answer)") }
            }
        }

        deinit { store.close() }

        private func put(_ steps: [String]) throws {
            var properties = [
                #"{"name":"id","type":"int"}"#,
                #"{"name":"\#(text)","type":"string","indexed":\#(isIndexed)}"#,
                #"{"name":"age","type":"\#(ageType)"}"#, #"{"name":"kind","type":"string?"}"#,
                #"{"name":"tags","type":"string[]"}"#, #"{"name":"marks","type":"int<>"}"#,
                #"{"name":"rates","type":"int{}"}"#, #"{"name":"friends","type":"Item[]"}"#,
            ]
            if hasAlias { properties.append(#"{"name":"alias","type":"string"}"#) }
            var classes = [#"{"name":"Item","primaryKey":"id","properties":[\#(properties.joined(separator: ","))]}"#]
            if hasOther {
                classes.append(#"{"name":"Other","primaryKey":"id","properties":[{"name":"id","type":"int"}]}"#)
            }
            let document =
                #"{"schemaVersion":\#(version),"classes":[\#(classes.joined(separator: ","))],"migration":[\#(steps.joined(separator: ","))]}"#
            let answer = try wire.send(.put, "/v1/schema", document)
            guard answer.status == 200 else { throw WireFailure("\(document): \(answer)") }
        }

        func migrate(_ random: inout SeededRandom) throws {
            version += 1
            var steps: [String] = []
            func set(_ property: String, _ value: String) {
                steps.append(#"{"default":{"class":"Item","property":"\#(property)","value":\#(value)}}"#)
            }
            switch random.below(9) {
            case 0: set("age", ageType == "int" ? "\(random.below(9))" : "\"\(random.below(9))\"")
            case 1:
                ageType = ageType == "int" ? "string" : "int"
                let fallback = ageType == "int" ? "7" : "\"seven\""
                steps.append(#"{"convert":{"class":"Item","from":"age","fallback":\#(fallback)}}"#)
            case 2:
                hasAlias.toggle()
                if hasAlias { steps.append(#"{"copy":{"class":"Item","from":"\#(text)","to":"alias"}}"#) }
            case 3:
                let old = text
                text = text == "name" ? "label" : "name"
                steps.append(#"{"rename":{"class":"Item","from":"\#(old)","to":"\#(text)"}}"#)
            case 4: set("tags", #"["m\#(random.below(3))"]"#)
            case 5: set("rates", #"{"m":\#(random.below(3))}"#)
            case 6: isIndexed.toggle()
            case 7:
                hasOther.toggle()
                if !hasOther { steps.append(#"{"deleteClass":"Other"}"#) }
            default: set("marks", "[\(random.below(3)),9]")
            }
            try put(steps)
        }

        func write(_ random: inout SeededRandom) throws {
            let id = 1 + random.below(6)
            let number = random.below(9)
            let member =
                switch random.below(7) {
                case 0: #""age":\#(ageType == "int" ? "\(number)" : "\"\(number)\"")"#
                case 1: #""\#(text)":"w\#(number)""#
                case 2: #""kind":"k\#(number % 3)""#
                case 3: #""tags":["t\#(number)","b"]"#
                case 4: #""marks":[\#(number),1]"#
                case 5: #""rates":{"x":\#(number)}"#
                default: #""friends":[\#(1 + number % 6)]"#
                }
            let answer = try wire.send(.patch, "/v1/objects/Item/\(id)", "{\(member)}")
            guard answer.status == 200 else { throw WireFailure("\(member): \(answer)") }
        }

        /// Returns every object with all its visible properties, by key.
        func items() throws -> [Int: JSONValue] {
            let answer = try wire.get("/v1/objects/Item")
            return Dictionary(
                uniqueKeysWithValues: (answer["items"]?.asArray ?? []).map { ($0["id"]?.asInt ?? 0, $0.canonical) })
        }
    }

    private static let followers = [
        Follower(kind: .list, target: "objects/Item", fresh: "objects/Item"),
        Follower(kind: .list, target: "objects/Item?sort=-age", fresh: "objects/Item?sort=-age"),
        Follower(
            kind: .list, target: "objects/Item?filter=age%20%3E%203&fields=id,age",
            fresh: "objects/Item?filter=age%20%3E%203&fields=id,age"),
        Follower(
            kind: .list, target: "objects/Item?fields=id,name&keyPaths=name", fresh: "objects/Item?fields=id,name"),
        Follower(
            kind: .list, target: "objects/Item?expand=friends&fields=id,friends",
            fresh: "objects/Item?expand=friends&fields=id,friends"),
        Follower(kind: .object, target: "objects/Item/1", fresh: "objects/Item/1", members: []),
        Follower(kind: .list, target: "objects/Item/1/tags", fresh: "objects/Item/1/tags"),
        Follower(kind: .list, target: "objects/Item/1/marks", fresh: "objects/Item/1/marks"),
        Follower(kind: .map, target: "objects/Item/1/rates", fresh: "objects/Item/1/rates"),
        Follower(kind: .list, target: "objects/Item/1/friends", fresh: "objects/Item/1/friends"),
        Follower(
            kind: .list, target: "objects/Item/1/friends?sort=age&fields=id,age",
            fresh: "objects/Item/1/friends?sort=age&fields=id,age"),
        Follower(
            kind: .sections, target: "sections/Item?by=kind", fresh: "sections/objects/Item?by=kind",
            members: ["sections"]),
        .aggregates("objects/Item?by=kind&sum=age"), .aggregates("objects/Item?by=name"),
        .aggregates("objects/Item?by=age"), .aggregates("objects/Item/1/friends?by=age&top=2"),
        .aggregates("objects/Item?by=kind&sum=age&order=-sum(age)&limit=2"),
        .aggregates("objects/Item?by=kind&sum=age&having=sum(age)%20%3E%203"),
        .answer("aggregates/objects/Item?by=age&bins=3"),
        .answer("values/objects/Item?key=age&sort=id"), .answer("values/objects/Item?keyPath=@unionOfObjects.name"),
        .answer("values/objects/Item?keyPath=@max.age"), .answer("values/objects/Item?keyPath=friends.name&sort=id"),
        .answer("values/objects/Item/1/tags?key=self"), .answer("index/objects/Item?of=3&sort=-age"),
        .answer("index/objects/Item/1/friends?matching=age%20%3E%202"), .answer("index/objects/Item/1/marks?of=1"),
        Follower(kind: .list, target: "objects/Other", fresh: "objects/Other"),
    ]

    private struct Reading {
        let follower: Follower
        var events: WireEvents?
        var held = JSONValue.null
        var points: [(id: String, held: JSONValue)] = []
    }

    /// Follows the stream until the client has the result of a fresh read. A stream whose request is no longer valid
    /// ends.
    private func follow(_ reading: inout Reading, _ wire: Wire, _ note: String) throws {
        guard let expected = try? reading.follower.expected(wire) else {
            if let events = reading.events {
                while try events.next().name != "error" {}
                #expect(events.ends(), "\(note), \(reading.follower.target)")
            }
            reading.events = nil
            reading.points = []
            return
        }
        let events = try reading.events ?? reading.follower.open(wire)
        reading.events = events
        while reading.held != expected || reading.points.isEmpty {
            let event = try reading.follower.follow(events, &reading.held, to: expected, note)
            if let id = event.id { reading.points.append((id, reading.held)) }
        }
    }

    @Test("every kind of stream holds what a fresh read gives after each migration and write, live and on resume")
    func random() throws {
        var random = SeededRandom.ofTest()
        let note = "seed \(random.seed)"
        let workshop = try Workshop()
        let wire = workshop.wire
        guard try wire.send(.put, "/v1/subscriptions/app/all", #"{"class":"Item"}"#).status == 201 else {
            throw WireFailure("subscription")
        }
        // What they name is in every schema.
        let carried = [
            Follower.aggregates("objects/Item?by=kind"), .answer("values/objects/Item?key=kind&sort=id"),
            .answer("index/objects/Item?of=3&sort=-kind"),
        ]
        for (index, follower) in carried.enumerated() {
            let body = #"{"path":"\#(follower.target)"}"#
            guard try wire.send(.put, "/v1/subscriptions/app/c\(index)", body).status == 201 else {
                throw WireFailure("subscription")
            }
        }
        let set = try wire.observe("/v1/subscriptions/app/stream")
        var subscribed: [JSONValue] = []
        var held = carried.map { _ in JSONValue.null }
        var readings = Self.followers.map { Reading(follower: $0) }
        for step in 0..<40 {
            for index in readings.indices { try follow(&readings[index], wire, "\(note), step \(step)") }
            let all = try wire.get("/v1/objects/Item")["items"]?.asArray?.map(\.canonical)
            let expected = try carried.map { try $0.expected(wire) }
            while subscribed.map(\.canonical) != all || held != expected {
                var event = try set.next()
                let name = event.data["subscription"]?.asString ?? ""
                event.data = event.data.setting("subscription", nil)
                if name == "all" { try ListReader.apply(event, to: &subscribed) }
                if let index = Int(name.dropFirst()) { try carried[index].apply(event, to: &held[index]) }
            }
            // Some resume from an earlier position while the others keep the result alive.
            for reading in readings where reading.events != nil {
                guard let point = reading.points.randomElement(using: &random) else { continue }
                var other = Reading(
                    follower: reading.follower, events: try reading.follower.open(wire, since: point.id),
                    held: point.held, points: [point])
                try follow(&other, wire, "\(note), step \(step), since \(point.id)")
                other.events?.stream.didClose(.clientLeft)
            }
            if random.oneIn(3) { try workshop.migrate(&random) } else { try workshop.write(&random) }
        }
        for reading in readings { reading.events?.stream.didClose(.clientLeft) }
    }

    @Test("what became different over migrations is named object by object")
    func comparisons() throws {
        var random = SeededRandom.ofTest()
        let note = "seed \(random.seed)"
        let workshop = try Workshop()
        for _ in 0..<15 {
            let snapshot = try workshop.wire.send(.post, "/v1/snapshots?ttl=300")["snapshot"]?.asString ?? ""
            let before = try workshop.items()
            for _ in 0...random.below(2) {
                if random.oneIn(2) { try workshop.migrate(&random) } else { try workshop.write(&random) }
            }
            let after = try workshop.items()
            let changes = try workshop.wire.get("/v1/snapshots/\(snapshot)/changes")
            let item = changes["classes"]?.asArray?.first { $0["class"] == "Item" }
            let named = Set((item?["modified"]?.asArray ?? []).compactMap { $0["key"]?.asInt })
            #expect(named == Set(after.keys.filter { after[$0] != before[$0] }), "\(note): \(changes)")
        }
    }

    @Test(
        "writes prepared under one schema and done under another are prepared again, whatever the migration takes away")
    func writesMeanwhile() throws {
        let home = try TestDirectory()
        let store = try EmbeddedStore.open(path: home.path + "/store")
        defer { store.close() }
        let gateway = try Gateway(store: store, configuration: .untimed)
        let wire = Wire(store: store, router: gateway.router)
        func schema(_ version: Int, _ extra: Bool) -> String {
            let more = extra ? #",{"name":"extra","type":"string"}"# : ""
            return
                #"{"schemaVersion":\#(version),"classes":[{"name":"Item","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"n","type":"int"},{"name":"tags","type":"int[]"}\#(more)]}]}"#
        }
        #expect(try wire.send(.put, "/v1/schema", schema(1, true)).status == 200)
        #expect(try wire.send(.post, "/v1/objects/Item", #"{"id":0}"#).status == 201)
        let requests: [(HTTPMethod, String, String?)] = [
            (.put, "/v1/objects/Item/0", #"{"n":1}"#), (.patch, "/v1/objects/Item/0", #"{"n":2}"#),
            (.post, "/v1/objects/Item?update=modified", #"[{"id":0,"n":3}]"#),
            (.patch, "/v1/objects/Item?all=true", #"{"n":4}"#), (.post, "/v1/objects/Item/0/tags", "1"),
            (.put, "/v1/values/objects/Item?key=n&all=true", "5"),
            (
                .post, "/v1/transactions",
                #"{"operations":[{"op":"set","object":{"class":"Item","key":0},"value":{"n":6}},{"op":"create","class":"Item","value":{"id":7}},{"op":"delete","object":{"class":"Item","key":7}}]}"#
            ),
        ]
        for version in 2..<16 {
            // The writer is busy, so that all of these are prepared before the schema is replaced, and executed after
            // it.
            let gate = Promise<Bool>()
            store.submit({ _ in _ = try gate.take() }, completion: { _ in })
            let document = Array(schema(version, version % 2 == 1).utf8)
            let routed = wire.router.respond(
                to: try Request(.put, "/v1/schema", headers: ["Content-Type": "application/json"], body: document))
            guard case .later(let migrate) = routed else { throw WireFailure("\(routed)") }
            let migrated = Promise<Responder.Outcome>()
            migrate(Responder { migrated.set($0) })
            let answers = try requests.map { method, target, body in
                let request = try Request(
                    method, target, headers: ["Content-Type": "application/json"], body: Array((body ?? "").utf8))
                let box = Promise<Responder.Outcome>()
                wire.router.respond(to: request).send(to: Responder { box.set($0) })
                return (target, box)
            }
            gate.set(true)
            guard case .response(let done) = try migrated.take() else { throw WireFailure("migration") }
            #expect(done.status == 200, "\(WireResponse(done))")
            for (target, box) in answers {
                guard case .response(let response) = try box.take() else { throw WireFailure(target) }
                #expect(response.status < 300, "\(target), version \(version): \(WireResponse(response))")
            }
        }
    }

    @Test(
        "a property that went and came again while nobody was told is another one, and so are those that swapped names")
    func thereAndBack() throws {
        let home = try TestDirectory()
        let store = try EmbeddedStore.open(path: home.path + "/store")
        defer { store.close() }
        let gateway = try Gateway(store: store, configuration: .untimed)
        let wire = Wire(store: store, router: gateway.router)
        var version = 0
        func put(_ names: [String], _ steps: String = "") throws {
            version += 1
            let properties = names.map { #",{"name":"\#($0)","type":"string"}"# }.joined()
            let document =
                #"{"schemaVersion":\#(version),"classes":[{"name":"Other","primaryKey":"id","properties":[{"name":"id","type":"int"}]},{"name":"Item","primaryKey":"id","properties":[{"name":"id","type":"int"}\#(properties)]}],"migration":[\#(steps)]}"#
            let answer = try wire.send(.put, "/v1/schema", document)
            guard answer.status == 200 else { throw WireFailure("\(answer)") }
        }
        func rename(_ from: String, _ to: String) -> String {
            #"{"rename":{"class":"Item","from":"\#(from)","to":"\#(to)"}}"#
        }
        try put(["a", "b"])
        #expect(try wire.send(.post, "/v1/objects/Item", #"[{"id":1,"a":"1","b":"2"},{"id":2}]"#).status == 201)
        let followers =
            ["objects/Item", "objects/Item?sort=id&fields=id,a", "objects/Item?sort=id&fields=b"]
            .map { Follower(kind: .list, target: $0, fresh: $0) }
            + [Follower(kind: .object, target: "objects/Item/1", fresh: "objects/Item/1", members: [])]
        let streams = try followers.map { try $0.open(wire) }
        var held = followers.map { _ in JSONValue.null }
        func expectCurrent(_ note: String) throws {
            gateway.settle()
            // Members that begin again do so on another thread.
            for (index, follower) in followers.enumerated() {
                let expected = try follower.expected(wire)
                while held[index] != expected {
                    _ = try follower.follow(streams[index], &held[index], to: expected, note)
                }
            }
        }
        try expectCurrent("at first")
        // The thread that reports changes waits here.
        let (entered, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isArmed = Atomic(false)
        let gate = EventStream(limit: 1 << 20) {
            guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
            entered.signal()
            released.wait()
        }
        guard
            case .events(_, let start) = wire.router.respond(to: try Request(.get, "/v1/observe/objects/Other"))
        else { throw WireFailure("no stream") }
        start(gate)
        let changes: [() throws -> Void] = [
            {
                try put(["b"]); try put(["a", "b"])
            },
            {
                try put(["c", "b"], rename("a", "c"))
                try put(["c", "a"], rename("b", "a"))
                try put(["b", "a"], rename("c", "b"))
            },
        ]
        for (id, change) in changes.enumerated() {
            gateway.settle()
            _ = gate.takeQueued()
            #expect(try wire.send(.patch, "/v1/objects/Item/1", #"{"a":"x\#(id)","b":"y\#(id)"}"#).status == 200)
            try expectCurrent("before change \(id)")
            isArmed.store(true, ordering: .sequentiallyConsistent)
            #expect(try wire.send(.post, "/v1/objects/Other", #"{"id":\#(id)}"#).status == 201)
            entered.wait()
            try change()
            released.signal()
            try expectCurrent("after change \(id)")
        }
        for stream in streams { stream.stream.didClose(.clientLeft) }
        gate.didClose(.clientLeft)
    }
}
