import Foundation
import Glibc
import ObjectModel
import ProgramTesting
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Kills workers with SIGKILL at random moments, repeatedly on the same file, and compares the file with a model that
/// makes the same commits: every object, value, backlink, index, count and change set.
@Suite("Killed in the middle of anything", .serialized)
struct KillTests {
    @Test("a writer that is killed loses nothing acknowledged and leaves no commit by halves")
    func oneProcess() throws {
        try rounds(of: 6, files: 4 * LongTests.factor, "one process") { file, round, random in
            var run = file.run
            (run.round, run.threads, run.burst) = (round, 1 + random.below(4), 1 + random.below(5))
            run.handlesFile = random.oneIn(2)
            let worker = try run.start(in: file.directory)
            try kill(worker, after: random.below(60_000))
            return ([worker], run)
        }
    }

    @Test("two processes write into one file and one of them is killed: the other goes on, and nothing is lost")
    func twoProcesses() throws {
        try rounds(of: 4, files: 2 * LongTests.factor, "two processes") { file, round, random in
            var run = file.run
            (run.round, run.threads, run.burst) = (round, 2, 1 + random.below(3))
            let first = try run.start(in: file.directory)
            (run.firstThread, run.commits) = (2, 40)
            let second = try run.start(in: file.directory)
            try kill(first, after: random.below(60_000))
            guard try second.wait() == 0 else {
                throw TestFailure("the one that was left ended with \(second.output.suffix(400)) \(second.errors)")
            }
            return ([first, second], run)
        }
    }

    private struct KilledFile {
        let directory: TestDirectory
        let run: WorkerRun
    }

    /// Runs several rounds on each of several files; the body runs one and returns its processes.
    private func rounds(
        of count: Int, files: Int, _ what: String,
        _ body: (KilledFile, Int, inout SeededRandom) throws -> ([ChildProcess], WorkerRun)
    ) throws {
        var commits = 0
        var migrations = 0
        var compactions = 0
        var pasts = 0
        for _ in 0..<files {
            var random = SeededRandom.ofTest()
            let directory = try TestDirectory()
            let history = DurableHistory(seed: random.seed)
            let file = KilledFile(
                directory: directory, run: WorkerRun(path: directory.file("a.realmgate"), history: history))
            let audit = try DurabilityAudit(history)
            var everything: [WorkerLine] = []
            for round in 0..<count {
                let (workers, run) = try body(file, round, &random)
                let said = try workers.flatMap { try WorkerLine.all(in: $0.output) }
                do {
                    for case .failed(let id, let code, let message) in said {
                        throw TestFailure("commit \(id) failed: \(code.rawValue) \(message)")
                    }
                    for case .declined(let code, let message) in said where code != .busy || workers.count == 1 {
                        throw TestFailure("the file was not compacted or copied: \(code.rawValue) \(message)")
                    }
                    try run.inspect(audit, said: said)
                    everything += said
                    try run.inspectCopy(said: everything)
                } catch {
                    throw TestFailure("\(what), seed \(random.seed), round \(round): \(error)")
                }
            }
            commits += audit.commits
            pasts += audit.pasts
            for line in everything {
                if case .acknowledged(_, let id) = line, history.isMigration(id) { migrations += 1 }
                if case .compacted = line { compactions += 1 }
            }
        }
        print(
            "KillTests: \(commits) commits, \(migrations) migrations, \(compactions) compactions and \(pasts) earlier versions over \(count * files) kills of \(what)"
        )
        #expect(commits > 2 * count * files, "most rounds must be killed under load")
        #expect(pasts > count * files / 2, "most files must tell of earlier versions")
    }

    private func kill(_ worker: ChildProcess, after microseconds: Int) throws {
        try worker.wait(until: "the first acknowledged commit") { worker.output.contains("acknowledged") }
        usleep(UInt32(microseconds))
        worker.send(SIGKILL)
        guard try worker.wait() == -SIGKILL else {
            throw TestFailure("the worker ended before it was killed: \(worker.output.suffix(400)) \(worker.errors)")
        }
    }
}
