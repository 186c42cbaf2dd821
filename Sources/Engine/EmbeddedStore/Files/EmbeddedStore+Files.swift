import Glibc
import LMDBStorage
package import StoreContract

extension EmbeddedStore {
    /// The sizes of the file. Cost: a pass over the list of free pages.
    package func sizes() throws -> FileSizes {
        try throwIfClosed()
        do {
            return try file.current.sizes()
        } catch {
            throw file.storeError(error)
        }
    }

    /// The number of durable states from the oldest one in use, by any process, to the newest: the space that they do
    /// not share cannot be reused yet. Versions of one commit count as one.
    package func activeVersions() throws -> Int {
        try throwIfClosed()
        return try file.current.environment.activeVersions
    }

    /// Rewrites the file without the space of earlier versions, and returns its length before and after. Readers
    /// continue meanwhile, snapshots stay valid; writes wait. Needs space for the copy, and throws `busy` if another
    /// process has the file open. A crash leaves the old file or the new one.
    ///
    /// `progress` is called now and then with the number of bytes written, on any thread. Do not call this on the
    /// writer's thread.
    @discardableResult
    package func compact(
        progress: (@Sendable (_ writtenBytes: Int) -> Void)? = nil
    ) throws -> (before: Int, after: Int) {
        let sizes = try onWriter { file in
            let before = try file.current.environment.presence.fileSize
            try self.keepingNewest { try file.compact(progress: progress) }
            return [before, try file.current.environment.presence.fileSize]
        }
        forgetLatest()
        return (sizes[0], sizes[1])
    }

    /// Writes the newest version as a new, compacted file, while others read and write. The file gets its final name
    /// only when all of it is on disk. Throws `fileAccess` when the name is taken, `full`, `inputOutput`.
    ///
    /// `progress` is called now and then with the number of bytes written, on any thread. An error that it throws ends
    /// the copy.
    package func writeCopy(to path: String, progress: (@Sendable (_ writtenBytes: Int) throws -> Void)? = nil) throws {
        try throwIfClosed()
        try FileCopy(of: try file.current.environment, to: path).run(progress: progress)
    }
}

extension EmbeddedStore {
    /// Cost: a read transaction and a few system calls; never waits for the writer.
    package func statistics() -> StoreStatistics {
        var statistics = StoreStatistics()
        record.fill(&statistics)
        if let failure = replicaFailure {
            statistics.hasStopped = true
            statistics.stopReason = failure.message
        }
        statistics.log = replication?.log.numbers
        (statistics.waitingWorks, statistics.isClosed) = waiting
        guard !statistics.isClosed else { return statistics }
        (statistics.pinnedVersions, statistics.oldestPinnedSeconds) = pinnedVersionAges
        statistics.newestVersion = try? snapshot().version
        statistics.changeLogFloor = try? changeLogFloor()
        statistics.usedBytes = (try? file.environment.usedBytes) ?? 0
        var status = stat()
        if stat(file.path, &status) == 0 { statistics.fileBytes = Int(status.st_size) }
        var disk = statvfs()
        if statvfs(file.path, &disk) == 0 {
            statistics.freeDiskBytes = Int(
                clamping: UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue)
        }
        return statistics
    }
}

/// The size of a store file, in bytes.
package struct FileSizes: Hashable, Sendable {
    /// The length of the file.
    package var totalBytes: Int
    /// The size of data, trees and bookkeeping; about that of a compacted copy.
    package var usedBytes: Int
    /// The space of earlier versions, which later writes reuse as soon as nobody reads those versions.
    package var freeBytes: Int
}
