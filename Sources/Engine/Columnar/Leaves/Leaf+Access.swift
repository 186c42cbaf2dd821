package import ObjectModel

/// Typed reads. The result for a null slot is unspecified, but safe: check `isNull` first.
extension Leaf {
    @inline(__always)
    package func bool(at slot: Int) -> Bool { packed(at: slot, kind: .bool) != 0 }

    @inline(__always)
    package func int(at slot: Int) -> Int64 { packed(at: slot, kind: .int) }

    @inline(__always)
    package func link(at slot: Int) -> ObjectKey { ObjectKey(packed(at: slot, kind: .link)) }

    @inline(__always)
    package func date(at slot: Int) -> Timestamp {
        let seconds = packed(at: slot, kind: .date)
        if side == 0 { return Timestamp(seconds: seconds) }
        let nanoseconds = sideValues.loadUnaligned(fromByteOffset: slot * 4, as: Int32.self)
        return Timestamp(seconds: seconds, nanoseconds: nanoseconds) ?? Timestamp(seconds: seconds)
    }

    @inline(__always)
    package func float(at slot: Int) -> Float {
        checkSlot(slot)
        precondition(kind == .float, "not a float leaf")
        return values.loadUnaligned(fromByteOffset: slot * 4, as: Float.self)
    }

    @inline(__always)
    package func double(at slot: Int) -> Double {
        checkSlot(slot)
        precondition(kind == .double, "not a double leaf")
        return values.loadUnaligned(fromByteOffset: slot * 8, as: Double.self)
    }

    @inline(__always)
    package func objectId(at slot: Int) -> ObjectId {
        checkSlot(slot)
        precondition(kind == .objectId, "not an objectId leaf")
        let high = values.loadUnaligned(fromByteOffset: slot * 12, as: UInt32.self)
        let low = values.loadUnaligned(fromByteOffset: slot * 12 + 4, as: UInt64.self)
        return ObjectId(high: UInt32(bigEndian: high), low: UInt64(bigEndian: low))
    }

    @inline(__always)
    package func uuid(at slot: Int) -> UUIDValue {
        checkSlot(slot)
        precondition(kind == .uuid, "not a uuid leaf")
        let high = values.loadUnaligned(fromByteOffset: slot * 16, as: UInt64.self)
        let low = values.loadUnaligned(fromByteOffset: slot * 16 + 8, as: UInt64.self)
        return UUIDValue(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
    }

    @inline(__always)
    package func decimal(at slot: Int) -> Decimal128 {
        checkSlot(slot)
        precondition(kind == .decimal128, "not a decimal leaf")
        let low = values.loadUnaligned(fromByteOffset: slot * 16, as: UInt64.self)
        return Decimal128(high: values.loadUnaligned(fromByteOffset: slot * 16 + 8, as: UInt64.self), low: low)
    }

    /// The text or the bytes of a slot, borrowed; empty for null. A string is well-formed UTF-8 when this program wrote
    /// the leaf.
    @inline(__always)
    package func utf8(at slot: Int) -> UnsafeBufferPointer<UInt8> {
        checkSlot(slot)
        precondition(kind.isBytes, "not a leaf of bytes")
        if encoding == .dictionary { return entry(Int(unpack(slot))) }
        if entryCount > 0, isOverflow(slot) { return overflowBytes(slot) }
        return text(offsets: values, width: width, index: slot)
    }

    /// The bytes of a slot in the leaf itself: for an overflow slot, its size.
    func inlineBytes(at slot: Int) -> UnsafeBufferPointer<UInt8> {
        checkSlot(slot)
        if encoding == .dictionary { return entry(Int(unpack(slot))) }
        return text(offsets: values, width: width, index: slot)
    }

    package func withUTF8<R>(at slot: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        try body(utf8(at: slot))
    }

    /// Text `index` of a dictionary leaf; empty when the index is out of range.
    @inline(__always)
    func entry(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        guard index < entryCount else { return UnsafeBufferPointer(start: nil, count: 0) }
        return text(offsets: sideValues, width: side, index: index)
    }

    @inline(__always)
    private func text(offsets: UnsafeRawPointer, width: Int, index: Int) -> UnsafeBufferPointer<UInt8> {
        let start: Int
        let end: Int
        if width == 16 {
            start = Int(offsets.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
            end = Int(offsets.loadUnaligned(fromByteOffset: index * 2 + 2, as: UInt16.self))
        } else {
            start = Int(offsets.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            end = Int(offsets.loadUnaligned(fromByteOffset: index * 4 + 4, as: UInt32.self))
        }
        // Offsets are not checked when the leaf is made; a damaged one gives empty text.
        guard start <= end, end <= areaSize else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: (area + start).assumingMemoryBound(to: UInt8.self), count: end - start)
    }

    @inline(__always)
    private func packed(at slot: Int, kind: LeafKind) -> Int64 {
        checkSlot(slot)
        precondition(self.kind == kind, "another kind of leaf")
        return Int64(bitPattern: minimumBits) &+ Int64(bitPattern: unpack(slot))
    }

    /// The unsigned offset or code of a slot.
    @inline(__always)
    func unpack(_ slot: Int) -> UInt64 {
        switch width {
        case 8: return UInt64(values.load(fromByteOffset: slot, as: UInt8.self))
        case 16: return UInt64(values.loadUnaligned(fromByteOffset: slot * 2, as: UInt16.self))
        case 32: return UInt64(values.loadUnaligned(fromByteOffset: slot * 4, as: UInt32.self))
        case 64: return values.loadUnaligned(fromByteOffset: slot * 8, as: UInt64.self)
        case 0: return 0
        default:
            let bit = slot * width
            let byte = values.load(fromByteOffset: bit >> 3, as: UInt8.self)
            return UInt64(byte >> UInt8(bit & 7) & (1 << UInt8(width) - 1))
        }
    }
}
