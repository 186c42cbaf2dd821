import Glibc
import ObjectModel
import StoreContract

/// Puts a copy without unused pages in the place of a file that nobody else has open.
///
/// Everything that can fail comes first: the copy is written to `PATH.compacting`, synced and opened there. Then two
/// renames put its lock file and itself in place. A crash before the second one leaves the old file, after it the new
/// one, both whole; what else is left lying is cleaned up when the file is next opened.
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

    /// Removes what a compaction that was broken off left; for who is alone with the file.
    static func cleanUp(beside path: String) {
        unlink(path + suffix)
        unlink(path + suffix + lockSuffix)
    }

    /// Gives the new file, open; snapshots of the old one stay readable. The caller holds the old file's presence
    /// exclusively. `progress` is told now and then how many bytes have been written. Throws `LMDBError`, `StoreError`.
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
        guard let presence = try FilePresence.takeAlone(temporary) else {
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
            throw StoreError(.invalidFile, "The compacted copy of '\(path)' is not like it. The file stays as it is.")
        }

        // Nobody can open the new file under its final name before its presence is shared.
        // A device that fails may report an error for a rename that it did; going on with the old file would lose all
        // that is written from now on.
        if rename(temporary, path) != 0 {
            let code = errno
            guard FileIdentity(path: path) == presence.identity else {
                throw LMDBError(code: code, action: "Replacing")
            }
        }
        // Whoever opens the file must share its table of readers. If this fails, nobody else may open it as long as we
        // have it; who opens it afterwards starts a new table.
        if rename(temporary + Self.lockSuffix, path + Self.lockSuffix) == 0 { presence.becomeShared() }
        FileSystem.syncDirectory(of: path)
        return new
    }

    private func version(of file: OpenFile) throws -> [UInt8]? {
        let transaction = try file.environment.begin(readOnly: true)
        defer { transaction.abort() }
        return try transaction.get(file.trees.meta, FileFormat.versionKey).map { Array($0) }
    }

    /// The new file is for the same people as the old one.
    private func adoptOwner(_ path: String) {
        var status = stat()
        guard fstat(old.environment.presence.descriptor, &status) == 0 else { return }
        // Only a privileged process can give files away; for any other the owner is its own already.
        _ = chown(path, status.st_uid, status.st_gid)
        _ = chmod(path, status.st_mode & 0o777)
    }
}
