import Synchronization
import TestBasics

/// The faults of one connection to a `MemoryLog`: planned ones for the next calls, then random ones.
package final class LogFaults: Sendable {
    package enum Call: Hashable, Sendable { case append, turn, read, hint, record }

    package enum Fault: Hashable, Sendable, CaseIterable {
        /// Nothing was done.
        case unavailable, refused
        /// It is not known what was done: nothing, the append, the append a while later.
        case unknown, unknownDone, unknownLater
        /// A hint that never comes, while any other fault doubles a hint. A turn whose connection is lost as soon as it
        /// begins, which keeps nobody away. Of an append it is no fault.
        case lost
    }

    private struct State {
        var planned: [Call: [Fault?]] = [:]
        var random: SeededRandom?
        var oneIn = 0
    }

    private let state = Mutex(State())
    /// The maximum number of entries that one call reads.
    package let batch: Int

    package init(batch: Int = 4096) { self.batch = batch }

    /// Begins random faults of all calls, one in so many.
    package func start(seed: UInt64, oneIn: Int) {
        state.withLock { state in
            state.random = SeededRandom(seed: seed)
            state.oneIn = oneIn
        }
    }

    /// Plans the faults of the next calls of a kind.
    package func plan(_ call: Call, _ faults: Fault...) { state.withLock { $0.planned[call, default: []] += faults } }

    /// Plans a fault of a call after so many without one.
    package func plan(_ call: Call, after count: Int, _ fault: Fault) {
        state.withLock { $0.planned[call, default: []] += [Fault?](repeating: nil, count: count) + [fault] }
    }

    /// Ends the random faults.
    package func end() { state.withLock { $0.random = nil } }

    func next(_ call: Call) -> Fault? {
        state.withLock { state in
            if let planned = state.planned[call]?.first {
                state.planned[call]?.removeFirst()
                return planned
            }
            guard var random = state.random else { return nil }
            defer { state.random = random }
            return random.oneIn(state.oneIn) ? random.pick(Fault.allCases) : nil
        }
    }
}
