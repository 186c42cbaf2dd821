import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import Testing

@Suite("Queries over a socket")
struct WireQueryTests {
    private static func form(_ fields: KeyValuePairs<String, String>) -> String {
        fields.map { "\($0.key)=\(percentEncoded($0.value))" }.joined(separator: "&")
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    private static func ask(
        _ client: LoopbackClient, _ method: String, _ target: String, _ body: String = ""
    ) throws -> (status: Int, body: String) {
        try client.send("\(method) \(target)", body: body)
        return try client.answer()
    }

    /// Sends a form in the body.
    private static func post(
        _ client: LoopbackClient, _ path: String, _ body: String,
        type: String = "application/x-www-form-urlencoded"
    ) throws -> (status: Int, json: JSONValue) {
        try client.send(
            "POST \(path)", headers: "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n", form: body)
        let answer = try client.answer()
        return (answer.status, try JSONValue.parse(answer.body))
    }

    @Test("groups, sections, what a property holds and plans are answered, by workers as on the loop")
    func everyKind() throws {
        for inlineObjects in [0, 50_000] {
            try DogOwnersFixture.model { $0.inlineObjects = inlineObjects }.serve { port in
                let client = try LoopbackClient(port: port)
                for asked in GroupingTests.aggregates + GroupingTests.sections + GroupingTests.held {
                    let answer = try Self.ask(client, "GET", "/v1/" + asked.target.replacing(" ", with: "%20"))
                    #expect(answer.status == 200, "\(asked.target)")
                    let expected = #"{"version":3,"# + asked.body
                    #expect(Unmarked.text(answer.body) == Unmarked.text(expected), "\(asked.target)")
                }
                for target in ["objects/Person?explain", "objects/Person/ada/dogs?explain=plan&filter=age%3E3"] {
                    let answer = try Self.ask(client, "GET", "/v1/" + target)
                    #expect(answer.status == 200, "\(answer.body)")
                    #expect(try JSONValue.parse(answer.body)["plan"]?["words"]?.asString?.isEmpty == false)
                }
            }
        }
    }

    @Test("a held collection is observed, and each of its changes told once")
    func heldCollection() throws {
        try DogOwnersFixture.model().serve { port in
            let reader = try LoopbackClient(port: port)
            try reader.send("GET /v1/observe/objects/Person/ada/dogs?filter=age%20%3E%204&fields=id&sort=-age")
            #expect(try reader.event().data.contains(#""items":[{"id":2}]"#))
            let writer = try LoopbackClient(port: port)
            #expect(try Self.ask(writer, "PATCH", "/v1/objects/Dog/1", #"{"age":9}"#).status == 200)
            // The list contains the dog twice.
            #expect(try JSONValue.parse(try reader.event().data)["insertions"] == JSONValue.parse("[0,1]"))
            #expect(try Self.ask(writer, "PATCH", "/v1/objects/Person/ada", #"{"dogs":[3]}"#).status == 200)
            let event = try JSONValue.parse(try reader.event().data)
            #expect(try event["deletions"] == JSONValue.parse("[0,1,2]"))
            #expect(try event["objects"]?["insertions"] == JSONValue.parse(#"[{"id":3}]"#))
        }
    }

    @Test("parameters too long for a URL come as a form, for every resource that is read")
    func forms() throws {
        try DogOwnersFixture.model().serve { port in
            let client = try LoopbackClient(port: port)
            let many = "[[" + (0..<100_000 - 1).map { String($0 + 5) }.joined(separator: ",") + "]]"
            let body = Self.form(["filter": "age IN $0", "args": many, "fields": "handle"])
            let found = try Self.post(client, "/v1/query/objects/Person?sort=handle", body)
            #expect(found.status == 200, "\(found.json)")
            #expect(
                try found.json["items"] == JSONValue.parse(#"[{"handle":"ada"},{"handle":"bob"},{"handle":"dee"}]"#))
            let groups = try Self.post(client, "/v1/query/aggregates/objects/Dog/2/owners", "average=age")
            #expect(groups.json["average"]?["age"] == .double(21.5))
            let sections = try Self.post(client, "/v1/query/sections/objects/Dog", "by=name.first&keys")
            #expect(try sections.json["keys"] == JSONValue.parse(#"["A","F","N","R"]"#))
            let stream = try LoopbackClient(port: port)
            try stream.send(
                "POST /v1/query/observe/objects/Dog",
                headers: "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 16\r\n",
                form: "filter=id%3D%3D4")
            #expect(try stream.event().data.contains(#""id":4"#))
        }
    }

    @Test(
        "a hostile form is refused and the connection goes on",
        arguments: [
            ("filter=" + String(repeating: "(", count: 10_000), 400, "query.too_deep"),
            ("filter=" + String(repeating: "!", count: 50_000) + "alive", 400, "query.too_deep"),
            ("filter=" + String(repeating: "a", count: (1 << 20) + 1), 400, "query.too_long"),
            (
                "filter=" + String(repeating: "age%3D%3D1+OR+", count: 10_000) + "nosuch==1", 400,
                "query.unknown_property"
            ),
            ("filter=handle%3D%3D%FF", 400, "malformed_target"),
            ("filter=handle%3D%3D%27%00%27", 400, "malformed_target"),
            ("filter=age+IN+$0&args=" + String(repeating: "[", count: 20_000), 400, "json.too_deep"),
            ("filter=age+IN+$0&args=[[" + String(repeating: "1,", count: 100_000) + "1]]", 400, "parameter.invalid"),
            ("filter=tags[" + String(repeating: "9", count: 10_000) + "]%3D%3D1", 400, "query.syntax"),
            ("sort=" + String(repeating: "age,", count: 20_000) + "age", 400, "query.too_many_keys"),
            ("filter=alive==true" + String(repeating: "+SORT(age+ASC)", count: 20_000), 400, "query.too_many_keys"),
            ("fliter=x", 400, "parameter.unknown"),
        ])
    func hostile(body: String, status: Int, code: String) throws {
        try DogOwnersFixture.model().serve { port in
            let client = try LoopbackClient(port: port)
            let refused = try Self.post(client, "/v1/query/objects/Person", body)
            #expect(refused.status == status, "\(refused.json)")
            #expect(refused.json["code"]?.asString == code, "\(refused.json)")
            #expect(try Self.ask(client, "GET", "/v1/objects/Person/ada").status == 200)
        }
    }

    @Test("only reads can be asked by a form, and only by a form")
    func notAForm() throws {
        try DogOwnersFixture.model().serve { port in
            let client = try LoopbackClient(port: port)
            #expect(try Self.post(client, "/v1/query/objects/Person", "{}", type: "application/json").status == 415)
            #expect(try Self.post(client, "/v1/query/schema", "a=b").status == 404)
            #expect(try Self.post(client, "/v1/query/query/objects/Person", "a=b").status == 404)
            #expect(try Self.ask(client, "DELETE", "/v1/query/objects/Person").status == 405)
        }
    }
}
