/// The 64-bit hash FNV-1a, which is the same in every process and release. Index keys in files, ETags and cursors of
/// clients, and the buckets of followers' records depend on it, so it must never change.
package struct FNV1a: Sendable {
    package private(set) var value: UInt64

    /// - Parameter seed: the same bytes have a different hash for each seed.
    package init(seed: UInt32 = 0) { value = 0xcbf2_9ce4_8422_2325 ^ UInt64(seed) }

    /// Cost: about a nanosecond for a byte that is in contiguous memory.
    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        // Callers in other modules get no specialized form of a generic loop.
        if bytes.withContiguousStorageIfAvailable({ combine(contiguous: $0) }) == nil {
            for byte in bytes { combine(byte) }
        }
    }

    private mutating func combine(contiguous bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes { combine(byte) }
    }

    @inline(__always)
    private mutating func combine(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

    package static func hash(_ bytes: some Sequence<UInt8>, seed: UInt32 = 0) -> UInt64 {
        var hash = FNV1a(seed: seed)
        hash.combine(bytes)
        return hash.value
    }
}
