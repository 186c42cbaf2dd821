import ObjectModel
import RealmFiles
import Testing

/// Forms of leaves that the files that Realm wrote have only a few of.
@Suite("Leaves of values")
struct LeafTests {
    private typealias Column = TableDraft.Column
    private typealias Writer = NodeWriter

    private func values(
        _ type: Int64, _ attributes: Int64 = 0, rows: Int, format: UInt8 = 24, leaf: (inout NodeWriter) -> Int64
    ) throws -> [String] {
        let column = Column(type: type, attributes: attributes)
        return try ValueText.column(of: Writer.file(column, rows: rows, format: format, leaf: leaf))
    }

    private func damage(
        _ type: Int64, _ attributes: Int64 = 0, rows: Int, leaf: (inout NodeWriter) -> Int64
    ) -> String {
        ValueText.damage(of: Writer.file(Column(type: type, attributes: attributes), rows: rows, leaf: leaf))
    }

    @Test(
        "integers of 1, 2 and 4 bits have no sign, and those of 8 and more have one",
        arguments: [
            (0, [0, 0, 0]), (1, [1, 0, 1]), (2, [3, 0, 2]), (4, [15, 8, 1]), (8, [-128, 127, -1]),
            (16, [-32_768, 32_767, 255]), (32, [-2_147_483_648, 2_147_483_647, 65_535]), (64, [.min, .max, -1]),
        ])
    func integers(width: Int, numbers: [Int64]) throws {
        let expected = numbers.map { "\($0)" }
        #expect(try values(0, rows: 3) { $0.integers(numbers, width: width) } == expected)
    }

    @Test("the first number of a nullable leaf means null, whatever it is", arguments: [0, 127, -5, .max] as [Int64])
    func nullableIntegers(null: Int64) throws {
        let found = try values(0, Column.nullable, rows: 3) { $0.integers([null, 1, null, 2]) }
        #expect(found == ["1", "null", "2"])
        #expect(damage(0, Column.nullable, rows: 0) { $0.integers([]) } == "– nil")
        #expect(damage(0, Column.nullable, rows: 1) { $0.integers([]) } == "it has no number for null")
    }

    @Test("booleans are 0 and 1, and 3 for null")
    func booleans() throws {
        #expect(try values(1, Column.nullable, rows: 3) { $0.integers([0, 1, 3]) } == ["false", "true", "null"])
        #expect(damage(1, rows: 1) { $0.integers([2]) } == "2 is not a boolean value")
        #expect(damage(1, rows: 1) { $0.integers([3]) } == "a value is null that must not be")
    }

    @Test(
        "strings of one length have their bytes, also zeros and what is no UTF-8",
        arguments: [1, 2, 4, 8, 16, 32, 64])
    func shortStrings(width: Int) throws {
        let texts = [nil, "", String(repeating: "a", count: width - 1), String(repeating: "\0", count: width / 2)]
        let expected = texts.map { $0.map { "'\($0)'" } ?? "null" }
        #expect(try values(2, Column.nullable, rows: 4) { $0.shortStrings(texts, width: width) } == expected)
    }

    @Test("strings without room are null")
    func stringsWithoutRoom() throws {
        #expect(try values(2, Column.nullable, rows: 2) { $0.shortStrings([nil, nil], width: 0) } == ["null", "null"])
        let bad = damage(2, rows: 1) { $0.node([0, 0, 0, 5], kind: 1, width: 4, size: 1) }
        #expect(bad == "a string of it has no valid length")
    }

    @Test("bytes that are no UTF-8 become replacement characters")
    func badText() throws {
        let found = try values(2, rows: 1) { $0.node([0xFF, 0x61, 0, 1], kind: 1, width: 4, size: 1) }
        #expect(found == ["'\u{FFFD}a'"])
    }

    @Test("strings in a row, and in nodes of their own, have a zero at their end that is not theirs")
    func longStrings() throws {
        let texts: [[UInt8]?] = [Array("one\0".utf8), nil, [0], Array("tw\0o\0".utf8)]
        let expected = ["'one'", "null", "''", "'tw\0o'"]
        #expect(try values(2, Column.nullable, rows: 4) { $0.smallBlobs(texts) } == expected)
        #expect(try values(2, Column.nullable, rows: 4) { $0.bigBlobs(texts) } == expected)
        for bad: [UInt8] in [[], [1]] {
            #expect(damage(2, rows: 1) { $0.smallBlobs([bad]) } == "a string has no zero at its end")
            #expect(damage(2, rows: 1) { $0.bigBlobs([bad]) } == "a string has no zero at its end")
        }
    }

    @Test("data has no zero at its end")
    func data() throws {
        let bytes: [[UInt8]?] = [[1, 2, 0], nil, []]
        let expected = ["[1, 2, 0]", "null", "[]"]
        #expect(try values(4, Column.nullable, rows: 3) { $0.smallBlobs(bytes) } == expected)
        #expect(try values(4, Column.nullable, rows: 3) { $0.bigBlobs(bytes) } == expected)
        #expect(damage(4, rows: 1) { $0.shortStrings(["a"], width: 4) } == "data is expected")
    }

    @Test("a value may be joined from several nodes")
    func joined() throws {
        let found = try values(4, rows: 1) { writer in
            let parts = [writer.raw([1, 2]), writer.raw([3])]
            let value = writer.refs(parts, .context)
            return writer.refs([value], .context)
        }
        #expect(found == ["[1, 2, 3]"])
        let nested = damage(4, rows: 1) { writer in
            let part = writer.raw([1, 2])
            let inner = writer.refs([part], .context)
            let value = writer.refs([inner], .context)
            return writer.refs([value], .context)
        }
        #expect(nested == "bytes are expected")
    }

    @Test("values in a row end one after the other, and within their bytes", arguments: [[2, 1], [1, 9], [-1, 2]])
    func badEnds(ends: [Int64]) {
        let bad = damage(4, rows: 2) { writer in
            let parts = [writer.integers(ends, width: 8), writer.raw([1, 2]), 0]
            return writer.refs(parts)
        }
        #expect(bad.hasPrefix("a value of it ends at"))
    }

    @Test("enumerated strings are numbers of the column's strings, in any form")
    func enumerated() throws {
        for isLong in [false, true] {
            var writer = NodeWriter()
            let names = ["red", "green"]
            let enumeration =
                isLong ? writer.smallBlobs(names.map { Array($0.utf8) + [0] }) : writer.shortStrings(names, width: 8)
            let leaf = writer.integers([1, 0, 1])
            let root = writer.cluster(3, [leaf])
            let column = Column(type: 2, enumeration: enumeration)
            let bytes = writer.file([TableDraft(columns: [column], root: root)])
            #expect(try ValueText.column(of: bytes) == ["'green'", "'red'", "'green'"])
        }
        #expect(damage(2, rows: 1) { $0.integers([1]) } == "strings are expected")
        var writer = NodeWriter()
        let enumeration = writer.shortStrings(["red"], width: 8)
        let leaf = writer.integers([1])
        let root = writer.cluster(1, [leaf])
        let table = TableDraft(columns: [Column(type: 2, enumeration: enumeration)], root: root)
        #expect(ValueText.damage(of: writer.file([table])) == "it has string 1 of 1")
    }

    @Test("dates are seconds and nanoseconds of one sign")
    func dates() throws {
        func leaf(_ seconds: [Int64], _ nanoseconds: [Int64]) -> (inout NodeWriter) -> Int64 {
            { writer in
                let parts = [writer.integers(seconds), writer.integers(nanoseconds)]
                return writer.refs(parts)
            }
        }
        let found = try values(8, Column.nullable, rows: 4, leaf: leaf([7, -1, 7, 0, .max], [-500_000_000, 1, -1, 5]))
        #expect(found == ["-1:-500000000", "null", "0:-1", "\(Int64.max):5"])
        for (second, nanosecond) in [(1, -1), (-1, 1), (0, 1_000_000_000), (0, Int64.max)] as [(Int64, Int64)] {
            let bad = damage(8, rows: 1, leaf: leaf([7, second], [nanosecond]))
            #expect(bad == "\(second) s and \(nanosecond) ns are not a point in time")
        }
        #expect(damage(8, rows: 1, leaf: leaf([7, 1], [])) == "it has 1 seconds and 0 nanoseconds")
    }

    @Test("one NaN of each width is null where null may be")
    func fractions() throws {
        func bytes(_ words: [UInt64], _ count: Int) -> [UInt8] {
            words.flatMap { word in (0..<count).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
        }
        let floats = bytes([0x3FC0_0000, 0x7FC0_00AA, 0x7FC0_0000], 4)
        let doubles = bytes([0xC000_0000_0000_0000, 0x7FF8_0000_0000_00AA, 0x7FF0_0000_0000_0000], 8)
        #expect(
            try values(9, Column.nullable, rows: 3) { $0.node(floats, kind: 1, width: 4, size: 3) }
                == ["float 1.5", "null", "float nan"])
        #expect(
            try values(10, Column.nullable, rows: 3) { $0.node(doubles, kind: 1, width: 8, size: 3) }
                == ["double -2.0", "null", "double inf"])
        #expect(
            try values(9, rows: 3) { $0.node(floats, kind: 1, width: 4, size: 3) }
                == ["float 1.5", "float nan(0xaa)", "float nan"])
        #expect(
            damage(10, rows: 3) { $0.node(floats, kind: 1, width: 4, size: 3) } == "numbers of 8 bytes are expected")
    }

    @Test("object ids and UUIDs lie in blocks of eight with a byte that says which are null")
    func identifiers() throws {
        for (type, width) in [(15, 12), (17, 16)] as [(Int64, Int)] {
            let ids = (0..<11).map { id in [UInt8](repeating: UInt8(16 + id), count: width) }
            var payload: [UInt8] = []
            for (index, id) in ids.enumerated() {
                if index % 8 == 0 { payload.append(index == 0 ? 0b10 : 0b100) }
                payload += id
            }
            let found = try values(type, Column.nullable, rows: 11) {
                $0.node(payload, kind: 1, width: 1, size: payload.count)
            }
            let expected = ids.enumerated().map { index, id -> String? in
                if index == 1 || index == 10 { return "null" }
                return width == 12 ? ObjectId(bytes: id)?.hex : UUIDValue(bytes: id)?.text
            }
            #expect(found == expected)
        }
        #expect(damage(15, rows: 1) { $0.node([0, 1], kind: 1, width: 2, size: 1) } == "bytes are expected")
        #expect(
            damage(15, rows: 1) { $0.node([0, 1], kind: 1, width: 1, size: 2) }
                == "it has 0 values for 1 objects")
    }

    @Test("a column has one value for each object", arguments: [0, 1, 3])
    func numberOfValues(count: Int) {
        let bad = damage(0, rows: 2) { $0.integers([Int64](repeating: 1, count: count)) }
        #expect(bad == "it has \(count) values for 2 objects")
    }
}
