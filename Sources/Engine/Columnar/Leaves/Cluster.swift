/// A group of consecutive rows of a class that are stored together.
package enum Cluster {
    /// 31 × 64 rows: with the 32-byte leaf header, columns of 1, 2, 4 and 8 bytes fill at least 97 % of LMDB's 4 KiB
    /// pages, while 1024 rows waste a third of every 8-byte column. Tests use smaller multiples of 64.
    package static let defaultCapacity = 1984

    /// The maximum number of slots of a leaf.
    package static let maximumCapacity = Int(UInt16.max)
}

/// The number of 64-bit words that hold one bit for each of `count` slots.
@inline(__always)
package func maskWordCount(_ count: Int) -> Int { (count + 63) >> 6 }

/// The bits of mask word `index` that belong to slots below `count`.
@inline(__always)
package func maskWordLimit(_ index: Int, _ count: Int) -> UInt64 {
    let remaining = count - index << 6
    return remaining >= 64 ? ~0 : (remaining <= 0 ? 0 : (1 << UInt64(remaining)) - 1)
}
