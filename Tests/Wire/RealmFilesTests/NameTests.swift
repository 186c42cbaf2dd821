import Testing

@testable import RealmFiles

/// Names of tables and columns, which the file compares by their bytes, and a program as texts.
@Suite("Names")
struct NameTests {
    private typealias Column = TableDraft.Column

    private func columns(_ names: [[UInt8]]) throws -> [RealmColumn] {
        var writer = NodeWriter()
        let columns = names.map { Column(nameBytes: $0, type: 0) }
        let table = TableDraft(columns: columns, root: writer.cluster(0, []))
        return try RealmFile(bytes: writer.file([table])).tables[0].columns
    }

    private static let composed = Array("caf\u{E9}".utf8)
    private static let decomposed = Array("cafe\u{301}".utf8)

    @Test(
        "names that bytes alone tell apart get numbers, and none that another has",
        arguments: [
            ([[0x61, 0xFF], [0x61, 0xFE]], ["a\u{FFFD}", "a\u{FFFD}_2"]),
            ([[0xFF], [0xFE], [0xFD]], ["\u{FFFD}", "\u{FFFD}_2", "\u{FFFD}_3"]),
            ([composed, decomposed], ["caf\u{E9}", "cafe\u{301}_2"]),
            // The text that the number makes is there, before and after.
            ([[0xFF], [0xFE], Array("\u{FFFD}_2".utf8)], ["\u{FFFD}", "\u{FFFD}_3", "\u{FFFD}_2"]),
            ([Array("\u{FFFD}_2".utf8), [0xFF], [0xFE]], ["\u{FFFD}_2", "\u{FFFD}", "\u{FFFD}_3"]),
            ([Array("A".utf8), Array("a".utf8)], ["A", "a"]),
        ] as [([[UInt8]], [String])])
    func columnNames(stored: [[UInt8]], names: [String]) throws {
        let columns = try columns(stored)
        #expect(columns.map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
        #expect(columns.map(\.storedName) == stored.map { String(decoding: $0, as: UTF8.self) })
        #expect(Set(columns.map(\.name)).count == columns.count)
    }

    @Test("tables are told apart in the same way, and still are classes")
    func tableNames() throws {
        var writer = NodeWriter()
        let drafts = [[0xFF], [0xFE], Self.composed, Self.decomposed].map { name -> TableDraft in
            let root = writer.cluster(0, [])
            return TableDraft(nameBytes: Array("class_".utf8) + name, columns: [Column(type: 0)], root: root)
        }
        let tables = try RealmFile(bytes: writer.file(drafts)).tables
        #expect(tables.map(\.className) == ["\u{FFFD}", "\u{FFFD}_2", "caf\u{E9}", "cafe\u{301}_2"])
        #expect(tables[1].storedName == "class_\u{FFFD}")
    }

    @Test("names with the same bytes are damage")
    func same() {
        for name in [Self.composed, [0xFF], []] {
            let fault = #expect(throws: RealmFileError.self) { try columns([name, name]) }
            guard case .damaged(_, let reason)? = fault else {
                return #expect(Bool(false), "\(String(describing: fault))")
            }
            #expect(reason.contains("two columns"))
        }
    }

    @Test("thousands of names of one text take no time that grows with their square")
    func many() throws {
        // Two bytes that are no UTF-8 are two replacement characters.
        var names: [[UInt8]] = []
        for first in 0..<64 as Range<UInt8> {
            for second in 0..<63 as Range<UInt8> { names.append([0x80 + first, 0x80 + second, 0x61]) }
        }
        let found = try columns(names).map(\.name)
        #expect(Set(found).count == names.count && found.last == "\u{FFFD}\u{FFFD}a_4032")
    }
}
