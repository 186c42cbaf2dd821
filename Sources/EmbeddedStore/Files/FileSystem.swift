import Glibc

/// What the store asks of the file system besides what LMDB does.
enum FileSystem {
    /// The directory that a path lies in.
    static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Makes a new or changed name survive a power loss; syncing a file saves only its contents. False when that failed.
    @discardableResult
    static func syncDirectory(of path: String) -> Bool {
        let descriptor = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    /// Gives the file a name that nothing has yet; false, with nothing done, where something has. On a file system
    /// without links something that appears at the very same time is replaced.
    static func rename(_ path: String, toNew target: String) throws(LMDBError) -> Bool {
        // A link, unlike rename(2), never replaces anything.
        if link(path, target) == 0 {
            unlink(path)
            return true
        }
        switch errno {
        case EEXIST: return false
        case EPERM, EOPNOTSUPP, ENOSYS, EMLINK:
            guard access(target, F_OK) != 0 else { return false }
            guard Glibc.rename(path, target) == 0 else { throw LMDBError(code: errno, action: "Naming") }
            return true
        case let code: throw LMDBError(code: code, action: "Naming")
        }
    }
}
