import EmbeddedStore
import JSONCoding
import ObjectModel
import RealmFiles
import RealmImport
import RepositoryFiles
import StoreContract
import Testing

@Suite("Realm files as databases")
struct OracleTests {
    /// A file, the selection that it needs, and its classes by the names that they have in the file.
    struct Sample: CustomStringConvertible, Sendable {
        var name: String
        var selection = RealmSelection()
        var classes: [String: String]
        var ignored: Set<String> = []
        var description: String { name }
    }

    static let samples = [
        Sample(name: "kinds", classes: ["Kinds": "Kinds", "Target": "Target"]),
        Sample(
            name: "owners", selection: RealmSelection(leftOut: ["Address.former"]),
            classes: ["Person": "Person", "Entry": "Entry"], ignored: ["former"]),
        Sample(name: "many", classes: ["City": "City", "Trip": "Trip"]),
        Sample(name: "format-20", classes: ["Person": "Person", "Pet": "Pet"]),
        Sample(
            name: "format-22", selection: RealmSelection(renames: ["table=Table", "target=Target"]),
            classes: ["table": "Table", "target": "Target"]),
        Sample(
            name: "format-23",
            selection: RealmSelection(renames: [
                "table=Table", "target=Target", "table_for_mixed=TableForMixed", "table2=Table2",
            ]), classes: ["table": "Table", "target": "Target", "table_for_mixed": "TableForMixed", "table2": "Table2"]),
        Sample(name: "empty", classes: ["Nothing": "Nothing"]),
    ]

    @Test("every object has the values that realm-core says it has", arguments: samples)
    func values(_ sample: Sample) throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory)
        defer { store.close() }
        let report = try RealmTestFile.importing(sample.name, sample.selection, in: directory, into: store)
        let oracle = try RealmTestFile.oracle(sample.name)
        let snapshot = try store.snapshot()
        let printer = try CoreJSON(
            snapshot, try RealmTestFile.open(sample.name, in: directory),
            oldNames: Dictionary(uniqueKeysWithValues: sample.classes.map { ($0.value, $0.key) }))
        for (table, name) in sample.classes {
            let expected = try #require(oracle[table]).map { $0.settled(without: sample.ignored) }
            let actual = try printer.objects(name)
            #expect(actual.count == expected.count, "\(name)")
            for (a, b) in zip(actual, expected) where a != b {
                Issue.record("\(name): \(difference(a, b))")
                break
            }
            #expect(report.classes.first { $0.name == name }?.objects == expected.count)
        }
        let metadata = oracle["metadata"]?.first?["version"]?["$numberLong"]
        #expect(metadata == nil || metadata == .string("\(snapshot.schema.version)"))
        #expect(report.lostLinks == 0)
        #expect(try RealmTestFile.faults(of: store, directory) == [])
    }

    /// The first member that differs.
    private func difference(_ a: JSONValue, _ b: JSONValue) -> String {
        guard case .object(let left) = a, case .object(let right) = b else { return "\(a) is not \(b)" }
        for member in right.members where left[member.name] != member.value {
            return "\(member.name) is \(left[member.name].map { "\($0)" } ?? "missing"), not \(member.value)"
        }
        return "\(left.members.map(\.name)) are not \(right.members.map(\.name))"
    }

    @Test("the classes are those that realm-core says the file has")
    func schema() throws {
        let directory = try TestDirectory()
        let kinds = try RealmClasses(try RealmTestFile.open("kinds", in: directory)).schema
        let types = try #require(kinds["Kinds"]).properties.map { "\($0.name): \($0.type)" }
        for type in [
            "id: int", "intOpt: int?", "intOptList: int?[]", "dataSet: data<>", "uuidMap: uuid?{}", "any: mixed",
            "anyList: mixed[]", "link: Target?", "links: Target[]", "linkSet: Target<>", "linkMap: Target?{}",
            "self: Kinds?", "indexed: string?", "decimalOpt: decimal128?", "objectIdList: objectId[]",
        ] { #expect(types.contains(type), "\(type) in \(types)") }
        #expect(kinds["Kinds"]?.primaryKey == "id" && kinds["Target"]?.primaryKey == "name")
        #expect(kinds["Kinds"]?["indexed"]?.isIndexed == true && kinds["Kinds"]?["id"]?.isIndexed == false)
        #expect(kinds["Kinds"]?["fullText"]?.isFullTextIndexed == true)
        #expect(kinds.version == 3)
        let twenty = try RealmClasses(try RealmTestFile.open("format-20", in: directory)).schema
        #expect(twenty["Address"]?.isEmbedded == true && twenty["Person"]?.isEmbedded == false)
    }

    @Test("the sums of an import are those of the objects")
    func sums() throws {
        let directory = try TestDirectory()
        let store = try RealmTestFile.store(directory)
        defer { store.close() }
        let report = try RealmTestFile.importing("many", in: directory, into: store)
        let trips = try #require(try RealmTestFile.oracle("many")["Trip"])
        let delays = trips.compactMap { trip -> Int64? in
            guard case .string(let text)? = trip["delay"]?["$numberLong"] else { return nil }
            return Int64(text)
        }
        let costs = trips.compactMap { trip -> Decimal128? in
            guard case .string(let text)? = trip["cost"]?["$numberDecimal"] else { return nil }
            return Decimal128(text)
        }
        let numbers = try #require(report.classes.first { $0.name == "Trip" }).numbers
        #expect(numbers.map(\.property) == ["delay", "cost"])
        #expect(numbers[0].count == delays.count && numbers[0].sum == "\(delays.reduce(0, +))")
        #expect(
            numbers[0].minimum == delays.min().map { "\($0)" } && numbers[0].maximum == delays.max().map { "\($0)" })
        #expect(numbers[1].count == costs.count && numbers[1].sum == costs.reduce(.zero, +).description)
    }
}
