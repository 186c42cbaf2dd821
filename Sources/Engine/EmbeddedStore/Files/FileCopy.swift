import Columnar
import Dispatch
import Glibc
import LMDBStorage
import StorageEngine
import StoreContract
import Synchronization

/// Writes a copy of an open file to a new path.
struct FileCopy {
    private let environment: LMDBEnvironment
    private let path: String
    /// The name of the copy until it is complete. A process that finds one that nobody holds may overwrite it.
    private var temporary: String { path + ".partial" }

    init(of environment: LMDBEnvironment, to path: String) {
        self.environment = environment
        self.path = path
    }

    /// Throws `StoreError`, and the error of `progress`, which ends the copy.
    func run(progress: (@Sendable (Int) throws -> Void)?) throws {
        guard FileIdentity(path: path) == nil else { throw isTaken }
        guard let presence = try FilePresence.acquireExclusively(temporary) else {
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

    private func write(_ presence: FilePresence, _ progress: (@Sendable (Int) throws -> Void)?) throws {
        guard ftruncate(presence.descriptor, 0) == 0 else { throw LMDBError(code: errno, action: "Emptying") }
        let ending = Ending()
        var report: (@Sendable (Int) -> Void)?
        if let progress {
            report = { [weak presence] bytes in
                do {
                    try progress(bytes)
                } catch {
                    if let presence { ending.end(presence, error) }
                }
            }
        }
        let watch = CopyProgress(presence, report)
        defer { watch.stop() }
        do {
            try environment.copy(to: presence.descriptor)
        } catch {
            throw ending.reason ?? error
        }
        if let reason = ending.reason { throw reason }
        try HistoryRecord.change(of: temporary, presence) { $0.copied }
        guard try FileSystem.rename(temporary, toNew: path) else { throw isTaken }
        guard FileSystem.syncDirectory(of: path) else { throw LMDBError(code: errno, action: "Syncing") }
    }

    private var isTaken: StoreError {
        StoreError(.fileAccess, "'\(path)' already exists. Remove it, or choose another name for the copy.")
    }
}

/// Aborts a copy before it is complete.
private final class Ending: Sendable {
    private let state = Mutex<(any Error)?>(nil)

    var reason: (any Error)? { state.withLock { $0 } }

    /// LMDB writes until a write fails: so its descriptor is replaced by one that cannot be written to.
    func end(_ presence: FilePresence, _ error: any Error) {
        state.withLock { reason in
            guard reason == nil else { return }
            reason = error
            let nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard nowhere >= 0 else { return }
            _ = dup2(nowhere, presence.descriptor)
            close(nowhere)
        }
    }
}

/// Reports the length of a file ten times a second, while a writer that reports no progress fills it.
struct CopyProgress {
    private let queue = DispatchQueue(label: "realmgate.copy")
    private let timer: (any DispatchSourceTimer)?

    init(_ presence: FilePresence, _ progress: (@Sendable (Int) -> Void)?) {
        guard let progress else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(100))
        // The handler may outlive the timer, and must not keep the file locked.
        timer.setEventHandler { [weak presence] in
            if let presence { progress(presence.fileSize) }
        }
        timer.resume()
        self.timer = timer
    }

    /// Ends the reports. Afterwards there are no more calls, and the file is no longer held.
    func stop() {
        timer?.cancel()
        queue.sync {}
    }
}
