import Synchronization

/// What was refused or moved at the gateway's front, for metrics.
final class EdgeCounters: Sendable {
    let limitedAddresses = Atomic(0)
    let limitedCallers = Atomic(0)
    let limitedStreams = Atomic(0)
    /// Credentials that were missing, wrong or over, and roles that there are not.
    let unidentified = Atomic(0)
    /// Reads that were begun on a loop and given to a worker.
    let movedReads = Atomic(0)
}
