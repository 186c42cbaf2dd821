import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import RepositoryFiles
import RequestHandling
import StoreTesting
import TestBasics
import Testing

/// Objects whose primary keys are strings with a special meaning in paths, or without any.
@Suite("Addresses of objects by any text")
struct KeyAddressTests {
    private static let schema = #"""
        {"schemaVersion":1,"classes":[{"name":"Word","primaryKey":"id","properties":[
          {"name":"id","type":"string"},{"name":"n","type":"int"},{"name":"tags","type":"string[]"},
          {"name":"rates","type":"int{}"}]}]}
        """#

    private static let pieces = [
        ".", "..", "/", "//", "\\", "%", "%FF", "%2F", "%00", "+", " ", "?", "#", "&", "=", ";", ":", "\"", "'", "\0",
        "\0.",
        "\u{1}", "\r\n", "\u{7f}", "\u{80}", "\u{ff}", "\u{301}", "e\u{301}", "\u{e9}", "\u{feff}", "\u{200d}",
        "\u{fffd}",
        "\u{ffff}", "\u{10ffff}", "😀", "a", "null", "move", "$key", "1",
    ]

    private func text(_ json: JSONValue) -> String {
        let writer = JSONWriter(capacity: 64)
        writer.value(json)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Encodes a key as `encodeURIComponent` and generated clients do.
    private func encoded(_ key: String) -> String {
        key.utf8.map { byte in
            let isPlain = Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 || (0x30...0x39).contains(byte)
            return isPlain || byte == 0x2e
                ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private func check(_ key: String, _ gateway: TestGateway) throws {
        let made = try gateway.send(
            .post, "/v1/objects/Word", text(["id": .string(key), "n": 1, "tags": ["a"], "rates": [:]]))
        try #require(made.status == 201, "\(made.text)")
        let location = try #require(made.headers["Location"])
        // No segment that a client or proxy would remove from a path, decoded or not.
        for segment in location.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            #expect(!["", ".", ".."].contains(segment))
            #expect(segment.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x5c })
        }
        for address in [location, "/v1/objects/Word/" + encoded(key)] {
            let found = try gateway.get(address)
            #expect(found.status == 200, "\(address): \(found.text)")
            guard case .string(let id)? = try found.json["id"] else {
                throw Problem(HTTPError.Code.internalError, "no id")
            }
            #expect(Array(id.utf8) == Array(key.utf8), "\(address)")
            #expect(try gateway.send(.patch, address, #"{"n":2}"#).status == 200)
            #expect(try gateway.send(.put, address, #"{"n":3,"tags":["a"]}"#).status == 200)
            #expect(try gateway.send(.post, address + "/tags", #""b""#).status == 200)
            #expect(try gateway.get(address + "/tags").status == 200)
            #expect(try gateway.get("/v1/aggregates" + address.dropFirst(3) + "/rates").status == 200)
            #expect(try gateway.get("/v1/observe" + address.dropFirst(3)).status == 200)
            #expect(try gateway.send(.post, "/v1/query" + address.dropFirst(3)).status == 200)
        }
        #expect(try gateway.get(location).json["tags"] == ["a", "b"])
        #expect(try gateway.send(.delete, location).status == 204)
        #expect(try gateway.get(location).status == 404)
    }

    @Test(
        "a whole number has one spelling, of a key and of a position",
        arguments: ["%2B1", "+1", "01", "001", "-01", "-0", "1.0", "1e0", "0x1", "%201", "1%20", ""])
    func spelling(of number: String) throws {
        let gateway = try TestGateway(
            schema: #"""
                {"schemaVersion":1,"classes":[
                  {"name":"Thing","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"tags","type":"string[]"}]},
                  {"name":"Bare","properties":[{"name":"n","type":"int"}]}]}
                """#)
        let things = (-1...1).map { #"{"id":\#($0),"tags":["a","b"]}"# }.joined(separator: ",")
        #expect(try gateway.send(.post, "/v1/objects/Thing", "[\(things)]").status == 201)
        #expect(try gateway.send(.post, "/v1/objects/Bare", #"[{"n":1},{"n":2}]"#).status == 201)
        let before = try gateway.get("/v1/objects/Thing").text
        for (method, place, body) in [
            (HTTPMethod.get, "Thing/\(number)", nil), (.put, "Thing/\(number)", #"{"tags":["x"]}"#),
            (.patch, "Thing/\(number)", #"{"tags":["x"]}"#), (.delete, "Thing/\(number)", nil),
            (.get, "Thing/\(number)/tags", nil), (.get, "Bare/\(number)", nil), (.delete, "Bare/\(number)", nil),
            (.put, "Thing/1/tags/\(number)", #""x""#), (.delete, "Thing/1/tags/\(number)", nil),
        ] as [(HTTPMethod, String, String?)] {
            let answer = try gateway.send(method, "/v1/objects/\(place)", body)
            #expect([400, 404, 405].contains(answer.status), "\(method) \(place): \(answer.text)")
        }
        #expect(try gateway.get("/v1/objects/Thing").text == before)
        #expect(try gateway.get("/v1/objects/Bare").member("items") != .array([]))
    }

    @Test(
        "what is created is read, changed, edited, observed and deleted where Location says",
        arguments: [
            "", ".", "..", "...", "\0", "\0\0", "\0.", "\u{301}", "/", "%", "%FF", "%FF.", "+", "~",
            String(repeating: "k", count: 5000),
        ])
    func chosen(key: String) throws { try check(key, try TestGateway(schema: Self.schema)) }

    @Test("so is what is called anything")
    func random() throws {
        var random = SeededRandom.ofTest()
        let gateway = try TestGateway(schema: Self.schema)
        for _ in 0..<100 {
            let key = (0..<random.below(5)).map { _ in random.pick(Self.pieces) ?? "" }.joined()
            do { try check(key, gateway) } catch {
                throw Problem(HTTPError.Code.internalError, "\(Array(key.utf8)), seed \(random.seed): \(error)")
            }
        }
    }

    @Test("so is an object of a class whose name has spaces")
    func classWithSpaces() throws {
        let schema = Self.schema.replacing("\"Word\"", with: "\"Old word 2\"").replacing(
            "\"int{}\"}", with: "\"int{}\"},{\"name\":\"next\",\"type\":\"Old word 2?\"}")
        let gateway = try TestGateway(schema: schema) { $0.openapiDirectory = Checkout.root + "/openapi" }
        #expect(try gateway.send(.post, "/v1/objects/Old%20word%202", #"{"id":"c d"}"#).status == 201)
        let made = try gateway.send(.post, "/v1/objects/Old%20word%202", #"{"id":"a b","n":1,"next":"c d"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.headers["Location"] == "/v1/objects/Old%20word%202/a%20b")
        let address = "/objects/Old%20word%202"
        #expect(try gateway.get("/v1\(address)/a%20b").json["next"] == "c d")
        let found = try gateway.get("/v1\(address)?filter=next.id%20%3D%3D%20%22c%20d%22")
        #expect(found.status == 200 && found.text.contains("\"a b\"") && !found.text.contains("\"id\":\"c d\""))
        for path in ["/v1/observe\(address)", "/v1/observe\(address)/a%20b"] {
            #expect(try gateway.get(path).status == 200, "\(path)")
        }
        #expect(try gateway.send(.patch, "/v1\(address)/c%20d", #"{"n":5}"#).status == 200)
        #expect(try gateway.get("/openapi.json").json["paths"]?["/v1\(address)/{key}"] != nil)
        #expect(try gateway.send(.delete, "/v1\(address)/a%20b").status == 204)
        #expect(try gateway.get("/v1/objects/Old%20word").status == 404)
    }

    @Test("the empty text and the dots are objects of their own")
    func apart() throws {
        let gateway = try TestGateway(schema: Self.schema)
        for (number, key) in ["", ".", "..", "\0", "%FF"].enumerated() {
            #expect(
                try gateway.send(.post, "/v1/objects/Word", text(["id": .string(key), "n": .int(Int64(number))])).status
                    == 201)
        }
        for (number, segment) in ["%FF", "%FF.", "%FF..", "%00", "%25FF"].enumerated() {
            #expect(try gateway.get("/v1/objects/Word/\(segment)").json["n"] == .int(Int64(number)))
        }
    }
}
