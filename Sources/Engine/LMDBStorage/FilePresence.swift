package import Glibc
import StoreContract

/// The file that a path referred to at some moment.
package struct FileIdentity: Hashable, Sendable {
    let device: UInt
    let inode: UInt

    package init(_ status: stat) {
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }

    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// A lock on the data file itself that marks it as open. Every process that opens the file holds it shared, from before
/// LMDB opens the file until after LMDB closed it; a process that can make it exclusive is the only one, and may check,
/// replace or clean up the file.
///
/// It is an open file description lock on one byte far beyond the data. Unlike a POSIX record lock, it does not vanish
/// when some other descriptor of the file is closed; unlike flock(2), it changes between shared and exclusive without a
/// moment of neither. LMDB's own locks are on its lock file and do not interfere.
package final class FilePresence: Sendable {
    /// Open for reading and writing as long as the presence lasts.
    package let descriptor: Int32
    package let identity: FileIdentity

    private static let offset: off_t = 1 << 62
    /// `F_OFD_SETLK` of Linux, which Swift's Glibc does not export.
    private static let setLock: Int32 = 37
    private static let retryMicroseconds: UInt32 = 5000
    /// The time to wait for a process that holds it exclusively to check or compact. Only a very large file takes
    /// longer.
    private static let patienceSeconds = 60

    /// Takes over the descriptor, without a lock.
    private init(owning descriptor: Int32, _ identity: FileIdentity) {
        self.descriptor = descriptor
        self.identity = identity
    }

    deinit { close(descriptor) }

    /// Opens the file, creates an empty one where there is none, and takes the lock shared; waits up to a minute for a
    /// process that holds it exclusively. Throws `StoreError`: `fileAccess`, `busy`.
    package static func acquire(_ path: String) throws -> FilePresence {
        for _ in 0..<(patienceSeconds * 1_000_000 / Int(retryMicroseconds)) {
            let presence = try open(path)
            if presence.lock(F_RDLCK) {
                // The process that held it exclusively may have replaced the file meanwhile.
                if presence.identity == FileIdentity(path: path) { return presence }
            } else {
                guard errno == EAGAIN || errno == EACCES else {
                    throw LMDBError(code: errno, action: "Locking").storeError(path: path)
                }
                usleep(retryMicroseconds)
            }
        }
        throw StoreError(
            .busy, "'\(path)' is being checked or compacted by another program. Try again when that is done.")
    }

    /// Opens the file, creates an empty one where there is none, and takes the lock exclusively; nil when another
    /// process holds it. Throws `StoreError`.
    package static func acquireExclusively(_ path: String) throws -> FilePresence? {
        let presence = try open(path)
        return presence.becomeExclusive() && presence.identity == FileIdentity(path: path) ? presence : nil
    }

    /// The same, but waits a second for those of this process who are about to let go of the file, and for processes that
    /// it has just started, which hold it until they run their own program.
    package static func acquireExclusivelySoon(_ path: String) throws -> FilePresence? {
        for _ in 0..<100 {
            if let presence = try acquireExclusively(path) { return presence }
            usleep(10_000)
        }
        return nil
    }

    /// Creates a file that nobody else knows of, with the lock taken. Throws `LMDBError`.
    package static func acquireDraft(_ path: String) throws(LMDBError) -> FilePresence {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_TRUNC, 0o640)
        guard descriptor >= 0 else { throw LMDBError(code: errno, action: "Opening") }
        var status = stat()
        fstat(descriptor, &status)
        let presence = FilePresence(owning: descriptor, FileIdentity(status))
        _ = presence.lock(F_RDLCK)
        return presence
    }

    /// Makes the lock exclusive, from shared or from none; returns false, with the lock unchanged, when another process
    /// has the file open.
    package func becomeExclusive() -> Bool { lock(F_WRLCK) }

    /// Makes the lock shared again.
    package func becomeShared() { _ = lock(F_RDLCK) }

    /// The size of the file in bytes.
    package var fileSize: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func open(_ path: String) throws -> FilePresence {
        var status = stat()
        // Before opening, because opening a device can have effects.
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { throw notAFile(path) }
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_CREAT, 0o640)
        guard descriptor >= 0 else { throw LMDBError(code: errno, action: "Opening").storeError(path: path) }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw notAFile(path)
        }
        return FilePresence(owning: descriptor, FileIdentity(status))
    }

    private static func notAFile(_ path: String) -> StoreError {
        StoreError(.fileAccess, "'\(path)' is not a regular file. Name a file to store the data in.")
    }

    private func lock(_ kind: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(kind)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Self.offset
        lock.l_len = 1
        return fcntl(descriptor, Self.setLock, &lock) == 0
    }
}
