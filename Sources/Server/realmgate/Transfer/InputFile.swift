import Files
import Glibc
import Transfer

/// A file to be read once or, for a new class, twice: a pipe is then copied to a file without a name first.
final class InputFile {
    private let path: String
    /// The copy of a pipe.
    private var copy: Int32?
    /// The source that was opened first, until it is used.
    private var first: ByteSource?

    /// Throws `TransferError` and `CommandError`.
    ///
    /// - Parameter path: `-` is standard input.
    init(_ path: String, isReadTwice: Bool) throws {
        self.path = path
        let opened = try ByteSource(path: path)
        guard isReadTwice, opened.size == nil || path == "-" else {
            first = opened
            return
        }
        copy = try Self.copy(opened, of: path)
    }

    deinit { if let copy { close(copy) } }

    /// Returns the file from its beginning.
    func source() throws -> ByteSource {
        if let copy {
            guard lseek(copy, 0, SEEK_SET) == 0 else {
                throw CommandError("Cannot read '\(path)': \(String(cString: strerror(errno))).")
            }
            return ByteSource(copy, "'\(path)'", owner: self)
        }
        defer { first = nil }
        return try first ?? ByteSource(path: path)
    }

    /// Returns the descriptor of a file with all bytes of the source.
    private static func copy(_ source: ByteSource, of path: String) throws -> Int32 {
        let copy = try TemporaryDirectory.unnamedFile()
        do {
            while let block = try source.nextBlock() {
                try writeAll(block, to: copy, named: TemporaryDirectory.parent)
            }
            return copy
        } catch {
            close(copy)
            guard let fault = error as? FileError else { throw error }
            throw CommandError(
                "Cannot copy \(path == "-" ? "standard input" : "'\(path)'") to '\(TemporaryDirectory.parent)': \(fault.reason). Set TMPDIR to a directory with more room, or give a file."
            )
        }
    }
}

/// Small text files.
enum TextFile {
    /// Returns the first line without its line break; nil if the file does not exist or the line is empty.
    static func line(_ path: String) -> String? {
        guard let bytes = try? WholeFile.read(path, limit: 4095) else { return nil }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { return nil }
        return String(validating: line, as: UTF8.self)
    }
}
