import EmbeddedStore
import HTTPMessages
import HTTPServer
import JSONCoding
import RepositoryFiles
import StoreContract
import TestBasics
import Testing

/// A commit may find room when it is tried again, but the lines of a file are read once.
@Suite("Imports as a whole into a store that becomes full")
struct FullImportTests {
    @Test(
        "every line is imported, or none with 507", arguments: ["application/x-ndjson", "text/csv"], [7, 40, 400])
    func allOrNothing(type: String, lines: Int) throws {
        let home = try TestDirectory()
        var options = EmbeddedStoreOptions()
        options.maximumSize = 1 << 20
        let store = try EmbeddedStore.open(path: home.path + "/store", schema: Wire.schema, options: options)
        defer { store.close() }
        let wire = Wire(store: store, router: try wireRouter(over: store))
        var random = SeededRandom.ofTest("\(type) \(lines)")
        var imported = 0
        var refused = 0
        for number in 0..<5000 where refused < 3 {
            let rows = (number * lines..<(number + 1) * lines).map { id in
                // Different texts, which take the room that they have.
                let breed = (0..<20).map { _ in String(random.next(), radix: 36) }.joined()
                return type == "text/csv" ? "\(id),\(breed)\n" : "{\"_id\":\(id),\"breed\":\"\(breed)\"}\n"
            }
            let answer = try wire.send(
                .post, "/v1/import/Dog?atomic=true", (type == "text/csv" ? "_id,breed\n" : "") + rows.joined(),
                headers: ["Content-Type": type])
            if answer.status == 200 {
                #expect(answer["created"] == .int(Int64(lines)), "import \(number): \(answer)")
                imported += lines
            } else {
                #expect(answer.status == 507 && answer.code == StoreError.Code.full.rawValue, "\(answer)")
                refused += 1
            }
            let count = try wire.get("/v1/objects/Dog?count&limit=0")["count"]
            try #require(count == .int(Int64(imported)), "import \(number): \(answer)")
        }
        #expect(refused == 3)
    }
}
