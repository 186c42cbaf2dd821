import Glibc
import Synchronization

/// An object that is used on one scheduler only. Calls from elsewhere are rejected, and so is a second thread while a
/// first one is inside, as is possible on a queue that is not serial.
///
/// Sendable although `state` is not, because `enter` is the only access to it: one thread at a time gets past the
/// owner's exchange, and its writes are visible to the next one that does.
final class Confined<State: AnyObject>: @unchecked Sendable {
    private let scheduler: any LiveScheduler
    /// Asked first, because it takes less time.
    private let mark: SchedulerMark
    private let state: State
    /// The thread that is inside; 0 for none.
    private let owner = Atomic<UInt>(0)

    init(_ scheduler: any LiveScheduler, _ state: sending State) {
        self.scheduler = scheduler
        mark = scheduler.mark
        self.state = state
    }

    /// Throws `incorrectThread`. Reentrant.
    func enter<R>(_ body: (State) throws -> R) throws -> R {
        guard mark.isCertainlyHere || scheduler.isCurrent else { throw InstanceError.incorrectThread }
        let thread = UInt(pthread_self())
        if owner.load(ordering: .relaxed) == thread { return try body(state) }
        guard owner.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged else {
            throw InstanceError.incorrectThread
        }
        defer { owner.store(0, ordering: .releasing) }
        return try body(state)
    }
}
