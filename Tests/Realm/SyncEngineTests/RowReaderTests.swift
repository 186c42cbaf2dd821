import JSONCoding
import ObjectModel
import TestBasics
import Testing
import WireProtocol

@testable import SyncEngine

/// The oracle is the parser: what is read without it is the same, and what is not read is left to it.
@Suite("Rows that are read without a parser")
struct RowReaderTests {
    private static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Row", primaryKey: "_id",
                properties: [
                    PropertySchema("_id", PropertyType(.int)),
                    PropertySchema("text", PropertyType(.string, isOptional: true)),
                    PropertySchema("number", PropertyType(.double)),
                    PropertySchema("flag", PropertyType(.bool)),
                    PropertySchema("date", PropertyType(.date, isOptional: true)),
                    PropertySchema("uuid", PropertyType(.uuid)),
                    PropertySchema("list", PropertyType(.int, collection: .list)),
                    PropertySchema("texts", PropertyType(.string, isOptional: true, collection: .list)),
                    PropertySchema("link", PropertyType(.link("Row"), isOptional: true)),
                ])
        ])

    private struct NoObject: Error {
        let row: String
    }

    /// - Parameter isPlain: whether it is one that needs no parser.
    private static func value(_ property: String, isPlain: Bool, _ random: inout SeededRandom) -> String {
        var integers = ["0", "7", "1234567890", "-3", "-0", "9223372036854775807", "01", "1.0", "1e2"]
        var doubles = ["0.5", "-0.0", "12.345", "100", "0.1", "-17.25", "-0", "1e5", "123456789012345.6", "00.5", "3."]
        var texts = [#""""#, #""a\"b""#, #""ü\u00e4""#, #""plain text""#, "\"a\u{01}\"", #""käse""#]
        func pick(_ all: [String]) -> String { all[random.below(all.count)] }
        func array(_ all: [String]) -> String {
            "[" + (0..<random.below(4)).map { _ in pick(all) }.joined(separator: random.oneIn(3) ? " , " : ",") + "]"
        }
        if isPlain {
            integers = Array(integers.prefix(3))
            doubles = Array(doubles.prefix(6))
            texts.removeAll { $0.contains("\\") || $0.contains("\u{01}") }
        } else if random.oneIn(25) {
            return pick(["null", "{}", "[[1]]", "tru", #"{"$double":"NaN"}"#, #""NaN""#, "7"])
        }
        switch property {
        case "_id": return pick(integers)
        case "number": return pick(doubles)
        case "flag": return pick(["true", "false"])
        case "date": return pick([#""2024-02-29T12:00:00Z""#, #""2024-02-29T12:00:00.125Z""#, "null"])
        case "uuid": return #""123e4567-e89b-12d3-a456-426614174000""#
        case "list": return array(integers)
        case "texts": return array(texts + ["null"])
        case "link": return pick(["null", "12", #""twelve""#] + integers)
        default: return pick(texts + ["null"])
        }
    }

    @Test("each row that is read has the values that the parser finds, and most rows are read")
    func random() throws {
        let objectClass = try #require(Self.schema["Row"])
        let reader = RowReader(objectClass, Self.schema)
        var random = SeededRandom.ofTest()
        var counts = (read: 0, left: 0)
        for _ in 0..<4_000 {
            var names = objectClass.storedProperties.map(\.name)
            if random.oneIn(40) { names.swapAt(random.below(names.count), random.below(names.count)) }
            if random.oneIn(40) { names.remove(at: random.below(names.count)) }
            if random.oneIn(40) { names.append("more") }
            let isPlain = random.oneIn(2)
            // A control character is not white space.
            let space = random.oneIn(4) ? (random.oneIn(30) ? "\u{01}" : " ") : ""
            let row =
                "{"
                + names.map { "\"\($0)\"\(space):\(space)\(Self.value($0, isPlain: isPlain, &random))" }.joined(
                    separator: "," + space)
                + (random.oneIn(50) ? "" : "}")
            let event = ServerEvent(name: "initial", data: Array(#"{"items":[\#(row)]}"#.utf8))
            guard let objects = try? EventObjects.split(event).objects else { continue }
            var (values, links): (PropertyValues, [RowReader.Link]) = (PropertyValues(), [])
            var isRead = false
            try objects.forEach { _, text in isRead = text.map { reader.read($0, &values, &links) } ?? false }
            guard isRead else {
                counts.left += 1
                continue
            }
            counts.read += 1
            guard case .object(let parsed) = try objects.object(0) else { throw NoObject(row: row) }
            #expect(parsed.members.count == objectClass.storedProperties.count, "\(row)")
            for property in objectClass.storedProperties {
                let json = try #require(parsed[property.name])
                if let value = try ValueCoding.draft(json, as: property.type).complete {
                    #expect(values[property.id] == value, "\(property.name) of \(row)")
                } else {
                    #expect(values[property.id] == nil)
                    #expect(links.filter { $0.column.property.id == property.id }.map(\.json) == [json], "\(row)")
                }
            }
        }
        #expect(counts.read > 500 && counts.left > 500, "\(counts)")
    }
}
