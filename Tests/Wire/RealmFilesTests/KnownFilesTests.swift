import RepositoryFiles
import Testing

@testable import RealmFiles

@Suite("Files that Realm wrote")
struct KnownFilesTests {
    @Test("have the objects that realm-core prints", arguments: RealmFixture.all)
    func objects(fixture: RealmFixture) throws {
        let file = try RealmFile(bytes: try fixture.bytes())
        let document = try CorePrinter.document(file)
        let expected = try fixture.document()
        #expect(document.count == expected.count)
        if let offset = zip(document, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            func part(_ bytes: [UInt8]) -> String {
                String(decoding: bytes[max(0, offset - 80)..<min(bytes.count, offset + 80)], as: UTF8.self)
            }
            Issue.record("At byte \(offset): \(part(document)); expected: \(part(expected))")
        }
    }

    @Test("have the tables that realm-core prints", arguments: RealmFixture.all)
    func schema(fixture: RealmFixture) throws {
        let file = try RealmFile(bytes: try fixture.bytes())
        #expect(SchemaPrinter.text(file) == (try fixture.schema()))
    }

    @Test("have the object keys and the nanoseconds of another reader", arguments: RealmFixture.all)
    func exact(fixture: RealmFixture) throws {
        let file = try RealmFile(bytes: try fixture.bytes())
        var text = ""
        for table in file.tables {
            var keys: [String] = []
            var times: [String] = []
            func collect(_ value: RealmValue) {
                switch value {
                case .timestamp(let seconds, let nanoseconds): times.append("\(seconds):\(nanoseconds)")
                case .list(let elements): elements.forEach(collect)
                case .map(let entries): entries.forEach { collect($0.value) }
                default: break
                }
            }
            try file.forEachObject(of: table) {
                keys.append("\($0.key)")
                $0.values.forEach(collect)
            }
            #expect(try file.objectCount(of: table) == keys.count)
            text += "\(table.name)\n\(keys.joined(separator: " "))\n\(times.joined(separator: " "))\n"
        }
        #expect(text == (try fixture.exact()))
    }

    @Test(
        "have a format, a version and the app's version of the schema",
        arguments: [
            ("empty", 24, 2, 1), ("owners", 24, 3, 0), ("format-20", 20, 3, 5), ("format-22", 22, 0, nil),
            ("format-23", 23, 0, nil), ("kinds", 24, 2, 3),
        ])
    func versions(name: String, format: Int, version: UInt64, schemaVersion: UInt64?) throws {
        let file = try RealmFile(bytes: try RealmFixture(name: name).bytes())
        #expect(file.format == format && file.version == version && file.schemaVersion == schemaVersion)
    }

    @Test("can be read again and again, by many threads", arguments: RealmFixture.small)
    func readAgain(fixture: RealmFixture) async throws {
        let file = try RealmFile(bytes: try fixture.bytes())
        let expected = try CorePrinter.document(file)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try CorePrinter.document(file) == expected } }
            for try await isSame in group { #expect(isSame) }
        }
    }

    @Test("a file whose first commit was never made has no tables")
    func unwritten() throws {
        var bytes = [UInt8](repeating: 0, count: 4096)
        bytes.replaceSubrange(16..<20, with: "T-DB".utf8)
        let file = try RealmFile(bytes: bytes)
        #expect(file.format == 24 && file.tables.isEmpty && file.version == 0 && file.schemaVersion == nil)
    }
}
