import Glibc

/// A file or standard output, written in blocks. A file appears under its name when it is complete: it is written
/// beside it and renamed by `finish`.
final class ByteSink {
    private let descriptor: Int32
    private let name: String
    private let paths: (partial: String, final: String)?
    private var bytes: [UInt8] = []

    private static let blockSize = 1 << 16

    /// Makes a file; `-` is standard output.
    init(path: String) throws {
        guard path != "-" else {
            descriptor = STDOUT_FILENO
            name = "standard output"
            paths = nil
            return
        }
        name = "'\(path)'"
        let partial = path + ".part"
        paths = (partial, path)
        descriptor = Glibc.open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure("Cannot write \(name): \(String(cString: strerror(errno))).")
        }
    }

    deinit {
        if let paths {
            close(descriptor)
            // Gone already when the file was finished.
            unlink(paths.partial)
        }
    }

    /// Appends what `body` appends.
    func write<R>(_ body: (inout [UInt8]) throws -> R) throws -> R {
        let result = try body(&bytes)
        if bytes.count >= Self.blockSize { try flush() }
        return result
    }

    func finish() throws {
        try flush()
        guard let paths else { return }
        guard fsync(descriptor) == 0, rename(paths.partial, paths.final) == 0 else {
            throw CommandFailure("Cannot write \(name): \(String(cString: strerror(errno))).")
        }
    }

    private func flush() throws {
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    throw CommandFailure("Cannot write \(name): \(String(cString: strerror(errno))).")
                }
                rest = rest.dropFirst(count)
            }
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
