import AccessRules
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import Identity
import JSONCoding
import ObjectModel
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics
import Testing

/// The event streams and waiting reads that administrators see and end.
@Suite("Open connections")
struct OpenConnectionTests {
    /// A gateway with access control over HTTP.
    private final class Site {
        let guarded: GuardedGateway
        private let server: HTTPServer
        let port: UInt16
        let reader: (id: String, secret: String)
        private let administrator: String

        init() throws {
            guarded = try GuardedGateway()
            let made = try guarded.keys.create(.init(name: "screen", roles: ["reader"]))
            reader = (made.key.id, made.secret)
            administrator = try guarded.secret("admin")
            let headers: HeaderFields = ["X-API-Key": administrator]
            for (target, body) in [
                ("Person", #"[{"handle":"ada","city":"Turin"},{"handle":"bob"}]"#),
                ("Dog", #"[{"_id":1,"name":"Rex","age":7,"owner":"ada"},{"_id":2,"name":"Fido","age":12}]"#),
            ] {
                let answer = try guarded.gateway.send(.post, "/v1/objects/\(target)", body, headers: headers)
                guard answer.status == 201 else { throw WireFailure("setting up: \(answer.text)") }
            }
            var settings = ServerConfiguration()
            settings.loops = 2
            server = HTTPServer(configuration: settings, router: guarded.gateway.router)
            port = try server.start()
        }

        deinit { server.stop(within: .seconds(5)) }

        func send(_ line: String, as secret: String? = nil, body: String = "") throws -> (status: Int, text: String) {
            let client = try LoopbackClient(port: port)
            defer { client.hangUp() }
            try client.send(line, headers: "X-API-Key: \(secret ?? administrator)\r\n", body: body)
            let answer = try client.receive()
            return (answer.status, answer.text)
        }

        func list(_ query: String = "") throws -> [JSONValue] {
            let answer = try send("GET /v1/connections\(query)")
            guard answer.status == 200, let all = try JSONValue.parse(answer.text)["connections"]?.asArray else {
                throw WireFailure("\(answer)")
            }
            return all
        }

        /// The cost in seconds of the first stream, with all events that are due.
        func cost() throws -> Double {
            guarded.gateway.settle()
            return try #require(try list().first?["cost"]?["seconds"]?.asDouble)
        }

        /// Opens a stream, and reads its first event.
        func observe(_ target: String) throws -> LoopbackClient {
            let client = try LoopbackClient(port: port)
            try client.send("GET \(target)", headers: "X-API-Key: \(reader.secret)\r\n")
            _ = try client.head()
            let event = try client.event()
            guard event.name == "initial" else { throw WireFailure("\(event)") }
            return client
        }

        func rename(_ key: Int, _ name: String) throws {
            let answer = try send("PATCH /v1/objects/Dog/\(key)", body: #"{"name":"\#(name)"}"#)
            guard answer.status == 200 else { throw WireFailure("\(answer)") }
        }
    }

    @Test("a stream is listed with who opened it, from where, what it observes, and what it has carried")
    func stream() throws {
        let site = try Site()
        #expect(try site.list().isEmpty)
        let client = try LoopbackClient(port: site.port)
        // A browser's EventSource has no header for the credential.
        try client.send(
            "GET /v1/observe/objects/Dog?filter=age%20%3E%203&access_token=\(site.reader.secret)",
            headers: "X-Request-Id: screen-7\r\n")
        _ = try client.head()
        #expect(try client.event().name == "initial")
        let whole = try site.send("GET /v1/connections")
        #expect(!whole.text.contains(site.reader.secret) && !whole.text.contains("access_token"), "\(whole.text)")
        #expect(try JSONValue.parse(whole.text)["count"] == 1)
        let first = try #require(try site.list().first)
        #expect(first["kind"] == "stream" && first["target"] == "/v1/observe/objects/Dog?filter=age > 3")
        #expect(first["caller"] == .string("key:\(site.reader.id)") && first["role"] == "reader")
        #expect(first["address"]?.asString?.hasPrefix("127.0.0.1:") == true && first["request"] == "screen-7")
        #expect(first["events"] == 1 && first["lastEvent"]?.asString?.hasSuffix("Z") == true, "\(first)")
        #expect(first["since"] == .string(site.guarded.clock.now.rfc3339))
        // The loop counts bytes after the client may have them.
        #expect(try eventually { try site.list().first?["waitingBytes"] == 0 })
        let bytes = try #require(try site.list().first?["bytes"]?.asInt)
        #expect(bytes > 100)
        let cost = try site.cost()
        #expect(cost > 0 && first["cost"]?["sharedBy"] == 1)

        try site.rename(1, "Rexx")
        #expect(try client.event().name == "update")
        #expect(try eventually { try site.list().first?["waitingBytes"] == 0 })
        let second = try #require(try site.list().first)
        #expect(second["events"] == 2 && second["bytes"]?.asInt ?? 0 > bytes && second["id"] == first["id"])
        let costLater = try site.cost()
        #expect(costLater > cost)
        // What does not concern it costs it nothing.
        #expect(try site.send("POST /v1/objects/Note", body: #"{"text":"x"}"#).status == 201)
        #expect(try site.cost() == costLater)
        client.hangUp()
        #expect(try eventually { try site.list().isEmpty })
    }

    @Test("one that is ended tells its client to connect again, and the client misses nothing")
    func ending() throws {
        let site = try Site()
        let client = try site.observe("/v1/observe/objects/Dog?fields=name")
        let other = try site.observe("/v1/observe/objects/Person")
        defer { other.hangUp() }
        try site.rename(1, "A")
        let update = try client.event()
        let id = try #require(
            try site.list().first { $0["target"]?.asString?.hasPrefix("/v1/observe/objects/Dog") == true }?["id"]?
                .asString)
        // Others may not.
        #expect(try site.send("DELETE /v1/connections/\(id)", as: site.reader.secret).status == 403)
        #expect(try site.send("DELETE /v1/connections/\(id)").status == 204)
        let last = try client.event()
        #expect(last.name == "closing" && last.data == #"{"code":"connection.ended","reconnect":true}"#, "\(last)")
        #expect(client.ends())
        let again = try site.send("DELETE /v1/connections/\(id)")
        #expect(again.status == 404 && again.text.contains("connection.not_found"), "\(again)")
        for wrong in ["1", "x-1", "\(id)0", String(id.dropLast()) + "-1", "-"] {
            #expect(try site.send("DELETE /v1/connections/\(wrong)").status == 404, "\(wrong)")
        }
        #expect(try site.list().map { $0["target"] } == ["/v1/observe/objects/Person"])
        try site.rename(1, "B")
        let resumed = try LoopbackClient(port: site.port)
        defer { resumed.hangUp() }
        try resumed.send(
            "GET /v1/observe/objects/Dog?fields=name",
            headers: "X-API-Key: \(site.reader.secret)\r\nLast-Event-ID: \(update.id ?? "")\r\n")
        _ = try resumed.head()
        let missed = try resumed.event()
        #expect(missed.name == "update" && missed.data.contains(#""name":"B""#), "\(missed)")
    }

    @Test("a waiting read is listed, and is answered when it is ended")
    func waitingRead() throws {
        let polling = try PollingGateway()
        func list() throws -> [JSONValue] { try polling.get("/v1/connections")["connections"]?.asArray ?? [] }
        let mark = try polling.site.store.snapshot().mark.description
        let target = PollingGateway.waiting("/v1/objects/Dog?sort=-age", since: mark)
        let (held, other) = (try polling.hold(target), try polling.hold(target))
        #expect(try eventually { try list().count == 2 })
        let first = try #require(try list().last)
        #expect(first["kind"] == "read" && first["target"] == "/v1/objects/Dog?sort=-age", "\(first)")
        #expect(first["cost"] == .null && first["events"] == 0 && first["lastEvent"] == .null)
        #expect(first["caller"] == .null)
        let id = try #require(first["id"]?.asString)
        #expect(polling.site.gateway.longPollCount == 2)
        #expect(try polling.site.send(.delete, "/v1/connections/\(id)").status == 204)
        let answer = try held.response()
        #expect(answer.status == 204 && answer.headers["Realmgate-Mark"] == mark, "\(answer)")
        #expect(!other.isAnswered)
        #expect(try list().count == 1)
        try polling.write(.patch, "Dog/1", #"{"age":99}"#)
        #expect(try other.response().status == 200)
        #expect(try list().isEmpty)
    }

    @Test("streams of the same query share their cost, those of a set and of the log are listed, too")
    func kinds() throws {
        let wire = try Wire.populated()
        func list(_ sort: String = "since") throws -> [JSONValue] {
            try wire.get("/v1/connections", ["sort": sort])["connections"]?.asArray ?? []
        }
        let same = try (0..<3).map { _ in try wire.observe("/v1/observe/objects/Dog", ["filter": "age > 1"]) }
        for stream in same { _ = try stream.next("initial") }
        let form = try wire.observe("/v1/query/observe/objects/Dog", form: "filter=age+%3E+2")
        _ = try form.next("initial")
        #expect(
            try wire.send(.put, "/v1/subscriptions/s/a", #"{"class":"Dog","filter":"age > 1","waitForSync":"never"}"#)
                .status < 300)
        let set = try wire.observe("/v1/subscriptions/s/stream")
        _ = try set.next("subscriptions")
        _ = try set.next("initial")
        let logs = try wire.observe("/v1/observe/logs")
        #expect(try eventually { try list().dropFirst(4).first?["cost"]?["seconds"]?.asDouble ?? 0 > 0 })
        let all = try list()
        #expect(
            all.map { $0["target"]?.asString } == Array(
                repeating: "/v1/observe/objects/Dog?filter=age > 1", count: 3) + [
                    "/v1/observe/objects/Dog?filter=age > 2", "/v1/subscriptions/s/stream", "/v1/observe/logs",
                ])
        #expect(all.prefix(3).allSatisfy { $0["cost"]?["sharedBy"]?.asInt ?? 0 >= 3 }, "\(all)")
        #expect(all[3]["cost"]?["sharedBy"] == 1)
        #expect(all[5]["cost"] == .null)
        logs.stream.didClose(.clientLeft)
        #expect(try list("-since").first?["target"] == "/v1/subscriptions/s/stream")
    }

    @Test(
        "refuses what it does not understand, with the parameter",
        arguments: ["sort=age", "sort=", "limit=0", "limit=1001", "x=1"])
    func refusals(query: String) throws {
        let answer = try Wire().get("/v1/connections?\(query)")
        #expect(answer.status == 400 && answer["parameter"]?.asString == query.components(separatedBy: "=").first)
    }

    @Test("after any history the list has the streams that are open, with what each has received", arguments: 0..<6)
    func history(round: Int) throws {
        var random = SeededRandom(seed: TestSeed.of(round))
        let wire = try Wire.populated()
        var open: [(target: String, stream: WireEvents, received: Int, bytes: Int)] = []
        for step in 0..<60 {
            switch random.below(6) {
            case 0, 1:
                let filter = "age > \(random.below(9))"
                let stream = try wire.observe("/v1/observe/objects/Dog", ["filter": filter])
                open.append(("/v1/observe/objects/Dog?filter=\(filter)", stream, 0, 0))
            case 2 where !open.isEmpty:
                open.remove(at: random.below(open.count)).stream.stream.didClose(.clientLeft)
            case 3 where !open.isEmpty:
                let all =
                    try wire.get("/v1/connections", ["sort": "since", "limit": "1000"])["connections"]?.asArray ?? []
                let index = random.below(open.count)
                let id = try #require(all[index]["id"]?.asString)
                #expect(try wire.send(.delete, "/v1/connections/\(id)").status == 204)
                let ended = open.remove(at: index).stream
                #expect(ended.ends())
                #expect(ended.takeAll().last?.name == "closing")
                ended.stream.didClose(.finished)
            default:
                let body = #"{"age":\#(random.below(10))}"#
                #expect(try wire.send(.patch, "/v1/objects/Dog/1", body).status == 200)
            }
            // Those that opened have their first event then.
            for index in open.indices {
                if open[index].received == 0 {
                    _ = try open[index].stream.next("initial")
                    open[index].received = 1
                }
            }
            let answer = try wire.get("/v1/connections", ["sort": "since", "limit": "1000"])
            #expect(answer["count"] == .int(Int64(open.count)), "step \(step)")
            #expect(answer["connections"]?.asArray?.map { $0["target"]?.asString } == open.map(\.target))
        }
        // One more commit that every query tells, so that all have caught up when it has arrived.
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":1000,"name":"last"}"#).status == 200)
        for index in open.indices {
            while true {
                let event = try open[index].stream.next()
                open[index].received += 1
                if "\(event.data)".contains("last") { break }
            }
        }
        let all = try wire.get("/v1/connections", ["sort": "since", "limit": "1000"])["connections"]?.asArray ?? []
        #expect(all.map { $0["events"]?.asInt } == open.map(\.received))
        #expect(all.map { $0["bytes"]?.asInt ?? -1 }.allSatisfy { $0 > 0 })
        #expect(all.allSatisfy { $0["waitingBytes"] == 0 })
        // The same readings in another order.
        for (sort, member) in [("-events", "events"), ("bytes", "bytes")] {
            let sorted = try wire.get("/v1/connections", ["sort": sort, "limit": "1000"])["connections"]?.asArray ?? []
            let values = sorted.compactMap { $0[member]?.asInt }
            #expect(values == (sort.hasPrefix("-") ? values.sorted(by: >) : values.sorted()))
            #expect(values.count == open.count)
        }
        #expect(
            try wire.get("/v1/connections", ["limit": "1"])["connections"]?.asArray?.count == min(open.count, 1))
    }
}
