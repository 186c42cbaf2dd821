import Synchronization

/// How much work one request may make of its queries, and how much of it is used up. The parts of a query that run on
/// several threads share it.
///
/// Work is counted in rows: objects that a scan looks at, and values, index entries, links back and elements that are
/// looked up one by one. The time is looked at every few thousand rows, so that a query ends a little after its time.
package final class QueryBudget: Sendable {
    private let rows: Int
    private let deadline: ContinuousClock.Instant?
    private let milliseconds: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let used = Atomic<Int>(0)

    /// Rows between two looks at the clock, as a power of two.
    private static let interval = 12

    /// - Parameters:
    ///   - rows: nil for any number.
    ///   - milliseconds: from now on; nil for any time.
    ///   - now: the clock.
    package init(
        rows: Int?, milliseconds: Int?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.rows = rows ?? .max
        self.milliseconds = milliseconds ?? 0
        self.now = now
        deadline = milliseconds.map { now() + .milliseconds($0) }
    }

    /// Whether there is work that it does not pay for.
    package var isLimited: Bool { rows < .max || deadline != nil }

    /// The rows so far.
    package var usedRows: Int { used.load(ordering: .relaxed) }

    /// Counts work that is about to be done. Throws `tooExpensive` when that would be too much of it, or the time is
    /// over.
    package func spend(_ count: Int) throws(StoreError) {
        let (before, after) = used.wrappingAdd(count, ordering: .relaxed)
        guard after <= rows else {
            throw StoreError(
                .tooExpensive,
                "The query would look at more than \(rows) rows. Narrow it with a filter on an indexed property, or ask for less at a time."
            )
        }
        if before >> Self.interval != after >> Self.interval { try checkTime() }
    }

    /// Throws `tooExpensive` when the time is over.
    package func checkTime() throws(StoreError) {
        guard let deadline, now() >= deadline else { return }
        throw StoreError(
            .tooExpensive,
            "The query took longer than \(milliseconds) milliseconds and was given up. Narrow it with a filter on an indexed property, or ask for less at a time."
        )
    }
}
