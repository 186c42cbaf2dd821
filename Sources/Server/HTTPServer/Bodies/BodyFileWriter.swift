import Glibc

/// A file that a request's body is written to while it arrives.
///
/// Writing waits for room among the kernel's pages, not for the disk, so a loop may do it; a machine whose disk
/// is far behind slows its writers down, and the loop with them.
final class BodyFileWriter {
    struct Failure: Error {
        let call: String
        let errno: Int32
        /// The file system has no room, or this user none left.
        var isFull: Bool { errno == ENOSPC || errno == EDQUOT }
    }

    private var descriptor: Int32
    private(set) var count = 0

    /// A new file without a name.
    init(in directory: String) throws(Failure) {
        // O_TMPFILE, whose macro Swift does not import.
        let unnamed = 0o20_000_000 | O_DIRECTORY
        descriptor = open(directory, unnamed | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor < 0 else { return }
        // Some file systems have no files without names.
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

    /// Frees the space now, whoever still has the writer.
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

    /// Gives the descriptor away, its position at the beginning.
    func release() -> Int32 {
        lseek(descriptor, 0, SEEK_SET)
        defer { descriptor = -1 }
        return descriptor
    }

    /// The file with all that was written.
    func finish() -> BodyFile {
        BodyFile(adopting: release(), count: count)
    }
}
