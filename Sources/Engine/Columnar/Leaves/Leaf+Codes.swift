package import ObjectModel

/// The distinct values of a leaf that has few.
extension Leaf {
    /// The number of possible codes of the leaf's slots, when they are codes or small numbers of at most 8 bits; nil
    /// otherwise. A code represents one value, which can be read from any slot that has the code.
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

    /// The number of texts, or runs of bytes, that the leaf's slots refer to; nil if the leaf is not a dictionary.
    package var dictionaryCount: Int? { encoding == .dictionary ? entryCount : nil }

    /// One of the dictionary's entries, borrowed.
    package func dictionaryEntry(_ index: Int) -> UnsafeBufferPointer<UInt8> { entry(index) }

    package func dictionaryValue(_ index: Int) -> Value {
        kind == .string ? .string(String(decoding: entry(index), as: UTF8.self)) : .data(Array(entry(index)))
    }

    /// Selects the slots of a dictionary leaf whose entry passes the test, which runs once for each entry; the result
    /// for nulls is unspecified.
    func selectEntries(into scratch: SelectionMask, where test: (UnsafeBufferPointer<UInt8>) -> Bool) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
            table.initialize(repeating: 0)
            for code in 0..<entryCount where test(entry(code)) { table[code] = 1 }
            selectCodes(UnsafeBufferPointer(table), into: scratch)
        }
    }

    /// Selects the slots of nulls, or deselects them.
    func setNulls(_ scratch: SelectionMask, selected: Bool) {
        guard nulls != nil else { return }
        for index in 0..<scratch.wordCount {
            let word = nullWord(index)
            if selected { scratch.words[index] |= word } else { scratch.words[index] &= ~word }
        }
    }

    /// Selects the slots, apart from nulls, whose text is exactly those bytes; returns false when the leaf is no
    /// dictionary. Cost: for each distinct text a comparison of its length.
    func selectEntry(_ wanted: [UInt8], into scratch: SelectionMask) -> Bool {
        guard encoding == .dictionary else { return false }
        for code in 0..<entryCount {
            let entry = entry(code)
            guard entry.count == wanted.count, entry.elementsEqual(wanted) else { continue }
            scratch.reset(slotCount: count)
            selectOffsets(from: UInt64(code), span: 0, into: scratch)
            return true
        }
        fill(scratch, false)
        return true
    }
}
