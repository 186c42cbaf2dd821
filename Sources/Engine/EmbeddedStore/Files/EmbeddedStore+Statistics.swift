import Glibc
package import StoreContract

extension EmbeddedStore {
    /// Cost: a read transaction and a few system calls; never waits for the writer.
    package func statistics() -> StoreStatistics {
        var statistics = StoreStatistics()
        record.fill(&statistics)
        (statistics.waitingWorks, statistics.isClosed) = waiting
        guard !statistics.isClosed else { return statistics }
        (statistics.heldVersions, statistics.oldestHeldSeconds) = heldVersionAges
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
