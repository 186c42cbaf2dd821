import Files
import Glibc

/// The file of the API keys: readable by its owner only, and always written completely or not at all.
///
/// Several processes can write it, one after the other: the lock is on a separate file, because this one is replaced.
struct KeyFile: KeyDocument {
    let path: String

    var name: String { "The file of keys '\(path)'" }

    var stamp: [Int64] { FileStamp(path)?.numbers ?? [] }

    func read() throws(IdentityError) -> [UInt8]? {
        try IdentityError.naming { () throws(FileError) in try WholeFile.read(path) }
    }

    /// Holds the lock against other processes meanwhile.
    func update(_ change: ([UInt8]?) throws(IdentityError) -> [UInt8]) throws(IdentityError) {
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw IdentityError("open", path + ".lock", errno) }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw IdentityError("lock", path + ".lock", errno) }
        }
        let bytes = try change(try read())
        try IdentityError.naming { () throws(FileError) in try WholeFile.replace(path, with: bytes) }
    }
}

/// Distinguishes versions of a file.
struct FileStamp: Equatable, Sendable {
    let numbers: [Int64]

    /// Nil if the file does not exist. Cost: a system call.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        numbers = [
            Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino), Int64(status.st_size),
            Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
        ]
    }
}
