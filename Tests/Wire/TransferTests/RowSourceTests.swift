import ObjectCoding
import ObjectModel
import Testing

@testable import Transfer

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

    private static let odd = ClassSchema(
        "Odd",
        properties: [
            PropertySchema("id", PropertyType(.int)),
            PropertySchema("Price_EUR", PropertyType(.double, isOptional: true)),
            PropertySchema("_2020", PropertyType(.int, isOptional: true)),
            PropertySchema("self_", PropertyType(.int, isOptional: true)),
        ])

    @Test("columns whose names no request can write have the properties of their plain names")
    func columns() throws {
        let schema = Schema(version: 1, classes: [Self.odd])
        let odd = try #require(schema["Odd"])
        func values(_ rows: some RowSource) throws -> [[Value?]] {
            var rows = rows
            var all: [[Value?]] = []
            while let next = try rows.next() {
                let row = try next.get()
                all.append(odd.properties.map { row.input.values[$0.id] })
            }
            return all
        }
        let expected: [[Value?]] = [[.int(1), .double(2.5), .int(3), .int(4)]]
        #expect(
            try values(CSVRowSource(source("id,Price (EUR),2020,self\n1,2.5,3,4\n"), class: odd, schema: schema))
                == expected)
        let line = #"{"id":1,"Price (EUR)":2.5,"2020":3,"self":4}"#
        #expect(try values(NDJSONRowSource(source(line), class: odd, schema: schema)) == expected)
        // Their own names are right, too, and blank columns have no values.
        #expect(
            try values(CSVRowSource(source("id,Price_EUR,,_2020, ,self_\n1,2.5,,3, ,4\n"), class: odd, schema: schema))
                == expected)
    }

    @Test("two columns for one property, and a value without a name, are refused")
    func clashes() throws {
        let schema = Schema(version: 1, classes: [Self.odd])
        let odd = try #require(schema["Odd"])
        #expect(throws: TransferError.self) {
            try CSVRowSource(source("id,Price (EUR),Price_EUR\n1,2,3\n"), class: odd, schema: schema)
        }
        #expect(throws: TransferError.self) { try CSVRowSource(source(",,\n1,2,3\n"), class: odd, schema: schema) }
        #expect(throws: TransferError.self) {
            try CSVRowSource(source("id,Prize (EUR)\n1,2\n"), class: odd, schema: schema)
        }
        let twice = #"{"id":1,"Price (EUR)":2,"Price_EUR":3}"#
        #expect(
            try codes(NDJSONRowSource(source(twice), class: odd, schema: schema)) == ["1 object.invalid_value"])
        #expect(
            try codes(CSVRowSource(source("id,\n1,\n2,x\n"), class: odd, schema: schema)) == [
                "row", "3 import.malformed",
            ])
    }

    @Test("a CSV file has the same rows")
    func records() throws {
        let schema = Schema(version: 1, classes: [dog])
        let rows = try CSVRowSource(
            source("name,age\nRex,3\nBen,\nKay,old\n"), class: try #require(schema["Dog"]), schema: schema)
        #expect(try codes(rows) == ["row", "row", "4 import.malformed"])
    }
}
