import Glibc

/// Distinguishes versions of a file.
struct FileStamp: Equatable, Sendable {
    private var device: UInt64
    private var inode: UInt64
    private var size: Int64
    private var seconds: Int64
    private var nanoseconds: Int64

    /// Nil if the file does not exist. Cost: a system call.
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
