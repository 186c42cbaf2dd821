import StorageEngine
import LMDBStorage
import Glibc
import ObjectModel
import StoreContract

/// Replaces a file that no other process has open by a copy without unused pages.
///
/// Everything that can fail comes first: the copy is written to `PATH.compacting`, synced and opened there. Then two
/// renames move its lock file and itself into place. A crash before the second one leaves the old file, after it the
/// new one, both complete; leftovers are deleted when the file is next opened.
struct Compaction {
    let old: OpenFile
    let path: String
    let options: EmbeddedStoreOptions

    private var temporary: String { path + Self.suffix }
    private static let suffix = ".compacting"
    private static let lockSuffix = "-lock"

    init(_ old: OpenFile, path: String, options: EmbeddedStoreOptions) {
        self.old = old
        self.path = path
        self.options = options
    }

    /// Deletes the leftovers of an interrupted compaction; the caller must hold the file exclusively.
    static func cleanUp(beside path: String) {
        unlink(path + suffix)
        unlink(path + suffix + lockSuffix)
    }

    /// Returns the new file, open; snapshots of the old one stay readable. The caller holds the old file's presence
    /// exclusively. `progress` is called now and then with the number of bytes written. Throws `LMDBError`,
    /// `StoreError`.
    func run(progress: (@Sendable (Int) -> Void)? = nil) throws -> OpenFile {
        Self.cleanUp(beside: path)
        try StaleValues.clear(old, path: path)
        do {
            return try replace(progress: progress)
        } catch {
            Self.cleanUp(beside: path)
            throw error
        }
    }

    private func replace(progress: (@Sendable (Int) -> Void)?) throws -> OpenFile {
        guard let presence = try FilePresence.acquireExclusively(temporary) else {
            throw StoreError(.busy, "'\(temporary)' is in use by another program. Move it away and try again.")
        }
        adoptOwner(temporary)
        let watch = CopyProgress(presence, progress)
        defer { watch.stop() }
        try old.environment.copy(to: presence.descriptor)
        let new = try OpenFile(
            path: temporary, presence, schema: .empty, options: options, generation: old.generation + 1)
        adoptOwner(temporary + Self.lockSuffix)
        guard try version(of: new) == version(of: old) else {
            throw StoreError(.invalidFile, "The compacted copy of '\(path)' differs from it. The file is unchanged.")
        }

        // Nobody can open the new file under its final name before its presence is shared. A failing device may report
        // an error for a rename that succeeded; continuing with the old file would lose all later writes.
        if rename(temporary, path) != 0 {
            let code = errno
            guard FileIdentity(path: path) == presence.identity else {
                throw LMDBError(code: code, action: "Replacing")
            }
        }
        // Every process that opens the file must share its table of readers. If this fails, no other process may open
        // it as long as we have it; a process that opens it afterwards starts a new table.
        if rename(temporary + Self.lockSuffix, path + Self.lockSuffix) == 0 { presence.becomeShared() }
        FileSystem.syncDirectory(of: path)
        return new
    }

    private func version(of file: OpenFile) throws -> [UInt8]? {
        let transaction = try file.environment.begin(readOnly: true)
        defer { transaction.abort() }
        return try transaction.get(file.trees.meta, FileFormat.versionKey).map { Array($0) }
    }

    /// Gives the new file the owner and permissions of the old one.
    private func adoptOwner(_ path: String) {
        var status = stat()
        guard fstat(old.environment.presence.descriptor, &status) == 0 else { return }
        // Only a privileged process can change the owner; for any other the file already has its own.
        _ = chown(path, status.st_uid, status.st_gid)
        _ = chmod(path, status.st_mode & 0o777)
    }
}
