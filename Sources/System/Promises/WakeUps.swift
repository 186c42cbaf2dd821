import Synchronization

/// Something that sleeps, and that a call wakes when there is work for it.
package protocol Sleeper: AnyObject, Sendable {
    /// Wakes it if there is work. May be called when there is none, and from any thread.
    func wake()
}

/// Puts off the wake-ups that one thread causes in turn, so that each sleeper is woken once.
///
/// A thread that hands results to many waiters, one after the other, wakes a sleeping thread with the first of them,
/// which finds one result and sleeps again before the next one comes. That costs a system call and a switch of threads
/// for each result. Within `gather` a sleeper is woken once, at the end.
///
/// Nothing waits longer than the call that gathers. So gather only over calls that are quick.
package enum WakeUps {
    private final class Gathering: Sendable {
        /// Nil after the end. A task that was begun within the call inherits the gathering and may outlive it.
        private let sleepers = Mutex<[any Sleeper]?>([])

        /// Returns false after the end.
        func add(_ sleeper: any Sleeper) -> Bool {
            sleepers.withLock { sleepers in
                // There is one for each event loop, so a search is fast.
                if sleepers?.contains(where: { $0 === sleeper }) == false { sleepers?.append(sleeper) }
                return sleepers != nil
            }
        }

        func end() {
            let all = sleepers.withLock { sleepers in
                defer { sleepers = nil }
                return sleepers ?? []
            }
            for sleeper in all { sleeper.wake() }
        }
    }

    @TaskLocal private static var current: Gathering?

    /// Calls `body`, then wakes all that were to be woken on this thread meanwhile, each once. Calls may be nested: the
    /// outermost one wakes.
    package static func gather<R>(_ body: () throws -> R) rethrows -> R {
        guard current == nil else { return try body() }
        let gathering = Gathering()
        defer { gathering.end() }
        return try $current.withValue(gathering) { try body() }
    }

    /// Wakes a sleeper: now, or at the end of the call of `gather` that this thread is in.
    package static func wake(_ sleeper: any Sleeper) {
        if current?.add(sleeper) != true { sleeper.wake() }
    }
}
