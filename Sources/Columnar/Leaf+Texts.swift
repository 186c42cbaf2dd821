import CKernels

/// Narrowing a selection by what a string leaf's texts are. A dictionary leaf tests each distinct text once.
extension Leaf {
    /// Keeps the slots whose text the pattern matches, or, inverted, all others. Null matches nothing.
    package func narrow(_ mask: SelectionMask, texts pattern: TextPattern, inverted: Bool, scratch: SelectionMask) {
        precondition(kind == .string, "not a string leaf")
        checkSlots(mask)
        if pattern.test == .equal, pattern.isExact, selectEntry(pattern.needle, into: scratch) {
            finish(mask, scratch, inverted)
        } else if let place = Self.place(pattern.test), markTexts(pattern, place, in: scratch) {
            finish(mask, scratch, inverted)
        } else {
            narrow(mask, inverted: inverted, scratch: scratch) { pattern.matches($0) }
        }
    }

    private static func place(_ test: TextPattern.Test) -> TextKernel.Place? {
        switch test {
        case .equal: .whole
        case .prefix: .start
        case .suffix: .end
        case .contains: .anywhere
        case .like, .less, .lessOrEqual, .greater, .greaterOrEqual: nil
        }
    }

    /// Looks for the needle in all texts at once; false when each must be looked at by itself.
    private func markTexts(_ pattern: TextPattern, _ place: TextKernel.Place, in scratch: SelectionMask) -> Bool {
        guard encoding == .text, entryCount == 0, !pattern.needle.isEmpty else { return false }
        let bytes = UnsafeBufferPointer(start: area.assumingMemoryBound(to: UInt8.self), count: areaSize)
        if pattern.foldsBeyondASCII, rk_is_ascii(bytes.baseAddress, areaSize) == 0 { return false }
        scratch.reset(slotCount: count)
        pattern.needle.withUnsafeBufferPointer { needle in
            TextKernel.best.mark(
                bytes, offsets: values, width: width, count: count, needle, place,
                foldsASCIICase: pattern.foldsASCIICase, into: scratch.words)
        }
        return true
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
        selectEntries(into: scratch, where: test)
        finish(mask, scratch, inverted)
    }
}
