/// Writes nodes of Realm files, as the format has them and as it must not.
struct NodeWriter {
    /// The flags of a node's header.
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let inner = Flags(rawValue: 0x80)
        static let refs = Flags(rawValue: 0x40)
        static let context = Flags(rawValue: 0x20)
    }

    private(set) var bytes = [UInt8](repeating: 0, count: 24)

    /// A number in a slot that may have an offset too.
    static func tagged(_ value: Int) -> Int64 { Int64(value) << 1 | 1 }

    /// Adds a node of anything. The kind is 0 for bits, 1 for bytes and 2 for raw ones; the width is in its unit.
    mutating func node(
        _ payload: [UInt8], kind: UInt8, width: Int, size: Int, _ flags: Flags = []
    ) -> Int64 {
        let ref = Int64(bytes.count)
        let code = width == 0 ? 0 : UInt8(width.trailingZeroBitCount + 1)
        bytes += [0x41, 0x41, 0x41, 0x41, flags.rawValue | kind << 3 | code]
        bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
        bytes += payload
        bytes += [UInt8](repeating: 0, count: -bytes.count & 7)
        return ref
    }

    /// Adds a node of integers, of the smallest width that has all of them or of a given one.
    mutating func integers(
        _ values: [Int64], width: Int? = nil, isUnsigned: Bool = false, _ flags: Flags = []
    ) -> Int64 {
        let width = width ?? Self.width(of: values, isUnsigned: isUnsigned)
        var payload = [UInt8](repeating: 0, count: (values.count * width + 7) / 8)
        for (index, value) in values.enumerated() {
            for bit in 0..<width where value >> Int64(bit) & 1 == 1 {
                let position = index * width + bit
                payload[position / 8] |= 1 << UInt8(position % 8)
            }
        }
        return node(payload, kind: 0, width: width, size: values.count, flags)
    }

    private static func width(of values: [Int64], isUnsigned: Bool) -> Int {
        let smallest = isUnsigned ? 8 : 0
        return [0, 1, 2, 4, 8, 16, 32, 64].first { width in
            width >= smallest
                && values.allSatisfy { value in
                    switch width {
                    case 64: true
                    case 8... where !isUnsigned: value >= -1 << Int64(width - 1) && value < 1 << Int64(width - 1)
                    default: value >= 0 && value < 1 << Int64(width)
                    }
                }
        } ?? 64
    }

    mutating func refs(_ values: [Int64], _ flags: Flags = []) -> Int64 { integers(values, flags.union(.refs)) }

    mutating func raw(_ payload: [UInt8], _ flags: Flags = []) -> Int64 {
        node(payload, kind: 2, width: 0, size: payload.count, flags)
    }

    /// Adds a leaf of short strings; nil is null.
    mutating func shortStrings(_ values: [String?], width: Int) -> Int64 {
        shortStrings(bytes: values.map { $0.map { Array($0.utf8) } }, width: width)
    }

    /// Adds a leaf of short strings, which may be no UTF-8.
    mutating func shortStrings(bytes values: [[UInt8]?], width: Int) -> Int64 {
        let cells = values.flatMap { value -> [UInt8] in
            guard let text = value, width > 0 else {
                return width == 0 ? [] : [UInt8](repeating: 0, count: width - 1) + [UInt8(width)]
            }
            let padding = width - 1 - text.count
            return text + [UInt8](repeating: 0, count: padding) + [UInt8(padding)]
        }
        return node(cells, kind: 1, width: width, size: values.count)
    }

    /// Adds a leaf of bytes that lie in a row; nil is null.
    mutating func smallBlobs(_ values: [[UInt8]?]) -> Int64 {
        var ends: [Int64] = []
        var content: [UInt8] = []
        for value in values {
            content += value ?? []
            ends.append(Int64(content.count))
        }
        let parts = [integers(ends), raw(content), integers(values.map { $0 == nil ? 1 : 0 })]
        return refs(parts)
    }

    /// Adds a leaf with a node for each value; nil is null.
    mutating func bigBlobs(_ values: [[UInt8]?]) -> Int64 {
        var parts: [Int64] = []
        for value in values { parts.append(value.map { raw($0) } ?? 0) }
        return refs(parts, .context)
    }

    /// Adds a cluster with the keys 0, 1, 2 and so on.
    mutating func cluster(_ count: Int, _ columns: [Int64]) -> Int64 { refs([Self.tagged(count)] + columns) }

    /// Adds a tree of one leaf of any values.
    mutating func mixed(
        _ codes: [Int64], numbers: [Int64] = [], pairs: [Int64] = [], texts: Int64 = 0, collections: [Int64]? = nil
    ) -> Int64 {
        var parts = [
            integers(codes), numbers.isEmpty ? 0 : integers(numbers), pairs.isEmpty ? 0 : integers(pairs), texts,
        ]
        if let collections { parts += [refs(collections), 0] }
        return refs(parts)
    }

    /// The code of a mixed value.
    static func code(_ kind: Int64, _ value: Int64, index: Int64 = 0) -> Int64 { value << 8 | index << 5 | (kind + 1) }

    /// Writes the header: the bytes are a file from now on.
    mutating func finish(format: UInt8, top: Int64) {
        for byte in 0..<8 { bytes[8 + byte] = UInt8(truncatingIfNeeded: top >> Int64(8 * byte)) }
        bytes.replaceSubrange(16..<24, with: Array("T-DB".utf8) + [0, format, 0, 1])
    }
}

/// A table to write.
struct TableDraft {
    struct Column {
        var name = "p"
        /// In place of the name, which need not be UTF-8.
        var nameBytes: [UInt8]?
        var type: Int64
        var attributes: Int64 = 0
        var keyType: Int64 = 2
        var target: Int64 = 0x7FFF_FFFF
        var enumeration: Int64 = 0

        static let nullable: Int64 = 16
        static let list: Int64 = 32
        static let map: Int64 = 64
        static let set: Int64 = 128
    }

    var name = "class_T"
    /// In place of the name, which need not be UTF-8.
    var nameBytes: [UInt8]?
    var columns: [Column]
    /// The root of the objects.
    var root: Int64
    var primaryKey: Int64 = 0
    var flags: Int64 = 0
}

extension NodeWriter {
    /// Adds the tables and the topmost node, and returns the whole file.
    mutating func file(_ tables: [TableDraft], format: UInt8 = 24, version: Int = 7) -> [UInt8] {
        var places: [Int64] = []
        for (index, table) in tables.enumerated() { places.append(self.table(table, index, format)) }
        let names = shortStrings(bytes: tables.map { $0.nameBytes ?? Array($0.name.utf8) }, width: 64)
        let list = refs(places)
        // Room for what is still to come: the topmost node has 11 slots of 64 bits.
        let length = bytes.count + 8 + 11 * 8
        let top = integers(
            [names, list, Self.tagged(length), 0, 0, 0, Self.tagged(version), Self.tagged(2), 0, 0, 0], width: 64,
            .refs)
        finish(format: format, top: top)
        return bytes
    }

    private mutating func table(_ table: TableDraft, _ index: Int, _ format: UInt8) -> Int64 {
        let columns = table.columns
        let isMap = { (column: TableDraft.Column) in column.attributes & TableDraft.Column.map != 0 }
        let spec = [
            integers(columns.map { $0.type | (isMap($0) ? $0.keyType << 16 : 0) }),
            shortStrings(bytes: columns.map { $0.nameBytes ?? Array($0.name.utf8) }, width: 32),
            integers(columns.map(\.attributes)), 0,
            columns.contains { $0.enumeration != 0 } ? refs(columns.map(\.enumeration)) : 0,
            integers(columns.enumerated().map { Int64($0) | $1.type << 16 | $1.attributes << 22 }),
        ]
        let targets = integers(columns.map(\.target))
        let slots = [
            refs(spec), 0, table.root, Self.tagged(index), 0, 1, 1, targets, 0, 1, 0, table.primaryKey,
            table.flags << 1 | 1, 0,
        ]
        // Embedded tables and tombstones came with format 20.
        return refs(Array(slots.prefix(format < 20 ? 12 : 14)))
    }

    /// A file of one table with one column and a cluster of objects.
    static func file(
        _ column: TableDraft.Column, rows: Int, format: UInt8 = 24, leaf: (inout NodeWriter) -> Int64
    ) -> [UInt8] {
        var writer = NodeWriter()
        let ref = leaf(&writer)
        let root = writer.cluster(rows, [ref])
        return writer.file([TableDraft(columns: [column], root: root)], format: format)
    }
}
