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

/// Makes a worker's system calls fail, one after another and in every way. Afterwards the file must open, contain
/// exactly what was acknowledged, and accept writes again.
@Suite("Failing system calls")
struct FaultTests {
    private static let commits = 7

    @Test("a write that fails, falls short or is the last one loses nothing acknowledged")
    func writes() throws { try strike(.write) }

    @Test("a sync that fails or is the last one loses nothing acknowledged")
    func syncs() throws { try strike(.sync) }

    @Test("a compaction or a copy that fails or is cut off harms neither the file nor a copy")
    func files() throws {
        for call in FaultPlan.Call.allCases { try strike(call, handlesFile: true) }
    }

    @Test("a compaction goes on with the file that has the name, also when the rename is said to have failed")
    func renameDoneAndDenied() throws {
        #expect(try run(FaultPlan(.rename, 2, .failLate(.inputOutput), repeats: true), 1_748_975_449, true))
    }

    /// Makes every call of this kind in a short history fail: in all ways where there is time for that, else in one or
    /// two, so that each way strikes one of the calls.
    private func strike(_ call: FaultPlan.Call, handlesFile: Bool = false) throws {
        var random = SeededRandom.ofTest("\(call) \(handlesFile)")
        let seed = UInt64(random.below(1 << 31))
        print("FaultTests \(call) seed \(seed)")
        let order = FaultPlan.all(of: call, 1).indices.shuffled(using: &random)
        let ways = TestRun.length > 1 ? order.count : handlesFile || call == .write ? 1 : 2
        var struck = 0
        for number in 1... {
            let all = FaultPlan.all(of: call, number)
            let plans = (0..<ways).map { all[order[(number * ways + $0) % order.count]] }
            var reached = false
            for plan in plans {
                do {
                    if try run(plan, seed, handlesFile) { reached = true }
                } catch {
                    throw TestFailure("\(plan), seed \(seed): \(error)")
                }
            }
            guard reached else { break }
            struck += plans.count
        }
        print("FaultTests: \(struck) faults in \(call) calls")
        #expect(struck >= (handlesFile ? 1 : Self.commits), "such calls are made")
        if TestRun.hasFixedSeeds, !handlesFile { #expect(struck >= order.count, "they fail in every way") }
    }

    /// Returns false if the history ended before the fault.
    private func run(_ plan: FaultPlan, _ seed: UInt64, _ handlesFile: Bool) throws -> Bool {
        let directory = try TestDirectory()
        let history = DurableHistory(seed: seed, target: 60)
        var run = WorkerRun(path: directory.file("a.realmgate"), history: history, commits: Self.commits)
        run.handlesFile = handlesFile
        // The worker compacts with its second commit, and copies with its fourth.
        if handlesFile { run.commits = 4 }
        let worker = try run.start(plan: plan, in: directory)
        let status = try worker.wait()
        let said = try WorkerLine.all(in: worker.output)
        guard plan.hasStruck(worker.errors) else {
            guard status == 0 else { throw TestFailure("ended with \(status): \(worker.errors)") }
            return false
        }
        try checkEnd(plan, status, said)
        let audit = try DurabilityAudit(history)
        try run.inspect(audit, said: said)
        try run.inspectCopy(said: said)
        // The same file continues to work normally.
        var next = run
        next.round = 1
        next.commits = 3
        let second = try next.start(in: directory)
        guard try second.wait() == 0 else { throw TestFailure("afterwards: \(second.output) \(second.errors)") }
        try next.inspect(audit, said: try WorkerLine.all(in: second.output))
        return true
    }

    /// Checks how the worker ended, and which errors it got.
    private func checkEnd(_ plan: FaultPlan, _ status: Int32, _ said: [WorkerLine]) throws {
        if plan.ends {
            guard status == -SIGKILL else { throw TestFailure("ended with \(status) instead of by the fault") }
        } else {
            let opened = !said.contains { if case .refused = $0 { true } else { false } }
            guard status == (opened ? 0 : 1) else { throw TestFailure("ended with \(status): \(said)") }
            guard !opened || said.last == .done else { throw TestFailure("did not come to its end: \(said)") }
        }
        var codes: Set<StoreError.Code> = []
        for line in said {
            switch line {
            case .failed(_, let code, _), .refused(let code, _), .declined(let code, _): codes.insert(code)
            case .unreadable: throw TestFailure("reads must go on: \(line)")
            default: break
            }
        }
        guard codes.isSubset(of: [.inputOutput, .full]) else { throw TestFailure("errors \(codes): \(said)") }
    }
}
