import Basics
import Glibc
import ObjectModel
import Synchronization

/// Shows whether the writer's thread makes progress, for a watchdog that restarts a server whose writer is stuck.
///
/// A long commit is not a stuck one: while the writer works, the processor time of its thread counts as progress. So
/// does waiting for the write transaction of another process, which a restart would not shorten.
final class WriterProgress: Sendable {
    private struct State {
        /// Grows with everything that the writer finishes.
        var finished = 0
        /// The processor clock of the thread that works now; nil between two pieces of work, because a clock must not
        /// be read after its thread has ended.
        var clock: clockid_t?
        var waitsForOthers = false
        /// The progress that the last call of `hasMoved` saw.
        var seen: (finished: Int, nanoseconds: Int64) = (0, 0)
    }

    private let state = Mutex(State())

    /// Records what the writer's thread does in `work`.
    func recording<R>(_ work: () throws -> R) rethrows -> R {
        var clock = clockid_t()
        let hasClock = pthread_getcpuclockid(pthread_self(), &clock) == 0
        state.withLock { $0.clock = hasClock ? clock : nil }
        defer {
            state.withLock { state in
                state.finished &+= 1
                state.clock = nil
            }
        }
        return try work()
    }

    /// Records that `work` waits until no other process writes.
    func waitingForOthers<R>(_ work: () throws -> R) rethrows -> R {
        state.withLock { $0.waitsForOthers = true }
        defer { state.withLock { $0.waitsForOthers = false } }
        return try work()
    }

    /// Whether the writer finished something, used its processor or waited for another process since the last call.
    func hasMoved() -> Bool {
        state.withLock { state in
            let now = (finished: state.finished, nanoseconds: state.clock.map(SystemClock.nanoseconds) ?? 0)
            defer { state.seen = now }
            return now != state.seen || state.waitsForOthers
        }
    }
}
