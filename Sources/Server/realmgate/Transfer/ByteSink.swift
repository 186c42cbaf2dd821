import Files
import Glibc

/// A file or standard output, written in blocks. The file appears under its name only after `finish`.
final class ByteSink {
    /// Nil for standard output.
    private let file: FileReplacement?
    private let name: String
    private var bytes: [UInt8] = []

    private static let blockSize = 1 << 16

    /// Creates a file; `-` is standard output.
    init(path: String) throws {
        guard path != "-" else {
            file = nil
            name = "standard output"
            return
        }
        name = "'\(path)'"
        do {
            file = try FileReplacement(path, suffix: ".part", mode: 0o644)
        } catch {
            throw CommandError("Cannot write \(name): \(error.reason).", exitCode: error.exitCode)
        }
    }

    /// Appends the bytes that `body` appends.
    func write<R>(_ body: (inout [UInt8]) throws -> R) throws -> R {
        let result = try body(&bytes)
        if bytes.count >= Self.blockSize { try flush() }
        return result
    }

    func finish() throws {
        try flush()
        try naming { () throws(FileError) in try file?.finish() }
    }

    private func flush() throws {
        try naming { () throws(FileError) in
            if let file { try file.write(bytes) } else { try writeAll(bytes, to: STDOUT_FILENO, named: name) }
        }
        bytes.removeAll(keepingCapacity: true)
    }

    private func naming(_ work: () throws(FileError) -> Void) throws(CommandError) {
        do {
            try work()
        } catch {
            throw CommandError("Cannot write \(name): \(error.reason).", exitCode: error.exitCode)
        }
    }
}

extension FileError {
    /// The exit code for a file that cannot be opened, or cannot be written.
    fileprivate var exitCode: Int32 { action == .open ? 66 : 74 }
}
