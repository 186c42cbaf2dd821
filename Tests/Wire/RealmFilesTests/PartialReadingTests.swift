import Testing

@testable import RealmFiles

@Suite("Columns that are not read")
struct PartialReadingTests {
    private typealias Column = TableDraft.Column

    /// Two columns, of which the second has a link to nowhere.
    private func file() throws -> RealmFile {
        var writer = NodeWriter()
        let good = writer.integers([7, 8])
        let bad = writer.integers([99, 0])
        let root = writer.cluster(2, [good, bad])
        let columns = [Column(name: "good", type: 0), Column(name: "bad", type: 12, attributes: 16, target: 0)]
        return try RealmFile(bytes: writer.file([TableDraft(columns: columns, root: root)]))
    }

    @Test("have null, and their damage is none")
    func left() throws {
        let file = try file()
        #expect(throws: RealmFileError.self) { try file.forEachObject(of: file.tables[0]) { _ in } }
        var texts: [[String]] = []
        try file.forEachObject(of: file.tables[0], columns: [0]) { texts.append($0.values.map(ValueText.of)) }
        #expect(texts == [["7", "null"], ["8", "null"]])
        let lookup = try file.lookup(in: file.tables[0], columns: [0])
        #expect(try lookup.object(1)?.values.map(ValueText.of) == ["8", "null"])
        texts = []
        try file.forEachObject(of: file.tables[0], columns: []) { texts.append($0.values.map(ValueText.of)) }
        #expect(texts == [["null", "null"], ["null", "null"]])
        #expect(throws: RealmFileError.self) { try file.forEachObject(of: file.tables[0], columns: [1]) { _ in } }
    }
}
