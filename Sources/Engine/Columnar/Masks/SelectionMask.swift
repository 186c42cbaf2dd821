/// The slots of a cluster that a query still considers: one bit each, in memory that is reused for every cluster.
///
/// A class, because operators pass it on and narrow it in place. Used by one thread at a time.
package final class SelectionMask {
    package let words: UnsafeMutablePointer<UInt64>
    /// Stored in separate memory before the words: accesses to a class's stored properties are checked at run time,
    /// which would cost as much as a scan of some clusters.
    private let memory: UnsafeMutablePointer<UInt64>
    private let capacity: Int

    /// The slots of the present cluster.
    package var slotCount: Int { Int(truncatingIfNeeded: memory.pointee) }

    /// Makes room for clusters of up to `capacity` slots; selects nothing.
    package init(capacity: Int) {
        self.capacity = capacity
        let count = 1 + max(1, maskWordCount(capacity))
        memory = .allocate(capacity: count)
        memory.initialize(repeating: 0, count: count)
        words = memory + 1
    }

    deinit { memory.deallocate() }

    package var wordCount: Int { maskWordCount(slotCount) }

    /// Selects the live slots. The mask must have room for the cluster.
    package func reset(to live: LiveMask) {
        resize(live.slotCount)
        if live.liveCount == live.slotCount {
            for index in 0..<wordCount { words[index] = maskWordLimit(index, slotCount) }
        } else {
            for index in 0..<wordCount { words[index] = live.word(index) }
        }
    }

    package func reset(to other: SelectionMask) {
        resize(other.slotCount)
        words.update(from: other.words, count: wordCount)
    }

    /// Selects none of `slotCount` slots.
    package func reset(slotCount: Int) {
        resize(slotCount)
        removeAll()
    }

    package func removeAll() { words.update(repeating: 0, count: wordCount) }

    package var isEmpty: Bool {
        for index in 0..<wordCount where words[index] != 0 { return false }
        return true
    }

    /// The number of selected slots.
    package var population: Int { Kernels.best.population(words, wordCount) }

    package func contains(_ slot: Int) -> Bool {
        slot >= 0 && slot < slotCount && words[slot >> 6] >> UInt64(slot & 63) & 1 != 0
    }

    /// The slot must belong to the cluster.
    package func insert(_ slot: Int) {
        precondition(slot >= 0 && slot < slotCount, "no such slot")
        words[slot >> 6] |= 1 << UInt64(slot & 63)
    }

    package func formIntersection(_ other: SelectionMask) {
        precondition(other.slotCount == slotCount, "masks of different clusters")
        Kernels.best.intersect(words, with: other.words, wordCount)
    }

    package func formUnion(_ other: SelectionMask) {
        precondition(other.slotCount == slotCount, "masks of different clusters")
        Kernels.best.unite(words, with: other.words, wordCount)
    }

    package func subtract(_ other: SelectionMask) {
        precondition(other.slotCount == slotCount, "masks of different clusters")
        Kernels.best.subtract(other.words, from: words, wordCount)
    }

    /// Calls `body` with every selected slot, ascending.
    @inline(__always)
    package func forEach(_ body: (Int) throws -> Void) rethrows {
        for index in 0..<wordCount {
            var word = words[index]
            while word != 0 {
                try body(index << 6 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }

    /// Skips the first `skipping` selected slots and calls `body` with at most `limit` of the following ones,
    /// ascending. Cost: one word per 64 slots up to the last of them.
    @inline(__always)
    package func forEach(skipping: Int, limit: Int, _ body: (Int) throws -> Void) rethrows {
        var (left, room) = (skipping, limit)
        for index in 0..<wordCount {
            guard room > 0 else { return }
            var word = words[index]
            if left > 0 {
                let count = word.nonzeroBitCount
                guard count > left else {
                    left -= count
                    continue
                }
                while left > 0 {
                    word &= word - 1
                    left -= 1
                }
            }
            while word != 0, room > 0 {
                try body(index << 6 + word.trailingZeroBitCount)
                word &= word - 1
                room -= 1
            }
        }
    }

    /// Removes the slots below the given one.
    package func remove(below slot: Int) {
        let full = min(max(slot, 0) >> 6, wordCount)
        words.update(repeating: 0, count: full)
        if full < wordCount, slot > 0 { words[full] &= ~0 << UInt64(slot & 63) }
    }

    /// Keeps the selected slots for which `test` is true.
    @inline(__always)
    package func filter(_ test: (Int) throws -> Bool) rethrows {
        for index in 0..<wordCount {
            let start = words[index]
            var word = start
            var selected = start
            while word != 0 {
                let bit = word & (0 &- word)
                if try !test(index << 6 + word.trailingZeroBitCount) { selected ^= bit }
                word ^= bit
            }
            words[index] = selected
        }
    }

    private func resize(_ slotCount: Int) {
        precondition(slotCount <= capacity, "a cluster larger than the mask")
        memory.pointee = UInt64(truncatingIfNeeded: slotCount)
    }
}
