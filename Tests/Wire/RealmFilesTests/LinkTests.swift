import Testing

@testable import RealmFiles

@Suite("Links")
struct LinkTests {
    private typealias Column = TableDraft.Column
    private typealias Writer = NodeWriter

    /// Two tables: one with a column, and one with the objects 0, 1 and 2.
    private func file(_ column: Column, rows: Int, leaf: (inout NodeWriter) -> Int64) -> [UInt8] {
        var writer = NodeWriter()
        let ref = leaf(&writer)
        let root = writer.cluster(rows, [ref])
        let numbers = writer.integers([7, 8, 9])
        let targets = writer.cluster(3, [numbers])
        return writer.file([
            TableDraft(name: "class_From", columns: [column], root: root),
            TableDraft(name: "class_To", columns: [Column(type: 0)], root: targets),
        ])
    }

    private static let link = Column(type: 12, attributes: Column.nullable, target: 1)
    private static let mixed = Column(type: 6, attributes: Column.nullable)

    @Test("in a column are the key and 1, and in a list the key")
    func keys() throws {
        #expect(
            try ValueText.column(of: file(Self.link, rows: 3) { $0.integers([0, 1, 3]) }) == ["null", "1/0", "1/2"])
        for attributes in [Column.list, Column.set] {
            let column = Column(type: 12, attributes: attributes, target: 1)
            let bytes = file(column, rows: 2) { writer in
                let list = writer.integers([2, 0, 2])
                return writer.refs([list, 0])
            }
            #expect(try ValueText.column(of: bytes) == ["[1/2 1/0 1/2]", "[]"])
        }
    }

    @Test("of the type that formats before 24 have are lists", arguments: [11, 23, 24] as [UInt8])
    func oldLists(format: UInt8) throws {
        var writer = NodeWriter()
        let list = writer.integers([1, 0])
        let leaf = writer.refs([list, 0])
        let root = writer.cluster(2, [leaf])
        let numbers = writer.integers([7, 8])
        let targets = writer.cluster(2, [numbers])
        let bytes = writer.file(
            [
                TableDraft(name: "class_From", columns: [Column(type: 13, target: 1)], root: root),
                TableDraft(name: "class_To", columns: [Column(type: 0)], root: targets),
            ], format: format)
        #expect(try RealmFile(bytes: bytes).tables[0].columns[0].collection == .list)
        #expect(try ValueText.column(of: bytes) == ["[1/1 1/0]", "[]"])
    }

    @Test("to objects that Realm expects to come are null, and left out of lists")
    func tombstones() throws {
        #expect(try ValueText.column(of: file(Self.link, rows: 2) { $0.integers([-1, -9]) }) == ["null", "null"])
        let column = Column(type: 12, attributes: Column.list, target: 1)
        let bytes = file(column, rows: 1) { writer in
            let left = writer.integers([-2, 0])
            let right = writer.integers([1, -3])
            let list = writer.refs([Writer.tagged(2), left, right, Writer.tagged(4)], .inner)
            return writer.refs([list])
        }
        #expect(try ValueText.column(of: bytes) == ["[1/0 1/1]"])
        let any = file(Self.mixed, rows: 2) {
            $0.mixed([Writer.code(16, 0), Writer.code(16, 1)], pairs: [1, -2, 1, 2])
        }
        #expect(try ValueText.column(of: any) == ["null", "1/2"])
    }

    @Test("to objects and tables that are not there are refused")
    func dangling() {
        let missing = "a link leads to object 3 of table 1, which is not there"
        #expect(ValueText.damage(of: file(Self.link, rows: 1) { $0.integers([4]) }) == missing)
        func any(_ table: Int64, _ key: Int64) -> String {
            ValueText.damage(of: file(Self.mixed, rows: 1) { $0.mixed([Writer.code(16, 0)], pairs: [table, key]) })
        }
        #expect(any(1, 3) == missing)
        #expect(any(2, 0) == "a link leads to table 2, which is not there")
        #expect(any(0x1_0001, 0) == "a link leads to table 65537, which is not there")
        #expect(any(-1, 0) == "a link leads to table -1")
        #expect(any(1, .max).hasPrefix("a link leads to object \(Int64.max)"))
        let column = Column(type: 12, attributes: Column.nullable, target: 5)
        let reason = ValueText.damage(of: file(column, rows: 1) { $0.integers([0]) })
        #expect(reason == "the links 'p' lead to a table that is not there")
    }

    @Test("in a map of links lead to the column's table")
    func maps() throws {
        func map(_ table: Int64) -> [UInt8] {
            let column = Column(type: 12, attributes: Column.map | Column.nullable, target: 1)
            return file(column, rows: 1) { writer in
                let keys = writer.shortStrings(["a", "b"], width: 4)
                let values = writer.mixed([0, Writer.code(16, 0)], pairs: [table, 0])
                let root = writer.refs([keys, values])
                return writer.refs([root])
            }
        }
        #expect(try ValueText.column(of: map(1)) == ["{'a'=null 'b'=1/0}"])
        #expect(ValueText.damage(of: map(0)) == "a map has a value of another type than its column")
    }

    @Test("find keys between gaps")
    func ranges() throws {
        var writer = NodeWriter()
        let keys: [Int64] = [0, 1, 2, 5, 9, 10, 1 << 40]
        let list = writer.integers(keys, width: 64)
        let numbers = writer.integers(keys)
        let root = writer.refs([list, numbers])
        let bytes = writer.file([TableDraft(columns: [Column(type: 0)], root: root)])
        let image = try FileImage(bytes)
        let header = try FileHeader(image)
        let reader = NodeReader(image, header, targets: nil, budget: ReadingBudget(length: bytes.count))
        let ranges = try KeyRanges(root: root, reader)
        #expect(ranges.count == keys.count)
        for key in Int64(-2)...12 { #expect(ranges.contains(key) == keys.contains(key)) }
        #expect(ranges.contains(1 << 40) && !ranges.contains(.max) && !ranges.contains(.min))
    }
}
