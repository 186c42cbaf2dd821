import Glibc

/// Writes a request's body to a file while it arrives.
///
/// A write waits for free page cache, not for the disk, so loops may call it. If the disk is far behind, the kernel
/// slows down the writers, and with them the loop.
final class BodyFileWriter {
    struct Failure: Error {
        let call: String
        let errno: Int32
        /// The file system or the user's quota is full.
        var isFull: Bool { errno == ENOSPC || errno == EDQUOT }
    }

    private var descriptor: Int32
    private(set) var count = 0

    /// Creates a file without a name.
    init(in directory: String) throws(Failure) {
        // O_TMPFILE, whose macro Swift does not import.
        let unnamed = 0o20_000_000 | O_DIRECTORY
        descriptor = open(directory, unnamed | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor < 0 else { return }
        // Some file systems do not support files without names.
        var path = Array("\(directory)/body-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw Failure(call: "mkstemp", errno: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(path)
    }

    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { discard() }

    /// Frees the space now, even if the writer is still referenced.
    func discard() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let written = write(descriptor, rest.baseAddress, rest.count)
            guard written > 0 else {
                if written < 0, errno == EINTR { continue }
                throw Failure(call: "write", errno: errno)
            }
            count += written
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    func append(_ bytes: [UInt8]) throws(Failure) {
        try bytes.withUnsafeBytes { bytes -> Result<Void, Failure> in
            do throws(Failure) { return .success(try append(bytes)) } catch { return .failure(error) }
        }.get()
    }

    /// Returns the descriptor, at position 0, and gives up its ownership.
    func release() -> Int32 {
        lseek(descriptor, 0, SEEK_SET)
        defer { descriptor = -1 }
        return descriptor
    }

    /// Returns the file with everything that was written.
    func finish() -> BodyFile {
        BodyFile(adopting: release(), count: count)
    }
}
