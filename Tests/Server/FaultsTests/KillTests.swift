import Foundation
import Glibc
import ObjectModel
import ProgramTesting
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Kills workers with SIGKILL after a random number of commits, repeatedly on the same file, and compares the file with a model that
/// makes the same commits: every object, value, backlink, index, count and change set.
@Suite("Killed in the middle of anything", .serialized)
struct KillTests {
    @Test("a writer that is killed loses nothing acknowledged and leaves no commit by halves")
    func oneProcess() throws {
        try rounds(of: 4, files: 2 * TestRun.length, "one process") { file, round, random in
            var run = file.run
            (run.round, run.threads, run.burst) = (round, 1 + random.below(4), 1 + random.below(5))
            run.handlesFile = !round.isMultiple(of: 2)
            let worker = try run.start(in: file.directory)
            if run.handlesFile, random.oneIn(2) {
                try run.kill(worker, after: 1, random.oneIn(2) ? "compacted" : "copied")
            } else {
                try run.kill(worker, after: 4 + random.below(24))
            }
            return ([worker], run)
        }
    }

    @Test("two processes write into one file and one of them is killed: the other goes on, and nothing is lost")
    func twoProcesses() throws {
        try rounds(of: 3, files: 2 * TestRun.length, "two processes") { file, round, random in
            var run = file.run
            (run.round, run.threads, run.burst) = (round, 2, 1 + random.below(3))
            let first = try run.start(in: file.directory)
            (run.firstThread, run.commits) = (2, 20)
            let second = try run.start(in: file.directory)
            try file.run.kill(first, after: 4 + random.below(16))
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
        for number in 0..<files {
            var random = SeededRandom.ofTest("\(what) \(number)")
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
        // A file that was just compacted has no earlier versions.
        #expect(pasts > 0, "some file must tell of earlier versions")
    }
}
