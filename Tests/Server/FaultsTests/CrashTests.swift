import EmbeddedStore
import Foundation
import Glibc
import HTTPTesting
import ObjectModel
import ProgramTesting
import Promises
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Kills a server with SIGKILL while several clients write, repeatedly on the same file.
///
/// Every write is one transaction on two linked objects, a pair: both get the same number and a text derived from it.
/// After each kill the file must open with each acknowledged pair at the acknowledged number or a later one that was
/// sent, with both halves of every pair equal, and with consistent links, backlinks and primary key index.
@Suite("Killed while writing", .serialized)
struct CrashTests {
    private static let rounds = 16 * TestRun.length
    private static let writers = 4
    private static let pairsPerWriter = 40

    private static let schema = """
        {"schemaVersion": 1, "classes": [{"name": "Half", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"},
            {"name": "number", "type": "int", "indexed": true},
            {"name": "text", "type": "string"},
            {"name": "twin", "type": "Half?"},
            {"name": "twins", "type": "linkingObjects(Half.twin)"}]}]}
        """

    /// The acknowledged and the sent numbers of each pair.
    private final class Ledger: @unchecked Sendable {
        // Sendable: all state is guarded by `lock`.
        private let lock = NSLock()
        private var sent: [Int: Int] = [:]
        private var acknowledged: [Int: Int] = [:]
        private var count = 0

        /// Returns the number for the next write of the pair.
        func begin(_ pair: Int) -> Int {
            lock.withLock {
                sent[pair, default: 0] += 1
                return sent[pair] ?? 0
            }
        }

        func acknowledge(_ pair: Int, _ number: Int) {
            lock.withLock {
                acknowledged[pair] = number
                count += 1
            }
        }

        var acknowledgedWrites: Int { lock.withLock { count } }
        var state: (sent: [Int: Int], acknowledged: [Int: Int]) { lock.withLock { (sent, acknowledged) } }
    }

    @Test("kills under concurrent writes lose no acknowledged write and leave none half-written")
    func acknowledgedWritesSurvive() throws {
        let directory = try TestDirectory()
        let data = directory.file("crash.realmgate")
        let schema = try directory.write(Self.schema, to: "schema.json")
        let seed = TestSeed.of()
        print("CrashTests seed \(seed)")
        var random = SeededRandom(seed: seed)
        let ledger = Ledger()
        for round in 0..<Self.rounds {
            let server = try RunningServer(["--data", data, "--schema", schema], in: directory)
            let enough = ledger.acknowledgedWrites + 1 + random.below(120)
            let writers = try (0..<Self.writers).map {
                try startWriter($0, server.port, ledger, TestSeed.of("\(round) \($0)"))
            }
            #expect(eventually { ledger.acknowledgedWrites >= enough || server.process.status() != nil })
            server.process.send(SIGKILL)
            #expect(try server.process.wait() == -SIGKILL)
            for writer in writers { try writer.wait() }
            let faults = try inspect(data, ledger)
            try #require(faults.isEmpty, "round \(round), seed \(seed): \(faults.prefix(5))")
        }
        print("CrashTests: \(ledger.acknowledgedWrites) acknowledged writes over \(Self.rounds) kills")
    }

    /// Writes pairs of its own until the server has ended.
    private func startWriter(_ index: Int, _ port: Int, _ ledger: Ledger, _ seed: UInt64) throws -> WriterThread {
        let client = try LoopbackClient(port: port)
        return WriterThread(client) { client in
            var random = SeededRandom(seed: seed)
            while true {
                let pair = index * Self.pairsPerWriter + Int.random(in: 0..<Self.pairsPerWriter, using: &random)
                let number = ledger.begin(pair)
                let half = #""number": \#(number), "text": "\#(Self.text(number))""#
                let body = #"{"id": \#(2 * pair), \#(half), "twin": {"id": \#(2 * pair + 1), \#(half)}}"#
                guard let answer = try? client.send("POST", "/v1/objects/Half?update=all", body: body) else {
                    return nil
                }
                guard answer.status == 200 || answer.status == 201 else {
                    return TestFailure("a write was answered with \(answer.status): \(answer.text)")
                }
                ledger.acknowledge(pair, number)
            }
        }
    }

    /// Returns a text of varying length, so that a half-written text cannot look complete.
    private static func text(_ number: Int) -> String {
        String(repeating: "\(number).", count: 1 + number % 50)
    }

    private func inspect(_ path: String, _ ledger: Ledger) throws -> [String] {
        let store = try EmbeddedStore.open(path: path)
        defer { store.close() }
        let snapshot = try store.snapshot()
        guard let half = snapshot.schema["Half"], let numberID = half["number"]?.id, let textID = half["text"]?.id,
            let twinID = half["twin"]?.id
        else { return ["the schema is gone"] }
        let (sent, acknowledged) = ledger.state
        var faults: [String] = []
        var found = 0
        for pair in sent.keys.sorted() {
            let keys = try [2 * pair, 2 * pair + 1].map {
                try snapshot.key(of: half.id, primaryKey: .int(Int64($0)))
            }
            guard let first = keys[0], let second = keys[1] else {
                if keys[0] != nil || keys[1] != nil { faults.append("pair \(pair) is half there") }
                if acknowledged[pair] != nil { faults.append("acknowledged pair \(pair) is gone") }
                continue
            }
            found += 2
            let numbers = try [first, second].map { try snapshot.value(half.id, $0, numberID) }
            guard numbers[0] == numbers[1], case .int(let number) = numbers[0] else {
                faults.append("the halves of pair \(pair) differ: \(numbers)")
                continue
            }
            let (lowest, highest) = (acknowledged[pair] ?? 1, sent[pair] ?? 0)
            if number < lowest { faults.append("pair \(pair) fell from \(lowest) to \(number)") }
            if number > highest { faults.append("pair \(pair) is at \(number), beyond \(highest)") }
            for key in [first, second] where try snapshot.value(half.id, key, textID) != .string(Self.text(Int(number)))
            {
                faults.append("the text of pair \(pair) is not that of \(number)")
            }
            if try snapshot.value(half.id, first, twinID) != .link(second) {
                faults.append("pair \(pair) is not linked")
            }
            if try snapshot.backlinks(to: second, from: half.id, twinID) != [first] {
                faults.append("the backlink of pair \(pair) is wrong")
            }
        }
        if snapshot.count(of: half.id) != found {
            faults.append("there are \(snapshot.count(of: half.id)) objects, \(found) of them known")
        }
        return faults
    }
}

/// A thread that runs until its client fails, with its first error.
private final class WriterThread: @unchecked Sendable {
    // Sendable: the client is used by the thread alone.
    private let client: LoopbackClient
    private let failure = Promise<TestFailure?>()

    init(_ client: LoopbackClient, _ body: @escaping @Sendable (LoopbackClient) -> TestFailure?) {
        self.client = client
        Thread.detachNewThread { [self] in
            failure.set(body(self.client))
        }
    }

    func wait() throws {
        if let failure = failure.wait() { throw failure }
    }
}
