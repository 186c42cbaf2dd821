import EmbeddedStore
import ObjectModel
import RealmFiles
import RealmImport
import RepositoryFiles
import StoreContract
import Testing

/// A rehearsal says what the import says, and changes nothing.
@Suite("Rehearsals of imports, and what single values stand in the way of")
struct RehearsalTests {
    private static let whole = RealmSelection()

    private func preview(_ file: RealmFile, _ selection: RealmSelection, _ store: EmbeddedStore) throws -> RealmPreview
    {
        var preview = try RealmPreview(file, selection, into: try store.snapshot())
        try preview.rehearse(file, selection, into: store)
        return preview
    }

    private func importing(_ file: RealmFile, _ selection: RealmSelection, _ store: EmbeddedStore) throws
        -> RealmImportReport
    {
        try RealmImporter(file, try RealmClasses(file, selection), into: store).run()
    }

    @Test(
        "a rehearsal leaves the database as it was, and the import then reports the same", arguments: ["many", "kinds"])
    func same(name: String) throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory, schema: .empty)
        defer { store.close() }
        let file = try RealmTestFile.open(name, in: directory)
        let selection =
            name == "kinds" ? RealmSelection(leftOut: try leftOut(of: file, in: store)) : Self.whole
        let before = try store.snapshot()
        let preview = try preview(file, selection, store)
        #expect(preview.refusal == nil, "\(preview.refusal?.message ?? "")")
        let after = try store.snapshot()
        #expect(after.version == before.version && after.schema == before.schema)
        let report = try importing(file, selection, store)
        #expect(report.lostLinks == preview.lostLinks)
        #expect(report.notes.allSatisfy { preview.notes.contains($0) })
    }

    /// Everything that the preview offers to leave out.
    private func leftOut(of file: RealmFile, in store: EmbeddedStore) throws -> [String] {
        let refusal = try RealmPreview(file, Self.whole, into: try store.snapshot()).refusal
        return (refusal?.obstacles ?? []).filter { $0.way == .leaveOut }.compactMap(\.name)
    }

    @Test("two objects of a file with the same primary key are named, with the way on, before and at the import")
    func repeatedKeys() throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory, schema: .empty)
        defer { store.close() }
        let file = try RealmTestFile.altered("many", "C1\0", to: Array("C0\0".utf8))
        let refusal = try #require(try preview(file, Self.whole, store).refusal)
        #expect(refusal.reason == .repeatedKey && refusal.message.contains("'City'"), "\(refusal.message)")
        #expect(refusal.message.contains("primary key 'C0'") && !refusal.message.contains("UTF-8"))
        #expect(refusal.obstacles.map(\.name) == ["City"] && refusal.obstacles.first?.way == .leaveOut)
        let thrown = #expect(throws: RealmImportFault.self) { try importing(file, Self.whole, store) }
        #expect(thrown == refusal)
        #expect(try store.snapshot().schema.classes.isEmpty)
    }

    @Test("texts that are not UTF-8 are reported, and keys that differ in such bytes alone are told from others")
    func invalidTexts() throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory, schema: .empty)
        defer { store.close() }
        let one = try RealmTestFile.altered("many", "C299", to: [0x43, 0xFF, 0x39, 0x39])
        #expect(one.invalidTexts == nil)
        let report = try importing(one, Self.whole, store)
        let note = try #require(report.notes.first { $0.contains("UTF-8") })
        #expect(
            note.hasPrefix("1 text of the file is not UTF-8, first in table 'class_City', column 'code'"), "\(note)")
        let city = try #require(try store.snapshot().schema["City"])
        let key = try store.snapshot().key(of: city.id, primaryKey: .string("C\u{FFFD}99"))
        #expect(key != nil)

        let other = try RealmTestFile.store(try TestDirectory(), schema: .empty)
        defer { other.close() }
        // "C9" and "C\u{FFFD}" with other bytes before them.
        var bytes = try RealmTestFile.bytes("many")
        for (old, new) in [("C1\0", 0xFE), ("C0\0", 0xFF)] as [(String, UInt8)] {
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: old.utf8) })
            bytes[place + 1] = new
        }
        let file = try RealmFile(bytes: bytes)
        let fault = #expect(throws: RealmImportFault.self) { try importing(file, Self.whole, other) }
        #expect(
            fault?.reason == .repeatedKey && fault?.message.contains("not UTF-8") == true, "\(fault?.message ?? "")")
    }
}
