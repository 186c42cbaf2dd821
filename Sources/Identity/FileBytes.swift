import Glibc

/// Small files as a whole.
enum FileBytes {
    /// Nil when there is no such file.
    static func read(_ path: String) throws(IdentityError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw IdentityError("open", path, errno)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw IdentityError("read", path, errno) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    /// Puts a file with these bytes in the place of the one there, on disk when it returns.
    static func replace(_ path: String, with bytes: [UInt8]) throws(IdentityError) {
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw IdentityError("open", draft, errno) }
        defer { close(descriptor) }
        // A draft that was left behind may have other rights.
        guard fchmod(descriptor, 0o600) == 0 else { throw IdentityError("protect", draft, errno) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw IdentityError("write", draft, errno) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw IdentityError("write", draft, errno) }
        guard rename(draft, path) == 0 else { throw IdentityError("replace", path, errno) }
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw IdentityError("open", directory, errno) }
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw IdentityError("write", directory, errno) }
    }
}

/// What tells one writing of a file from another.
struct FileStamp: Equatable, Sendable {
    private var device: UInt64
    private var inode: UInt64
    private var size: Int64
    private var seconds: Int64
    private var nanoseconds: Int64

    /// Nil when there is no such file. Cost: a system call.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
    }
}
