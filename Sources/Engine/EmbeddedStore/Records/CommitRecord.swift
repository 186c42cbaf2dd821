import StoreContract
import Synchronization

/// The writer's totals, for metrics. Cost: a lock per commit.
final class CommitRecord: Sendable {
    private struct State {
        var commits = StoreStatistics.Durations()
        var works = 0
        var failedWorks = 0
        var hasStopped = false
    }

    private let state = Mutex(State())

    /// Counts a commit that is on disk.
    func add(works: Int, failed: Int, since start: ContinuousClock.Instant) {
        let duration = (ContinuousClock.now - start) / .seconds(1)
        state.withLock { state in
            state.commits.add(duration)
            state.works += works
            state.failedWorks += failed
            state.hasStopped = false
        }
    }

    /// Counts work that was refused, or whose commit failed.
    func addFailure(works: Int, _ error: any Error) {
        state.withLock { state in
            state.failedWorks += works
            if (error as? StoreError)?.code == .inputOutput { state.hasStopped = true }
        }
    }

    func fill(_ statistics: inout StoreStatistics) {
        let state = state.withLock { $0 }
        statistics.commits = state.commits
        statistics.works = state.works
        statistics.failedWorks = state.failedWorks
        statistics.hasStopped = state.hasStopped
    }
}
