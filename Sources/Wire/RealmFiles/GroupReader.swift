/// Reads the topmost node: which tables there are.
struct GroupReader {
    let version: UInt64
    let tables: [RealmTable]

    /// The topmost node has grown over time.
    private static let sizes: Set<Int> = [3, 5, 7, 9, 10, 11, 12]

    private enum Slot {
        static let names = 0
        static let tables = 1
        static let length = 2
        static let version = 6
    }

    init(_ reader: NodeReader, top: Int64) throws(RealmFileError) {
        guard top != 0 else {
            version = 0
            tables = []
            return
        }
        guard top <= Int64(reader.end - Node.headerLength) else {
            throw reader.damaged("the file has \(reader.image.count) bytes, too few for this: it was cut off", at: top)
        }
        let slots = try reader.slots(at: top)
        guard Self.sizes.contains(slots.count) else {
            throw reader.damaged("the topmost node has \(slots.count) slots", at: top)
        }
        let length = try reader.count(slots, Slot.length)
        guard length <= reader.image.count else {
            throw reader.damaged("the file has \(reader.image.count) bytes of \(length): it was cut off", at: top)
        }
        version = slots.count > Slot.version ? try reader.tagged(slots, Slot.version) : 0
        let names = try reader.names(at: slots[Slot.names])
        var tables: [RealmTable] = []
        var distinct = DistinctNames(names)
        // The slot of a removed table holds a number or nothing.
        for (index, ref) in try reader.slots(at: slots[Slot.tables]).values.enumerated() where ref != 0 && ref & 1 == 0
        {
            reader.subject = "the list of tables"
            guard index < names.count else { throw reader.damaged("table \(index) has no name", at: top) }
            guard let name = distinct.next(names[index]) else {
                throw reader.damaged("two tables have the name '\(names[index].text)'", at: top)
            }
            tables.append(try TableReader(reader, at: ref, name: name).table(at: index, storedName: names[index].text))
        }
        let keys = Set(tables.map(\.key))
        for table in tables {
            for column in table.columns where column.type == .link {
                guard let target = column.target, keys.contains(target) else {
                    reader.subject = "table '\(table.name)'"
                    throw reader.damaged("the links '\(column.name)' lead to a table that is not there", at: top)
                }
            }
        }
        self.tables = tables
    }
}
