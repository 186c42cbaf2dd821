/// A row's order by the first sort key alone; rows that are equal in it are compared in full.
struct SortItem {
    var primary: UInt64
    var row: UInt32
    var rank: UInt8

    /// Below that many, comparing is faster than counting bytes: each pass goes through 256 counts, whatever there is
    /// to sort.
    private static let radixThreshold = 512

    /// Orders items by rank and primary, and rows that are equal in both by `isBefore`.
    static func sorted(_ items: [SortItem], _ isBefore: (Int, Int) -> Bool) -> [SortItem] {
        guard items.count >= radixThreshold else {
            return items.sorted { a, b in
                if a.rank != b.rank { return a.rank < b.rank }
                if a.primary != b.primary { return a.primary < b.primary }
                return isBefore(Int(a.row), Int(b.row))
            }
        }
        var sorted = radixSorted(items)
        sorted.withUnsafeMutableBufferPointer { sorted in
            var start = 0
            while start < sorted.count {
                var end = start + 1
                while end < sorted.count, sorted[end].primary == sorted[start].primary,
                    sorted[end].rank == sorted[start].rank
                {
                    end += 1
                }
                if end - start > 1 {
                    var run = UnsafeMutableBufferPointer(rebasing: sorted[start..<end])
                    run.sort { isBefore(Int($0.row), Int($1.row)) }
                }
                start = end
            }
        }
        return sorted
    }

    /// Sorts by the least significant byte first, stably; bytes that all items share cost nothing.
    private static func radixSorted(_ items: [SortItem]) -> [SortItem] {
        var counts = [Int](repeating: 0, count: 9 * 256)
        counts.withUnsafeMutableBufferPointer { counts in
            for item in items {
                for byte in 0..<8 { counts[byte * 256 + Int(item.primary >> UInt64(8 * byte) & 255)] += 1 }
                counts[8 * 256 + Int(item.rank)] += 1
            }
        }
        var from = items
        var to = items
        for byte in 0..<9 {
            var starts = [Int](repeating: 0, count: 256)
            var sum = 0
            var isShared = false
            for digit in 0..<256 {
                let count = counts[byte * 256 + digit]
                if count == items.count { isShared = true }
                starts[digit] = sum
                sum += count
            }
            if isShared { continue }
            starts.withUnsafeMutableBufferPointer { starts in
                to.withUnsafeMutableBufferPointer { to in
                    for item in from {
                        let digit = byte == 8 ? Int(item.rank) : Int(item.primary >> UInt64(8 * byte) & 255)
                        to[starts[digit]] = item
                        starts[digit] += 1
                    }
                }
            }
            swap(&from, &to)
        }
        return from
    }
}
