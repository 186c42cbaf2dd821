import Dispatch
import EmbeddedStore
import Glibc
import ObjectModel
import StoreContract
import StoreTesting

/// Opens a store file and commits a `DurableHistory` to it from several threads until it is done or killed; reports
/// the outcome of each commit.
///
///     StoreWorker PATH SEED TARGET ROUND FIRST THREADS COMMITS BURST FILES
///
/// SEED and TARGET are those of the history, FIRST is the number of the first of its threads, COMMITS a number
/// for each thread, BURST how many of them a thread submits before it waits. With FILES 1 the first thread also
/// compacts the file and writes copies to PATH.copy. When a commit failed, the worker reads, opens the file
/// again and commits a little more.
@main
enum StoreWorker {
    static func main() {
        let arguments = CommandLine.arguments
        let numbers = arguments.dropFirst(2).compactMap { UInt64($0) }
        guard numbers.count == 8 else {
            say(.unexpected("usage: StoreWorker PATH SEED TARGET ROUND FIRST THREADS COMMITS BURST FILES"))
            exit(2)
        }
        // A write beyond RLIMIT_FSIZE must fail like any other.
        signal(SIGXFSZ, SIG_IGN)
        let work = Work(
            path: arguments[1], history: DurableHistory(seed: numbers[0], target: Int(numbers[1])),
            round: Int(numbers[2]),
            firstThread: Int(numbers[3]), threads: Int(numbers[4]), burst: max(1, Int(numbers[6])),
            handlesFile: numbers[7] != 0)
        let commits = Int(numbers[5])
        guard let failures = work.run(0..<commits) else { exit(1) }
        if failures > 0 {
            guard work.run(commits..<commits + 3) != nil else { exit(1) }
        }
        say(.done)
    }
}

/// Writes the line at once: nothing is buffered, so the line is known even if this process ends now.
func say(_ line: WorkerLine) {
    var text = line.description + "\n"
    _ = text.withUTF8 { write(1, $0.baseAddress, $0.count) }
}
