import ObjectCoding
import ObjectModel
import Testing
import Transfer

@Suite("Rows of files")
struct RowSourceTests {
    private let dog = ClassSchema(
        "Dog",
        properties: [
            PropertySchema("name", PropertyType(.string)), PropertySchema("age", PropertyType(.int, isOptional: true)),
        ])

    private func codes(_ source: some RowSource) throws -> [String] {
        var source = source
        var codes: [String] = []
        while let next = try source.next() {
            switch next {
            case .success: codes.append("row")
            case .failure(let fault): codes.append("\(fault.line) \(fault.code)")
            }
        }
        return codes
    }

    @Test("a line that does not fit keeps the code of its problem, and one that is no JSON has that of files")
    func lines() throws {
        let schema = Schema(version: 1, classes: [dog])
        let text = #"""
            {"name":"Rex","age":3}

            {"name":7}
            {"nmae":"x"}
            {"name":
            """#
        let rows = NDJSONRowSource(source(text), class: try #require(schema["Dog"]), schema: schema)
        #expect(
            try codes(rows) == ["row", "3 object.invalid_value", "4 object.unknown_property", "5 import.malformed"])
    }

    @Test("a CSV file has the same rows")
    func records() throws {
        let schema = Schema(version: 1, classes: [dog])
        let rows = try CSVRowSource(
            source("name,age\nRex,3\nBen,\nKay,old\n"), class: try #require(schema["Dog"]), schema: schema)
        #expect(try codes(rows) == ["row", "row", "4 import.malformed"])
    }
}
