import EmbeddedStore
import ObjectCoding
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import TestBasics
import Testing
import Transfer

/// Imports whose lines several threads parse, against those of one thread.
@Suite("Threads of imports")
struct ImportThreadsTests {
    private static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Item", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.int)),
                    PropertySchema("name", PropertyType(.string, isOptional: true)),
                    PropertySchema("weight", PropertyType(.double, isOptional: true)),
                    PropertySchema("friend", PropertyType(.link("Item"), isOptional: true)),
                ])
        ])

    @Test(
        "objects, errors and their order are those of one thread, whatever the order of members",
        arguments: TransferFormat.allCases)
    func threads(format: TransferFormat) throws {
        var random = SeededRandom.ofTest(format)
        for round in 0..<4 * TestRun.length {
            let comment: Comment = "seed \(random.seed), round \(round)"
            let text = format == .csv ? csv(&random) : ndjson(&random)
            let one = try imported([text], format, threads: 1)
            let several = try imported([text], format, threads: 3)
            #expect(one.outcome.created == several.outcome.created, comment)
            #expect(one.outcome.refused == several.outcome.refused, comment)
            #expect(one.outcome.faults == several.outcome.faults, comment)
            #expect(one.objects == several.objects, comment)
            #expect(one.outcome.created > 0 && one.outcome.lines == one.outcome.created + one.outcome.refused, comment)
        }
    }

    @Test("a file is imported as its lines are one by one, with the same faults in the same lines")
    func lineByLine() throws {
        var random = SeededRandom.ofTest()
        for round in 0..<2 * TestRun.length {
            let comment: Comment = "seed \(random.seed), round \(round)"
            let text = ndjson(&random, count: 150, linksBack: true)
            let whole = try imported([text], .ndjson, threads: 2)
            let lines = try imported(
                text.split(separator: "\n", omittingEmptySubsequences: false).map { "\($0)\n" }, .ndjson, threads: 1)
            #expect(whole.objects == lines.objects, comment)
            #expect(whole.outcome.created == lines.outcome.created, comment)
            #expect(whole.outcome.refused == lines.outcome.refused, comment)
            #expect(
                whole.outcome.faults.sorted { $0.line < $1.line } == lines.outcome.faults.sorted { $0.line < $1.line },
                comment)
            #expect(whole.outcome.refused > 3 && whole.outcome.created > 50, comment)
        }
    }

    /// - Parameter linksBack: whether links lead to lines before, or to their own.
    private func ndjson(_ random: inout SeededRandom, count: Int = 700, linksBack: Bool = false) -> String {
        var text = ""
        for id in 0..<count {
            var members = [
                "\"id\": \(id)", "\"name\": \"\(random.below(100))\"", "\"weight\": \(random.below(9)).5",
                "\"friend\": \(random.below(linksBack ? id + 1 : count))",
            ]
            if random.oneIn(30) { members.append("\"weight\": {\"a\": [1]}") }
            if random.oneIn(30) { members[1] = "\"name\": \(["null", "7", "{}"][random.below(3)])" }
            if random.oneIn(30) { members[3] = "\"friend\": \(["\"x\"", "{\"id\": 1}", "null"][random.below(3)])" }
            members.removeSubrange(random.below(4) + 1..<4)
            if random.oneIn(3) { members.shuffle(using: &random) }
            if random.oneIn(40) { members[0] = "\"nmae\": 1" }
            if random.oneIn(40) { members[0] = "\"id\"" }
            text += random.oneIn(50) ? "\n" : "{\(members.joined(separator: ", "))}\n"
        }
        return text
    }

    private func csv(_ random: inout SeededRandom) -> String {
        var text = "name,id,friend,weight\n"
        for id in 0..<700 {
            let friend = random.oneIn(3) ? "" : "\(random.below(700))"
            text += random.oneIn(40) ? "a\"b,\(id)\n" : "\"\(random.below(9))\n\",\(id),\(friend),\(random.below(9))\n"
        }
        return text
    }

    /// Imports files one after the other; the lines are counted over all of them.
    private func imported(
        _ texts: [String], _ format: TransferFormat, threads: Int
    ) throws -> (outcome: ObjectImporter.Outcome, objects: [UInt8]) {
        let directory = try TestDirectory()
        let store = try EmbeddedStore.open(path: directory.file("store"), schema: Self.schema)
        defer { store.close() }
        let schema = try store.snapshot().schema
        let item = try #require(schema["Item"])
        let importer = ObjectImporter(
            store: store, objectClass: item, schema: schema, policy: .error, batchSize: 300, threads: threads)
        var outcome = ObjectImporter.Outcome()
        for (number, text) in texts.enumerated() {
            var one: ObjectImporter.Outcome
            switch format {
            case .ndjson:
                var rows = NDJSONRowSource(source(text), class: item, schema: schema)
                one = try importer.run(&rows) { _ in }
            case .csv:
                var rows = try CSVRowSource(source(text), class: item, schema: schema)
                one = try importer.run(&rows) { _ in }
            }
            for index in one.faults.indices { one.faults[index].line += number }
            outcome.created += one.created
            outcome.refused += one.refused
            outcome.lines += one.lines
            outcome.faults += one.faults
        }
        let exporter = try ObjectExporter(
            try store.snapshot(), BoundQuery(classID: item.id), of: item, properties: item.properties, as: .ndjson)
        var bytes: [UInt8] = []
        while try exporter.next(into: &bytes) {}
        return (outcome, bytes)
    }
}
