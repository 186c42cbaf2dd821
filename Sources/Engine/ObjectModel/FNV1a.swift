/// The 64-bit hash FNV-1a: the same number for the same bytes in every process and release. Keys of indexes in files,
/// ETags and cursors that clients hold, and the buckets of followers' records are made from it, so it never changes.
package struct FNV1a: Sendable {
    @usableFromInline package var value: UInt64

    /// - Parameter seed: the same bytes have another hash under each.
    @inlinable
    package init(seed: UInt32 = 0) { value = 0xcbf2_9ce4_8422_2325 ^ UInt64(seed) }

    @inlinable
    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    @inlinable
    package static func hash(_ bytes: some Sequence<UInt8>, seed: UInt32 = 0) -> UInt64 {
        var hash = FNV1a(seed: seed)
        hash.combine(bytes)
        return hash.value
    }
}
