/// Values that are too long for the leaf.
extension Leaf {
    @inline(__always)
    package var hasOverflow: Bool { encoding == .text && entryCount > 0 }

    @inline(__always)
    package func isOverflow(_ slot: Int) -> Bool {
        guard hasOverflow else { return false }
        return overflowWord(slot >> 6) >> UInt64(slot & 63) & 1 != 0
    }

    /// The overflow bits of 64 slots.
    @inline(__always)
    func overflowWord(_ index: Int) -> UInt64 {
        precondition(index >= 0 && index < maskWordCount(count), "no such mask word")
        let word = sideValues.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        return word & maskWordLimit(index, count)
    }

    /// The slots that overflow, ascending.
    package var overflowSlots: [Int] {
        guard hasOverflow else { return [] }
        return (0..<maskWordCount(count)).flatMap { index in
            let word = overflowWord(index)
            return (0..<64).filter { word >> UInt64($0) & 1 != 0 }.map { index << 6 + $0 }
        }
    }

    /// The size of an overflow slot: of a text, data or mixed value in bytes, of a collection in elements.
    package func overflowSize(_ slot: Int) -> Int {
        LeafHeader.overflowSize(UnsafeRawBufferPointer(inlineBytes(at: slot)))
    }

    /// The approximate number of bytes that a pass over the whole leaf reads, including its overflow texts.
    package var lookedAtBytes: Int {
        var bytes = areaSize
        guard let overflow, hasOverflow else { return bytes }
        var rank = 0
        for index in 0..<maskWordCount(count) { rank += overflowWord(index).nonzeroBitCount }
        for index in 0..<rank { bytes += overflow[index].count }
        return bytes
    }

    /// The same leaf with the bytes of its overflow slots, in their order. They must stay in place as long as it is
    /// used.
    package func resolving(_ overflow: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Leaf {
        precondition(overflow.count == overflowSlots.count, "as many values as overflow slots")
        var leaf = self
        leaf.overflow = overflow.baseAddress
        return leaf
    }

    /// The bytes of an overflow slot; empty when `resolving` has not provided them.
    func overflowBytes(_ slot: Int) -> UnsafeBufferPointer<UInt8> {
        guard let overflow else { return UnsafeBufferPointer(start: nil, count: 0) }
        var rank = (overflowWord(slot >> 6) & (1 << UInt64(slot & 63) - 1)).nonzeroBitCount
        for index in 0..<slot >> 6 { rank += overflowWord(index).nonzeroBitCount }
        return overflow[rank].assumingMemoryBound(to: UInt8.self)
    }
}

extension LeafHeader {
    /// The size that the leaf has in place of an overflow value; 0 where the bytes are damaged.
    static func overflowSize(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count == 8 else { return 0 }
        return Int(
            truncatingIfNeeded: min(UInt64(Int32.max), UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))))
    }
}
