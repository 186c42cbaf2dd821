import Columnar
import Glibc
import StoreContract

/// Writes a copy of an open file under a name that nothing has yet.
struct FileCopy {
    private let environment: LMDBEnvironment
    private let path: String
    /// Has the copy until it is whole. Who finds one that nobody holds may write over it.
    private var temporary: String { path + ".partial" }

    init(of environment: LMDBEnvironment, to path: String) {
        self.environment = environment
        self.path = path
    }

    /// Throws `StoreError`.
    func run(progress: (@Sendable (Int) -> Void)?) throws {
        guard FileIdentity(path: path) == nil else { throw isTaken }
        guard let presence = try FilePresence.takeAlone(temporary) else {
            throw StoreError(.busy, "Another copy to '\(path)' is being written. Wait for it, or name another file.")
        }
        do {
            try write(presence, progress)
        } catch {
            unlink(temporary)
            if error is DamagedRecord { throw StoreError.damaged(path) }
            throw (error as? LMDBError)?.storeError(path: path) ?? error
        }
    }

    private func write(_ presence: FilePresence, _ progress: (@Sendable (Int) -> Void)?) throws {
        guard ftruncate(presence.descriptor, 0) == 0 else { throw LMDBError(code: errno, action: "Emptying") }
        let watch = CopyProgress(presence, progress)
        defer { watch.stop() }
        try environment.copy(to: presence.descriptor)
        try HistoryRecord.change(of: temporary, presence) { $0.copied }
        guard try FileSystem.rename(temporary, toNew: path) else { throw isTaken }
        guard FileSystem.syncDirectory(of: path) else { throw LMDBError(code: errno, action: "Syncing") }
    }

    private var isTaken: StoreError {
        StoreError(.fileAccess, "'\(path)' exists already. Remove it, or write the copy to another name.")
    }
}
