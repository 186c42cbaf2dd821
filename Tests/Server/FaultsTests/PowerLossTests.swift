import EmbeddedStore
import Foundation
import ObjectModel
import ProgramTesting
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

/// Records a worker's writes and syncs, and reconstructs the disk as it could be after a power failure at each moment:
/// synced data exists; of the rest all, nothing, some writes, or some sectors of each.
@Suite("Power failures")
struct PowerLossTests {
    @Test("whatever a disk kept of the writes since the last sync, the file opens and nothing acknowledged is lost")
    func everyMoment() throws {
        var random = SeededRandom.ofTest()
        print("PowerLossTests seed \(random.seed)")
        let history = DurableHistory(seed: random.seed, target: 60)
        let directory = try TestDirectory()
        let run = WorkerRun(path: directory.file("a.realmgate"), history: history, threads: 2, commits: 6, burst: 2)
        let worker = try run.start(trace: directory.file("trace"), in: directory)
        #expect(try worker.wait() == 0, "\(worker.errors)")
        let trace = try FaultTrace(decoding: Array(try Data(contentsOf: URL(filePath: directory.file("trace")))))
        let syncs = trace.records.count { $0 == .sync }
        #expect(syncs > 2, "each group commit syncs")
        #expect(
            syncs == trace.records.count { if case .isDurable = $0 { true } else { false } }, "and writes a meta page")

        // The file gets its name when it is complete: before that there is nothing to check.
        let firstWord = try #require(trace.records.firstIndex { if case .said = $0 { true } else { false } })
        var images = 0
        for count in firstWord...trace.records.count {
            let all = FaultTrace.Survival.allCases
            for survival in TestRun.length > 1 ? all + all + all : [random.pick(all) ?? .someSectors] {
                let (bytes, said) = trace.image(after: count, survival, &random)
                do {
                    try check(bytes, try WorkerLine.all(in: said), run, directory)
                } catch {
                    throw TestFailure("seed \(random.seed), \(survival) after \(count) records: \(error)")
                }
                images += 1
            }
        }
        print("PowerLossTests: \(images) disks from \(trace.records.count) records")
    }

    private func check(_ bytes: [UInt8], _ said: [WorkerLine], _ run: WorkerRun, _ directory: TestDirectory) throws {
        var run = run
        run.path = directory.file("image-\(UUID().uuidString)")
        try Data(bytes).write(to: URL(filePath: run.path))
        defer { for name in [run.path, run.path + "-lock"] { try? FileManager.default.removeItem(atPath: name) } }
        let audit = try DurabilityAudit(run.history)
        let store = try run.open()
        defer { store.close() }
        try audit.check(store, said: said, burst: run.burst)
        let id = DurableHistory.CommitID(round: 1, thread: 1, number: 0)
        _ = try? store.write { [history = run.history] in try history.perform(id, in: $0) }
        try audit.check(store, said: [])
    }
}
