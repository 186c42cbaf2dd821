import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import StoreTesting
import Testing
import TestBasics

/// Clients send writes with an `Idempotency-Key` to a server that is killed repeatedly, and send them again, whether
/// they got a response or not. Every effect must occur exactly once.
@Suite("Writes sent again", .serialized)
struct IdempotencyTests {
    private static let schema = """
        {"schemaVersion": 1, "classes": [
          {"name": "Mark", "properties": [{"name": "text", "type": "string"}]},
          {"name": "Journal", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "lines", "type": "string[]"}, {"name": "rest", "type": "string[]"},
            {"name": "marks", "type": "Mark[]"}]}]}
        """

    private static let clients = 4
    /// The number of elements in each list that clients remove from.
    private static let stock = 2000

    private func start(in directory: TestDirectory) throws -> RunningServer {
        let schema = try directory.write(Self.schema, to: "schema.json")
        return try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
    }

    @Test("however often the server is killed, each key's write is done once, and answered as the first time")
    func kills() throws {
        let directory = try TestDirectory()
        let seed = TestSeed.of()
        print("IdempotencyTests seed \(seed)")
        var random = SeededRandom(seed: seed)
        let address = ServerAddress()
        var server = try start(in: directory)
        let stock = (0..<Self.stock).map { "\"\($0)\"" }.joined(separator: ",")
        for number in 0..<Self.clients {
            let made = try server.client().send(
                "POST", "/v1/objects/Journal", body: "{\"id\": \(number), \"rest\": [\(stock)]}")
            #expect(made.status == 201)
        }
        address.port = server.port
        let clients = (0..<Self.clients).map { RetryingClient($0, TestSeed.of($0), address) }
        for client in clients { client.start() }
        var kills = 0
        // Until one of them struck while a write was under way.
        while kills < 6 * TestRun.length || address.lost == 0, kills < 1_000 {
            kills += 1
            let enough = address.answered + 1 + random.below(50)
            #expect(eventually { address.answered >= enough || address.failed })
            server.process.send(SIGKILL)
            _ = try server.process.wait()
            address.port = nil
            server = try start(in: directory)
            address.port = server.port
        }
        address.isOver = true
        for client in clients { client.wait() }
        let api = try server.client()
        let texts = try all("Mark", api).map { $0["text"] as? String ?? "" }
        #expect(texts.count == Set(texts).count, "seed \(seed)")
        var expected: Set<String> = []
        for client in clients {
            #expect(client.fault == nil, "seed \(seed), client \(client.number)")
            let journal = try api.send("GET", "/v1/objects/Journal/\(client.number)").json()
            #expect(journal["lines"] as? [String] == client.lines, "seed \(seed), client \(client.number)")
            #expect((journal["rest"] as? [String])?.count == Self.stock - client.removals, "seed \(seed)")
            expected.formUnion(client.marks)
        }
        #expect(Set(texts) == expected, "seed \(seed)")
        let sum = { (value: (RetryingClient) -> Int) in clients.reduce(0) { $0 + value($1) } }
        print(
            "IdempotencyTests: \(sum { $0.done }) writes, \(sum { $0.unanswered }) without an answer, of which \(sum { $0.foundDone }) were done; \(sum { $0.repeats }) sent once more"
        )
        #expect(address.lost > 0 && sum { $0.repeats } > 0)
        #expect(try server.stop() == 0)
    }

    private func all(_ name: String, _ api: LoopbackClient) throws -> [[String: Any]] {
        var found: [[String: Any]] = []
        var offset = 0
        while true {
            let page = try api.send("GET", "/v1/objects/\(name)?limit=1000&offset=\(offset)").json()
            let items = page["items"] as? [[String: Any]] ?? []
            found += items
            offset += items.count
            if items.isEmpty { return found }
        }
    }

    @Test("of requests that come together under one key one is done, and all get its answer")
    func together() throws {
        let directory = try TestDirectory()
        let server = try start(in: directory)
        for round in 0..<5 {
            let answers = Answers()
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                answers.add {
                    try server.client().send(
                        "POST", "/v1/objects/Mark", body: #"{"text": "\#(round)"}"#,
                        headers: ["Idempotency-Key": "round-\(round)"])
                }
            }
            let all = try answers.get()
            #expect(all.count == 8)
            #expect(all.allSatisfy { $0.status == 201 })
            #expect(Set(all.map(\.text)).count == 1)
            #expect(all.filter { $0["Idempotency-Replayed"] != "true" }.count == 1)
        }
        #expect(try server.client().send("GET", "/v1/objects/Mark?count=true").json()["count"] as? Int == 5)
        #expect(try server.stop() == 0)
    }

    @Test("a key is its caller's own: another caller's same key is another write")
    func callers() throws {
        let directory = try TestDirectory()
        let data = directory.file("a.realmgate")
        let schema = try directory.write(Self.schema, to: "schema.json")
        let secrets = try (0..<2).map { number in
            let made = try Program.run(
                ["token", "create", "--data", data, "--name", "k\(number)", "--role", "admin"], in: directory)
            try #require(made.status == 0, "\(made.errors)")
            return made.output.trimmingCharacters(in: .newlines)
        }
        let server = try RunningServer(["--data", data, "--schema", schema], in: directory)
        func send(_ secret: String, _ text: String) throws -> LoopbackClient.Answer {
            try server.client().send(
                "POST", "/v1/objects/Mark", body: #"{"text": "\#(text)"}"#,
                headers: ["Authorization": "Bearer \(secret)", "Idempotency-Key": "same"])
        }
        #expect(try send(secrets[0], "a").status == 201)
        // Reveals neither the other's response nor that the key was used.
        let other = try send(secrets[1], "b")
        #expect(other.status == 201 && other.text.contains("\"b\""))
        #expect(try send(secrets[0], "b").status == 422)
        let again = try send(secrets[0], "a")
        #expect(again.text.contains("\"a\"") && again["Idempotency-Replayed"] == "true")
        let count = try server.client().send(
            "GET", "/v1/objects/Mark?count=true", headers: ["Authorization": "Bearer \(secrets[0])"])
        #expect(try count.json()["count"] as? Int == 2)
        #expect(try server.stop() == 0)
    }
}

/// The address of the server while it runs, and what its clients got.
private final class ServerAddress: @unchecked Sendable {
    // Sendable: guarded by `lock`.
    private let lock = NSLock()
    private var value: Int?
    private var ended = false
    private var answers = 0
    private var losses = 0
    private var isFaulty = false

    var port: Int? {
        get { lock.withLock { value } }
        set { lock.withLock { value = newValue } }
    }
    var isOver: Bool {
        get { lock.withLock { ended } }
        set { lock.withLock { ended = newValue } }
    }

    /// How many attempts of all clients were answered, and how many were not.
    var answered: Int { lock.withLock { answers } }
    var lost: Int { lock.withLock { losses } }
    /// Whether a client has given up.
    var failed: Bool { lock.withLock { isFaulty } }

    func countAnswer() { lock.withLock { answers += 1 } }
    func countLoss() { lock.withLock { losses += 1 } }
    func fail() { lock.withLock { isFaulty = true } }
}

/// Collects responses of several threads.
private final class Answers: @unchecked Sendable {
    // Sendable: guarded by `lock`.
    private let lock = NSLock()
    private var results: [Result<LoopbackClient.Answer, any Error>] = []

    func add(_ ask: () throws -> LoopbackClient.Answer) {
        let result = Result { try ask() }
        lock.withLock { results.append(result) }
    }

    func get() throws -> [LoopbackClient.Answer] { try lock.withLock { try results.map { try $0.get() } } }
}

/// A client with a thread of its own, which sends one write after the other, each until it is answered.
private final class RetryingClient: @unchecked Sendable {
    // Sendable: `number` and `address` are constants; the rest is its thread's until `wait` has returned.
    let number: Int
    private let address: ServerAddress
    private var random: SeededRandom
    private let ended = DispatchSemaphore(value: 0)
    private var connection: (port: Int, client: LoopbackClient)?

    /// The lines that must exist in the end.
    private(set) var lines: [String] = []
    private(set) var marks: Set<String> = []
    private(set) var removals = 0

    private(set) var done = 0
    private(set) var unanswered = 0
    private(set) var foundDone = 0
    private(set) var repeats = 0
    private(set) var fault: String?

    init(_ number: Int, _ seed: UInt64, _ address: ServerAddress) {
        self.number = number
        self.address = address
        random = SeededRandom(seed: seed)
    }

    func start() {
        Thread.detachNewThread { [self] in
            do {
                // The list has a limited number of elements.
                while !address.isOver, removals < 1900 {
                    try write()
                    done += 1
                }
            } catch {
                fault = "\(error)"
                address.fail()
            }
            ended.signal()
        }
    }

    func wait() { ended.wait() }

    private func write() throws {
        let text = "\(number)-\(done)"
        let journal = "/v1/objects/Journal/\(number)"
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            marks.insert(text)
            try send("POST", "/v1/objects/Mark", #"{"text": "\#(text)"}"#)
        case 1:
            lines.append(text)
            try send("POST", journal + "/lines", "\"\(text)\"")
        case 2:
            // The last removal: when it is repeated, the path no longer exists.
            removals += 1
            try send("DELETE", journal + "/rest/\(2000 - removals)", nil)
        default:
            lines.append(text)
            marks.insert(text)
            let object = #""object": {"class": "Journal", "key": \#(number)}"#
            try send(
                "POST", "/v1/transactions",
                """
                {"operations": [
                  {"op": "create", "class": "Mark", "value": {"text": "\(text)"}, "as": "mark"},
                  {"op": "append", \(object), "property": "lines", "value": "\(text)"},
                  {"op": "append", \(object), "property": "marks", "value": {"$ref": "mark"}}]}
                """)
        }
    }

    /// Sends until there is a response; then sometimes once more.
    private func send(_ method: String, _ target: String, _ body: String?) throws {
        let key = "client-\(number)-\(done)"
        var wasUnanswered = false
        var first: LoopbackClient.Answer?
        while true {
            guard let answer = attempt(method, target, body, key) else {
                if first == nil { wasUnanswered = true }
                continue
            }
            guard (200...299).contains(answer.status) else {
                throw TestFailure("\(method) \(target) \(body ?? ""): \(answer.status) \(answer.text)")
            }
            let isReplayed = answer["Idempotency-Replayed"] == "true"
            if let first {
                repeats += 1
                guard answer.text == first.text, answer.status == first.status, isReplayed else {
                    throw TestFailure("\(target): \(first.text) became \(answer.text)")
                }
                return
            }
            if wasUnanswered {
                unanswered += 1
                if isReplayed { foundDone += 1 }
            } else if isReplayed {
                throw TestFailure("\(target): done before it was sent")
            }
            guard done.isMultiple(of: 4) else { return }
            first = answer
        }
    }

    /// Nil if the connection failed.
    private func attempt(_ method: String, _ target: String, _ body: String?, _ key: String) -> LoopbackClient.Answer? {
        guard let port = address.port else {
            usleep(2000)
            return nil
        }
        do {
            if connection?.port != port { connection = (port, try LoopbackClient(port: port)) }
            let answer = try connection?.client.send(method, target, body: body, headers: ["Idempotency-Key": key])
            address.countAnswer()
            return answer
        } catch {
            if connection != nil { address.countLoss() }
            connection = nil
            usleep(2000)
            return nil
        }
    }
}
