import Dispatch
import Glibc
import ObjectModel
import StoreContract
import Synchronization

extension StoreFile {
    /// Numbers the files that this process creates.
    private static let attempts = Atomic(0)

    /// Creates a new file atomically: it is written under another name and gets its own when it is on disk. A file that
    /// another process creates at the same time is kept. Returns whether this call created the file. Throws
    /// `LMDBError`, `StoreError`.
    static func createIfMissing(path: String, schema: Schema, options: EmbeddedStoreOptions) throws -> Bool {
        guard FileIdentity(path: path) == nil else { return false }
        guard errno == ENOENT else { throw LMDBError(code: errno, action: "Opening") }
        let number = attempts.add(1, ordering: .relaxed).newValue
        let draft = "\(path).new-\(getpid())-\(number)"
        defer { unlink(draft) }
        // Errors name the requested path.
        let presence = try FilePresence.takeDraft(draft)
        let environment = try LMDBEnvironment(
            path: draft, presence, mapSize: options.mapSize, maximumReaders: 1, isPrivate: true)
        _ = try OpenFile.prepare(environment, path: path, schema: schema, options: options)
        guard try FileSystem.rename(draft, toNew: path) else { return false }
        FileSystem.syncDirectory(of: path)
        return true
    }
}
