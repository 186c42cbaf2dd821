import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import StoreTesting
import Testing
import TestBasics

@Suite("CSV for spreadsheets")
struct FormulaTests {
    private static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Cell","primaryKey":"id","properties":[
            {"name":"id","type":"string"},{"name":"n","type":"int"},{"name":"x","type":"double"},
            {"name":"text","type":"string?"},{"name":"data","type":"data"},{"name":"tags","type":"string[]"},
            {"name":"any","type":"mixed"},{"name":"next","type":"Cell?"}]}]}
        """#

    private static let pieces = [
        "=", "+", "-", "@", "'", "''", "\t", "\r", "\n", "\"", ",", " ", "\u{ff1d}", "\u{301}", "1", "HYPERLINK(A1)",
        "|cmd",
    ]

    private func text(_ json: JSONValue) -> String {
        let writer = JSONWriter(capacity: 64)
        writer.value(json)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("no field of a text is a formula, and all come back as they were")
    func roundTrip() throws {
        var random = SeededRandom.ofTest()
        let gateway = try TestGateway(schema: Self.schema)
        func anything() -> String { (0..<random.below(4)).map { _ in random.pick(Self.pieces) ?? "" }.joined() }
        var keys: [String] = []
        for number in 0..<100 {
            let key = anything() + ".\(number)"
            let cell: JSONValue = [
                "id": .string(key), "n": -7, "x": -0.5, "text": number % 7 == 0 ? .null : .string(anything()),
                "data": "+A0=",
                "tags": .array([.string(anything())]), "any": .string(anything()),
                "next": random.pick(keys).map { JSONValue.string($0) } ?? .null,
            ]
            try #require(try gateway.send(.post, "/v1/objects/Cell", text(cell)).status == 201)
            keys.append(key)
        }
        // A body that is produced while it is read can be read once.
        let plain = try gateway.get("/v1/export/Cell?format=csv").text
        let safe = try gateway.get("/v1/export/Cell?format=csv&escapeFormulas=true").text
        #expect(!safe.isEmpty && plain != safe)
        // Fields as a spreadsheet sees them: only numbers begin with a sign.
        for record in records(safe) {
            for field in record where field != "-7" && field != "-0.5" {
                let first = field.unicodeScalars.first ?? "x"
                #expect(!"=+-@\t\r\n\u{ff1d}".unicodeScalars.contains(first), "\(field), seed \(random.seed)")
            }
        }
        let other = try TestGateway(schema: Self.schema)
        let answer = try other.send(
            .post, "/v1/import/Cell?escapeFormulas=true", file: safe, headers: ["Content-Type": "text/csv"])
        #expect(answer.text.contains(#""created":100"#), "\(answer.text), seed \(random.seed)")
        #expect(try other.get("/v1/export/Cell?format=csv").text == plain, "seed \(random.seed)")
    }

    @Test("the option is about CSV alone")
    func csvAlone() throws {
        let gateway = try TestGateway(schema: Self.schema)
        for answer in [
            try gateway.get("/v1/export/Cell?escapeFormulas=true"),
            try gateway.send(
                .post, "/v1/import/Cell?escapeFormulas", file: "{}", headers: ["Content-Type": "application/x-ndjson"]),
        ] {
            #expect(answer.status == 400)
            #expect(answer.member("parameter") == "escapeFormulas")
        }
        #expect(try gateway.get("/v1/export/Cell?format=csv&escapeFormulas=false").status == 200)
    }

    /// Parses by RFC 4180.
    private func records(_ text: String) -> [[String]] {
        var records: [[String]] = [[]]
        var field = ""
        var isQuoted = false
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"":
                field.unicodeScalars.append("\"")
                scalars.removeFirst()
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                records[records.count - 1].append(field)
                field = ""
            case "\r" where !isQuoted && scalars.first == "\n":
                scalars.removeFirst()
                records[records.count - 1].append(field)
                records.append([])
                field = ""
            default: field.unicodeScalars.append(scalar)
            }
        }
        return records
    }
}
