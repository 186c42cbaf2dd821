import EmbeddedStore
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import Transfer
import TestBasics

/// Random files, whose rows must all fit the class that is inferred from them, and come back with their values.
@Suite("Classes from random files")
struct InferenceRoundTripTests {
    @Test("every row of a random file is imported, and exported as it was", arguments: TransferFormat.allCases)
    func roundTrip(format: TransferFormat) throws {
        var random = SeededRandom.ofTest(format)
        for round in 0..<25 * TestRun.length {
            let comment: Comment = "seed \(random.seed), round \(round)"
            let file = RandomFile(format, &random)
            let proposal = try infer(file.text, format)
            #expect(proposal.refused == 0, comment)
            #expect(proposal.rows == file.rows.count, comment)
            let exported = try store(file.text, proposal, format, comment)
            try #require(exported.count == file.rows.count, comment)
            let names = ColumnName.properties(for: file.names)
            for (row, other) in zip(file.rows, exported) {
                for (column, name) in names.enumerated() {
                    let back = other[name] ?? .null
                    #expect(
                        Self.same(row[column], back),
                        "\(comment.rawValue): \(String(describing: row[column])) came back as \(back); \(proposal.explanation)"
                    )
                }
            }
        }
    }

    @Test("the order of the rows does not change types and key", arguments: TransferFormat.allCases)
    func order(format: TransferFormat) throws {
        var random = SeededRandom.ofTest(format)
        for round in 0..<25 * TestRun.length {
            let comment: Comment = "seed \(random.seed), round \(round)"
            let file = RandomFile(format, &random)
            let one = try infer(file.text, format)
            let other = try infer(file.shuffled(&random).text, format)
            func types(_ proposal: ClassProposal) -> Set<String> {
                Set(proposal.properties.map { "\($0.className).\($0.name) \($0.type) \($0.missing)" })
            }
            #expect(types(one) == types(other), comment)
            #expect(one.key.property == other.key.property, comment)
            #expect(Set(one.key.candidates) == Set(other.key.candidates), comment)
        }
    }

    private func infer(_ text: String, _ format: TransferFormat) throws -> ClassProposal {
        try ClassInference(class: "Thing", in: .empty, format: format).run(source(text))
    }

    /// Imports a file, and returns the objects as they are exported.
    private func store(
        _ text: String, _ proposal: ClassProposal, _ format: TransferFormat, _ comment: Comment
    ) throws -> [JSONValue] {
        let directory = try TestDirectory()
        let store = try EmbeddedStore.open(path: directory.file("store"), schema: proposal.schema(after: .empty))
        defer { store.close() }
        let schema = try store.snapshot().schema
        let thing = try #require(schema["Thing"])
        let importer = ObjectImporter(store: store, objectClass: thing, schema: schema, policy: .error)
        let outcome: ObjectImporter.Outcome
        switch format {
        case .ndjson:
            var rows = NDJSONRowSource(source(text), class: thing, schema: schema)
            outcome = try importer.run(&rows) { _ in }
        case .csv:
            var rows = try CSVRowSource(source(text), class: thing, schema: schema)
            outcome = try importer.run(&rows) { _ in }
        }
        #expect(outcome.faults == [], "\(comment.rawValue): \(proposal.explanation) \(text)")
        #expect(outcome.created == proposal.rows, comment)
        let exporter = try ObjectExporter(
            try store.snapshot(), BoundQuery(classID: thing.id), of: thing, properties: thing.properties, as: .ndjson)
        var bytes: [UInt8] = []
        while try exporter.next(into: &bytes) {}
        return try bytes.split(separator: UInt8(ascii: "\n")).map { try JSONValue.parse($0) }
    }

    /// Whether a value came back. Numbers may have another spelling, dates another offset, and UUIDs another case; what
    /// is missing may be null or empty.
    private static func same(_ given: JSONValue?, _ back: JSONValue) -> Bool {
        let (given, back) = (plain(given ?? .null), plain(back))
        switch (given, back) {
        case (.null, .null), (.null, .array([])): return true
        case (.null, .object(let object)): return object.members.isEmpty
        case (.string(let one), .string(let other)):
            return one == other || UUIDValue(text: one).map { $0 == UUIDValue(text: other) } ?? false
                || Timestamp(rfc3339: one).map { $0 == Timestamp(rfc3339: other) } ?? false
        case (.array(let ones), .array(let others)):
            return ones.count == others.count && zip(ones, others).allSatisfy { same($0, $1) }
        case (.object(let one), .object(let other)):
            // An embedded object has the names of its properties, a map those of the file.
            return [one, renamed(one)].contains { one in
                let names = Set(one.members.map(\.name) + other.members.map(\.name))
                return names.allSatisfy { same(one[$0], other[$0] ?? .null) }
            }
        case (.bool, .bool): return given == back
        // In a CSV file, whose column has texts, too.
        case (.bool(let value), .string(let text)): return "\(value)" == text
        case (.string, _): return false
        // A double is written with as few digits as tell it from others.
        case (.int(let one), .double(let other)): return Double(exactly: one) == other
        default:
            guard let one = number(given), let other = number(back) else { return false }
            return one.canonical == other.canonical || one.isZero && other.isZero
        }
    }

    private static func renamed(_ object: JSONObject) -> JSONObject {
        let names = ColumnName.properties(for: object.members.map(\.name))
        return JSONObject(zip(names, object.members).map { JSONObject.Member(name: $0, value: $1.value) })
    }

    /// The content of a typed object.
    private static func plain(_ json: JSONValue) -> JSONValue {
        guard case .object(let object) = json, object.members.count == 1, let member = object.members.first,
            member.name.hasPrefix("$")
        else { return json }
        return member.value
    }

    /// Decimals are exported as strings.
    private static func number(_ json: JSONValue) -> Decimal128? {
        switch json {
        case .int(let value): Decimal128(value)
        case .double(let value): Decimal128(shortest: value)
        case .precise(let value, _): value
        case .string(let text): Decimal128(text)
        default: nil
        }
    }
}
