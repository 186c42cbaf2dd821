import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import StoreTesting
import Testing
import TestBasics

/// Kills programs that synchronise with a gateway, and the gateway itself, with SIGKILL: while they open their files,
/// during the first download, between a commit and its upload, during the upload, and during a client reset. Afterwards
/// all have the same data, everything acknowledged exists, and nothing exists twice.
///
/// A seed says after which event and after how many commits each is killed, not after what time.
@Suite("Followers and their gateway killed in the middle of anything", .serialized)
struct FollowedKillTests {
    @Test("followers that are killed lose nothing acknowledged, and nothing is done twice")
    func followers() throws {
        try Scene(followers: 2).play(rounds: 3 * TestRun.length, killsGateway: false)
    }

    @Test("a gateway that is killed while followers write, and followers with it, loses nothing either")
    func gateway() throws {
        try Scene(followers: 2).play(rounds: 2 * TestRun.length, killsGateway: true)
    }

    @Test(
        "followers that are killed during client resets come to the gateway's state, and what was in its backup is not lost",
        arguments: ["discard", "recover"])
    func resets(_ mode: String) throws {
        try Scene(followers: 2, resetMode: mode).playResets(rounds: 2 * TestRun.length)
    }

    @Test("one process at a time follows a gateway with a file, and the next may when that one is gone")
    func oneProcess() throws {
        let scene = try Scene(followers: 1)
        let first = try scene.worker("f0", ["0", "1"])
        try first.wait(until: "a commit") { first.output.contains("done") }
        let second = try scene.worker("f0", ["1", "1"])
        #expect(try second.wait() == 1)
        #expect(second.output.contains("with a gateway by another process"), "\(second.output)")
        first.send(SIGKILL)
        _ = try first.wait()
        let third = try scene.worker("f0", ["2", "1"])
        try third.wait(until: "a commit") { third.output.contains("done") }
    }

    @Test("a follower that waits for something to happen comes to rest")
    func idle() throws {
        let scene = try Scene(followers: 1)
        let worker = try scene.worker("f0")
        try worker.wait(until: "everything to go up") { worker.output.contains("sent\n") }
        // One that looks again and again never rests: every 20 ms would be 50 times, and without a pause 100 ticks.
        var seen: [Work] = []
        let rests = try eventually {
            let before = try Work(of: worker.pid)
            sleep(1)
            let after = try Work(of: worker.pid)
            let work = Work(wakeUps: after.wakeUps - before.wakeUps, ticks: after.ticks - before.ticks)
            seen.append(work)
            // Below zero when a thread has ended meanwhile.
            return (0..<40).contains(work.wakeUps) && work.ticks < 10
        }
        #expect(rests, "\(seen.suffix(5))")
    }

    /// What a process has done so far.
    private struct Work {
        /// How often one of its threads began to wait.
        var wakeUps: Int
        /// Processor time in hundredths of a second.
        var ticks: Int

        init(wakeUps: Int, ticks: Int) { (self.wakeUps, self.ticks) = (wakeUps, ticks) }

        init(of process: pid_t) throws {
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
                throw TestFailure("no times in \(text)")
            }
            ticks = user + system
            wakeUps = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").reduce(0) {
                sum, thread in
                // A thread may have ended since.
                let path = "/proc/\(process)/task/\(thread)/status"
                let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
                let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
                return sum + (line.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0)
            }
        }
    }

    /// A gateway, several files that synchronise with it, and the output of their programs.
    private final class Scene {
        private static let schema = """
            {"schemaVersion": 1, "classes": [{"name": "WorkItem", "primaryKey": "_id", "properties": [
              {"name": "_id", "type": "string"}, {"name": "owner", "type": "string"},
              {"name": "tokens", "type": "string[]"}, {"name": "marks", "type": "int{}"}]}]}
            """
        private let directory: TestDirectory
        private let schema: String
        private var server: RunningServer
        private let names: [String]
        private let resetMode: String
        private var random: SeededRandom
        private var history = History()
        private var kills = 0
        /// The commits that the programs were left alone for.
        private var awaited = 0

        init(followers: Int, resetMode: String = "recover") throws {
            directory = try TestDirectory()
            random = .ofTest("\(followers) \(resetMode)")
            self.resetMode = resetMode
            schema = try directory.write(Self.schema, to: "schema.json")
            names = (0..<followers).map { "f\($0)" }
            server = try RunningServer(
                ["--data", directory.file("a.realmgate"), "--schema", schema], host: LoopbackAddress.own(),
                in: directory)
            // Enough for a download that takes a while.
            let items =
                (0..<8).map { #"{"_id":"s\#($0)","owner":""}"# }
                + (0..<3_000).map { #"{"_id":"x\#($0)","owner":"filler"}"# }
            for start in stride(from: 0, to: items.count, by: 500) {
                let body = "[" + items[start..<min(start + 500, items.count)].joined(separator: ",") + "]"
                guard try server.client().send("POST", "/v1/objects/WorkItem", body: body).status < 300 else {
                    throw TestFailure("the gateway takes no objects")
                }
            }
        }

        /// Starts a program for a file: one that writes if it gets a round and a seed, else one that only synchronises.
        func worker(_ name: String, _ more: [String] = []) throws -> ChildProcess {
            try ChildProcess(
                try Program.beside("FollowWorker"), [directory.file(name), server.address, name] + more,
                environment: ["FOLLOW_WORKER_RESET": resetMode], directory: directory.path)
        }

        func play(rounds: Int, killsGateway: Bool) throws {
            do {
                for round in 0..<rounds { try play(round, killsGateway) }
                try settle()
            } catch {
                throw TestFailure("seed \(random.seed): \(error)")
            }
            #expect(history.acknowledged >= awaited)
        }

        /// In each round the gateway loses what came after a backup, and the programs are killed while they find that out.
        func playResets(rounds: Int) throws {
            do {
                for round in 0..<rounds {
                    try play(4 * round, false)
                    try settle()
                    let backup = directory.file("backup-\(round)")
                    try run(["backup", directory.file("a.realmgate"), backup])
                    // What all receive now is lost, so that each must reset; what is written afterwards is partly unsent.
                    try play(4 * round + 1, false, isKept: false)
                    try settle()
                    try play(4 * round + 2, false, isKept: false)
                    server.process.send(SIGKILL)
                    _ = try server.process.wait()
                    try run(["restore", backup, directory.file("a.realmgate"), "--replace"])
                    try restartGateway()
                    for kill in 0..<3 { try killResetting(4 * round + 3, kill) }
                    // A reset that has not begun would discard what the next round writes.
                    try settle()
                }
            } catch {
                throw TestFailure("seed \(random.seed): \(error)")
            }
            #expect(history.acknowledged >= awaited)
        }

        /// Kills each program at some moment of its client reset: in the first run before it, later after its end, or
        /// wherever it is after some commits.
        private func killResetting(_ round: Int, _ kill: Int) throws {
            let workers = try names.map { try worker($0, ["\(round)k\(kill)", "\(random.below(1 << 30))"]) }
            for worker in workers {
                let commits = random.below(40)
                switch kill == 0 ? random.below(3) : 3 {
                case 0: try worker.wait(until: "the reset") { worker.output.contains("resetting\n") }
                case 1: try worker.wait(until: "the end of the reset") { worker.output.contains("reset\n") }
                case 2: try worker.wait(until: "the file") { worker.output.contains("open\n") }
                default:
                    try worker.wait(until: "the end of the reset, or commits") {
                        worker.output.contains("reset\n") || Self.commits(worker) > commits
                    }
                }
                worker.send(SIGKILL)
                guard try worker.wait() == -SIGKILL else {
                    throw TestFailure("it ended before it was killed: \(worker.output.suffix(400))")
                }
            }
            for worker in workers { try history.take(worker.output, isKept: false) }
        }

        private func run(_ arguments: [String]) throws {
            let result = try Program.run(arguments, in: directory)
            guard result.status == 0 else { throw TestFailure("\(arguments): \(result.errors)") }
        }

        private func restartGateway() throws {
            server = try RunningServer(
                ["--data", directory.file("a.realmgate"), "--schema", schema], host: server.host, port: server.port,
                in: directory)
        }

        /// - Parameter isKept: whether what is acknowledged must exist afterwards.
        private func play(_ round: Int, _ killsGateway: Bool, isKept: Bool = true) throws {
            let awaitedBefore = awaited
            let workers = try names.map { try worker($0, ["\(round)", "\(random.below(1 << 30))"]) }
            var waiting = Array(workers.indices)
            while !waiting.isEmpty {
                let index = waiting.remove(at: random.below(waiting.count))
                let worker = workers[index]
                kills += 1
                // Each kind of moment comes in any four kills.
                switch kills % 4 {
                case 0: break
                case 1: try worker.wait(until: "the file") { worker.output.contains("open\n") }
                default: try leave(worker, for: 1 + random.below(60))
                }
                if killsGateway { try killGateway([index] + waiting, of: workers, random.below(20), random.below(60)) }
                worker.send(SIGKILL)
                guard try worker.wait() == -SIGKILL else {
                    throw TestFailure("it ended before it was killed: \(worker.output.suffix(400))")
                }
            }
            for worker in workers { try history.take(worker.output, isKept: isKept) }
            if !isKept { awaited = awaitedBefore }
        }

        /// Waits until the program has made this many more commits.
        private func leave(_ worker: ChildProcess, for commits: Int) throws {
            let before = Self.commits(worker)
            try worker.wait(until: "\(commits) commits after \(before)") { Self.commits(worker) >= before + commits }
            awaited += commits
        }

        private static func commits(_ worker: ChildProcess) -> Int {
            FollowedKillTests.lines(of: worker.output).count { $0.hasPrefix("done ") }
        }

        /// Kills the gateway, and starts it again, at its address, when a program has made some commits meanwhile.
        private func killGateway(
            _ running: [Int], of workers: [ChildProcess], _ meanwhile: Int, _ afterwards: Int
        ) throws {
            // The others wait for the gateway.
            let writing = running.map { workers[$0] }.first { Self.commits($0) > 0 }
            server.process.send(SIGKILL)
            _ = try server.process.wait()
            if let writing { try leave(writing, for: meanwhile) }
            try restartGateway()
            if let writing { try leave(writing, for: afterwards) }
        }

        /// Waits until all have synchronised, and compares each file with the gateway, and the gateway with the
        /// programs' output.
        private func settle() throws {
            let workers = try names.map { try worker($0) }
            for worker in workers {
                try worker.wait(until: "everything to go up") { worker.output.contains("sent\n") }
            }
            for worker in workers { worker.send(SIGUSR1) }
            let there = try itemsAtGateway()
            for worker in workers {
                let status = try worker.wait()
                guard status == 0 else {
                    throw TestFailure("it ended with \(status): \(worker.errors)\n\(worker.output.suffix(400))")
                }
                let lines = worker.output.split(separator: "\n").filter { $0.hasPrefix("item ") }.map(String.init)
                let expected = there.map(\.line)
                guard lines == expected else {
                    let (more, less) = (Set(lines).subtracting(expected), Set(expected).subtracting(lines))
                    throw TestFailure("a follower has \(more.sorted().prefix(5)) for \(less.sorted().prefix(5))")
                }
                for line in worker.output.split(separator: "\n") where line.hasPrefix("error") {
                    throw TestFailure("it was told: \(line)")
                }
            }
            try history.check(there)
        }

        private func itemsAtGateway() throws -> [Item] {
            let filter = "owner%20!=%20'filler'"
            let curl = try ChildProcess(
                "/usr/bin/env",
                ["curl", "--silent", "--fail", server.address + "/v1/export/WorkItem?filter=\(filter)&sort=_id"],
                directory: directory.path)
            guard try curl.wait() == 0 else { throw TestFailure("the gateway exports nothing: \(curl.errors)") }
            return try curl.output.split(separator: "\n").map { line in
                guard let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    let id = json["_id"] as? String
                else { throw TestFailure("no object: \(line)") }
                return Item(
                    id: id, tokens: json["tokens"] as? [String] ?? [],
                    marks: (json["marks"] as? [String: Any] ?? [:]).keys.sorted())
            }
        }
    }

    /// The lines of an output. A last one that was cut off by the end of the process is not among them.
    private static func lines(of output: String) -> [Substring] {
        output[..<(output.lastIndex(of: "\n") ?? output.startIndex)].split(separator: "\n")
    }

    private struct Item {
        var id: String
        var tokens: [String]
        var marks: [String]

        var line: String { "item \(id) \(tokens.joined(separator: ",")) \(marks.joined(separator: ","))" }
    }

    /// The operations that were tried, and those that were acknowledged.
    private struct History {
        private var tried: [String: Set<String>] = [:]
        private var done: [String: Set<String>] = [:]
        /// Both objects of each token.
        private var pairs: [String: [String]] = [:]
        private var markedObjects: [String: String] = [:]
        private(set) var acknowledged = 0

        /// - Parameter isKept: whether what was acknowledged must exist; else it may.
        mutating func take(_ output: String, isKept: Bool) throws {
            for line in FollowedKillTests.lines(of: output) {
                let words = line.split(separator: " ").map(String.init)
                if ["error", "unexpected"].contains(words[0]) { throw TestFailure("it was told: \(line)") }
                guard words.count > 2, ["try", "done"].contains(words[0]), let what = words.last else { continue }
                if words[0] == "try" {
                    tried[words[1], default: []].insert(what)
                } else if isKept {
                    done[words[1], default: []].insert(what)
                    acknowledged += 1
                }
                if words[1] == "append", words.count == 5 { pairs[what] = [words[2], words[3]] }
                if words[1] == "mark", words.count == 4 { markedObjects[what] = words[2] }
            }
        }

        func check(_ items: [Item]) throws {
            var found: [String: Item] = [:]
            for item in items { found[item.id] = item }
            for id in done["create"] ?? [] where tried["delete"]?.contains(id) != true {
                guard found[id] != nil else { throw TestFailure("\(id) was created, and is lost") }
            }
            for id in done["delete"] ?? [] where found[id] != nil {
                throw TestFailure("\(id) was deleted, and is there")
            }
            for item in items {
                guard Set(item.tokens).count == item.tokens.count else { throw TestFailure("twice in \(item.line)") }
                for token in item.tokens where pairs[token]?.contains(item.id) != true {
                    throw TestFailure("\(token) was never appended to \(item.id)")
                }
            }
            for token in tried["append"] ?? [] {
                let positions = pairs[token] ?? []
                let present = positions.compactMap { found[$0] }
                let having = present.filter { $0.tokens.contains(token) }
                guard having.isEmpty || having.count == present.count else {
                    throw TestFailure("\(token) was appended by halves")
                }
                guard done["append"]?.contains(token) != true || having.count == present.count else {
                    throw TestFailure("\(token) was appended to \(positions), and is lost")
                }
            }
            for token in done["mark"] ?? [] {
                guard let id = markedObjects[token], found[id]?.marks.contains(token) == true else {
                    throw TestFailure("the mark \(token) is lost")
                }
            }
        }
    }
}
