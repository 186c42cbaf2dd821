import Columnar
import ObjectModel

/// One sort key's value of one object, in a form that compares as unsigned integers: first `rank`, then
/// `primary`, then `secondary`, or for strings the texts.
///
/// Ascending, null is below all values and a null link on the way above them; descending turns all bits over.
struct SortCell {
    var primary: UInt64
    /// Further bits, or for strings the address of the text.
    var secondary: UInt64
    /// The length of a text.
    var length: UInt32 = 0
    var rank: UInt8

    static func null(ascending: Bool) -> SortCell { SortCell(primary: 0, secondary: 0, rank: ascending ? 0 : 2) }

    static func nullLink(ascending: Bool) -> SortCell { SortCell(primary: 0, secondary: 0, rank: ascending ? 2 : 0) }

    init(primary: UInt64, secondary: UInt64, rank: UInt8) {
        self.primary = primary
        self.secondary = secondary
        self.rank = rank
    }

    private init(_ primary: UInt64, _ secondary: UInt64 = 0, ascending: Bool) {
        self.primary = ascending ? primary : ~primary
        self.secondary = ascending ? secondary : ~secondary
        rank = 1
    }

    init(_ leaf: Leaf, _ slot: Int, ascending: Bool) {
        if leaf.isNull(slot) {
            self = .null(ascending: ascending)
            return
        }
        switch leaf.kind {
        case .bool: self.init(leaf.bool(at: slot) ? 1 : 0, ascending: ascending)
        case .int: self.init(Self.bits(leaf.int(at: slot)), ascending: ascending)
        case .link: self.init(Self.bits(leaf.link(at: slot).rawValue), ascending: ascending)
        case .float: self.init(Self.bits(Double(leaf.float(at: slot))), ascending: ascending)
        case .double: self.init(Self.bits(leaf.double(at: slot)), ascending: ascending)
        case .date: self.init(leaf.date(at: slot), ascending: ascending)
        case .objectId: self.init(leaf.objectId(at: slot), ascending: ascending)
        case .uuid:
            let id = leaf.uuid(at: slot)
            self.init(id.high, id.low, ascending: ascending)
        case .string, .data: self.init(text: leaf.utf8(at: slot), ascending: ascending)
        case .decimal128, .mixed, .list, .set, .map: self = .null(ascending: ascending)
        }
    }

    /// From a value that is no string.
    init(_ value: Value, ascending: Bool) {
        switch value {
        case .null, .string, .data, .decimal, .reference, .list, .set, .dictionary, .embedded:
            self = .null(ascending: ascending)
        case .bool(let value): self.init(value ? 1 : 0, ascending: ascending)
        case .int(let value): self.init(Self.bits(value), ascending: ascending)
        case .link(let key): self.init(Self.bits(key.rawValue), ascending: ascending)
        case .float(let value): self.init(Self.bits(Double(value)), ascending: ascending)
        case .double(let value): self.init(Self.bits(value), ascending: ascending)
        case .date(let value): self.init(value, ascending: ascending)
        case .objectId(let value): self.init(value, ascending: ascending)
        case .uuid(let value): self.init(value.high, value.low, ascending: ascending)
        }
    }

    private init(_ date: Timestamp, ascending: Bool) {
        let nanoseconds = UInt64(bitPattern: Int64(date.nanoseconds) + 1 << 31)
        self.init(Self.bits(date.seconds), nanoseconds, ascending: ascending)
    }

    private init(_ id: ObjectId, ascending: Bool) {
        self.init(UInt64(id.high) << 32 | id.low >> 32, id.low & 0xFFFF_FFFF, ascending: ascending)
    }

    /// The first eight bytes decide most comparisons. The text must outlive the cell.
    init(text: UnsafeBufferPointer<UInt8>, ascending: Bool) {
        var prefix: UInt64 = 0
        if text.count >= 8 {
            prefix = UInt64(bigEndian: UnsafeRawBufferPointer(text).loadUnaligned(as: UInt64.self))
        } else {
            for byte in text { prefix = prefix << 8 | UInt64(byte) }
            prefix <<= UInt64(8 * (8 - text.count))
        }
        primary = ascending ? prefix : ~prefix
        secondary = UInt64(UInt(bitPattern: text.baseAddress))
        length = UInt32(truncatingIfNeeded: text.count)
        rank = 1
    }

    private var text: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: UnsafePointer(bitPattern: UInt(secondary)), count: Int(length))
    }

    /// Negative, zero or positive.
    @inline(__always)
    static func order(_ a: SortCell, _ b: SortCell, isText: Bool, ascending: Bool) -> Int {
        if a.rank != b.rank { return a.rank < b.rank ? -1 : 1 }
        if a.primary != b.primary { return a.primary < b.primary ? -1 : 1 }
        if isText, a.rank == 1 {
            let order = TextPattern.order(a.text, b.text)
            return ascending ? order : -order
        }
        return a.secondary == b.secondary ? 0 : (a.secondary < b.secondary ? -1 : 1)
    }

    private static func bits(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ 1 << 63 }

    /// NaN is below all numbers, and -0 is 0.
    private static func bits(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        let bits = (value + 0).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }
}
