import Synchronization

/// How much work one request may make of its queries, and how much of it is used up. The parts of a query that run on
/// several threads share it.
///
/// Work is counted in rows: objects that a scan looks at, and values, index entries, links back and elements that are
/// looked up one by one. The time is looked at every few thousand rows, so that a query ends a little after its time.
///
/// A small budget is for work on a thread that others wait for. It also counts bytes, of columns that a query goes through
/// and of what is written, and looks at the time more often. Once it is used up it stays so.
package final class QueryBudget: Sendable {
    private let rows: Int
    private let bytes: Int
    private let deadline: ContinuousClock.Instant?
    private let milliseconds: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let used = Atomic<Int>(0)
    private let bytesSoFar = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let timeCounts = Atomic<Bool>(true)
    /// Rows between two looks at the clock, as a power of two.
    private let interval: Int

    /// - Parameters:
    ///   - rows: nil for any number.
    ///   - bytes: nil for any number, which are not counted then.
    ///   - milliseconds: from now on; nil for any time.
    ///   - now: the clock.
    package init(
        rows: Int?, bytes: Int? = nil, milliseconds: Int?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.rows = rows ?? .max
        self.bytes = bytes ?? .max
        interval = bytes == nil ? 12 : 8
        self.milliseconds = milliseconds ?? 0
        self.now = now
        deadline = milliseconds.map { now() + .milliseconds($0) }
    }

    /// Whether there is work that it does not pay for.
    package var isLimited: Bool { rows < .max || bytes < .max || deadline != nil }

    /// Whether bytes count.
    package var countsBytes: Bool { bytes < .max }

    /// The rows so far.
    package var usedRows: Int { used.load(ordering: .relaxed) }

    /// The bytes so far, where they count.
    package var usedBytes: Int { bytesSoFar.load(ordering: .relaxed) }

    /// How many rows it still pays for.
    package var remainingRows: Int { max(rows - usedRows, 0) }

    /// Says that what follows goes as fast as a client reads, so that its time does not count.
    package func followClient() { timeCounts.store(false, ordering: .relaxed) }

    /// Counts work that is about to be done. Throws `tooExpensive` when that would be too much of it, or the time is
    /// over.
    package func spend(_ count: Int) throws(StoreError) {
        let (before, after) = used.wrappingAdd(count, ordering: .relaxed)
        guard after <= rows else {
            // What is not done is not work.
            used.wrappingSubtract(count, ordering: .relaxed)
            isOver.store(true, ordering: .relaxed)
            throw tooManyRows
        }
        if isOver.load(ordering: .relaxed) { throw tooManyRows }
        if before >> interval != after >> interval { try checkTime() }
    }

    /// Counts bytes that are about to be looked at or written. Throws `tooExpensive` when that would be too many.
    package func spend(bytes count: Int) throws(StoreError) {
        guard bytes < .max else { return }
        let after = bytesSoFar.wrappingAdd(count, ordering: .relaxed).newValue
        guard after <= bytes else {
            bytesSoFar.wrappingSubtract(count, ordering: .relaxed)
            isOver.store(true, ordering: .relaxed)
            throw StoreError(.tooExpensive, "The query would look at more than \(bytes) bytes. Ask for less at a time.")
        }
        if isOver.load(ordering: .relaxed) { throw tooManyRows }
    }

    private var tooManyRows: StoreError {
        StoreError(
            .tooExpensive,
            "The query would look at more than \(rows) rows. Narrow it with a filter on an indexed property, or ask for less at a time."
        )
    }

    /// Throws `tooExpensive` when the time is over.
    package func checkTime() throws(StoreError) {
        guard let deadline, timeCounts.load(ordering: .relaxed), now() >= deadline else { return }
        isOver.store(true, ordering: .relaxed)
        throw StoreError(
            .tooExpensive,
            "The query took longer than \(milliseconds) milliseconds and was given up. Narrow it with a filter on an indexed property, or ask for less at a time."
        )
    }
}
