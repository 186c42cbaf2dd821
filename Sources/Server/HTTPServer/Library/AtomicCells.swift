import Synchronization

/// A fixed number of counters that any thread can increase without waiting. Cost: one atomic addition.
final class AtomicCells: Sendable {
    // Allocated in `init` and freed in `deinit`; in between only the atomics in it change.
    nonisolated(unsafe) private let cells: UnsafeMutablePointer<Atomic<Int>>
    let count: Int

    init(count: Int) {
        self.count = count
        cells = .allocate(capacity: count)
        for index in 0..<count { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    /// Does nothing for an index out of range.
    func add(_ number: Int, at index: Int) {
        guard index >= 0, index < count else { return }
        cells[index].wrappingAdd(number, ordering: .relaxed)
    }

    subscript(index: Int) -> Int {
        index >= 0 && index < count ? cells[index].load(ordering: .relaxed) : 0
    }
}
