package import ObjectModel

/// The measurements of a store, for metrics and health. A measurement that the store does not have is nil or 0.
package struct StoreStatistics: Sendable, Hashable {
    /// How long commits took, from the start of the work until it was on disk.
    package struct Durations: Sendable, Hashable {
        /// Upper bounds, in seconds.
        package static let bounds: [Double] = [
            0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5,
        ]
        /// The number of commits no longer than the bound with the same index and longer than the one before; the last
        /// one counts those beyond every bound.
        package var buckets = [Int](repeating: 0, count: bounds.count + 1)
        /// The total duration of all commits.
        package var seconds = 0.0

        package var count: Int { buckets.reduce(0, +) }

        package init() {}

        package mutating func add(_ seconds: Double) {
            buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            self.seconds += seconds
        }
    }

    package var newestVersion: Version?
    package var changeLogFloor: Version?
    /// The number of versions that snapshots in this process hold.
    package var pinnedVersions = 0
    /// The age of the oldest pinned version: the seconds since a newer version replaced it.
    package var oldestPinnedSeconds = 0.0
    /// Durable commits of this process.
    package var commits = Durations()
    /// The number of writes that these commits made durable; group commit puts many into one.
    package var works = 0
    /// The number of writes that failed or were refused.
    package var failedWorks = 0
    /// The number of writes in the writer's queue.
    package var waitingWorks = 0
    /// The store's size on disk, in bytes.
    package var fileBytes = 0
    /// The offset of the end of the last page in use, in bytes.
    package var usedBytes = 0
    /// Bytes that are free on the file's disk for this process.
    package var freeDiskBytes: Int?
    /// Whether the store rejects all writes until it is opened again, because of a failed write.
    package var hasStopped = false
    /// Why the store accepts no more writes, with the remedy; nil if the disk failed.
    package var stopReason: String?
    package var isClosed = false
    /// Nil for a store without a log.
    package var log: LogStatistics?

    package init() {}
}

/// The measurements of a store's use of a log that it shares with others.
package struct LogStatistics: Sendable, Hashable {
    /// How an append ended: its label in metrics.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case appended, superseded, unknown, refused, unavailable
    }

    package var appends: [Outcome: Int] = [:]
    /// How long appends took that the log has taken.
    package var appendDurations = StoreStatistics.Durations()
    package var turns = 0
    package var hints = 0
    /// Entries of others that were read.
    package var entries = 0
    /// The newest version that the log is known to have.
    package var newest: Version?
    /// The seconds since the log last responded.
    package var contactSeconds = 0.0

    package init() {}
}
