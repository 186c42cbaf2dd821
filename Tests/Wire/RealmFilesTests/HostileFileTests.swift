import Testing

@testable import RealmFiles

/// What no damage would make by chance.
@Suite("Files that were made to do harm")
struct HostileFileTests {
    private typealias Column = TableDraft.Column
    private typealias Writer = NodeWriter

    private func damage(_ column: Column, rows: Int = 1, leaf: (inout NodeWriter) -> Int64) -> String {
        ValueText.damage(of: Writer.file(column, rows: rows, leaf: leaf))
    }

    @Test("places outside of the file, odd ones and those within the header are refused")
    func places() {
        for ref: Int64 in [8, 16, 25, 28, 1 << 20, .max - 7, .min, -8] {
            let reason = damage(Column(type: 4)) { $0.integers([ref], width: 64, [.refs, .context]) }
            #expect(reason == "no node can be there", "\(ref)")
        }
    }

    @Test("nodes that end beyond the file are refused, also those of the largest sizes")
    func ends() {
        for (kind, width) in [(0, 64), (1, 64), (1, 1), (2, 0)] as [(UInt8, Int)] {
            let reason = damage(Column(type: 0)) { $0.node([], kind: kind, width: width, size: 0xFF_FFFF) }
            #expect(reason == "it ends beyond the file")
        }
        let unknown = damage(Column(type: 0)) { $0.node([], kind: 3, width: 1, size: 0) }
        #expect(unknown == "its kind of width is unknown")
    }

    @Test("nodes that claim elements without bytes are refused", arguments: [0, 1] as [UInt8])
    func claims(kind: UInt8) {
        let reason = damage(Column(type: kind == 0 ? 0 : 2)) { $0.node([], kind: kind, width: 0, size: 0xFF_FFFF) }
        #expect(reason == "it claims 16777215 elements")
    }

    @Test("many lists cannot share one that claims much")
    func sharedZeros() {
        let reason = damage(Column(type: 0, attributes: Column.list), rows: 200) { writer in
            let list = writer.node([], kind: 0, width: 0, size: 65_536)
            return writer.refs([Int64](repeating: list, count: 200))
        }
        #expect(reason.contains("too many values in one place"), "\(reason)")
    }

    @Test("values of a bit are counted by the memory that they take, not by the file", arguments: [1, 0, 9] as [Int64])
    func smallValues(type: Int64) {
        // A file of 400 KB, whose three million values would take more than 100 MB.
        let count = 3 << 20
        let reason = damage(Column(type: type, attributes: Column.list)) { writer in
            let list = writer.node(
                [UInt8](repeating: 0x55, count: count / 8), kind: 0, width: 1, size: count)
            return writer.refs([list])
        }
        #expect(reason.contains("too many values in one place"), "\(reason)")
    }

    @Test("a set has no element twice", arguments: [[1, 1, 2], [1, 2, 2], [0, 0]] as [[Int64]])
    func repeated(elements: [Int64]) {
        let reason = damage(Column(type: 0, attributes: Column.set)) { writer in
            let set = writer.integers(elements)
            return writer.refs([set])
        }
        #expect(reason == "a set has an element twice")
    }

    @Test("many columns cannot keep strings that claim much")
    func enumerations() {
        var writer = NodeWriter()
        var columns: [Column] = []
        var leaves: [Int64] = []
        for number in 0..<60 {
            let strings = writer.node([], kind: 1, width: 0, size: 65_536)
            columns.append(Column(name: "p\(number)", type: 2, attributes: Column.nullable, enumeration: strings))
            leaves.append(writer.integers([0]))
        }
        // With one object in each, the clusters alone would never reach the limit.
        let first = writer.cluster(1, leaves)
        let offsets = writer.integers([0], isUnsigned: true)
        let root = writer.refs([offsets, Writer.tagged(1), Writer.tagged(1), first], .inner)
        let reason = ValueText.damage(of: writer.file([TableDraft(columns: columns, root: root)]))
        #expect(reason.contains("too many values in one place"), "\(reason)")
    }

    @Test("many values cannot share one that is long")
    func sharedBytes() {
        let reason = damage(Column(type: 4), rows: 200) { writer in
            let blob = writer.raw([UInt8](repeating: 1, count: 100_000))
            return writer.refs([Int64](repeating: blob, count: 200), .context)
        }
        #expect(reason == "more is read than the file can have; nodes are shared or lead in a circle")
    }

    @Test("many small nodes cannot be one")
    func sharedNodes() {
        let reason = damage(Column(type: 0, attributes: Column.list), rows: 1) { writer in
            var root = writer.integers([1])
            // Each level has the one below twice: a million leaves after twenty.
            for level in 0..<20 {
                let half = 1 << level
                root = writer.refs([Writer.tagged(half), root, root, Writer.tagged(2 * half)], .inner)
            }
            return writer.refs([root])
        }
        #expect(reason == "more is read than the file can have; nodes are shared or lead in a circle")
    }

    @Test("many tables cannot share their objects")
    func sharedObjects() throws {
        var writer = NodeWriter()
        let leaf = writer.bigBlobs([[UInt8](repeating: 1, count: 100_000)])
        let root = writer.cluster(1, [leaf])
        let tables = (0..<100).map { TableDraft(name: "class_\($0)", columns: [Column(type: 4)], root: root) }
        let file = try RealmFile(bytes: writer.file(tables))
        var read = 0
        for table in file.tables {
            do { try file.forEachObject(of: table) { _ in read += 1 } } catch { #expect(error is RealmFileError) }
        }
        #expect(read > 1 && read < 20)
        // What was read once can be read again.
        for _ in 0..<10 { try file.forEachObject(of: file.tables[0]) { _ in read += 1 } }
    }

    @Test("a node of another kind than its place needs is refused")
    func kinds() {
        let types: [Int64] = [0, 1, 2, 4, 6, 8, 9, 10, 11, 15, 17]
        for type in types {
            for kind in UInt8(0)...2 {
                for flags: NodeWriter.Flags in [[], .refs, .context, [.refs, .context], .inner, [.inner, .refs]] {
                    for width in [0, 1, 2, 4, 8, 16, 32, 64] where kind < 2 || width == 0 {
                        // An answer or a fault, and no trap.
                        let column = Column(type: type)
                        let bytes = Writer.file(column, rows: 2) {
                            let payload = [UInt8](
                                repeating: 3, count: kind == 0 ? (2 * width + 7) / 8 : 2 * max(width, 1))
                            return $0.node(payload, kind: kind, width: width, size: 2, flags)
                        }
                        _ = ValueText.fault(of: bytes)
                    }
                }
            }
        }
    }

    @Test("tables that contradict themselves are refused")
    func tables() {
        func table(_ change: (inout TableDraft) -> Void) -> String {
            var writer = NodeWriter()
            let leaf = writer.integers([1])
            var table = TableDraft(columns: [Column(type: 0)], root: writer.cluster(1, [leaf]))
            change(&table)
            return ValueText.damage(of: writer.file([table]))
        }
        #expect(table { _ in } == "– nil")
        #expect(table { $0.flags = 3 } == "it is of no kind of table")
        #expect(table { $0.flags = 2 } == "– nil")
        #expect(table { $0.primaryKey = 1 } == "– nil")
        #expect(table { $0.primaryKey = 3 } == "its primary key is not a column")
        #expect(table { $0.primaryKey = 2 } == "slot 11 is not a number")
        #expect(table { $0.columns[0].type = 3 } == "column 'p' is of the unknown type 3")
        #expect(table { $0.columns[0].type = 16 } == "column 'p' is of the unknown type 16")
        #expect(table { $0.columns[0].attributes = 32 | 128 } == "column 'p' is several collections")
        #expect(table { $0.columns.append($0.columns[0]) } == "it has two columns 'p'")
        #expect(table { $0.columns.append(Column(name: "q", type: 0)) } == "it has no slot 2")
        var writer = NodeWriter()
        let twice = [TableDraft(columns: [], root: 0), TableDraft(columns: [], root: 0)]
        #expect(ValueText.damage(of: writer.file(twice)) == "two tables have the name 'class_T'")
    }

    @Test("a fault names the table, the column and the node")
    func location() {
        let bytes = Writer.file(Column(name: "age", type: 1), rows: 1) { $0.integers([2]) }
        #expect(
            ValueText.fault(of: bytes)
                == .damaged(location: "table 'class_T', column 'age', node 24", reason: "2 is not a boolean value"))
    }
}
