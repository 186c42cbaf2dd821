import Synchronization

/// Counters of requests that the gateway's middlewares rejected or moved, for metrics.
final class EdgeCounters: Sendable {
    let limitedAddresses = Atomic(0)
    let limitedCallers = Atomic(0)
    let limitedStreams = Atomic(0)
    /// Missing, invalid or expired credentials, and unknown roles.
    let unidentified = Atomic(0)
    /// Reads that began on a loop and were passed to a worker.
    let movedReads = Atomic(0)
}
