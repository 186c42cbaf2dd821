/// Reads what a table is, without its objects.
struct TableReader {
    private let reader: NodeReader
    private let name: String
    private let slots: Slots

    /// The types of columns, as numbers in the file.
    private static let types: [Int64: RealmColumnType] = [
        0: .int, 1: .bool, 2: .string, 4: .binary, 6: .mixed, 8: .timestamp, 9: .float, 10: .double, 11: .decimal,
        12: .link, 13: .link, 15: .objectID, 17: .uuid,
    ]
    /// A list of links before format 24.
    private static let listOfLinks: Int64 = 13
    /// The other direction of links, which is not read.
    private static let backlink: Int64 = 14

    private enum Attribute {
        static let nullable: Int64 = 16
        static let list: Int64 = 32
        static let map: Int64 = 64
        static let set: Int64 = 128
        static let fullText: Int64 = 256
    }

    private enum Slot {
        static let spec = 0
        static let objects = 2
        static let key = 3
        static let indexes = 4
        static let targets = 7
        static let primaryKey = 11
        static let flags = 12
    }

    private static let classPrefix = "class_"
    private static let noTable: Int64 = 0x7FFF_FFFF

    init(_ reader: NodeReader, at ref: Int64, name: String) throws(RealmFileError) {
        self.reader = reader
        self.name = name
        reader.subject = "table '\(name)'"
        slots = try reader.slots(at: ref, atLeast: 9)
    }

    /// - Parameters:
    ///   - index: that of the table in the file's list, which its key repeats.
    ///   - storedName: its name in the file.
    func table(at index: Int, storedName: String) throws(RealmFileError) -> RealmTable {
        let number = try reader.tagged(slots, Slot.key)
        guard let key = UInt32(exactly: number), Int(key & 0xFFFF) == index else {
            throw damaged("its key is \(number), and its place \(index)")
        }
        let kind: RealmTable.Kind
        switch try reader.tagged(slots, Slot.flags, default: 0) & 3 {
        case 0: kind = .topLevel
        case 1: kind = .embedded
        case 2: kind = .asymmetric
        default: throw damaged("it is of no kind of table")
        }
        let columns = try columns()
        // Plain 0 means none. A marked 0 is the key of a column.
        var primaryKey: Int?
        if slots[Slot.primaryKey] != 0 {
            let key = try reader.tagged(slots, Slot.primaryKey)
            primaryKey = columns.firstIndex { $0.key == key }
            if primaryKey == nil { throw damaged("its primary key is not a column") }
        }
        let prefix = Self.classPrefix
        return RealmTable(
            name: name, storedName: storedName,
            className: name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil, key: key,
            kind: kind, columns: columns.map(\.column), primaryKey: primaryKey, objects: slots[Slot.objects],
            layout: columns.map(\.layout))
    }

    private func columns() throws(RealmFileError) -> [(key: UInt64, column: RealmColumn, layout: ColumnLayout)] {
        let spec = try reader.slots(at: slots[Slot.spec], atLeast: 6)
        let types = try reader.integers(at: spec[0])
        let attributes = try reader.integers(at: spec[2])
        let keys = try reader.integers(at: spec[5])
        guard types.count == attributes.count, types.count == keys.count else {
            throw damaged(
                "it has \(types.count) types, \(attributes.count) attributes and \(keys.count) keys of columns")
        }
        // Columns of backlinks come last, and have no names.
        let names = try reader.names(at: spec[1])
        let enumerations = spec[4] == 0 ? [] : try reader.slots(at: spec[4]).values
        let targets = slots[Slot.targets] == 0 ? [] : try reader.integers(at: slots[Slot.targets])
        let indexes = slots[Slot.indexes] == 0 ? [] : try reader.slots(at: slots[Slot.indexes]).values
        var columns: [(key: UInt64, column: RealmColumn, layout: ColumnLayout)] = []
        var distinct = DistinctNames(names)
        for (index, packed) in types.enumerated() where packed & 0xFFFF != Self.backlink {
            guard index < names.count else { throw damaged("column \(index) has no name") }
            guard let name = distinct.next(names[index]) else {
                throw damaged("it has two columns '\(names[index].text)'")
            }
            let key = UInt64(bitPattern: keys[index])
            // The number in the key, and not the column's index, says where the values and what belongs to them are.
            let leaf = Int(truncatingIfNeeded: key & 0xFFFF)
            let number = packed & 0xFFFF
            guard let type = Self.types[number] else {
                throw damaged("column '\(name)' is of the unknown type \(number)")
            }
            var attributes = attributes[index] | Int64(truncatingIfNeeded: key >> 22 & 0xFF)
            if number == Self.listOfLinks { attributes |= Attribute.list }
            var target: UInt32?
            if type == .link, leaf < targets.count, targets[leaf] != Self.noTable {
                target = UInt32(exactly: targets[leaf])
            }
            let isIndexed = leaf < indexes.count && indexes[leaf] != 0
            let column = RealmColumn(
                name: name, storedName: names[index].text, type: type,
                collection: try collection(attributes, keyType: packed >> 16, name),
                isOptional: attributes & Attribute.nullable != 0, isIndexed: isIndexed,
                isFullText: isIndexed && attributes & Attribute.fullText != 0, target: target)
            let enumeration = index < enumerations.count ? enumerations[index] : 0
            columns.append((key, column, ColumnLayout(leaf: leaf, enumeration: enumeration)))
        }
        return columns
    }

    private func collection(
        _ attributes: Int64, keyType: Int64, _ name: String
    ) throws(RealmFileError) -> RealmColumn.Collection {
        switch attributes & (Attribute.list | Attribute.map | Attribute.set) {
        case 0: return .none
        case Attribute.list: return .list
        case Attribute.set: return .set
        case Attribute.map:
            switch Self.types[keyType] {
            case .string: return .map(keysAreIntegers: false)
            case .int: return .map(keysAreIntegers: true)
            default: throw damaged("the map '\(name)' has keys of the type \(keyType)")
            }
        default: throw damaged("column '\(name)' is several collections")
        }
    }

    private func damaged(_ reason: String) -> RealmFileError { reader.damaged(reason, at: slots.ref) }
}
