import Glibc
import Synchronization

/// Counts what is in use, so that closing can wait for the end of it. Any thread may use it.
final class UseCount: Sendable {
    private let count = Atomic<Int>(0)

    /// Counts until it is released.
    final class Use: Sendable {
        private let uses: UseCount

        fileprivate init(_ uses: UseCount) {
            self.uses = uses
            uses.count.add(1, ordering: .relaxed)
        }

        deinit { uses.count.subtract(1, ordering: .releasing) }
    }

    func begin() -> Use { Use(self) }

    /// Returns false when there are uses at the deadline. Looks every millisecond, as closing is rare.
    func waitForNone(by deadline: Deadline) -> Bool {
        while count.load(ordering: .acquiring) > 0 {
            guard !deadline.isOver else { return false }
            usleep(1_000)
        }
        return true
    }
}
