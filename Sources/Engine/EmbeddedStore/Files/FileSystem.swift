import LMDBStorage
import Files
import Glibc

/// File operations of the store beyond LMDB's.
enum FileSystem {
    /// Makes a new or changed name survive a power loss. Returns false, with `errno`, when that failed.
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

    /// Renames the file to a new path; returns false, with nothing done, when the path exists. On a file system without
    /// links, a file that appears there at the very same time is replaced.
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
