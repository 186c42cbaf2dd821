package import ObjectModel

/// The values of one property of one cluster, read in place from memory that somebody else keeps alive.
/// Outsized values, which lie elsewhere, must be made known with `resolving` before their bytes are read; else
/// they are empty.
///
/// The header is checked once, in constant time, so that no read can leave the bytes whatever they contain:
/// damaged bytes give wrong values or empty text, never a fault. Making a leaf costs a few nanoseconds.
/// Asking for a slot that the leaf does not have, or for another kind of value, is a programmer error and stops.
//
// Sendable: the bytes are only ever read, and whoever hands out the leaf keeps them unchanged while it is used.
package struct Leaf: @unchecked Sendable {
    package let kind: LeafKind
    /// The number of slots.
    package let count: Int
    package let nullCount: Int
    let encoding: LeafHeader.Encoding
    let width: Int
    let side: Int
    let entryCount: Int
    let areaSize: Int
    let hasNaN: Bool
    let minimumBits: UInt64
    let maximumBits: UInt64
    /// The null words; present only when there are nulls. Possibly unaligned, like everything here.
    let nulls: UnsafeRawPointer?
    let values: UnsafeRawPointer
    let sideValues: UnsafeRawPointer
    let area: UnsafeRawPointer
    /// Where the bytes of the outsized slots lie, in their order; nil as long as nobody has said.
    var outsized: UnsafePointer<UnsafeRawBufferPointer>?

    /// Checks that the bytes are a leaf of that kind and that all its parts lie within them. Bytes behind it
    /// are ignored.
    package init(validating bytes: UnsafeRawBufferPointer, kind: LeafKind) throws(LeafError) {
        let header = try LeafHeader(validating: bytes)
        guard header.kind == kind else { throw .kindMismatch }
        guard let start = bytes.baseAddress else { throw .truncated }
        self.kind = kind
        count = header.count
        nullCount = header.nullCount
        encoding = header.encoding
        width = header.width
        side = header.side
        entryCount = header.entryCount
        areaSize = header.areaSize
        hasNaN = header.hasNaN
        minimumBits = header.minimumBits
        maximumBits = header.maximumBits
        nulls = header.nullCount > 0 ? start + LeafHeader.size : nil
        values = start + header.valuesOffset
        sideValues = start + header.sideOffset
        area = start + header.areaOffset
    }

    /// A leaf of no slots. The place is never read from.
    package init(emptyAt place: UnsafeRawPointer) {
        kind = .int
        (count, nullCount, width, side, entryCount, areaSize) = (0, 0, 0, 0, 0, 0)
        encoding = .raw
        hasNaN = false
        (minimumBits, maximumBits) = (0, 0)
        nulls = nil
        (values, sideValues, area) = (place, place, place)
    }

    @inline(__always)
    package func isNull(_ slot: Int) -> Bool {
        checkSlot(slot)
        guard let nulls else { return false }
        let word = nulls.loadUnaligned(fromByteOffset: slot >> 6 * 8, as: UInt64.self)
        return word >> UInt64(slot & 63) & 1 != 0
    }

    /// Null bits of 64 slots, without those that belong to no slot.
    @inline(__always)
    package func nullWord(_ index: Int) -> UInt64 {
        guard let nulls else { return 0 }
        precondition(index >= 0 && index < maskWordCount(count), "no such mask word")
        return nulls.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) & maskWordLimit(index, count)
    }

    /// Whether a slot that holds no object holds a value still.
    package func holdsValues(deadIn mask: MutableLiveMask) -> Bool {
        let slots = min(count, mask.slotCount)
        return (0..<maskWordCount(slots)).contains {
            ~mask.word($0) & ~nullWord($0) & maskWordLimit($0, slots) != 0
        }
    }

    /// The value of a slot, as a `Value` of its own. The typed accessors are cheaper.
    package func value(at slot: Int) -> Value {
        if isNull(slot) { return .null }
        switch kind {
        case .bool: return .bool(bool(at: slot))
        case .int: return .int(int(at: slot))
        case .float: return .float(float(at: slot))
        case .double: return .double(double(at: slot))
        case .string: return .string(String(decoding: utf8(at: slot), as: UTF8.self))
        case .date: return .date(date(at: slot))
        case .objectId: return .objectId(objectId(at: slot))
        case .uuid: return .uuid(uuid(at: slot))
        case .link: return .link(link(at: slot))
        case .data: return .data(Array(utf8(at: slot)))
        case .decimal128: return .decimal(decimal(at: slot))
        case .mixed:
            // Damaged bytes read as null, as a damaged text reads as empty.
            return (try? ValueRecord.decode(UnsafeRawBufferPointer(utf8(at: slot)))) ?? .null
        case .list, .set, .map:
            return kind.collection.value(elements(at: slot))
        }
    }

    /// The elements of a collection that is not outsized, in order.
    package func elements(at slot: Int) -> ElementBlock {
        let hasKeys = kind == .map
        let bytes = UnsafeRawBufferPointer(utf8(at: slot))
        return (try? ElementBlock(decoding: bytes, hasKeys: hasKeys)) ?? ElementBlock(hasKeys: hasKeys)
    }

    /// Smallest integer (of dates: second) among the values that are not null; above `maximumInteger` without any.
    package var minimumInteger: Int64 { Int64(bitPattern: minimumBits) }
    package var maximumInteger: Int64 { Int64(bitPattern: maximumBits) }

    /// This leaf, if it has the slot. Throws `noSuchSlot`, for a slot number that comes from elsewhere in the file.
    package func checked(_ slot: Int) throws(LeafError) -> Leaf {
        guard slot >= 0, slot < count else { throw .noSuchSlot }
        return self
    }

    @inline(__always)
    func checkSlot(_ slot: Int) {
        precondition(UInt(bitPattern: slot) < UInt(bitPattern: count), "no such slot")
    }
}

extension UnsafePointer<Leaf> {
    /// The value of a slot of a column's leaf, if it is a single one that is not mixed and lies in the leaf. For leaves in
    /// a table: none is copied for it.
    package func plainValue(_ column: Int, at slot: Int) -> Value? {
        switch self[column].kind {
        case .int: return self[column].isNull(slot) ? .null : .int(self[column].int(at: slot))
        case .double: return self[column].isNull(slot) ? .null : .double(self[column].double(at: slot))
        case .link: return self[column].isNull(slot) ? .null : .link(self[column].link(at: slot))
        case .string:
            if self[column].isNull(slot) { return .null }
            if self[column].hasOutsized, self[column].isOutsized(slot) { return nil }
            return .string(String(decoding: self[column].utf8(at: slot), as: UTF8.self))
        case .mixed, .list, .set, .map: return nil
        default: return self[column].isOutsized(slot) ? nil : self[column].value(at: slot)
        }
    }
}
