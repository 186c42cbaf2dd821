import CKernels
import ObjectModel

/// A closed range of integers, which is empty when its lower bound is above its upper one, or everything outside it.
package struct LeafIntegers: Sendable {
    fileprivate let low: Int64
    fileprivate let high: Int64
    fileprivate let isInverted: Bool

    package init(_ low: Int64, through high: Int64, isInverted: Bool = false) {
        self.low = low
        self.high = high
        self.isInverted = isInverted
    }

    package var inverted: LeafIntegers { LeafIntegers(low, through: high, isInverted: !isInverted) }

    @inline(__always)
    fileprivate func contains(_ value: Int64) -> Bool { (low <= value && value <= high) != isInverted }

    /// The encoding of the range's only integer in a record; nil when there may be others.
    fileprivate var needle: [UInt8]? {
        guard low == high, !isInverted else { return nil }
        var writer = ByteWriter()
        writer.signed(low)
        return writer.bytes
    }
}

/// Narrowing a selection by the contents of collections, read directly from the bytes that `ElementBlock` wrote.
extension Leaf {
    /// Keeps the slots whose number of elements is one of the integers. Null is an empty collection. `scratch` is
    /// overwritten.
    package func narrow(_ mask: SelectionMask, sizes: LeafIntegers, scratch: SelectionMask) {
        precondition(kind.collection != .single, "not a leaf of collections")
        checkSlots(mask)
        if narrow(mask, scratch, byEntries: { sizes.contains(size($0)) }) { return }
        let hasOverflow = hasOverflow
        mask.filter { slot in
            if hasOverflow, isOverflow(slot) { return sizes.contains(Int64(overflowSize(slot))) }
            return sizes.contains(isNull(slot) ? 0 : size(inlineBytes(at: slot)))
        }
    }

    /// The number of elements of an encoded collection.
    @inline(__always)
    private func size(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        if bytes.isEmpty { return 0 }
        if bytes[0] < 0x80 { return Int64(bytes[0]) }
        return Int64(ElementRun(UnsafeRawBufferPointer(bytes), hasKeys: kind == .map).count)
    }

    /// Tests the distinct collections of a dictionary leaf once each; returns false if the leaf is not a dictionary,
    /// or the test cannot decide.
    private func narrow(
        _ mask: SelectionMask, _ scratch: SelectionMask, byEntries test: (UnsafeBufferPointer<UInt8>) -> Bool?
    ) -> Bool {
        guard encoding == .dictionary else { return false }
        guard let ofNull = test(UnsafeBufferPointer(start: nil, count: 0)) else { return false }
        var isKnown = true
        selectEntries(into: scratch) { entry in
            guard isKnown, let passes = test(entry) else {
                isKnown = false
                return false
            }
            return passes
        }
        guard isKnown else { return false }
        setNulls(scratch, selected: ofNull)
        mask.formIntersection(scratch)
        return true
    }

    /// Keeps the slots of collections of Ints and nulls that have one of the integers as an element, or, with
    /// `isOpposite`, the others. For slots that are not plain runs of Ints `otherwise` returns whether to keep them.
    /// `scratch` is overwritten.
    package func narrow(
        _ mask: SelectionMask, toAny wanted: LeafIntegers, isOpposite: Bool, scratch: SelectionMask,
        otherwise: (Int) throws -> Bool
    ) rethrows {
        precondition(kind.collection != .single, "not a leaf of collections")
        checkSlots(mask)
        if narrow(mask, scratch, byEntries: { anyInteger($0, wanted).map { $0 != isOpposite } }) { return }
        if let needle = wanted.needle, encoding == .text, entryCount == 0 {
            // The integer can only be an element where its bytes occur; their occurrence alone is not sufficient.
            scratch.reset(slotCount: count)
            needle.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                rk_mark_texts(
                    area.assumingMemoryBound(to: UInt8.self), areaSize, values, UInt32(width), count, start,
                    bytes.count, 0, rk_text_anywhere, scratch.words)
            }
            if isOpposite {
                // A slot without its bytes keeps its state.
                try mask.filter { slot in
                    guard scratch.contains(slot) else { return true }
                    return try anyInteger(slot, wanted).map { !$0 } ?? otherwise(slot)
                }
                return
            }
            mask.formIntersection(scratch)
        }
        try mask.filter { slot in
            try anyInteger(slot, wanted).map { $0 != isOpposite } ?? otherwise(slot)
        }
    }

    /// Nil where the slot is not a short run of Ints.
    @inline(__always)
    private func anyInteger(_ slot: Int, _ wanted: LeafIntegers) -> Bool? {
        if hasOverflow, isOverflow(slot) { return nil }
        return isNull(slot) ? false : anyInteger(inlineBytes(at: slot), wanted)
    }

    @inline(__always)
    private func anyInteger(_ bytes: UnsafeBufferPointer<UInt8>, _ wanted: LeafIntegers) -> Bool? {
        if bytes.isEmpty { return false }
        // The number of elements, and the tag of Ints for all of them.
        guard kind != .map, bytes.count > 2, bytes[0] < 0x80, bytes[1] == 3 else { return nil }
        var offset = 2
        for _ in 0..<bytes[0] {
            var bits: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                guard offset < bytes.count, shift < 64 else { return nil }
                let byte = bytes[offset]
                offset += 1
                bits |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { break }
                shift += 7
            }
            if wanted.contains(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)) { return true }
        }
        return false
    }
}
