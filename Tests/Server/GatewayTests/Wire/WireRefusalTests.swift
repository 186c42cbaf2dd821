import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import StoreTesting
import Testing
import TestBasics

/// A request that must be rejected: nothing is stored, and the response names the error.
struct Refusal: Sendable, CustomTestStringConvertible {
    var method: HTTPMethod = .get
    var target: String
    var body: String?
    var status: Int
    var code: String?
    var hint: String?
    var property: String?
    var position: Int?

    var testDescription: String { "\(method) \(target) \(body ?? "")" }

    static func query(
        _ path: String, _ query: KeyValuePairs<String, String>, _ code: String? = nil, status: Int = 400,
        hint: String? = nil, position: Int? = nil
    ) -> Refusal {
        Refusal(target: Wire.target(path, query), status: status, code: code, hint: hint, position: position)
    }

    static func write(
        _ method: HTTPMethod, _ target: String, _ body: String, _ status: Int, _ code: String? = nil,
        hint: String? = nil, property: String? = nil, position: Int? = nil
    ) -> Refusal {
        Refusal(
            method: method, target: target, body: body, status: status, code: code, hint: hint, property: property,
            position: position)
    }
}

@Suite("Refusals over the wire")
struct WireRefusalTests {
    static let reads: [Refusal] = [
        .query("/v1/objects/Dgo", [:], "object.unknown_class", status: 404, hint: "Dog"),
        .query("/v1/objects/Dgo/1", [:], "object.unknown_class", status: 404, hint: "Dog"),
        .query("/v1/aggregates/objects/Dgo", [:], "object.unknown_class", status: 404, hint: "Dog"),
        .query("/v1/observe/objects/Dgo", [:], "object.unknown_class", status: 404, hint: "Dog"),
        .query("/v1/observe/objects/Dgo/1", [:], "object.unknown_class", status: 404, hint: "Dog"),
        .query("/v1/objects/Dog/99", [:], "object.not_found", status: 404),
        .query("/v1/observe/objects/Dog/99", [:], "object.not_found", status: 404),
        .query("/v1/objects/Note/99", [:], "object.not_found", status: 404),
        .query("/v1/objects", [:], status: 404), .query("/v1/objects/", [:], status: 404),
        .query("/v2/objects/Dog", [:], status: 404), .query("/v1/objects/Dog/1/name/x", [:], status: 404),
        .query("/v1/objects/Dog", ["fitler": "age > 1"], hint: "filter"),
        .query("/v1/objects/Dog", ["limit": "1", "limit": "2"]),
        .query("/v1/objects/Dog/1", ["filter": "age > 1"]), .query("/v1/objects/Dog", ["include": "objects"]),
        .query("/v1/objects/Dog", ["filter": "agee > 1"], "query.unknown_property", hint: "age", position: 0),
        .query(
            "/v1/objects/Dog", ["filter": "age > 1 AND nmae == 'x'"], "query.unknown_property", hint: "name",
            position: 12),
        .query("/v1/objects/Dog", ["filter": "age >"], "query.syntax", position: 5),
        .query("/v1/objects/Dog", ["filter": "age == 'x'"], "query.type_mismatch"),
        .query("/v1/objects/Dog", ["filter": "age > $0"], "query.argument"),
        .query("/v1/objects/Dog", ["filter": String(repeating: "(", count: 5000)]),
        .query("/v1/objects/Dog", ["filter": "name == '" + String(repeating: "x", count: 2 << 20) + "'"]),
        .query("/v1/objects/Dog", ["filter": "age > $0", "args": "[1"], "json.truncated"),
        .query("/v1/objects/Dog", ["filter": "age > $0", "args": "{}"]),
        .query("/v1/objects/Dog", ["filter": "age > $0", "args": "[{}]"]),
        .query("/v1/objects/Dog", ["filter": "born > $0", "args": #"[{"$date":"yesterday"}]"#]),
        .query("/v1/objects/Dog", ["sort": "agee"], "query.unknown_property", hint: "age"),
        .query("/v1/objects/Dog", ["sort": "-owner.cty"], "query.unknown_property", hint: "city"),
        .query("/v1/objects/Dog", ["sort": "fans"]), .query("/v1/objects/Dog", ["sort": ",,"]),
        .query("/v1/objects/Dog", ["distinct": "bred"], "query.unknown_property", hint: "breed"),
        .query("/v1/objects/Dog", ["distinct": "age", "after": "AQ"]),
        .query("/v1/objects/Dog", ["limit": "ten"]), .query("/v1/objects/Dog", ["limit": "-1"]),
        .query("/v1/objects/Dog", ["limit": "1e2"]), .query("/v1/objects/Dog", ["limit": "99999999999999999999"]),
        .query("/v1/objects/Dog", ["limit": ""]), .query("/v1/objects/Dog", ["offset": "-1"]),
        .query("/v1/objects/Dog", ["offset": "99999999999999999999"]),
        .query("/v1/objects/Dog", ["count": "yes"]), .query("/v1/objects/Dog", ["types": "fancy"]),
        .query("/v1/objects/Dog", ["fields": "name,agee"], hint: "age"),
        .query("/v1/objects/Dog", ["expand": "ownr"], hint: "owner"), .query("/v1/objects/Dog", ["expand": "age"]),
        .query("/v1/objects/Dog", ["expand": "owner.cty"]),
        .query("/v1/observe/objects/Dog", ["keyPaths": "agee"], hint: "age"),
        .query("/v1/observe/objects/Dog", ["include": "everything"]),
        .query("/v1/observe/objects/Dog", ["filter": "age >"], "query.syntax", position: 5),
        .query("/v1/observe/objects/Dog", ["after": "AQ"]), .query("/v1/observe/objects/Dog", ["limit": "-1"]),
        .query("/v1/aggregates/objects/Dog", ["sum": "name"]),
        .query("/v1/aggregates/objects/Dog", ["average": "good"]),
        .query("/v1/aggregates/objects/Dog", ["min": "agee"], "query.unknown_property", hint: "age"),
        .query("/v1/aggregates/objects/Dog", ["sum": "fans"]), .query("/v1/aggregates/objects/Dog", ["sum": ""]),
        .query("/v1/aggregates/objects/Dog", ["fields": "age"]), .query("/v1/schema", ["x": "1"]),
    ]

    static let writes: [Refusal] = [
        .write(.post, "/v1/objects/Dgo", "{}", 404, "object.unknown_class", hint: "Dog"),
        .write(.post, "/v1/objects/Dog", #"{"_id":1}"#, 409, "object.duplicate_key"),
        .write(
            .post, "/v1/objects/Dog", #"{"_id":5,"nmae":"x"}"#, 422, "object.unknown_property", hint: "name",
            property: "nmae"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"age":"seven"}"#, 422, "object.invalid_value", property: "age"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"age":7.5}"#, 422, "object.invalid_value", property: "age"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"age":[7]}"#, 422, "object.invalid_value", property: "age"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"age":true}"#, 422, "object.invalid_value", property: "age"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"name":null}"#, 422, "object.invalid_value", property: "name"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"good":1}"#, 422, "object.invalid_value", property: "good"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"born":"soon"}"#, 422, "object.invalid_value", property: "born"),
        .write(
            .post, "/v1/objects/Dog", #"{"_id":5,"born":{"$oid":"507f1f77bcf86cd799439011"}}"#, 422,
            "object.invalid_value", property: "born"),
        .write(
            .post, "/v1/objects/Dog", #"{"_id":5,"weight":"heavy"}"#, 422, "object.invalid_value", property: "weight"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"fans":["ada"]}"#, 422, property: "fans"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"owner":7}"#, 422, "object.invalid_value", property: "owner"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"owner":"nobody"}"#, 422, property: "owner"),
        .write(
            .post, "/v1/objects/Dog", #"{"_id":5,"note":{"$link":{"class":"Note","key":99}}}"#, 422, property: "note"),
        .write(
            .post, "/v1/objects/Dog", #"{"_id":5,"owner":{"handle":"x","ctiy":"y"}}"#, 422, "object.unknown_property",
            hint: "city"),
        .write(.post, "/v1/objects/Dog", #"{"name":"no key"}"#, 422, "object.missing_value", property: "_id"),
        .write(.post, "/v1/objects/Dog", #"{"_id":null}"#, 422, property: "_id"),
        .write(.post, "/v1/objects/Dog", #"{"_id":9223372036854775808}"#, 400, "json.number_range"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,"_id":6}"#, 400, "json.duplicate_name"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5,}"#, 400, "json.syntax"),
        .write(.post, "/v1/objects/Dog", #"{"_id":5"#, 400, "json.truncated", position: 8),
        .write(.post, "/v1/objects/Dog", "", 400, "json.truncated"),
        .write(.post, "/v1/objects/Dog", "7", 422), .write(.post, "/v1/objects/Dog", "null", 422),
        .write(.post, "/v1/objects/Dog", "\"text\"", 422),
        .write(.post, "/v1/objects/Dog", String(repeating: "[", count: 100_000), 400, "json.too_deep"),
        .write(.post, "/v1/objects/Dog?update=maybe", #"{"_id":5}"#, 400),
        .write(.post, "/v1/objects/Dog?updat=all", #"{"_id":5}"#, 400, hint: "update"),
        .write(.put, "/v1/objects/Dog/x", "{}", 404), .write(.put, "/v1/objects/Dog/1.5", "{}", 404),
        .write(
            .patch, "/v1/objects/Dog/1", #"{"agee":1}"#, 422, "object.unknown_property", hint: "age", property: "agee"),
        .write(.patch, "/v1/objects/Dog/1", #"{"age":"x"}"#, 422, "object.invalid_value", property: "age"),
        .write(.patch, "/v1/objects/Dog/1", "[]", 422),
        .write(.patch, "/v1/objects/Dog/99", "{}", 404, "object.not_found"),
        .write(.patch, "/v1/objects/Dog/1", #"{"_id":2}"#, 409, "object.key_immutable"),
        .write(.put, "/v1/objects/Tag/not-a-uuid", "{}", 404),
        .write(.put, "/v1/objects/Dog/1", "[]", 422), .write(.delete, "/v1/objects/Dog/x", "", 404),
        .write(.post, "/v1/objects/Dog/1", "{}", 405), .write(.delete, "/v1/objects/Dog", "", 400, "parameter.missing"),
        .write(.post, "/v1/aggregates/objects/Dog", "{}", 405), .write(.delete, "/v1/schema", "", 405),
        .write(.put, "/v1/schema", "[]", 422), .write(.put, "/v1/schema", "{", 400),
    ]

    @Test("a request at fault is refused in the wire's form and changes nothing", arguments: reads + writes)
    func refusal(_ row: Refusal) throws {
        let wire = try Wire.populated()
        let before = try wire.version()
        let answer = try wire.send(row.method, row.target, row.body)
        // An invalid key in a path may also be reported as an error in the request.
        #expect(answer.status == row.status || (row.status == 404 && answer.status == 400), "\(answer)")
        if let code = row.code { #expect(answer.code == code, "\(answer)") }
        if let hint = row.hint { #expect(answer["hint"]?.asString == hint, "\(answer)") }
        if let property = row.property { #expect(answer["property"]?.asString == property, "\(answer)") }
        if let position = row.position { #expect(answer["position"] == .int(Int64(position)), "\(answer)") }
        #expect(answer.headers["Content-Type"]?.hasPrefix("application/problem+json") == true)
        #expect(answer["status"] == .int(Int64(answer.status)))
        for member in ["type", "title", "detail", "code"] {
            #expect(answer[member]?.asString?.isEmpty == false, "\(member) is missing in \(answer)")
        }
        #expect(answer.text.utf8.count < 4096, "a refusal does not send the request back")
        #expect(try wire.version() == before)
    }

    @Test("bytes that are not UTF-8 are refused")
    func invalidUTF8() throws {
        let wire = try Wire.populated()
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]] {
            let body = Array(#"{"_id":5,"name":"#.utf8) + bytes + Array("}".utf8)
            let request = try Request(
                .post, "/v1/objects/Dog", headers: ["Content-Type": "application/json"], body: body)
            guard case .now(let response) = wire.router.respond(to: request) else {
                Issue.record("The fault should be seen at once.")
                continue
            }
            #expect(response.status == 400)
        }
        #expect(try wire.get("/v1/objects/Dog/5").status == 404)
    }

    @Test(
        "a body that is not declared as JSON is refused, with any spelling of JSON taken",
        arguments: [
            ("text/plain", false), ("application/x-www-form-urlencoded", false), ("application/json", true),
            ("application/json; charset=utf-8", true), ("Application/JSON", true),
        ])
    func contentType(type: String, accepted: Bool) throws {
        let wire = try Wire.populated()
        let answer = try wire.send(
            .post, "/v1/objects/Dog", #"{"_id":5}"#, headers: ["Content-Type": type])
        #expect(answer.status == (accepted ? 201 : 415), "\(answer)")
    }

    @Test("the server goes on after any of the refusals")
    func survives() throws {
        let wire = try Wire.populated()
        for row in Self.reads + Self.writes { _ = try? wire.send(row.method, row.target, row.body) }
        #expect(try wire.get("/v1/objects/Dog").items("_id") == [1, 2])
    }

    @Test("random bytes as a predicate, as arguments, as a cursor and as a body are answered, never with a 500")
    func noise() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        let wire = try Wire.populated()
        let words = [
            "age", "name", "owner", ".", "city", "==", ">", "<", "(", ")", "{", "}", "'", "\"", "$0", "%@", "AND", "OR",
            "NOT",
            "ANY", "ALL", "NONE", "IN", "BETWEEN", "LIKE", "[c]", "1", "-1", "1.5", "nil", "TRUEPREDICATE", "@count",
            "@links",
            "SORT", "LIMIT", "DISTINCT", "fans", ",", "\u{1}", "é", "😀", "NaN", "0x", "oid(", "uuid(", "T",
            "$9999999999999999999",
        ]
        for _ in 0..<300 * TestRun.length {
            let text = (0..<Int.random(in: 1...9, using: &random))
                .map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
            for name in ["filter", "args", "sort", "distinct", "after", "fields", "expand"] {
                let answer = try wire.get("/v1/objects/Dog", [name: text])
                #expect([200, 400].contains(answer.status), "seed \(seed): \(name)=\(text): \(answer)")
                #expect(answer.json != nil, "seed \(seed): \(name)=\(text)")
            }
            let body = try wire.send(.post, "/v1/objects/Note", text)
            #expect([201, 400, 422].contains(body.status), "seed \(seed): \(text): \(body)")
        }
    }
}
