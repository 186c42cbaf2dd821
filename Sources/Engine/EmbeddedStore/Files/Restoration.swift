import StorageEngine
import LMDBStorage
import Columnar
import Glibc
import StoreContract

extension EmbeddedStore {
    /// Replaces a database file by a backup, or creates it. The backup is copied, so it stays unchanged. A crash leaves
    /// the old file or the new one.
    ///
    /// The restored file begins a new history: marks of the file that it replaces, and of the backup, do not belong to
    /// it.
    ///
    /// Check the backup first, see `check`. Throws `fileAccess` when the file exists and `replaces` is false, `busy`
    /// while another process has it open, `invalidFile`, `full`, `inputOutput`.
    ///
    /// - Parameters:
    ///   - replaces: whether an existing file may be replaced by the backup.
    ///   - progress: called now and then with the number of bytes written, on any thread.
    package static func restore(
        _ path: String, from backup: String, replaces: Bool, progress: (@Sendable (_ writtenBytes: Int) -> Void)? = nil
    ) throws {
        guard FileIdentity(path: backup) != nil else {
            throw StoreError(.fileAccess, "There is no backup '\(backup)'.")
        }
        guard FileIdentity(path: backup) != FileIdentity(path: path) else {
            throw StoreError(.fileAccess, "'\(path)' is the backup itself.")
        }
        let exists = FileIdentity(path: path) != nil
        guard replaces || !exists else {
            throw StoreError(
                .fileAccess, "'\(path)' already exists. Allow its replacement, or choose another file.")
        }
        let copy = path + ".restoring"
        unlink(copy)
        let store = try open(path: backup)
        defer { store.close() }
        try store.writeCopy(to: copy, progress: progress)
        do {
            try beginHistory(of: copy, for: path)
            try putInPlace(copy, of: path, exists: exists)
        } catch {
            unlink(copy)
            throw error
        }
    }

    /// Called before the file has its name, so that readers never see versions of the abandoned history in it.
    private static func beginHistory(of copy: String, for path: String) throws {
        guard let presence = try FilePresence.acquireExclusively(copy) else {
            throw StoreError(.busy, "'\(copy)' is in use by another program. Move it away and try again.")
        }
        do {
            try HistoryRecord.change(of: copy, presence) { _ in .new() }
        } catch is DamagedRecord {
            throw StoreError.damaged(path)
        } catch let error as LMDBError {
            throw error.storeError(path: path)
        }
    }

    private static func putInPlace(_ copy: String, of path: String, exists: Bool) throws {
        guard exists else {
            guard try FileSystem.rename(copy, toNew: path) else {
                throw StoreError(.fileAccess, "Another program created '\(path)' meanwhile. Nothing was changed.")
            }
            FileSystem.syncDirectory(of: path)
            return
        }
        // Held until the file is replaced: a process that wants to open it meanwhile waits and then opens the new one.
        guard let presence = try FilePresence.acquireExclusively(path) else {
            throw StoreError(
                .busy, "'\(path)' is open in another program. Stop the server, then restore the backup.")
        }
        try withExtendedLifetime(presence) {
            guard rename(copy, path) == 0 else {
                throw LMDBError(code: errno, action: "Replacing").storeError(path: path)
            }
            // Its table of readers belonged to the old file.
            unlink(path + "-lock")
            FileSystem.syncDirectory(of: path)
        }
    }
}
