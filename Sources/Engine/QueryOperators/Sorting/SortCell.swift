import Columnar
import ObjectModel

/// One sort key's value of one object, in a form that compares as unsigned integers: first `rank`, then `primary`, then
/// the part that the column's shape defines.
///
/// Ascending, null is below all values and a null link on the path above them; descending inverts all bits.
struct SortCell {
    /// The part that orders cells with equal `primary`.
    enum Shape {
        /// The bits of `secondary`.
        case bits
        /// The bytes of texts or data.
        case text
        /// The values that records hold.
        case record

        /// The shape for values of that type.
        init(_ base: BaseType?) {
            switch base {
            case .string, .data: self = .text
            case .mixed: self = .record
            default: self = .bits
            }
        }
    }

    /// How the cells of one column compare.
    struct Order {
        let shape: Shape
        let ascending: Bool

        /// Compares two cells; returns a negative number, zero or a positive one.
        @inline(__always)
        func of(_ a: SortCell, _ b: SortCell) -> Int { SortCell.order(a, b, shape, ascending: ascending) }
    }

    var primary: UInt64
    /// Further bits, or the address of the text or record.
    var secondary: UInt64
    /// The length of the text or record.
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
        case .decimal128: self.init(leaf.decimal(at: slot), ascending: ascending)
        case .mixed: self.init(record: leaf.utf8(at: slot), ascending: ascending)
        case .list, .set, .map: self = .null(ascending: ascending)
        }
    }

    /// `keep` copies bytes to memory that outlives the cell.
    init(
        _ value: Value, _ shape: Shape, ascending: Bool, keep: ([UInt8]) -> UnsafeBufferPointer<UInt8>
    ) {
        switch (shape, value) {
        case (_, .null): self = .null(ascending: ascending)
        case (.record, _): self.init(record: keep(ValueRecord.encode(value)), ascending: ascending)
        case (_, .string(let text)): self.init(text: keep(Array(text.utf8)), ascending: ascending)
        case (_, .data(let bytes)): self.init(text: keep(bytes), ascending: ascending)
        case (_, .bool(let value)): self.init(value ? 1 : 0, ascending: ascending)
        case (_, .int(let value)): self.init(Self.bits(value), ascending: ascending)
        case (_, .link(let key)): self.init(Self.bits(key.rawValue), ascending: ascending)
        case (_, .float(let value)): self.init(Self.bits(Double(value)), ascending: ascending)
        case (_, .double(let value)): self.init(Self.bits(value), ascending: ascending)
        case (_, .decimal(let value)): self.init(value, ascending: ascending)
        case (_, .date(let value)): self.init(value, ascending: ascending)
        case (_, .objectId(let value)): self.init(value, ascending: ascending)
        case (_, .uuid(let value)): self.init(value.high, value.low, ascending: ascending)
        case (_, .reference), (_, .list), (_, .set), (_, .dictionary), (_, .embedded):
            self = .null(ascending: ascending)
        }
    }

    private init(_ number: Decimal128, ascending: Bool) {
        let key = number.orderKey
        self.init(UInt64(key >> 64), UInt64(truncatingIfNeeded: key), ascending: ascending)
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
        self.init(Self.bits(text), bytes: text, ascending: ascending)
    }

    /// A mixed value: first its kind, then the leading part of a value of the kind. The bytes must outlive the cell.
    init(record: UnsafeBufferPointer<UInt8>, ascending: Bool) {
        let view = ValueView(record: UnsafeRawBufferPointer(record))
        if view.isNull {
            self = .null(ascending: ascending)
            return
        }
        let first: UInt64 =
            switch view {
            case .bool(let value): value ? .max : 0
            case .int(let value): Self.bits(Double(value))
            case .float(let value): Self.bits(Double(value))
            case .double(let value): Self.bits(value)
            case .decimal(let value): Self.bits(value.double)
            case .string(let bytes), .data(let bytes): Self.bits(bytes)
            case .date(let date): Self.bits(date.seconds)
            case .objectId(let id): UInt64(id.high) << 32 | id.low >> 32
            case .uuid(let id): id.high
            case .reference(let object):
                UInt64(object.classID.rawValue) << 32 | UInt64(clamping: min(object.key.rawValue, 0xFFFF_FFFF))
            case .null, .link, .list, .dictionary: 0
            }
        self.init(UInt64(view.kindRank) << 56 | first >> 8, bytes: record, ascending: ascending)
    }

    private init(_ primary: UInt64, bytes: UnsafeBufferPointer<UInt8>, ascending: Bool) {
        self.primary = ascending ? primary : ~primary
        secondary = UInt64(UInt(bitPattern: bytes.baseAddress))
        length = UInt32(truncatingIfNeeded: bytes.count)
        rank = 1
    }

    /// The text or record.
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: UnsafePointer(bitPattern: UInt(secondary)), count: Int(length))
    }

    /// Compares two cells; returns a negative number, zero or a positive one.
    @inline(__always)
    static func order(_ a: SortCell, _ b: SortCell, _ shape: Shape, ascending: Bool) -> Int {
        if a.rank != b.rank { return a.rank < b.rank ? -1 : 1 }
        if a.primary != b.primary { return a.primary < b.primary ? -1 : 1 }
        if shape != .bits, a.rank == 1 {
            let order = orderOfBytes(a.bytes, b.bytes, shape)
            return ascending ? order : -order
        }
        return a.secondary == b.secondary ? 0 : (a.secondary < b.secondary ? -1 : 1)
    }

    private static func orderOfBytes(
        _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, _ shape: Shape
    ) -> Int {
        let order = TextPattern.order(a, b)
        // Equal records are equal values; the order of records means nothing.
        guard shape == .record, order != 0 else { return order }
        return ValueView.order(
            ValueView(record: UnsafeRawBufferPointer(a)), ValueView(record: UnsafeRawBufferPointer(b)))
    }

    /// The first eight bytes as a number that compares like the text; zeros where it has fewer.
    static func bits(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        if text.count >= 8 {
            return UInt64(bigEndian: UnsafeRawBufferPointer(text).loadUnaligned(as: UInt64.self))
        }
        var prefix: UInt64 = 0
        for byte in text { prefix = prefix << 8 | UInt64(byte) }
        return text.isEmpty ? 0 : prefix << UInt64(8 * (8 - text.count))
    }

    private static func bits(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ 1 << 63 }

    /// NaN is below all numbers, and -0 is 0.
    private static func bits(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        let bits = (value + 0).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }
}
