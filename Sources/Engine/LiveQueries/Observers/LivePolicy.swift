import Basics
package import ObjectModel
package import StoreContract
import Synchronization

/// How long the thread of live queries may work for a view.
package struct LivePolicy: Sendable {
    /// The budget for making a view; nil for no limit.
    let budget: @Sendable () -> QueryBudget?
    /// How long the thread may work before others have their turn, in nanoseconds; nil for as long as it takes.
    let patience: Int64?
    let turns: Turns?

    /// The turns of a thread that shares the processors with other long work.
    struct Turns: Sendable {
        /// Blocks until it is the thread's turn, and calls the function.
        let perform: @Sendable (() -> Void) -> Void
        /// The budget of the snapshots that the thread reads, where its work pauses.
        let budget: @Sendable () -> QueryBudget
    }

    /// All the work, however long it takes, on a thread that serves nobody else.
    ///
    /// - Parameter budget: the budget for making a view; nil for no limit.
    package static func alone(budget: @escaping @Sendable () -> QueryBudget? = { nil }) -> LivePolicy {
        LivePolicy(budget: budget, patience: nil, turns: nil)
    }

    /// Only views that cost little, so that their observers do not wait for each other. The observers of others get
    /// `LiveOverload`, and should go to a branch.
    ///
    /// - Parameters:
    ///   - patience: the nanoseconds that all views together may take for a commit, and new ones before commits are
    ///     looked after again.
    ///   - budget: the budget for making a view.
    package static func shared(
        patience: Int64, budget: @escaping @Sendable () -> QueryBudget?
    ) -> LivePolicy {
        LivePolicy(budget: budget, patience: patience, turns: nil)
    }

    /// All the work, in turns with the other work of `perform`.
    ///
    /// - Parameters:
    ///   - budget: the budget for making a view.
    ///   - pace: where the work pauses.
    ///   - perform: blocks until it is the thread's turn, and calls the function.
    package static func inTurns(
        budget: @escaping @Sendable () -> QueryBudget?, pace: any WorkPace,
        perform: @escaping @Sendable (() -> Void) -> Void
    ) -> LivePolicy {
        let turns = Turns(perform: perform) { QueryBudget(rows: nil, milliseconds: nil, pace: pace) }
        return LivePolicy(budget: budget, patience: nil, turns: turns)
    }

    /// Whether views that cost much are not kept.
    var isShared: Bool { patience != nil }

    /// The snapshot as the thread reads it.
    func paced(_ snapshot: any Snapshot) throws -> any Snapshot {
        guard let turns else { return snapshot }
        return try snapshot.limited(by: turns.budget())
    }
}

/// The last event of an observer whose view costs too much for a thread that many share: observe again on a branch.
package struct LiveOverload: Error, Equatable {
    /// The version up to which the observer has received everything; nil before its first event.
    package let version: Version?
}

/// The time that observers take to receive events: it is not part of the cost of a view, and a view with many
/// observers costs no more than one with few.
final class DeliveryClock: Sendable {
    private let delivered = Atomic<Int64>(0)

    /// The monotonic time in nanoseconds without that of deliveries: differences are the time of the views' work.
    var worked: Int64 { SystemClock.monotonic - delivered.load(ordering: .relaxed) }

    func measure(_ deliver: () -> Void) {
        let start = SystemClock.monotonic
        deliver()
        delivered.wrappingAdd(SystemClock.monotonic - start, ordering: .relaxed)
    }
}
