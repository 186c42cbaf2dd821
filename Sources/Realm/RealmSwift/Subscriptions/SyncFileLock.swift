import Foundation
import Glibc
import Synchronization

/// Marks this process as the one that synchronises a file with a gateway. The state of the synchronisation is cached in
/// memory, and two processes would upload everything twice. Other processes may open the file without a gateway; this
/// process uploads their commits.
///
/// It is an open file description lock on a byte after the store's presence lock, and ends with the process.
final class SyncFileLock: Sendable {
    private static let offset: off_t = (1 << 62) + 1
    /// Linux's `F_OFD_SETLK`, which Swift's Glibc does not import.
    private static let setLock: Int32 = 37
    /// The time to wait for a client that is stopping.
    private static let patience = Duration.seconds(2)

    /// Nil once released.
    private let descriptor: Mutex<Int32?>

    /// Throws `Realm.Error`: `alreadyOpen` if another process holds the lock, or if this process has opened the file
    /// under another path.
    init(_ path: String) throws {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Realm.Error(
                .fileAccess, "'\(path)' cannot be opened: \(String(cString: strerror(errno)))", path: path)
        }
        self.descriptor = Mutex(descriptor)
        let start = ContinuousClock.now
        while !Self.lock(descriptor) {
            let isTaken = errno == EAGAIN || errno == EACCES
            guard isTaken, ContinuousClock.now - start < Self.patience else {
                Glibc.close(descriptor)
                self.descriptor.withLock { $0 = nil }
                throw Realm.Error(
                    isTaken ? .alreadyOpen : .fileAccess,
                    isTaken
                        ? "The file at path '\(path)' is synchronized with a gateway by another process, which only one process at a time can do. Open it without 'syncConfiguration' here, or give each process a file of its own."
                        : "'\(path)' cannot be locked: \(String(cString: strerror(errno)))", path: path)
            }
            usleep(5_000)
        }
    }

    deinit { letGo() }

    /// Releases the lock for other processes.
    func letGo() {
        if let open = descriptor.withLock({ $0.take() }) { Glibc.close(open) }
    }

    private static func lock(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = offset
        lock.l_len = 1
        return fcntl(descriptor, setLock, &lock) == 0
    }
}
