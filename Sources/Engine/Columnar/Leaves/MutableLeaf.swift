package import ObjectModel

/// The values of one property of one cluster, decoded, for a writer: cheap to append to and to change, encoded once.
///
/// Any slot may be null, also that of a required property: slots of deleted objects are.
package struct MutableLeaf: Sendable {
    package let kind: LeafKind
    package internal(set) var count = 0
    package internal(set) var nullCount = 0
    /// One bit per slot; as many words as the slots need.
    var nulls: [UInt64] = []
    /// bool (0 and 1), int, seconds of dates, keys of links; 0 where null.
    var integers: [Int64] = []
    /// For dates: empty as long as all are zero, otherwise one per slot.
    var nanoseconds: [Int32] = []
    var floats: [Float] = []
    var doubles: [Double] = []
    var objectIds: [ObjectId] = []
    var uuids: [UUIDValue] = []
    var decimals: [Decimal128] = []
    var strings = StringArena()
    /// For bytes: empty as long as no slot overflows, otherwise one bit per slot; the bytes of an overflow slot are
    /// its size.
    var overflow: [UInt64] = []
    private(set) var overflowCount = 0

    /// An empty leaf.
    package init(kind: LeafKind) { self.kind = kind }

    package init(decoding leaf: Leaf) {
        kind = leaf.kind
        count = leaf.count
        nulls = (0..<maskWordCount(leaf.count)).map { leaf.nullWord($0) }
        nullCount = nulls.reduce(0) { $0 + $1.nonzeroBitCount }
        switch leaf.kind {
        case .bool, .int, .link, .date:
            let base = Int64(bitPattern: leaf.minimumBits)
            integers = leaf.unpackAll(adding: base)
            if leaf.side != 0 {
                nanoseconds = (0..<count).map { leaf.sideValues.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
            }
        case .float: floats = leaf.allRaw(Float.self)
        case .double: doubles = leaf.allRaw(Double.self)
        case .objectId: objectIds = (0..<count).map { leaf.objectId(at: $0) }
        case .uuid: uuids = (0..<count).map { leaf.uuid(at: $0) }
        case .decimal128: decimals = (0..<count).map { leaf.decimal(at: $0) }
        case .string, .data, .mixed, .list, .set, .map:
            strings = leaf.texts
            if leaf.hasOverflow {
                overflow = (0..<maskWordCount(count)).map { leaf.overflowWord($0) }
                overflowCount = overflow.reduce(0) { $0 + $1.nonzeroBitCount }
                // A damaged header announces overflow slots where none is marked.
                if overflowCount == 0 { overflow = [] }
            }
        }
    }

    /// The approximate memory of the values, in bytes.
    package var byteCount: Int {
        let numbers = 8 * integers.count + 4 * nanoseconds.count + 4 * floats.count + 8 * doubles.count
        let identities = 16 * (objectIds.count + uuids.count + decimals.count)
        return numbers + identities + strings.byteCount + 8 * (nulls.count + overflow.count)
    }

    package mutating func reserveCapacity(_ slots: Int) {
        nulls.reserveCapacity(maskWordCount(slots))
        switch kind {
        case .bool, .int, .date, .link: integers.reserveCapacity(slots)
        case .float: floats.reserveCapacity(slots)
        case .double: doubles.reserveCapacity(slots)
        case .objectId: objectIds.reserveCapacity(slots)
        case .uuid: uuids.reserveCapacity(slots)
        case .decimal128: decimals.reserveCapacity(slots)
        case .string, .data, .mixed, .list, .set, .map: strings.reserveCapacity(slots)
        }
    }

    /// Adds a slot. Throws `kindMismatch` and `full`, and then changes nothing.
    package mutating func append(_ value: Value) throws(LeafError) {
        guard count < Cluster.maximumCapacity else { throw .full }
        switch (value, kind) {
        case (.int(let value), .int): integers.append(value)
        case (.double(let value), .double): doubles.append(value)
        case (.string(let value), .string):
            guard strings.fits(value.utf8.count) else { throw .full }
            strings.append(value)
        case (.bool(let value), .bool): integers.append(value ? 1 : 0)
        case (.float(let value), .float): floats.append(value)
        case (.date(let value), .date): appendDate(value)
        case (.link(let value), .link): integers.append(value.rawValue)
        case (.objectId(let value), .objectId): objectIds.append(value)
        case (.uuid(let value), .uuid): uuids.append(value)
        case (.null, _): appendFiller()
        case (.decimal(let value), .decimal128): decimals.append(value)
        default: try appendBytes(Self.bytes(of: value, in: kind))
        }
        if count & 63 == 0 {
            nulls.append(0)
            if overflowCount > 0 { overflow.append(0) }
        }
        if value.isNull {
            nulls[count >> 6] |= 1 << UInt64(count & 63)
            nullCount += 1
        }
        count += 1
    }

    /// Replaces the value of a slot. Throws `noSuchSlot`, `kindMismatch` and `full`, and then changes nothing.
    package mutating func set(_ slot: Int, _ value: Value) throws(LeafError) {
        guard slot >= 0, slot < count else { throw .noSuchSlot }
        switch (value, kind) {
        case (.int(let value), .int): integers[slot] = value
        case (.double(let value), .double): doubles[slot] = value
        case (.string(let value), .string):
            guard strings.fits(value.utf8.count) else { throw .full }
            strings.replace(slot, with: value)
        case (.bool(let value), .bool): integers[slot] = value ? 1 : 0
        case (.float(let value), .float): floats[slot] = value
        case (.date(let value), .date): setDate(slot, value)
        case (.link(let value), .link): integers[slot] = value.rawValue
        case (.objectId(let value), .objectId): objectIds[slot] = value
        case (.uuid(let value), .uuid): uuids[slot] = value
        case (.null, _): setFiller(slot)
        case (.decimal(let value), .decimal128): decimals[slot] = value
        default:
            let bytes = try Self.bytes(of: value, in: kind)
            guard strings.fits(bytes.count) else { throw .full }
            strings.replace(slot, with: bytes)
        }
        if overflowCount > 0 { mark(slot, overflow: false) }
        let bit: UInt64 = 1 << UInt64(slot & 63)
        let wasNull = nulls[slot >> 6] & bit != 0
        if value.isNull, !wasNull {
            nulls[slot >> 6] |= bit
            nullCount += 1
        } else if !value.isNull, wasNull {
            nulls[slot >> 6] &= ~bit
            nullCount -= 1
        }
    }

    /// Sets the slots without an object to null. Cost: each mask word, and each slot that is dead and not null.
    package mutating func clear(deadIn mask: MutableLiveMask) throws(LeafError) {
        guard mask.liveCount < mask.slotCount else { return }
        for index in 0..<min(maskWordCount(count), maskWordCount(mask.slotCount)) {
            var stale = ~mask.word(index) & ~nulls[index] & maskWordLimit(index, min(count, mask.slotCount))
            while stale != 0 {
                try set(index << 6 + stale.trailingZeroBitCount, .null)
                stale &= stale - 1
            }
        }
    }

    /// Adds a slot whose bytes are stored elsewhere, with their size; see `LeafHeader`. Throws as `append(_:)`.
    package mutating func append(overflow size: Int) throws(LeafError) {
        guard kind.isBytes else { throw .kindMismatch }
        try append(.null)
        try set(count - 1, overflow: size)
    }

    /// Marks the bytes of a slot as stored elsewhere. Throws as `set(_:_:)`.
    package mutating func set(_ slot: Int, overflow size: Int) throws(LeafError) {
        try set(slot, bytes: withUnsafeBytes(of: UInt64(size).littleEndian) { Array($0) })
        mark(slot, overflow: true)
    }

    /// Replaces a slot of a column of bytes with encoded bytes. Throws as `set(_:_:)`.
    mutating func set(_ slot: Int, bytes: [UInt8]) throws(LeafError) {
        guard kind.isBytes else { throw .kindMismatch }
        guard slot >= 0, slot < count else { throw .noSuchSlot }
        guard strings.fits(bytes.count) else { throw .full }
        strings.replace(slot, with: bytes)
        if isNull(slot) {
            nulls[slot >> 6] &= ~(1 << UInt64(slot & 63))
            nullCount -= 1
        }
        if overflowCount > 0 { mark(slot, overflow: false) }
    }

    /// The size of an overflow slot; nil for any other.
    package func overflowSize(_ slot: Int) -> Int? {
        guard isOverflow(slot) else { return nil }
        return strings.withText(slot) { LeafHeader.overflowSize(UnsafeRawBufferPointer($0)) }
    }

    package func isOverflow(_ slot: Int) -> Bool {
        overflowCount > 0 && overflow[slot >> 6] >> UInt64(slot & 63) & 1 != 0
    }

    private mutating func mark(_ slot: Int, overflow isOverflow: Bool) {
        if overflow.isEmpty { overflow = [UInt64](repeating: 0, count: maskWordCount(count)) }
        let bit: UInt64 = 1 << UInt64(slot & 63)
        let was = overflow[slot >> 6] & bit != 0
        guard was != isOverflow else { return }
        overflow[slot >> 6] ^= bit
        overflowCount += isOverflow ? 1 : -1
        if overflowCount == 0 { overflow = [] }
    }

    /// The bytes of a value that is neither null nor a string. Throws `kindMismatch`.
    private static func bytes(of value: Value, in kind: LeafKind) throws(LeafError) -> [UInt8] {
        switch (value, kind) {
        case (.data(let bytes), .data): return bytes
        case (.list, .list), (.set, .set), (.dictionary, .map): return ElementBlock(value).encode()
        case (_, .mixed) where kind.accepts(value): return ValueRecord.encode(value)
        default: throw .kindMismatch
        }
    }

    private mutating func appendBytes(_ bytes: [UInt8]) throws(LeafError) {
        guard strings.fits(bytes.count) else { throw .full }
        bytes.withUnsafeBufferPointer { strings.append($0) }
    }

    package func isNull(_ slot: Int) -> Bool { nulls[slot >> 6] >> UInt64(slot & 63) & 1 != 0 }

    /// The value of an existing slot that does not overflow.
    package func value(at slot: Int) -> Value {
        if isNull(slot) { return .null }
        switch kind {
        case .bool: return .bool(integers[slot] != 0)
        case .int: return .int(integers[slot])
        case .float: return .float(floats[slot])
        case .double: return .double(doubles[slot])
        case .string: return .string(strings[slot])
        case .date: return .date(date(at: slot))
        case .objectId: return .objectId(objectIds[slot])
        case .uuid: return .uuid(uuids[slot])
        case .link: return .link(ObjectKey(integers[slot]))
        case .decimal128: return .decimal(decimals[slot])
        case .data: return .data(strings.withText(slot) { Array($0) })
        case .mixed:
            return strings.withText(slot) { try? ValueRecord.decode(UnsafeRawBufferPointer($0)) } ?? .null
        case .list, .set, .map: return kind.collection.value(elements(at: slot))
        }
    }

    /// The value of a slot, or nil if it overflows. Mutating, so that the leaf is not copied for the call.
    package mutating func plainValue(at slot: Int) -> Value? {
        if kind == .int { return isNull(slot) ? .null : .int(integers[slot]) }
        return isOverflow(slot) ? nil : value(at: slot)
    }

    /// Replaces the value of a slot that does not overflow. Returns false, with nothing done, when it does. Throws as
    /// `set(_:_:)`.
    package mutating func setPlain(_ slot: Int, _ value: Value) throws(LeafError) -> Bool {
        // The most frequent kinds, which never overflow.
        if slot >= 0, slot < count {
            switch (value, kind) {
            case (.int(let number), .int):
                integers[slot] = number
                markNotNull(slot)
                return true
            case (.double(let number), .double):
                doubles[slot] = number
                markNotNull(slot)
                return true
            default: break
            }
        }
        if isOverflow(slot) { return false }
        try set(slot, value)
        return true
    }

    /// Replaces a text, given as UTF-8, as `setPlain(_:_:)` does: a column of texts stores it unchanged.
    package mutating func setPlain(_ slot: Int, utf8 text: UnsafeBufferPointer<UInt8>) throws(LeafError) -> Bool {
        guard kind == .string, slot >= 0, slot < count, overflowCount == 0, strings.fits(text.count)
        else { return try setPlain(slot, .string(String(decoding: text, as: UTF8.self))) }
        strings.replace(slot, with: text)
        markNotNull(slot)
        return true
    }

    @inline(__always)
    private mutating func markNotNull(_ slot: Int) {
        guard nullCount > 0, isNull(slot) else { return }
        nulls[slot >> 6] &= ~(1 << UInt64(slot & 63))
        nullCount -= 1
    }

    /// The elements of a collection that does not overflow, in order.
    package func elements(at slot: Int) -> ElementBlock {
        let hasKeys = kind == .map
        return strings.withText(slot) { try? ElementBlock(decoding: UnsafeRawBufferPointer($0), hasKeys: hasKeys) }
            ?? ElementBlock(hasKeys: hasKeys)
    }

    private func date(at slot: Int) -> Timestamp {
        if nanoseconds.isEmpty { return Timestamp(seconds: integers[slot]) }
        return Timestamp(seconds: integers[slot], nanoseconds: nanoseconds[slot])
            ?? Timestamp(seconds: integers[slot])
    }

    private mutating func appendDate(_ value: Timestamp) {
        if value.nanoseconds != 0, nanoseconds.isEmpty { nanoseconds = [Int32](repeating: 0, count: count) }
        // An empty array means "all zero" as well, so check the value again.
        if !nanoseconds.isEmpty || value.nanoseconds != 0 { nanoseconds.append(value.nanoseconds) }
        integers.append(value.seconds)
    }

    private mutating func setDate(_ slot: Int, _ value: Timestamp) {
        if value.nanoseconds != 0, nanoseconds.isEmpty { nanoseconds = [Int32](repeating: 0, count: count) }
        if !nanoseconds.isEmpty { nanoseconds[slot] = value.nanoseconds }
        integers[slot] = value.seconds
    }

    private mutating func appendFiller() {
        switch kind {
        case .bool, .int, .link: integers.append(0)
        case .date: appendDate(.epoch)
        case .float: floats.append(0)
        case .double: doubles.append(0)
        case .objectId: objectIds.append(ObjectId(high: 0, low: 0))
        case .uuid: uuids.append(UUIDValue(high: 0, low: 0))
        case .decimal128: decimals.append(.zero)
        case .string, .data, .mixed, .list, .set, .map: strings.append("")
        }
    }

    private mutating func setFiller(_ slot: Int) {
        switch kind {
        case .bool, .int, .link: integers[slot] = 0
        case .date: setDate(slot, .epoch)
        case .float: floats[slot] = 0
        case .double: doubles[slot] = 0
        case .objectId: objectIds[slot] = ObjectId(high: 0, low: 0)
        case .uuid: uuids[slot] = UUIDValue(high: 0, low: 0)
        case .decimal128: decimals[slot] = .zero
        case .string, .data, .mixed, .list, .set, .map: strings.replace(slot, with: "")
        }
    }
}

/// The new content of a slot of a leaf.
package enum LeafContent: Sendable {
    case value(Value)
    /// The encoded bytes of a value in a column of bytes.
    case bytes([UInt8])
    /// A value that is stored elsewhere, with its size; see `LeafHeader`.
    case overflow(Int)

    /// The memory that it takes in a column of bytes, at most; 0 for a value that takes a fixed amount.
    package var byteCount: Int {
        switch self {
        case .value(.string(let text)): text.utf8.count
        case .value(.data(let bytes)), .bytes(let bytes): bytes.count
        case .value: 0
        case .overflow: 8
        }
    }
}

extension MutableLeaf {
    /// Adds a slot. Throws `kindMismatch` and `full`, and then changes nothing.
    package mutating func append(_ content: LeafContent) throws(LeafError) {
        switch content {
        case .value(let value): try append(value)
        case .bytes(let bytes):
            try append(.null)
            try set(count - 1, bytes: bytes)
        case .overflow(let size): try append(overflow: size)
        }
    }

    /// Replaces a slot. Throws `noSuchSlot`, `kindMismatch` and `full`, and then changes nothing.
    package mutating func set(_ slot: Int, _ content: LeafContent) throws(LeafError) {
        switch content {
        case .value(let value): try set(slot, value)
        case .bytes(let bytes): try set(slot, bytes: bytes)
        case .overflow(let size): try set(slot, overflow: size)
        }
    }
}
