import Glibc

/// Messages and progress for the person at the terminal. Logs go here too, so that standard output carries data
/// and the line that says where the server listens, nothing else.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let written = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
                if written < 0, errno == EINTR { continue }
                // There is nowhere left to report to.
                guard written > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }
}

enum StandardOutput {
    /// Hands over what was printed, also when standard output is a pipe or a file.
    static func flush() { fflush(nil) }
}
