package import ObjectModel

/// A set of object keys of one class below a limit, with one bit per key, against which links are tested.
package struct KeyBitmap: Sendable {
    private var words: [UInt64]
    package private(set) var count = 0

    /// Makes room for keys below `limit`. Others, which only a damaged column can hold, are never members.
    package init(limit: Int) { words = [UInt64](repeating: 0, count: maskWordCount(max(0, limit))) }

    package var isEmpty: Bool { count == 0 }

    @inline(__always)
    package func contains(_ key: ObjectKey) -> Bool {
        let raw = UInt64(bitPattern: key.rawValue)
        return raw >> 6 < UInt64(words.count) && words[Int(raw >> 6)] >> (raw & 63) & 1 != 0
    }

    package mutating func insert(_ key: ObjectKey) {
        let raw = UInt64(bitPattern: key.rawValue)
        guard raw >> 6 < UInt64(words.count) else { return }
        let bit: UInt64 = 1 << (raw & 63)
        if words[Int(raw >> 6)] & bit == 0 { count += 1 }
        words[Int(raw >> 6)] |= bit
    }

    /// Adds the selected slots of a cluster that starts at `firstKey`, a multiple of 64.
    package mutating func insert(_ mask: SelectionMask, firstKey: Int) {
        precondition(firstKey >= 0 && firstKey & 63 == 0, "clusters start at multiples of 64")
        let first = firstKey >> 6
        for index in 0..<max(0, min(mask.wordCount, words.count - first)) {
            count += (mask.words[index] & ~words[first + index]).nonzeroBitCount
            words[first + index] |= mask.words[index]
        }
    }

    /// The bits of the 64 keys from `index` × 64 on.
    package func word(_ index: Int) -> UInt64 { index >= 0 && index < words.count ? words[index] : 0 }

    func withWords(_ body: (UnsafeBufferPointer<UInt64>) -> Void) { words.withUnsafeBufferPointer(body) }

    /// The keys, ascending.
    package var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        for (index, start) in words.enumerated() {
            var word = start
            while word != 0 {
                keys.append(ObjectKey(Int64(index << 6 + word.trailingZeroBitCount)))
                word &= word - 1
            }
        }
        return keys
    }
}

extension Leaf {
    /// Keeps the slots that link to one of `keys`, or, inverted, all others. Null links to none.
    package func narrow(_ mask: SelectionMask, links keys: KeyBitmap, inverted: Bool, scratch: SelectionMask) {
        precondition(kind == .link, "not a link leaf")
        checkSlots(mask)
        let base = minimumInteger
        if width == 16 || width == 32 {
            scratch.reset(slotCount: count)
            keys.withWords { Kernels.best.select(values, count, width: width, plus: base, in: $0, into: scratch.words) }
            return finish(mask, scratch, inverted)
        }
        if width > 8 {
            mask.filter { slot in
                let found = keys.contains(ObjectKey(base &+ Int64(bitPattern: unpack(slot)))) && !isNull(slot)
                return found != inverted
            }
            return
        }
        // At most 256 targets: look each of them up once.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
            table.initialize(repeating: 0)
            for offset in 0..<1 << width where keys.contains(ObjectKey(base &+ Int64(offset))) { table[offset] = 1 }
            selectCodes(UnsafeBufferPointer(table), into: scratch)
        }
        finish(mask, scratch, inverted)
    }

    /// Adds the links of the selected slots to `keys`.
    package func collectLinks(_ mask: SelectionMask, into keys: inout KeyBitmap) {
        precondition(kind == .link, "not a link leaf")
        checkSlots(mask)
        mask.forEach { slot in
            if !isNull(slot) { keys.insert(link(at: slot)) }
        }
    }

    /// Selects the slots whose offset or code, of at most 8 bits, has an entry in the table of 256.
    func selectCodes(_ table: UnsafeBufferPointer<UInt8>, into scratch: SelectionMask) {
        precondition(table.count == 256 && width <= 8, "codes are bytes")
        guard let entries = table.baseAddress else { return }
        let possible = 1 << width
        var wanted = 0
        var last = 0
        for code in 0..<possible where table[code] != 0 {
            wanted += 1
            last = code
        }
        if wanted == 0 || wanted == possible { return fill(scratch, wanted > 0) }
        scratch.reset(slotCount: count)
        if wanted == 1 {
            selectOffsets(from: UInt64(last), span: 0, into: scratch)
        } else if width == 8 {
            Kernels.best.select(codes: values, count, in: entries, into: scratch.words)
        } else {
            withUnpacked { Kernels.best.select(codes: $0, count, in: entries, into: scratch.words) }
        }
    }
}
