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
    package var heldVersions = 0
    /// The seconds since the oldest of them ceased to be the newest version.
    package var oldestHeldSeconds = 0.0
    /// Durable commits of this process.
    package var commits = Durations()
    /// Pieces of work that they made durable; one commit may hold many.
    package var works = 0
    /// Pieces of work that failed or were refused.
    package var failedWorks = 0
    /// Pieces of work that wait for the writer.
    package var waitingWorks = 0
    /// The store's size on disk, in bytes.
    package var fileBytes = 0
    /// The offset of the end of the last page in use, in bytes.
    package var usedBytes = 0
    /// Bytes that are free on the file's disk for this process.
    package var freeDiskBytes: Int?
    /// Whether a write failed in such a way that the store rejects all writes until it is opened again.
    package var hasStopped = false
    /// Why the store accepts no more writes, with the remedy; nil if the disk failed.
    package var stopReason: String?
    package var isClosed = false
    /// Nil for a store without a log.
    package var log: LogStatistics?

    package init() {}
}
