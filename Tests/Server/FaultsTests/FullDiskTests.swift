import EmbeddedStore
import Foundation
import Glibc
import ObjectModel
import ProgramTesting
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Fills the disk while a worker writes.
@Suite("A full disk", .serialized)
struct FullDiskTests {
    @Test("a file that reaches the process's size limit is full, keeps what it has and takes more when it may")
    func sizeLimit() throws {
        let directory = try TestDirectory()
        let run = WorkerRun(path: directory.file("a.realmgate"), history: history("size limit"), commits: 500)
        let worker = try run.start(behind: ["/usr/bin/env", "prlimit", "--fsize=\(300 << 10)", "--"], in: directory)
        try checkFull(try worker.wait(), worker)
        try proceed(run, said: try WorkerLine.all(in: worker.output), in: directory)
    }

    @Test(
        "a store on a full device keeps what it has and takes more when there is space",
        .enabled(if: SmallDevice.isWanted)
    )
    func device() throws {
        let directory = try TestDirectory()
        let device = try SmallDevice(directory.file("device"), kilobytes: 300)
        let run = WorkerRun(path: device.path + "/a.realmgate", history: history("device"), commits: 500)
        let worker = try run.start(in: directory)
        try checkFull(try worker.wait(), worker)
        try device.resize(kilobytes: 20_000)
        try proceed(run, said: try WorkerLine.all(in: worker.output), in: directory)
    }

    private func history(_ purpose: String) -> DurableHistory {
        let seed = TestSeed.of(purpose)
        print("FullDiskTests \(purpose) seed \(seed)")
        // Large enough to outgrow the space.
        return DurableHistory(seed: seed, target: 2000)
    }

    /// Every failure is reported as a lack of space, and reads continue to work.
    private func checkFull(_ status: Int32, _ worker: ChildProcess) throws {
        let said = try WorkerLine.all(in: worker.output)
        #expect(status == 0 && said.last == .done, "\(worker.errors)")
        var failures = 0
        for line in said {
            if case .failed(_, let code, let message) = line {
                failures += 1
                // The store may have stopped, after it gave the reason.
                #expect(code == .full || code == .inputOutput && failures > 1, "\(message)")
            }
            if case .unreadable = line { Issue.record("\(line)") }
        }
        #expect(failures > 0, "the history must not fit")
    }

    private func proceed(_ run: WorkerRun, said: [WorkerLine], in directory: TestDirectory) throws {
        let audit = try DurabilityAudit(run.history)
        try run.inspect(audit, said: said)
        #expect(audit.commits > 10)
        var next = run
        (next.round, next.commits) = (1, 20)
        let worker = try next.start(in: directory)
        #expect(try worker.wait() == 0)
        let more = try WorkerLine.all(in: worker.output)
        #expect(!more.contains { if case .failed = $0 { true } else { false } })
        try next.inspect(audit, said: more)
    }
}
