import CLMDB
import Glibc
package import StoreContract

/// A failed LMDB call. The only place where LMDB's codes are translated to store codes.
package struct LMDBError: Error {
    package let code: Int32
    /// The failed action, as in "opening the file".
    package let action: String

    package init(code: Int32, action: String) {
        self.code = code
        self.action = action
    }

    /// LMDB's error when its map is full.
    package static let full = LMDBError(code: MDB_MAP_FULL, action: "Writing to")

    /// This process has the file open. The code is none of the system's.
    static let openHere = LMDBError(code: -1, action: "Opening")

    var text: String { String(cString: mdb_strerror(code)) }

    /// The same fault as a store error.
    package func storeError(path: String) -> StoreError {
        // LMDB calls it an input/output error when the system wrote only a part.
        switch code == EIO && FreeSpace.isExhausted(path) ? ENOSPC : code {
        case MDB_MAP_FULL:
            StoreError(
                .full,
                "The store '\(path)' has reached its maximum size; the write was discarded. Delete objects, or open it with a larger maximum size. Snapshots of old versions take space, too."
            )
        case ENOSPC, EDQUOT:
            StoreError(.full, "No space is left on the device that holds '\(path)'. The write was discarded.")
        case EFBIG:
            StoreError(.full, "'\(path)' has reached the maximum file size. The write was discarded.")
        case MDB_PANIC:
            StoreError(
                .inputOutput,
                "A write to '\(path)' failed, and the store has stopped to protect the data. Earlier commits are safe. Check the device, then open the store again."
            )
        case MDB_READERS_FULL:
            StoreError(.busy, "Too many snapshots of '\(path)' are open at once. Release some and try again.")
        case MDB_INVALID, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_BAD_TXN:
            StoreError(.invalidFile, "'\(path)' is not an intact Realmgate file (\(text)). Restore it from a backup.")
        case MDB_VERSION_MISMATCH: LMDBRelease.loaded.unreadable(path)
        case ENOENT:
            StoreError(.fileAccess, "The directory of '\(path)' does not exist. Create it first.")
        case EACCES, EPERM, EROFS:
            StoreError(.fileAccess, "'\(path)' cannot be opened for writing: \(text).")
        case ENOTDIR, EISDIR:
            StoreError(.fileAccess, "'\(path)' cannot be used as a store file: \(text).")
        case Self.openHere.code:
            StoreError(.busy, "'\(path)' is already open in this program.")
        case EAGAIN, EBUSY:
            StoreError(.busy, "'\(path)' is locked by another program.")
        default:
            StoreError(.inputOutput, "\(action) '\(path)' failed: \(text).")
        }
    }
}

/// Throws unless the call succeeded.
func check(_ code: Int32, _ action: @autoclosure () -> String) throws(LMDBError) {
    guard code == 0 else { throw LMDBError(code: code, action: action()) }
}

extension StoreError {
    package static func damaged(_ path: String) -> StoreError {
        StoreError(.invalidFile, "'\(path)' is damaged: a record in it cannot be read. Restore it from a backup.")
    }
}
