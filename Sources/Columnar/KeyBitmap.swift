package import ObjectModel

/// A set of object keys of one class below a limit, as one bit per key: for links to be tested against.
package struct KeyBitmap: Sendable {
    private var words: [UInt64]
    package private(set) var count = 0

    /// Room for keys below `limit`. Others, which only a damaged column can hold, are never members.
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
        if width > 8 {
            mask.filter { slot in
                let found = keys.contains(ObjectKey(base &+ Int64(bitPattern: unpack(slot)))) && !isNull(slot)
                return found != inverted
            }
            return
        }
        // At most 256 targets: look each of them up once.
        let table = (0..<256).map { UInt8(keys.contains(ObjectKey(base &+ Int64($0))) ? 1 : 0) }
        selectCodes(table, into: scratch)
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
    func selectCodes(_ table: [UInt8], into scratch: SelectionMask) {
        precondition(table.count == 256 && width <= 8, "codes are bytes")
        let wanted = 1 << width
        let ones = table.prefix(wanted).count { $0 != 0 }
        if ones == 0 || ones == wanted || width == 0 { return fill(scratch, ones == wanted) }
        scratch.reset(slotCount: count)
        if ones == 1, let code = table.firstIndex(where: { $0 != 0 }) {
            return selectOffsets(from: UInt64(code), span: 0, into: scratch)
        }
        table.withUnsafeBufferPointer { entries in
            guard let entries = entries.baseAddress else { return }
            if width == 8 {
                Kernels.best.select(codes: values, count, in: entries, into: scratch.words)
            } else {
                withUnpacked { Kernels.best.select(codes: $0, count, in: entries, into: scratch.words) }
            }
        }
    }
}
