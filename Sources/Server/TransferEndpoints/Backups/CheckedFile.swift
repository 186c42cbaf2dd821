import Glibc
import HTTPServer
import StoreContract
import Transfer

/// An uploaded file with a name of its own, in a directory that only this process uses. It is removed with the last
/// reference.
final class CheckedFile {
    let path: String
    /// The size in bytes.
    private(set) var count = 0
    private let directory: String
    /// What it is called in errors.
    private let kind: String

    /// Creates an empty file.
    ///
    /// - Throws: `StoreError` if the directory has no room for it.
    init(in scratch: String, of kind: String = "backup") throws {
        self.kind = kind
        var template = Array("\(scratch)/.realmgate-check-XXXXXX".utf8CString)
        guard
            let made = template.withUnsafeMutableBufferPointer({ buffer in
                buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
            })
        else { throw CheckedFile.fault("No directory can be made for the \(kind)") }
        directory = made
        path = made + "/backup"
    }

    deinit {
        // The check may have made a table of readers beside it.
        for name in ["backup", "backup-lock"] { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }

    /// Fills the file.
    ///
    /// - Parameter progress: called after each block with the number of bytes so far.
    func write(_ source: ByteSource, progress: (Int) throws -> Void) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.fault("The \(kind) cannot be kept") }
        defer { close(descriptor) }
        while let block = try source.nextBlock() {
            var rest = block[...]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw Self.fault("The \(kind) cannot be kept") }
                rest = rest.dropFirst(written)
            }
            count += block.count
            try progress(count)
        }
    }

    /// Calls the body with a descriptor of the file, open for reading.
    func withDescriptor<R>(_ body: (Int32) throws -> R) throws -> R {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.fault("The \(kind) cannot be read") }
        defer { close(descriptor) }
        return try body(descriptor)
    }

    private static func fault(_ what: String) -> StoreError {
        let number = errno
        return StoreError(
            number == ENOSPC || number == EDQUOT ? .full : .inputOutput,
            "\(what): \(String(cString: strerror(number))). The server needs room for a copy of it.")
    }
}
