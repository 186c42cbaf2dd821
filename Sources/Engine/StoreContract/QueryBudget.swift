import Basics
import ObjectModel
import Synchronization

/// Pauses long work, so that other work gets its turn.
package protocol WorkPace: AnyObject, Sendable {
    /// Whether the work has to call `pause` now. Read very often.
    var mustPause: Bool { get }

    /// Blocks while others have their turn.
    func pause()

    /// Whether no other work runs or waits on these threads.
    var isAlone: Bool { get }

    /// The total time that the work has paused.
    var paused: Duration { get }

    /// Whether nobody waits for the result any more, so that the work should end. Read every few thousand rows.
    var isAbandoned: Bool { get }
}

extension StoreError {
    /// Ends work whose result nobody waits for, as a budget that is used up does: whatever takes the latter to another
    /// thread, or tries again with less, may do so here, and ends there. No client sees it, and logs have the code
    /// `client.gone` for it.
    package static let abandoned = StoreError(.tooExpensive, "Nobody waits for the result any more.")
}

/// The amount of work that the queries of one request may do, and how much of it is used up. The parts of a query that
/// run on several threads share it.
///
/// Work is counted in rows: objects that a scan examines, and values, index entries, backlinks and elements that are
/// looked up one by one. The clock is read every few thousand rows, so that a query ends shortly after its time limit.
///
/// A small budget is for work on a thread that other requests wait for. It also counts bytes, of scanned columns and
/// of written output, and reads the clock more often. In addition to rows it limits effort. The unit of effort is a
/// lookup, which takes more than a hundred nanoseconds; a scan of columns passes most objects in less than a
/// nanosecond, and counts by its cost. A small budget that is used up stays used up.
///
/// The time begins with the first row: a request loses none of it while it waits for its turn, or pauses while others
/// have theirs.
package final class QueryBudget: Sendable {
    private let rows: Int
    private let effort: Int
    private let bytes: Int
    private let milliseconds: Int?
    private let pace: (any WorkPace)?
    private let now: (@Sendable () -> Int64)?
    private let used = Atomic<Int>(0)
    private let effortSoFar = Atomic<Int>(0)
    private let bytesSoFar = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let timeCounts = Atomic<Bool>(true)
    /// The time when the first row was counted, on the clock of `worked`; negative before.
    private let began = Atomic<Int64>(-1)

    /// Rows between two readings of the clock, as a power of two.
    private let interval: Int

    /// - Parameters:
    ///   - rows: nil for no limit.
    ///   - effort: for a small budget, in lookups; nil for no limit.
    ///   - bytes: for a small budget; nil for no limit, and then bytes are not counted.
    ///   - milliseconds: working time; nil for no limit.
    ///   - pace: pauses the work; nil for work that never pauses.
    ///   - now: a clock in nanoseconds, from 0; nil for the system's clock.
    package init(
        rows: Int?, effort: Int? = nil, bytes: Int? = nil, milliseconds: Int?, pace: (any WorkPace)? = nil,
        now: (@Sendable () -> Int64)? = nil
    ) {
        self.rows = rows ?? .max
        self.effort = effort ?? .max
        self.bytes = bytes ?? .max
        // A small budget reads the clock by its effort.
        interval = bytes == nil ? 12 : 8
        self.milliseconds = milliseconds
        self.pace = pace
        self.now = now
    }

    /// Whether queries have to report their work to it.
    package var isLimited: Bool { rows < .max || effort < .max || bytes < .max || milliseconds != nil || pace != nil }

    /// Whether a scan may use several processors: not while other work runs or waits, which takes turns on them.
    package var mayUseOtherThreads: Bool { pace?.isAlone ?? true }

    /// Whether bytes count.
    package var countsBytes: Bool { bytes < .max }

    /// The rows counted so far.
    package var usedRows: Int { used.load(ordering: .relaxed) }

    /// The effort counted so far against a small budget, in lookups.
    package var usedEffort: Int { effortSoFar.load(ordering: .relaxed) }

    /// The bytes counted so far, when bytes count.
    package var usedBytes: Int { bytesSoFar.load(ordering: .relaxed) }

    /// The rows that may still be looked up.
    package var remainingRows: Int {
        min(max(rows - usedRows, 0), max(effort - effortSoFar.load(ordering: .relaxed), 0))
    }

    /// Stops the clock's limit: the work that follows proceeds as fast as a client reads, so its time does not count.
    package func followClient() { timeCounts.store(false, ordering: .relaxed) }

    /// Counts work that is about to be done. Throws `tooExpensive` when that exceeds the budget, or the time is over.
    package func spend(_ count: Int) throws(StoreError) { try spend(rows: count, effort: count) }

    private func spend(rows count: Int, effort share: Int) throws(StoreError) {
        if began.load(ordering: .relaxed) < 0 { begin() }
        var (before, after) = used.wrappingAdd(count, ordering: .relaxed)
        guard after <= rows else {
            // Work that was refused is not counted.
            used.wrappingSubtract(count, ordering: .relaxed)
            isOver.store(true, ordering: .relaxed)
            throw tooManyRows
        }
        if countsBytes {
            (before, after) = effortSoFar.wrappingAdd(share, ordering: .relaxed)
            if after > effort {
                effortSoFar.wrappingSubtract(share, ordering: .relaxed)
                isOver.store(true, ordering: .relaxed)
            }
        }
        if isOver.load(ordering: .relaxed) { throw tooManyRows }
        if let pace, pace.mustPause { pace.pause() }
        guard before >> interval != after >> interval else { return }
        if pace?.isAbandoned == true { throw .abandoned }
        try checkTime()
    }

    /// Counts objects that a scan of columns is about to examine. Throws as `spend` does.
    ///
    /// - Parameter nanoseconds: the time that the scan's predicate takes for one object.
    package func spend(scanned count: Int, nanoseconds: Double) throws(StoreError) {
        try spend(rows: count, effort: countsBytes ? scanEffort(count, nanoseconds) : count)
    }

    /// Counts the effort for a scan's matches that are sorted, grouped or listed individually. The scan has already
    /// counted them as rows.
    package func spend(handled count: Int) throws(StoreError) {
        if countsBytes { try spend(rows: 0, effort: count) }
    }

    /// Throws `tooExpensive` if a small budget is not sufficient for a scan of that many objects, so that the scan is
    /// not started in vain.
    package func checkScan(of count: Int, nanoseconds: Double) throws(StoreError) {
        guard countsBytes, count > rows - usedRows || scanEffort(count, nanoseconds) > remainingRows else { return }
        isOver.store(true, ordering: .relaxed)
        throw tooManyRows
    }

    /// The effort of a scan, in lookups.
    private func scanEffort(_ count: Int, _ nanoseconds: Double) -> Int {
        let each = min(max(nanoseconds, Self.minimumScanned), Self.lookupNanoseconds)
        return 1 + Int(Double(count) * each / Self.lookupNanoseconds)
    }

    /// The time per object at which a scan costs as much as lookups.
    private static let lookupNanoseconds = 64.0
    /// The minimum time per object of a scan.
    private static let minimumScanned = 0.25

    /// Throws `abandoned` if nobody waits for the result any more, for work whose bytes are not counted.
    package func checkWanted() throws(StoreError) { if pace?.isAbandoned == true { throw .abandoned } }

    /// Counts bytes that are about to be read or written. Throws `tooExpensive` when that would be too many.
    package func spend(bytes count: Int) throws(StoreError) {
        guard bytes < .max else { return }
        let after = bytesSoFar.wrappingAdd(count, ordering: .relaxed).newValue
        guard after <= bytes else {
            bytesSoFar.wrappingSubtract(count, ordering: .relaxed)
            isOver.store(true, ordering: .relaxed)
            throw StoreError(.tooExpensive, "The query would read more than \(bytes) bytes. Request less at a time.")
        }
        if isOver.load(ordering: .relaxed) { throw tooManyRows }
    }

    private var tooManyRows: StoreError {
        StoreError(
            .tooExpensive,
            "The query would read more than \(rows) rows. Narrow it with a filter on an indexed property, or request less at a time."
        )
    }

    /// Throws `tooExpensive` when the time is over.
    package func checkTime() throws(StoreError) {
        guard let milliseconds, timeCounts.load(ordering: .relaxed) else { return }
        if began.load(ordering: .relaxed) < 0 { begin() }
        guard worked - began.load(ordering: .relaxed) >= Int64(milliseconds) * 1_000_000 else { return }
        isOver.store(true, ordering: .relaxed)
        throw StoreError(
            .tooExpensive,
            "The query took longer than \(milliseconds) milliseconds and was stopped. Narrow it with a filter on an indexed property, or request less at a time."
        )
    }

    private func begin() {
        guard milliseconds != nil else { return began.store(0, ordering: .relaxed) }
        _ = began.compareExchange(expected: -1, desired: max(worked, 0), ordering: .relaxed)
    }

    /// The clock without the time that the work has rested, in nanoseconds. Every request on a loop's thread reads it
    /// once.
    private var worked: Int64 {
        let present = now?() ?? SystemClock.monotonic
        guard let pace else { return present }
        let (seconds, attoseconds) = pace.paused.components
        return present - seconds * 1_000_000_000 - attoseconds / 1_000_000_000
    }
}
