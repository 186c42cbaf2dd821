import Files
import Glibc

/// What the store asks of the file system besides what LMDB does.
enum FileSystem {
    /// Makes a new or changed name survive a power loss. False, with `errno`, when that failed.
    @discardableResult
    static func syncDirectory(of path: String) -> Bool {
        do {
            try Directory.sync(of: path)
            return true
        } catch {
            errno = error.code
            return false
        }
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
