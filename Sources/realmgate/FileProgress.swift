import Synchronization

/// How much of a file has been written, as told by whichever thread.
final class FileProgress: Sendable {
    private let name: String
    private let line: Mutex<ProgressLine>

    init(_ name: String, of total: Int) {
        self.name = name
        line = Mutex(ProgressLine(of: total))
    }

    func show(_ written: Int) {
        line.withLock { $0.show("\(name): \(grouped(written >> 20)) MiB written", at: written) }
    }

    /// Puts a line for good in the place of the progress.
    func finish(_ text: String) {
        line.withLock { $0.finish() }
        StandardError.write(text + "\n")
    }
}
