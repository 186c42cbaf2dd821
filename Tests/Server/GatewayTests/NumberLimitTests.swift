import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import StoreTesting
import Testing
import TestBasics

/// Numbers at the limits of their types.
@Suite("Numbers at their limits")
struct NumberLimitTests {
    private static let schema = #"""
        {"schemaVersion":1,"classes":[{"name":"Sum","primaryKey":"id","properties":[
          {"name":"id","type":"int"},{"name":"kind","type":"string"},{"name":"n","type":"int?"},{"name":"ns","type":"int[]"},
          {"name":"price","type":"decimal128"},{"name":"prices","type":"decimal128[]"},{"name":"ratio","type":"double"},
          {"name":"at","type":"date"},{"name":"parts","type":"Sum[]"}]}]}
        """#

    private func target(_ path: String, _ parameters: KeyValuePairs<String, String>) -> String {
        path + "?"
            + parameters.map { name, value in
                name + "=" + value.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }.joined(separator: "&")
    }

    private func isOverflow(_ answer: Response) throws -> Bool {
        let code = try answer.json["code"]
        #expect((answer.status == 400) == (code == "query.sum_overflow"), "\(answer.text)")
        return answer.status == 400
    }

    @Test("a sum of integers that is none is an error wherever it is asked for, and else it is right")
    func sums() throws {
        var random = SeededRandom.ofTest()
        for _ in 0..<40 {
            let gateway = try TestGateway(schema: Self.schema)
            let large: [Int64] = [.max, .min, .max / 2, .min / 2, .max - 1, 1, -1, 0]
            let numbers = (0..<1 + random.below(4)).map { _ in large[random.below(8)] }
            let sum = numbers.reduce(Int128(0)) { $0 + Int128($1) }
            let exact = Int64(exactly: sum)
            let rows = numbers.enumerated().map { #"{"id":\#($0),"kind":"a","n":\#($1)}"# }.joined(separator: ",")
            let whole = #"{"id":99,"kind":"b","ns":\#(numbers),"parts":\#(Array(numbers.indices))}"#
            #expect(try gateway.send(.post, "/v1/objects/Sum", "[\(rows),\(whole)]").status == 201)
            let words = "\(numbers), seed \(random.seed)"
            for (path, parameters) in [
                ("/v1/aggregates/objects/Sum", ["sum": "n"]),
                ("/v1/aggregates/objects/Sum", ["sum": "n", "by": "kind"]),
                ("/v1/aggregates/objects/Sum/99/ns", ["sum": "self"]),
                ("/v1/aggregates/objects/Sum/99/ns", ["sum": "self", "filter": "SELF != 7"]),
                ("/v1/aggregates/objects/Sum/99/parts", ["sum": "n"]),
                ("/v1/values/objects/Sum", ["keyPath": "@sum.n"]),
                ("/v1/objects/Sum", ["filter": "ns.@sum == \(exact ?? 0)"]),
                ("/v1/objects/Sum", ["filter": "parts.@sum.n > -5"]),
                ("/v1/objects/Sum", ["filter": "kind == 'b' AND ns.@sum == parts.@sum.n"]),
            ] as [(String, KeyValuePairs<String, String>)] {
                let answer = try gateway.get(target(path, parameters))
                #expect(try isOverflow(answer) == (exact == nil), "\(path) \(parameters): \(answer.text), \(words)")
            }
            let answer = try gateway.get("/v1/aggregates/objects/Sum?sum=n").json
            if let exact { #expect(answer["sum"]?["n"] == .int(exact), "\(words)") }
            #expect(try gateway.get("/v1/aggregates/objects/Sum?average=n&min=n&max=n").status == 200)
        }
    }

    @Test("numbers in args keep all digits where they meet decimals, and are doubles where they meet doubles")
    func digits() throws {
        let gateway = try TestGateway(schema: Self.schema)
        let rows = #"""
            [{"id":1,"price":"0.1234567890123456789012345678901234","ratio":0.1},
             {"id":2,"price":"0.1234567890123456789012345678901235","ratio":0.2,
              "prices":["0.1234567890123456789012345678901235"]},
             {"id":3,"price":"12345678901234567890.5"},{"id":4,"price":"1E-6000"}]
            """#
        #expect(try gateway.send(.post, "/v1/objects/Sum", rows).status == 201)
        for (filter, args, ids) in [
            ("price == $0", "[0.1234567890123456789012345678901234]", [1]),
            ("price == $0", "[0.12345678901234567890123456789012340]", [1]), ("price == $0", "[0.123456789012345]", []),
            ("price < $0 AND price > 0.1", "[0.1234567890123456789012345678901235]", [1]),
            ("price IN $0", "[[0.1234567890123456789012345678901235, 12345678901234567890.5]]", [2, 3]),
            ("price BETWEEN $0", "[[0.1234567890123456789012345678901235, 0.5]]", [2]),
            (
                "price BETWEEN {$0, $1}",
                "[0.1234567890123456789012345678901234, 0.1234567890123456789012345678901234]", [1]
            ),
            ("ANY prices == $0", "[0.1234567890123456789012345678901235]", [2]),
            ("price == $0", #"[{"$decimal":"1E-6000"}]"#, [4]), ("price == $0", "[1E-6000]", [4]),
            ("ratio == $0", "[0.10000000000000000555]", [1]),
            ("ratio IN $0", "[[0.1000000000000000055511151, 0.2]]", [1, 2]),
        ] as [(String, String, [Int64])] {
            let answer = try gateway.get(target("/v1/objects/Sum", ["filter": filter, "args": args, "sort": "id"]))
            let found = try answer.json["items"]?.all.map { $0["id"] }
            #expect(found == ids.map { .int($0) }, "\(filter) \(args): \(answer.text)")
        }
    }

    @Test("a number beyond doubles is refused with what to send instead, which is taken")
    func beyondDoubles() throws {
        let gateway = try TestGateway(schema: Self.schema)
        let refused = try gateway.send(.post, "/v1/objects/Sum", #"{"id":1,"price":1e6144}"#)
        #expect(refused.status == 400)
        #expect(refused.text.contains("1.8e308") && refused.text.contains("as strings"), "\(refused.text)")
        #expect(!refused.text.contains("larger numbers with an exponent"))
        #expect(try gateway.send(.post, "/v1/objects/Sum", #"{"id":1,"price":"1e6144"}"#).status == 201)
        #expect(try gateway.get("/v1/objects/Sum/1").json["price"] == "1.000000000000000000000000000000000E+6144")
    }

    @Test("every date that is written is read back, in bodies, args, files and queries")
    func dates() throws {
        var random = SeededRandom.ofTest()
        let dates =
            [
                "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "-0001-12-31T23:59:59.999Z",
                "T9223372036854775807:999999999", "T-9223372036854775808:-1",
            ]
            + (0..<30).map { _ in
                let seconds = Int64(bitPattern: random.next()) >> Int64(random.below(64))
                return "T\(seconds):\(seconds < 0 ? "-" : "")\(random.below(1_000_000_000))"
            }
        let gateway = try TestGateway(schema: Self.schema)
        for (number, date) in dates.enumerated() {
            let made = try gateway.send(.post, "/v1/objects/Sum", #"{"id":\#(number),"at":"\#(date)"}"#)
            try #require(made.status == 201, "\(date): \(made.text), seed \(random.seed)")
            guard case .string(let written)? = try made.json["at"] else {
                throw Problem(HTTPError.Code.internalError, "no date")
            }
            for (filter, args) in [
                ("at == $0", #"["\#(written)"]"#), ("at == $0", #"[{"$date":"\#(written)"}]"#),
                ("at IN $0", #"[["\#(written)"]]"#),
            ] {
                let found = try gateway.get(
                    target("/v1/objects/Sum", ["filter": "id == \(number) AND \(filter)", "args": args]))
                #expect(try found.json["items"]?.all.count == 1, "\(date) \(written): \(found.text)")
            }
            #expect(
                try gateway.send(.patch, "/v1/objects/Sum/\(number)", #"{"at":"\#(written)"}"#).json["at"]
                    == .string(written))
        }
        // Pages in the order of the dates.
        var seen = 0
        var next = "/v1/objects/Sum?sort=at&limit=4"
        while true {
            let page = try gateway.get(next).json
            seen += page["items"]?.all.count ?? 0
            guard case .string(let cursor)? = page["next"] else { break }
            next = "/v1/objects/Sum?sort=at&limit=4&after=\(cursor)"
        }
        #expect(seen == dates.count)
        for (format, type) in [("csv", "text/csv"), ("ndjson", "application/x-ndjson")] {
            let file = try gateway.get("/v1/export/Sum?format=\(format)").text
            let other = try TestGateway(schema: Self.schema)
            let answer = try other.send(.post, "/v1/import/Sum", file: file, headers: ["Content-Type": type])
            #expect(answer.text.contains(#""created":\#(dates.count)"#), "\(format): \(answer.text)")
            #expect(try other.get("/v1/export/Sum?format=\(format)").text == file)
        }
    }
}

extension JSONValue {
    fileprivate var all: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}
