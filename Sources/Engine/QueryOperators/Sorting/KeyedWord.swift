import ObjectModel

/// An object and the first word that it is sorted by.
struct KeyedWord {
    var word: UInt64
    var key: ObjectKey
}

extension KeyedWord {
    /// Sorts by the words, stably. Cost: a few passes over the items; bits that all words share cost nothing.
    static func sort(_ items: UnsafeMutableBufferPointer<KeyedWord>) {
        guard items.count > insertionLimit else { return insertionSort(items) }
        withUnsafeTemporaryAllocation(of: KeyedWord.self, capacity: items.count) { spare in
            sort(items, spare)
        }
    }

    private static let insertionLimit = 24

    /// Sorts by the highest bits that differ first; each part then has its own ones.
    private static func sort(
        _ items: UnsafeMutableBufferPointer<KeyedWord>, _ spare: UnsafeMutableBufferPointer<KeyedWord>
    ) {
        let count = items.count
        if count <= insertionLimit { return insertionSort(items) }
        let first = items[0].word
        var differing: UInt64 = 0
        var isSorted = true
        var last = first
        for item in items {
            differing |= item.word ^ first
            isSorted = isSorted && last <= item.word
            last = item.word
        }
        if isSorted { return }
        let bits = min(11, max(4, Int.bitWidth - count.leadingZeroBitCount - 3))
        let shift = UInt64(max(0, 64 - differing.leadingZeroBitCount - bits))
        let digits = 1 << bits
        let limit = UInt64(digits - 1)
        withUnsafeTemporaryAllocation(of: Int.self, capacity: digits + 1) { starts in
            starts.initialize(repeating: 0)
            for item in items { starts[Int(item.word >> shift & limit) + 1] += 1 }
            for digit in 1...digits { starts[digit] += starts[digit - 1] }
            for item in items {
                let digit = Int(item.word >> shift & limit)
                spare.initializeElement(at: starts[digit], to: item)
                starts[digit] += 1
            }
            _ = items.update(from: spare[..<count])
            if shift == 0 { return }
            // A digit's start has become its end.
            var start = 0
            for digit in 0..<digits {
                let end = starts[digit]
                if end - start > 1 {
                    sort(
                        UnsafeMutableBufferPointer(rebasing: items[start..<end]),
                        UnsafeMutableBufferPointer(rebasing: spare[start..<end]))
                }
                start = end
            }
        }
    }

    private static func insertionSort(_ items: UnsafeMutableBufferPointer<KeyedWord>) {
        for index in 1..<max(1, items.count) {
            let item = items[index]
            var position = index
            while position > 0, items[position - 1].word > item.word {
                items[position] = items[position - 1]
                position -= 1
            }
            items[position] = item
        }
    }
}
