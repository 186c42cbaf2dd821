package import ObjectModel

/// The few distinct values of a leaf, where it has so few.
extension Leaf {
    /// How many codes the leaf's slots can have, when they are codes or small numbers of at most 8 bits; nil otherwise. A
    /// code stands for one value, which `firstSlot` cannot tell: ask a slot that has it.
    package var codeCount: Int? {
        switch encoding {
        case .dictionary, .packed: width <= 8 && side * (encoding == .packed ? 1 : 0) == 0 ? 1 << width : nil
        case .raw, .text: nil
        }
    }

    /// The code of a slot that is not null, below `codeCount`.
    @inline(__always)
    package func code(at slot: Int) -> Int {
        checkSlot(slot)
        return Int(truncatingIfNeeded: unpack(slot))
    }

    /// The number of texts, or runs of bytes, that the leaf's slots refer to; nil when they lie in the slots' order.
    package var dictionaryCount: Int? { encoding == .dictionary ? entryCount : nil }

    /// One of them, borrowed.
    package func dictionaryEntry(_ index: Int) -> UnsafeBufferPointer<UInt8> { entry(index) }

    package func dictionaryValue(_ index: Int) -> Value {
        kind == .string ? .string(String(decoding: entry(index), as: UTF8.self)) : .data(Array(entry(index)))
    }
}
