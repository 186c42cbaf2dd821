import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import RequestHandling
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@Suite("Transactions over HTTP")
struct TransactionTests {
    private static func commit(
        _ gateway: TestGateway, _ body: String, target: String = "/v1/transactions", key: String? = nil
    ) throws -> Response {
        try gateway.send(.post, target, body, headers: key.map { ["Idempotency-Key": $0] } ?? [:])
    }

    @Test("operations are done in their order and may name what earlier ones made")
    func references() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let answer = try Self.commit(
            gateway,
            #"""
            {"operations":[
              {"op":"require","class":"Person","filter":"handle == $0","args":["eve"],"exists":false},
              {"op":"create","class":"Person","value":{"handle":"eve"},"as":"owner"},
              {"op":"create","class":"Dog","value":{"_id":9,"owner":{"$ref":"owner"}},"as":"dog"},
              {"op":"create","class":"Note","value":{"text":"a"},"as":"note"},
              {"op":"create","class":"Note","value":{"text":"b","reply":{"$ref":"note"}}},
              {"op":"set","object":{"ref":"owner"},"value":{"favourite":{"$ref":"dog"}}},
              {"op":"require","object":{"ref":"dog"}},
              {"op":"require","class":"Dog","filter":"owner.handle == 'eve'","count":1},
              {"op":"delete","object":{"class":"Dog","key":2}}]}
            """#)
        #expect(answer.status == 200, "\(answer.text)")
        let version = try gateway.store.snapshot().version.rawValue
        #expect(
            answer.text == """
                {"version":\(version),"results":[{"exists":false},{"class":"Person","key":"eve","created":true},\
                {"class":"Dog","key":9,"created":true},{"class":"Note","key":0,"created":true},\
                {"class":"Note","key":1,"created":true},{"class":"Person","key":"eve","modified":1},{"exists":true},\
                {"count":1},{"class":"Dog","key":2,"deleted":1}]}
                """)
        #expect(try gateway.get("/v1/objects/Person/eve").member("favourite") == .int(9))
        #expect(try gateway.get("/v1/objects/Dog/9").member("owner") == .string("eve"))
        #expect(try gateway.get("/v1/objects/Note/1").member("reply")?["$link"]?["key"] == .int(0))
        #expect(try gateway.get("/v1/objects/Dog/2").status == 404)
        let objects = try Self.commit(
            gateway, #"{"operations":[{"op":"create","class":"Person","value":{"handle":"z"}}]}"#,
            target: "/v1/transactions?include=objects")
        #expect(try objects.json["results"]?[0]?["object"]?["handle"] == .string("z"))
    }

    @Test("deletions are done in their order with the rest, and one that fails is the one that is named")
    func deletions() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        func delete(_ key: Int) -> String { #"{"op":"delete","object":{"class":"Dog","key":\#(key)}}"# }
        func commit(_ operations: [String]) throws -> Response {
            try Self.commit(gateway, "{\"operations\":[\(operations.joined(separator: ","))]}")
        }
        // The same object twice, a missing one, and one of another class in between.
        for (operations, index) in [
            ([delete(1), delete(2), delete(1)], 2), ([delete(1), delete(99), delete(2)], 1),
            ([delete(1), #"{"op":"delete","object":{"class":"Person","key":"nobody"}}"#, delete(2)], 1),
            ([delete(1), delete(2), #"{"op":"set","object":{"class":"Dog","key":2},"value":{}}"#], 2),
        ] {
            let answer = try commit(operations)
            #expect(answer.status == 404, "\(answer.text)")
            #expect(answer.member("operation") == .int(Int64(index)), "\(answer.text)")
        }
        #expect(try gateway.get("/v1/objects/Dog?count=true").member("count") == .int(4))
        // Later operations see the deletion, and may create the objects again.
        let create = #"{"op":"create","class":"Dog","value":{"_id":1,"name":"New"}}"#
        let require = #"{"op":"require","class":"Dog","count":2}"#
        let answer = try commit([delete(1), delete(2), require, create, delete(1), create])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try gateway.get("/v1/objects/Dog/1").member("name") == .string("New"))
        #expect(try gateway.get("/v1/objects/Dog?count=true").member("count") == .int(3))
        #expect(try gateway.get("/v1/objects/Person/ada").member("favourite") == .null)
    }

    /// The second operation fails, after one that would have changed something.
    static let failures: [(operation: String, status: Int, code: String, path: String)] = [
        (
            #"{"op":"set","object":{"class":"Dog","key":1},"value":{"age":"x"}}"#, 422, "object.invalid_value",
            ".value.age"
        ),
        (#"{"op":"set","object":{"class":"Dog","key":99},"value":{}}"#, 404, "object.not_found", ".object"),
        (#"{"op":"set","object":{"ref":"b"},"value":{}}"#, 422, "transaction.invalid", ".object"),
        (
            #"{"op":"set","object":{"class":"Dog","key":1},"value":{"owner":"no"}}"#, 422, "object.invalid_value",
            ".value.owner"
        ),
        (#"{"op":"create","class":"Dog","value":{"_id":1}}"#, 409, "object.duplicate_key", ".value"),
        (
            #"{"op":"create","class":"Dog","value":{"_id":50,"owner":{"$ref":"x"}}}"#, 422, "transaction.invalid",
            ".value.owner"
        ),
        (#"{"op":"create","class":"Cat"}"#, 422, "transaction.unknown_class", ".class"),
        (#"{"op":"create","class":"Note","update":"all"}"#, 422, "object.no_primary_key", ".update"),
        (#"{"op":"create","class":"Note","as":"a"}"#, 422, "transaction.invalid", ".as"),
        (#"{"op":"make"}"#, 422, "transaction.invalid", ".op"),
        (#"{"op":"delete","object":{"class":"Dog","key":1},"why":1}"#, 422, "transaction.invalid", ".why"),
        (#"{"op":"delete"}"#, 422, "transaction.invalid", ".object"),
        (#"{"op":"delete","object":{"class":"Dog","key":"x"}}"#, 422, "transaction.invalid", ".object.key"),
        (
            #"{"op":"append","object":{"class":"Dog","key":1},"property":"age","value":1}"#, 422,
            "object.not_a_collection", ".op"
        ),
        (
            #"{"op":"append","object":{"class":"Dog","key":1},"property":"agee","value":1}"#, 422,
            "object.unknown_property", ".property"
        ),
        (
            #"{"op":"clear","object":{"class":"Person","key":"ada"},"property":"dogs"}"#, 422,
            "object.not_a_collection", ""
        ),
        (#"{"op":"require","object":{"class":"Dog","key":99}}"#, 412, "transaction.requirement_failed", ""),
        (#"{"op":"require","class":"Dog","count":3}"#, 412, "transaction.requirement_failed", ""),
        (#"{"op":"require","class":"Dog","filter":"age >","count":3}"#, 400, "query.syntax", ".filter"),
        (#"{"op":"require","class":"Dog","count":2.5}"#, 422, "transaction.invalid", ".count"),
        (#"{"op":"require","class":"Dog","count":1e300}"#, 422, "transaction.invalid", ".count"),
    ]

    @Test("one that fails says which and where, and nothing is kept", arguments: failures)
    func failure(operation: String, status: Int, code: String, path: String) throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let before = try gateway.store.snapshot().version
        let answer = try Self.commit(
            gateway,
            #"{"operations":[{"op":"create","class":"Note","value":{"text":"a"},"as":"a"},\#(operation)]}"#)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.member("code") == .string(code), "\(answer.text)")
        #expect(answer.member("operation") == .int(1), "\(answer.text)")
        #expect(answer.member("path") == .string("$.operations[1]" + path), "\(answer.text)")
        #expect(try gateway.store.snapshot().version == before)
        #expect(try gateway.get("/v1/objects/Note?count=true").member("count") == .int(0))
    }

    @Test("one may be bound to a version, and is no longer than it may be")
    func limits() throws {
        let gateway = try TestGateway { $0.maximumTransaction = 2 }
        let create = #"{"op":"create","class":"Note"}"#
        let first = try gateway.mark(1)
        #expect(try Self.commit(gateway, #"{"ifVersion":"\#(first)","operations":[\#(create)]}"#).status == 200)
        // 1.0 is the integer 1, too.
        let one = #"{"ifVersion":"\#(try gateway.mark(2))","operations":[{"op":"require","class":"Note","count":1.0}]}"#
        #expect(try Self.commit(gateway, one).status == 200)
        let late = try Self.commit(gateway, #"{"ifVersion":"\#(first)","operations":[\#(create)]}"#)
        #expect(late.status == 412)
        #expect(late.member("code") == .string("transaction.version_changed"))
        // The mark of a response belongs to its history.
        let other = Mark(Version(3), HistoryTag(rawValue: ~(try gateway.store.snapshot().tag.rawValue)))
        #expect(try Self.commit(gateway, #"{"ifVersion":"\#(other)","operations":[\#(create)]}"#).status == 412)
        let made = try Self.commit(gateway, #"{"ifVersion":"\#(gateway.mark(3))","operations":[\#(create)]}"#)
        #expect(made.status == 200, "\(made.text)")
        #expect(made.headers["Realmgate-Mark"] == (try gateway.mark(4)))
        for malformed in ["\"4\"", "\"4-\"", "\"x-0a1b2c3d\"", "-1", "true", "3", "3.0"] {
            let refused = try Self.commit(gateway, #"{"ifVersion":\#(malformed),"operations":[]}"#)
            #expect(refused.status == 422 && refused.member("path") == .string("$.ifVersion"), "\(refused.text)")
        }
        #expect(try Self.commit(gateway, #"{"operations":[\#(create),\#(create),\#(create)]}"#).status == 413)
        #expect(try Self.commit(gateway, #"{"operations":[]}"#).status == 200)
        #expect(try Self.commit(gateway, #"{"operations":{}}"#).status == 422)
        #expect(try Self.commit(gateway, #"[]"#).status == 422)
        #expect(try gateway.get("/v1/objects/Note?count=true").member("count") == .int(2))
    }

    @Test("random transactions are kept as a whole or not at all", arguments: 0..<2)
    func random(run: Int) throws {
        let gateway = try TestGateway(
            schema: #"""
                {"schemaVersion":1,"classes":[{"name":"Box","primaryKey":"id","properties":[
                  {"name":"id","type":"int"},{"name":"n","type":"int"},{"name":"list","type":"int[]"},
                  {"name":"set","type":"int<>"},{"name":"map","type":"int{}"},{"name":"next","type":"Box?"}]}]}
                """#)
        var random = SeededRandom.ofTest(run)
        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        var model: [Int: Box] = [:]
        for round in 0..<120 {
            var next = model
            var operations: [String] = []
            var fails: Int?
            for index in 0..<1 + below(8) where fails == nil {
                let id = below(8)
                let object = #""object":{"class":"Box","key":\#(id)}"#
                let value = below(6)
                let text: String
                var works = next[id] != nil
                switch below(12) {
                case 0, 1, 2:
                    let link = below(3) == 0 ? next.keys.sorted().first : nil
                    text =
                        #"{"op":"create","class":"Box","value":{"id":\#(id),"n":\#(value),"next":\#(link.map(String.init) ?? "null")}}"#
                    works = next[id] == nil
                    if works { next[id] = Box(n: value, next: link) }
                case 3:
                    text = #"{"op":"set",\#(object),"value":{"n":\#(value)}}"#
                    next[id]?.n = value
                case 4:
                    text = #"{"op":"delete",\#(object)}"#
                    next[id] = nil
                    for other in next.keys where next[other]?.next == id { next[other]?.next = nil }
                case 5:
                    text = #"{"op":"append",\#(object),"property":"list","value":[\#(value),7]}"#
                    next[id]?.list += [value, 7]
                case 6:
                    let at = below(4)
                    text = #"{"op":"insert",\#(object),"property":"list","index":\#(at),"value":\#(value)}"#
                    works = works && at <= next[id]?.list.count ?? 0
                    if works { next[id]?.list.insert(value, at: at) }
                case 7:
                    let (from, to) = (below(4), below(4))
                    text = #"{"op":"move",\#(object),"property":"list","index":\#(from),"to":\#(to)}"#
                    works = works && max(from, to) < next[id]?.list.count ?? 0
                    if works, let moved = next[id]?.list.remove(at: from) { next[id]?.list.insert(moved, at: to) }
                case 8:
                    let at = below(4)
                    text = #"{"op":"remove",\#(object),"property":"list","index":\#(at)}"#
                    works = works && at < next[id]?.list.count ?? 0
                    if works { next[id]?.list.remove(at: at) }
                case 9:
                    text =
                        #"{"op":"\#(value < 3 ? "add" : "remove")",\#(object),"property":"set","value":\#(value % 3)}"#
                    if value < 3 { next[id]?.set.insert(value % 3) } else { next[id]?.set.remove(value % 3) }
                case 10:
                    text = #"{"op":"put",\#(object),"property":"map","mapKey":"k\#(value % 3)","value":\#(value)}"#
                    next[id]?.map["k\(value % 3)"] = value
                default:
                    text = #"{"op":"clear",\#(object),"property":"list"}"#
                    next[id]?.list = []
                }
                operations.append(text)
                if !works { fails = index }
            }
            let answer = try Self.commit(gateway, #"{"operations":[\#(operations.joined(separator: ","))]}"#)
            let note: Comment = "seed \(random.seed), round \(round): \(operations) \(answer.text)"
            if let fails {
                #expect(answer.status >= 400, note)
                #expect(answer.member("operation") == .int(Int64(fails)), note)
            } else {
                #expect(answer.status == 200, note)
                model = next
            }
            let items = try gateway.get("/v1/objects/Box?sort=id").member("items")?.asArray ?? []
            let expected = try model.sorted { $0.key < $1.key }.map { try JSONValue.parse($0.value.json($0.key)) }
            #expect(items == expected, note)
            guard items == expected else { return }
        }
    }

    private struct Box {
        var n: Int
        var next: Int?
        var list: [Int] = []
        var set: Set<Int> = []
        var map: [String: Int] = [:]

        func json(_ id: Int) -> String {
            let pairs = map.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
            return
                #"{"id":\#(id),"n":\#(n),"list":\#(list),"set":\#(set.sorted()),"map":{\#(pairs.joined(separator: ","))},"next":\#(next.map(String.init) ?? "null")}"#
        }
    }

    // MARK: Idempotency

    @Test("a request that is sent again under its key is answered as before and done once")
    func again() throws {
        let gateway = try TestGateway()
        let body = #"{"operations":[{"op":"create","class":"Note","value":{"text":"a"}}]}"#
        let first = try Self.commit(gateway, body, key: "k1")
        #expect(first.status == 200)
        #expect(first.headers["Idempotency-Replayed"] == nil)
        let again = try Self.commit(gateway, body, key: "k1")
        #expect(again.text == first.text)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        let other = try Self.commit(gateway, body.replacing("\"a\"", with: "\"b\""), key: "k1")
        #expect(other.status == 422)
        #expect(other.member("code") == .string("idempotency.mismatch"))
        #expect(try Self.commit(gateway, body, key: "k2").headers["Idempotency-Replayed"] == nil)
        #expect(try gateway.get("/v1/objects/Note?count=true").member("count") == .int(2))

        // Any write, with its status and headers.
        let created = try gateway.send(.post, "/v1/objects/Dog", #"{"_id":7}"#, headers: ["Idempotency-Key": "k3"])
        let repeated = try gateway.send(.post, "/v1/objects/Dog", #"{"_id":7}"#, headers: ["Idempotency-Key": "k3"])
        #expect(created.status == 201)
        #expect(repeated.status == 201)
        #expect(repeated.headers["Location"] == "/v1/objects/Dog/7")
        #expect(repeated.headers["ETag"] == created.headers["ETag"])
        #expect(repeated.text == created.text)
        for _ in 0..<2 {
            #expect(try gateway.send(.delete, "/v1/objects/Dog/7", headers: ["Idempotency-Key": "k4"]).status == 204)
        }
        #expect(try gateway.send(.delete, "/v1/objects/Dog/7").status == 404)

        // A rejected request was not executed, and may be tried again.
        #expect(try Self.commit(gateway, #"{"operations":[{"op":"require","class":"Dog"}]}"#, key: "k5").status == 412)
        #expect(try gateway.send(.post, "/v1/objects/Dog", #"{"_id":8}"#).status == 201)
        #expect(try Self.commit(gateway, #"{"operations":[{"op":"require","class":"Dog"}]}"#, key: "k5").status == 200)
        for bad in ["", "a b", String(repeating: "x", count: 256)] {
            #expect(try Self.commit(gateway, body, key: bad).status == 400, "'\(bad)'")
        }
    }

    @Test("a request that took away what its own path leads to is answered as before, also when others took it away")
    func pathIsGone() throws {
        let gateway = try TestGateway(
            schema: #"""
                {"schemaVersion":1,"classes":[{"name":"Box","primaryKey":"id","properties":[
                  {"name":"id","type":"int"},{"name":"list","type":"int[]"},{"name":"next","type":"Box?"},
                  {"name":"any","type":"mixed"}]}]}
                """#)
        _ = try gateway.send(
            .post, "/v1/objects/Box", #"{"id":1,"list":[1,2],"any":{"a":[1]},"next":{"id":2,"list":[3]}}"#)
        let requests: [(HTTPMethod, String, String?)] = [
            (.delete, "/v1/objects/Box/1/list/1", nil), (.delete, "/v1/objects/Box/1/any/a/0", nil),
            (.delete, "/v1/objects/Box/1/any/a", nil), (.post, "/v1/objects/Box/1/next/list", "4"),
            (.patch, "/v1/objects/Box/1/next", #"{"next":null}"#), (.delete, "/v1/objects/Box/1/next", nil),
            (.delete, "/v1/objects/Box/1", nil),
        ]
        var answers: [Response] = []
        for (number, request) in requests.enumerated() {
            let answer = try gateway.send(
                request.0, request.1, request.2, headers: ["Idempotency-Key": "k\(number)"])
            #expect(answer.status < 300, "\(request): \(answer.text)")
            answers.append(answer)
        }
        let version = try gateway.store.snapshot().version
        for (number, request) in requests.enumerated() {
            let again = try gateway.send(
                request.0, request.1, request.2, headers: ["Idempotency-Key": "k\(number)"])
            #expect(again.status == answers[number].status, "\(request): \(again.text)")
            #expect(again.text == answers[number].text)
            #expect(again.headers["Idempotency-Replayed"] == "true")
            // Without the key, or with another one, the request is executed.
            #expect(try gateway.send(request.0, request.1, request.2).status == 404)
            let other = try gateway.send(request.0, request.1, request.2, headers: ["Idempotency-Key": "n\(number)"])
            #expect(other.status == 404)
        }
        #expect(try gateway.store.snapshot().version == version)
    }

    @Test("a key is forgotten when its time is over")
    func expiry() throws {
        let time = Slot(Timestamp(seconds: 1_000))
        let gateway = try TestGateway {
            $0.clock = { time.value }
            $0.idempotencyLifetime = 100
        }
        let body = #"{"operations":[{"op":"create","class":"Note"}]}"#
        #expect(try Self.commit(gateway, body, key: "k").headers["Idempotency-Replayed"] == nil)
        time.value = Timestamp(seconds: 1_099)
        #expect(try Self.commit(gateway, body, key: "k").headers["Idempotency-Replayed"] == "true")
        time.value = Timestamp(seconds: 1_100)
        #expect(try Self.commit(gateway, body, key: "k").headers["Idempotency-Replayed"] == nil)
    }
}

/// A value that a test changes while others read it.
private final class Slot<T: Sendable>: Sendable {
    private let content: Mutex<T>

    init(_ value: T) { content = Mutex(value) }

    var value: T {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
