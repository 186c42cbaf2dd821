/// Values that are too long to lie in the leaf.
extension Leaf {
    @inline(__always)
    package var hasOutsized: Bool { encoding == .text && entryCount > 0 }

    @inline(__always)
    package func isOutsized(_ slot: Int) -> Bool {
        guard hasOutsized else { return false }
        return outsizedWord(slot >> 6) >> UInt64(slot & 63) & 1 != 0
    }

    /// The marks of 64 slots.
    @inline(__always)
    func outsizedWord(_ index: Int) -> UInt64 {
        precondition(index >= 0 && index < maskWordCount(count), "no such mask word")
        let word = sideValues.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        return word & maskWordLimit(index, count)
    }

    /// The slots that are outsized, ascending.
    package var outsizedSlots: [Int] {
        guard hasOutsized else { return [] }
        return (0..<maskWordCount(count)).flatMap { index in
            let word = outsizedWord(index)
            return (0..<64).filter { word >> UInt64($0) & 1 != 0 }.map { index << 6 + $0 }
        }
    }

    /// The size of an outsized slot: of a text, data or mixed value in bytes, of a collection in elements.
    package func outsizedSize(_ slot: Int) -> Int {
        LeafHeader.outsizedSize(UnsafeRawBufferPointer(inlineBytes(at: slot)))
    }

    /// About how many bytes who goes through the whole leaf looks at, those of its outsized texts included.
    package var lookedAtBytes: Int {
        var bytes = areaSize
        guard let outsized, hasOutsized else { return bytes }
        var rank = 0
        for index in 0..<maskWordCount(count) { rank += outsizedWord(index).nonzeroBitCount }
        for place in 0..<rank { bytes += outsized[place].count }
        return bytes
    }

    /// The same leaf with the bytes of its outsized slots, in their order. They must stay in place as long as
    /// it is used.
    package func resolving(_ outsized: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Leaf {
        precondition(outsized.count == outsizedSlots.count, "as many places as outsized slots")
        var leaf = self
        leaf.outsized = outsized.baseAddress
        return leaf
    }

    /// The bytes of a slot that is outsized; empty when nobody has said where they lie.
    func outsizedBytes(_ slot: Int) -> UnsafeBufferPointer<UInt8> {
        guard let outsized else { return UnsafeBufferPointer(start: nil, count: 0) }
        var rank = (outsizedWord(slot >> 6) & (1 << UInt64(slot & 63) - 1)).nonzeroBitCount
        for index in 0..<slot >> 6 { rank += outsizedWord(index).nonzeroBitCount }
        return outsized[rank].assumingMemoryBound(to: UInt8.self)
    }
}

extension LeafHeader {
    /// What stands in place of an outsized value; 0 where the bytes are damaged.
    static func outsizedSize(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count == 8 else { return 0 }
        return Int(
            truncatingIfNeeded: min(UInt64(Int32.max), UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))))
    }
}
