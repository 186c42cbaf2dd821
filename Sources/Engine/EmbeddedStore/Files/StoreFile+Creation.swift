import Dispatch
import Glibc
import ObjectModel
import StoreContract
import Synchronization

extension StoreFile {
    /// Numbers the files that this process is making.
    private static let attempts = Atomic(0)

    /// Makes a new file whole or not at all: it is made under another name and appears under its own when it is on
    /// disk. A file that another process makes at the same time stays. Whether it did.
    /// Throws `LMDBError`, `StoreError`.
    static func createIfMissing(path: String, schema: Schema, options: EmbeddedStoreOptions) throws -> Bool {
        guard FileIdentity(path: path) == nil else { return false }
        guard errno == ENOENT else { throw LMDBError(code: errno, action: "Opening") }
        let number = attempts.add(1, ordering: .relaxed).newValue
        let draft = "\(path).new-\(getpid())-\(number)"
        defer { unlink(draft) }
        // Errors name the path that was asked for.
        let presence = try FilePresence.takeDraft(draft)
        let environment = try LMDBEnvironment(
            path: draft, presence, mapSize: options.mapSize, maximumReaders: 1, isPrivate: true)
        _ = try OpenFile.prepare(environment, path: path, schema: schema, options: options)
        guard try FileSystem.rename(draft, toNew: path) else { return false }
        FileSystem.syncDirectory(of: path)
        return true
    }
}
