/// The first 32 bytes of a leaf, and the offsets of the parts after it. All numbers are little endian.
///
///      0        1         2      3       4       6       8     16     24      28       30     31
///     +------+----------+-------+-------+-------+-------+-----+------+-------+---------+------+--------+
///     | kind | encoding | width | side  | slots | nulls | min | max  | area  | entries | NaNs | format |
///     +------+----------+-------+-------+-------+-------+-----+------+-------+---------+------+--------+
///     then, without padding:
///     null words   one bit per slot, in 64-bit words; only when nulls > 0
///     packed       slots × width bits: value - min, unsigned, least significant bits first;
///                  dates hold seconds there, then slots × side bits of nanoseconds (32, or 0 when all are zero)
///     raw          slots × 4 (float), 8 (double), 12 (objectId, big endian), 16 (uuid, big endian; decimal128, low word
///                  first) bytes
///     text         (slots + 1) offsets of `width` bits, then, when entries > 0, one bit per slot in 64-bit words that marks the
///                  overflow slots, then `area` bytes
///     dictionary   slots × width bits of codes, (entries + 1) offsets of `side` bits, then `area` bytes
///
/// Outsized values are stored elsewhere, under the object's key. Instead of them the leaf has the eight bytes of their
/// size: for a string, data or mixed value in bytes, for a collection in elements.
///
/// Min and max are of the values that are neither null nor NaN: as signed integers for packed leaves (seconds of
/// dates), as doubles for floating ones, and unused otherwise. Without any such value min is above max.
struct LeafHeader {
    static let size = 32
    static let format: UInt8 = 1

    enum Encoding: UInt8 {
        case packed = 0
        case raw = 1
        case text = 2
        case dictionary = 3
    }

    var kind: LeafKind
    var encoding: Encoding
    /// Bits per value, per text offset, or per dictionary code.
    var width: Int = 0
    /// Bits per nanoseconds of a date, or per offset into a dictionary.
    var side: Int = 0
    var count: Int
    var nullCount: Int
    var minimumBits: UInt64 = 0
    var maximumBits: UInt64 = 0
    var areaSize: Int = 0
    var entryCount: Int = 0
    var hasNaN = false

    /// The offset of the values, the codes or the text offsets.
    var valuesOffset: Int { Self.size + (nullCount > 0 ? maskWordCount(count) * 8 : 0) }

    /// Their size in bytes.
    var valuesSize: Int {
        switch encoding {
        case .packed, .dictionary: (count * width + 7) / 8
        case .raw: count * width / 8
        case .text: (count + 1) * width / 8
        }
    }

    /// The offset of the nanoseconds, the dictionary's offsets or the bits of overflow slots.
    var sideOffset: Int { valuesOffset + valuesSize }

    /// Their size in bytes.
    var sideSize: Int {
        switch encoding {
        case .packed: count * side / 8
        case .dictionary: (entryCount + 1) * side / 8
        case .text: entryCount > 0 ? maskWordCount(count) * 8 : 0
        case .raw: 0
        }
    }

    /// The offset of the text.
    var areaOffset: Int { sideOffset + sideSize }

    /// The size of the whole leaf in bytes.
    var totalSize: Int { areaOffset + areaSize }

    init(kind: LeafKind, encoding: Encoding, count: Int, nullCount: Int) {
        self.kind = kind
        self.encoding = encoding
        self.count = count
        self.nullCount = nullCount
    }

    /// Reads and checks every field, so that all the parts lie within `bytes`.
    init(validating bytes: UnsafeRawBufferPointer) throws(LeafError) {
        guard bytes.count >= Self.size else { throw .truncated }
        guard bytes[31] == Self.format else { throw bytes[31] > Self.format ? .unsupportedFormat : .malformed }
        guard let kind = LeafKind(rawValue: bytes[0]), let encoding = Encoding(rawValue: bytes[1]),
            kind.allows(encoding), bytes[30] <= 1
        else { throw .malformed }
        self.kind = kind
        self.encoding = encoding
        width = Int(bytes[2])
        side = Int(bytes[3])
        count = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
        nullCount = Int(bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        minimumBits = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        maximumBits = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        areaSize = Int(bytes.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
        entryCount = Int(bytes.loadUnaligned(fromByteOffset: 28, as: UInt16.self))
        hasNaN = bytes[30] == 1
        guard nullCount <= count, hasPossibleWidths else { throw .malformed }
        guard totalSize <= bytes.count else { throw .truncated }
    }

    private var hasPossibleWidths: Bool {
        switch (kind, encoding) {
        case (.bool, .packed): (width == 0 || width == 1) && side == 0 && areaSize == 0
        case (.date, .packed): Self.isPackedWidth(width) && (side == 0 || side == 32) && areaSize == 0
        case (_, .packed): Self.isPackedWidth(width) && side == 0 && areaSize == 0
        case (_, .raw): width == Self.rawWidth(kind) && side == 0 && areaSize == 0
        case (_, .text): Self.isOffsetWidth(width) && side == 0 && entryCount <= count
        case (_, .dictionary): Self.isPackedWidth(width) && width <= 8 && Self.isOffsetWidth(side) && entryCount <= 256
        }
    }

    private static func isPackedWidth(_ width: Int) -> Bool {
        width == 0 || (width <= 64 && width & (width - 1) == 0)
    }

    private static func isOffsetWidth(_ width: Int) -> Bool { width == 16 || width == 32 }

    /// Bits per value of the kinds that are stored unencoded; 0 for the others.
    static func rawWidth(_ kind: LeafKind) -> Int {
        switch kind {
        case .float: 32
        case .double: 64
        case .objectId: 96
        case .uuid, .decimal128: 128
        default: 0
        }
    }

    /// Writes the 32 bytes to the front of `out`, which must be that long.
    func write(to out: UnsafeMutableRawBufferPointer) {
        out[0] = kind.rawValue
        out[1] = encoding.rawValue
        out[2] = UInt8(truncatingIfNeeded: width)
        out[3] = UInt8(truncatingIfNeeded: side)
        out.storeBytes(of: UInt16(truncatingIfNeeded: count), toByteOffset: 4, as: UInt16.self)
        out.storeBytes(of: UInt16(truncatingIfNeeded: nullCount), toByteOffset: 6, as: UInt16.self)
        out.storeBytes(of: minimumBits, toByteOffset: 8, as: UInt64.self)
        out.storeBytes(of: maximumBits, toByteOffset: 16, as: UInt64.self)
        out.storeBytes(of: UInt32(truncatingIfNeeded: areaSize), toByteOffset: 24, as: UInt32.self)
        out.storeBytes(of: UInt16(truncatingIfNeeded: entryCount), toByteOffset: 28, as: UInt16.self)
        out[30] = hasNaN ? 1 : 0
        out[31] = Self.format
    }
}
