import Glibc
import Synchronization

/// A progress line that is overwritten on the terminal; does nothing if standard error is not a terminal.
struct ProgressLine {
    private let total: Int?
    private var shown = false
    private var lastShown = 0

    /// - Parameter total: the total number of bytes, for a percentage; nil if it is not known.
    init(of total: Int?) {
        self.total = total
    }

    /// Writes the line at most ten times a second.
    mutating func show(_ text: String, at position: Int) {
        guard StandardError.isTerminal else { return }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let now = time.tv_sec * 10 + time.tv_nsec / 100_000_000
        guard now != lastShown else { return }
        lastShown = now
        shown = true
        let share = total.flatMap { $0 > 0 ? " (\(position * 100 / $0)%)" : nil } ?? ""
        StandardError.write("\r\u{1B}[K\(text)\(share)")
    }

    /// Clears the line.
    mutating func finish() {
        if shown { StandardError.write("\r\u{1B}[K") }
        shown = false
    }
}

/// Returns the number with thousands separators: `3,376`.
func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
        groups.insert(String(digits.suffix(3)), at: 0)
        digits = String(digits.dropLast(3))
    }
    return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
}

/// Shows how much of a file has been written; called from any thread.
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

    /// Replaces the progress by a final line.
    func finish(_ text: String) {
        line.withLock { $0.finish() }
        StandardError.write(text + "\n")
    }
}
