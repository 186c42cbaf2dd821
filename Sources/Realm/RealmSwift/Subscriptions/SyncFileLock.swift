import Foundation
import Glibc
import Synchronization

/// That this process is the one that follows a gateway with a file: what is known of the gateway is kept in memory, and two
/// would send everything twice. Others may open the file without a gateway, and what they write is sent by the one that
/// follows.
///
/// It is an open file description lock on a byte behind that of the store's presence, which ends with the process.
final class SyncFileLock: Sendable {
    private static let place: off_t = (1 << 62) + 1
    /// `F_OFD_SETLK` of Linux, which Swift's Glibc does not show.
    private static let setLock: Int32 = 37
    /// For one that is ending.
    private static let patience = Duration.seconds(2)

    /// Nil when it was let go.
    private let descriptor: Mutex<Int32?>

    /// Throws `Realm.Error`: `alreadyOpen` when another process has it, or another path leads to the same file in this one.
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
                        ? "The file at path '\(path)' follows a gateway in another process: one at a time may do that. Open it without 'syncConfiguration' here, or give each process a file of its own."
                        : "'\(path)' cannot be locked: \(String(cString: strerror(errno)))", path: path)
            }
            usleep(5_000)
        }
    }

    deinit { letGo() }

    /// Lets another process follow.
    func letGo() {
        if let open = descriptor.withLock({ $0.take() }) { Glibc.close(open) }
    }

    private static func lock(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = place
        lock.l_len = 1
        return fcntl(descriptor, setLock, &lock) == 0
    }
}
