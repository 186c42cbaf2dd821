import LMDBStorage
import Glibc
import StoreContract

extension EmbeddedStore {
    /// Makes a new file of what the body writes: it gets its name when all of that is on disk, and there is none when
    /// the body throws. A process that is killed meanwhile leaves `PATH.making` and an empty `PATH.making-turn`, which the
    /// next one for that path replaces. Throws `fileAccess` when the name is taken, `busy` when another process is making
    /// a file of that name, and the errors of `open` and of the body.
    package static func make<R>(
        path: String, options: EmbeddedStoreOptions = EmbeddedStoreOptions(), _ body: (EmbeddedStore) throws -> R
    ) throws -> R {
        let draft = path + ".making"
        let lock = draft + "-lock"
        let lockFile = draft + "-turn"
        guard FileIdentity(path: path) == nil else { throw taken(path) }
        // Held until the file has its name. A lock on the draft itself would have to be let go for the store to open it,
        // and another process would come between.
        guard let presence = try FilePresence.acquireExclusively(lockFile) else {
            throw StoreError(.busy, "Another program is making '\(path)'. Try again when that is done.")
        }
        defer { withExtendedLifetime(presence) { _ = unlink(lockFile) } }
        // The process that had the lock before may have made the file.
        guard FileIdentity(path: path) == nil else { throw taken(path) }
        func removeDraft() {
            unlink(draft)
            unlink(lock)
        }
        removeDraft()
        defer { removeDraft() }
        let store = try open(path: draft, options: options)
        let result: R
        do {
            defer { store.close() }
            result = try body(store)
        }
        do {
            guard try FileSystem.rename(draft, toNew: path) else { throw taken(path) }
        } catch let error as LMDBError {
            throw error.storeError(path: path)
        }
        FileSystem.syncDirectory(of: path)
        return result
    }

    private static func taken(_ path: String) -> StoreError {
        StoreError(.fileAccess, "There is a file '\(path)' already. Nothing was changed.")
    }
}
