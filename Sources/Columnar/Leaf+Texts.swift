import Glibc

/// Narrowing a selection by what a string leaf's texts are. A dictionary leaf tests each distinct text once.
extension Leaf {
    /// Keeps the slots whose text the pattern matches, or, inverted, all others. Null matches nothing.
    package func narrow(_ mask: SelectionMask, texts pattern: TextPattern, inverted: Bool, scratch: SelectionMask) {
        precondition(kind == .string, "not a string leaf")
        if encoding == .text, entryCount == 0, pattern.isExact, pattern.test == .equal || pattern.test == .prefix {
            checkSlots(mask)
            scratch.reset(to: mask)
            pattern.needle.withUnsafeBufferPointer {
                keepStarts(with: UnsafeRawBufferPointer($0), andNothingElse: pattern.test == .equal, in: scratch)
            }
            finish(mask, scratch, inverted)
        } else {
            narrow(mask, inverted: inverted, scratch: scratch) { pattern.matches($0) }
        }
    }

    /// The same for a set of texts, as `IN` needs it.
    package func narrow(_ mask: SelectionMask, texts: Set<[UInt8]>, inverted: Bool, scratch: SelectionMask) {
        precondition(kind == .string, "not a string leaf")
        narrow(mask, inverted: inverted, scratch: scratch) { texts.contains(Array($0)) }
    }

    private func narrow(
        _ mask: SelectionMask, inverted: Bool, scratch: SelectionMask, _ test: (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        checkSlots(mask)
        guard encoding == .dictionary else {
            mask.filter { slot in (!isNull(slot) && test(utf8(at: slot))) != inverted }
            return
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
            table.initialize(repeating: 0)
            for code in 0..<entryCount where test(entry(code)) { table[code] = 1 }
            selectCodes(UnsafeBufferPointer(table), into: scratch)
        }
        finish(mask, scratch, inverted)
    }

    /// Most texts are told apart by their length or their first eight bytes, compared at once.
    private func keepStarts(with needle: UnsafeRawBufferPointer, andNothingElse whole: Bool, in mask: SelectionMask) {
        let size = needle.count
        let head = min(size, 8)
        var wanted: UInt64 = 0
        for index in 0..<head { wanted |= UInt64(needle[index]) << UInt64(8 * index) }
        let headBits: UInt64 = head == 8 ? ~0 : (1 << UInt64(8 * head)) - 1
        let wide = width == 32
        mask.filter { slot in
            let start: Int
            let end: Int
            if wide {
                start = Int(values.loadUnaligned(fromByteOffset: slot * 4, as: UInt32.self))
                end = Int(values.loadUnaligned(fromByteOffset: slot * 4 + 4, as: UInt32.self))
            } else {
                start = Int(values.loadUnaligned(fromByteOffset: slot * 2, as: UInt16.self))
                end = Int(values.loadUnaligned(fromByteOffset: slot * 2 + 2, as: UInt16.self))
            }
            // A damaged offset is an empty text, as `utf8(at:)` reads it.
            let isSound = start <= end && end <= areaSize
            let length = isSound ? end - start : 0
            if whole ? length != size : length < size { return false }
            if size == 0 { return true }
            // Eight bytes may be read only where the text's area goes on for so long.
            if start + 8 <= areaSize {
                let found = area.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                if (found ^ wanted) & headBits != 0 { return false }
                if size <= 8 { return true }
            }
            guard let bytes = needle.baseAddress else { return true }
            return memcmp(area + start, bytes, size) == 0
        }
    }
}
