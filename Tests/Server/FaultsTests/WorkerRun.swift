import EmbeddedStore
import Foundation
import Glibc
import ObjectModel
import ProgramTesting
import RepositoryFiles
import StoreContract
import StoreTesting

/// A `StoreWorker` process.
struct WorkerRun {
    var path: String
    var history: DurableHistory
    var round = 0
    var firstThread = 0
    var threads = 1
    var commits = Int(Int32.max)
    var burst = 1
    /// Whether the worker also compacts the file and copies it.
    var handlesFile = false

    /// Starts the worker, under CFaults if there is a plan or a trace, as an argument of another program if one is
    /// given.
    func start(
        behind program: [String] = [], plan: FaultPlan? = nil, trace: String? = nil, in directory: TestDirectory
    ) throws -> ChildProcess {
        let worker = try Program.beside("StoreWorker")
        let arguments =
            (program.isEmpty ? [] : [worker]) + [path, "\(history.seed)"]
            + [history.target, round, firstThread, threads, commits, burst, handlesFile ? 1 : 0].map { "\($0)" }
        var environment: [String: String] = [:]
        if plan != nil || trace != nil {
            let library = try Program.beside("libCFaults.so")
            // New files are created under temporary names; the lock file is not among them.
            let files = [path] + [".new-*", ".compacting", ".copy", ".copy.partial"].map { path + $0 }
            environment = FaultEnvironment(library: library, files: files, plan: plan, trace: trace).variables
        }
        return try ChildProcess(
            program.first ?? worker, program.dropFirst() + arguments, environment: environment,
            directory: directory.path)
    }

    /// Kills the worker once it has said so many more lines with a word.
    func kill(_ worker: ChildProcess, after count: Int, _ word: String = "acknowledged") throws {
        try worker.wait(until: "\(count) times '\(word)'") {
            worker.output.split(separator: "\n").count { $0.hasPrefix(word) } >= count
        }
        worker.send(SIGKILL)
        guard try worker.wait() == -SIGKILL else {
            throw TestFailure("the worker ended before it was killed: \(worker.output.suffix(400)) \(worker.errors)")
        }
    }

    /// Opens the file in this process and checks it.
    func inspect(_ audit: DurabilityAudit, said: [WorkerLine], mayKeepFailed: Bool = false) throws {
        let store = try open()
        defer { store.close() }
        try audit.check(store, said: said, burst: burst, mayKeepFailed: mayKeepFailed)
    }

    /// Checks a copy of the file, if there is one, against everything that was ever reported.
    func inspectCopy(said: [WorkerLine]) throws {
        var copy = self
        copy.path += ".copy"
        guard access(copy.path, F_OK) == 0 else { return }
        let store = try copy.open()
        defer { store.close() }
        let version = try store.snapshot().version
        let past = said.filter { if case .acknowledged(let other, _) = $0 { other <= version } else { true } }
        // Commits may have been in progress when it was made.
        try DurabilityAudit(history).check(store, said: past, burst: .max)
    }

    /// Opens the file with the worker's options.
    func open() throws -> EmbeddedStore {
        var options = EmbeddedStoreOptions()
        options.clusterCapacity = 64
        return try EmbeddedStore.open(path: path, schema: history.schema, options: options)
    }
}
