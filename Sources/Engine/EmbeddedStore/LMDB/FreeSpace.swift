import Glibc

/// Whether a file can grow.
enum FreeSpace {
    /// Less than one write takes: at most that much is left when a write was cut off for lack of space.
    private static let margin = 64 << 10

    /// Whether the device of the file has no space left, or the file has reached the process's limit for the size of
    /// files (RLIMIT_FSIZE).
    static func isExhausted(_ path: String) -> Bool {
        var device = statvfs()
        if statvfs(path, &device) == 0, Int(device.f_bavail) * Int(device.f_frsize) < margin { return true }
        var limit = rlimit()
        var file = stat()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, limit.rlim_cur < UInt(Int.max),
            stat(path, &file) == 0
        else { return false }
        return Int(file.st_size) + margin > Int(limit.rlim_cur)
    }
}
