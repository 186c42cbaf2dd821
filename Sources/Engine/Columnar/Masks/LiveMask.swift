/// The slots of a cluster that hold objects, read in place.
///
/// On disk, little endian: slot count (2 bytes), live count (2), format (1), three zero bytes, then one bit per slot in
/// 64-bit words.
//
// Sendable: the bytes are only ever read, and whoever hands out the mask keeps them unchanged while it is used.
package struct LiveMask: @unchecked Sendable {
    static let headerSize = 8
    static let format: UInt8 = 1

    package let slotCount: Int
    package let liveCount: Int
    private let words: UnsafeRawPointer

    /// Checks that all words lie within the bytes. Bytes after them are ignored.
    package init(validating bytes: UnsafeRawBufferPointer) throws(LeafError) {
        guard let start = bytes.baseAddress, bytes.count >= Self.headerSize else { throw .truncated }
        guard bytes[4] == Self.format else { throw bytes[4] > Self.format ? .unsupportedFormat : .malformed }
        slotCount = Int(bytes.loadUnaligned(fromByteOffset: 0, as: UInt16.self))
        liveCount = Int(bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        guard liveCount <= slotCount else { throw .malformed }
        guard bytes.count >= Self.headerSize + maskWordCount(slotCount) * 8 else { throw .truncated }
        words = start + Self.headerSize
    }

    package var wordCount: Int { maskWordCount(slotCount) }

    /// The bits of 64 slots, with zeros beyond the last slot.
    @inline(__always)
    package func word(_ index: Int) -> UInt64 {
        precondition(index >= 0 && index < wordCount, "no such mask word")
        return words.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) & maskWordLimit(index, slotCount)
    }

    /// Returns false also for slots that the cluster does not have.
    @inline(__always)
    package func isLive(_ slot: Int) -> Bool {
        guard slot >= 0, slot < slotCount else { return false }
        return word(slot >> 6) >> UInt64(slot & 63) & 1 != 0
    }
}
