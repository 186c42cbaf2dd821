import Glibc

/// Writes messages and progress to standard error. Logs go there too, so that standard output contains only data and
/// the line with the server's address.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let written = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
                if written < 0, errno == EINTR { continue }
                // The error cannot be reported anywhere else.
                guard written > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }
}

enum StandardOutput {
    /// Flushes the output, also if standard output is a pipe or a file.
    static func flush() { fflush(nil) }
}
