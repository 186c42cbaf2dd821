import Compression
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics
import Testing
import Transfer

@testable import Gateway

@Suite("proposing classes for files")
struct InferenceTests {
    private static let csv = "id,zip\n1,10115\n2,01234\n"

    private func post(
        _ gateway: TestGateway, _ target: String, _ file: String = Self.csv, type: String = "text/csv"
    ) throws -> Response {
        try gateway.send(.post, target, file: file, headers: ["Content-Type": type])
    }

    @Test("the proposal has the class, the reasons and the key, and nothing has changed")
    func proposal() throws {
        let gateway = try TestGateway()
        let before = try gateway.store.snapshot()
        let answer = try post(gateway, "/v1/schema/inference?class=Kennel")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(
            try answer.json
                == JSONValue.parse(
                    #"""
                    {"classes":[{"name":"Kennel","primaryKey":"id","embedded":false,"properties":[
                       {"name":"id","type":"int"},{"name":"zip","type":"string"}]}],
                     "format":"csv","rows":2,"whole":true,"properties":[
                      {"class":"Kennel","name":"id","column":"id","type":"int","reason":"both values are integers","rows":2,"missing":0,
                       "examples":[{"line":2,"value":"1"}],"misfits":0},
                      {"class":"Kennel","name":"zip","column":"zip","type":"string","reason":"1 of 2 values begins with 0","rows":2,"missing":0,
                       "examples":[{"line":3,"value":"01234"}],"misfits":0}],
                     "primaryKey":{"property":"id",
                       "reason":"it is named like a key, and has a different value in each of the 2 rows",
                       "candidates":["id","zip"]},
                     "refused":0,"errors":[]}
                    """#))
        let after = try gateway.store.snapshot()
        #expect(after.version == before.version)
        #expect(after.schema == before.schema)
    }

    @Test("the proposed class goes into the schema, and the file into the class")
    func applied() throws {
        let gateway = try TestGateway(schema: #"{"schemaVersion":0,"classes":[]}"#)
        let file = "{\"id\":1,\"home\":{\"city\":\"Rome\"}}\n{\"id\":2,\"tags\":[\"a\",\"b\"]}\n"
        let proposal = try post(gateway, "/v1/schema/inference?class=Dog", file, type: "application/x-ndjson")
        let classes = String(decoding: Self.bytes(try #require(proposal.member("classes"))), as: UTF8.self)
        let put = try gateway.send(.put, "/v1/schema", "{\"schemaVersion\":1,\"classes\":\(classes)}")
        #expect(put.status == 200, "\(put.text)")
        let done = try post(gateway, "/v1/import/Dog", file, type: "application/x-ndjson")
        #expect(done.member("created") == 2, "\(done.text)")
        #expect(
            try gateway.get("/v1/objects/Dog").member("items")
                == JSONValue.parse(
                    #"[{"id":1,"home":{"city":"Rome"},"tags":[]},{"id":2,"home":null,"tags":["a","b"]}]"#))
    }

    private static func bytes(_ json: JSONValue) -> [UInt8] {
        let writer = JSONWriter()
        writer.value(json)
        return writer.bytes
    }

    @Test("types and the key may be given, and the beginning of a file is enough")
    func parameters() throws {
        let gateway = try TestGateway()
        let answer = try post(
            gateway, "/v1/schema/inference?class=Kennel&type=zip=int?&type=id=string&primaryKey=zip&partial",
            Self.csv + "3,4")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.member("rows") == 2)
        #expect(answer.member("whole") == false)
        #expect(answer.member("classes")?[0]?["primaryKey"] == "zip")
        #expect(
            answer.member("classes")?[0]?["properties"]
                == [["name": "id", "type": "string"], ["name": "zip", "type": "int?"]])
        let none = try post(gateway, "/v1/schema/inference?class=Kennel&primaryKey=")
        #expect(none.member("classes")?[0]?["primaryKey"] == .null)
        let mismatch = try post(gateway, "/v1/schema/inference?class=Kennel&type=zip=bool")
        #expect(mismatch.member("properties")?[1]?["misfits"] == 2)
        #expect(mismatch.member("properties")?[1]?["firstMisfit"] == ["line": 2, "value": "10115"])
    }

    @Test(
        "what cannot be inferred is refused with what to do instead",
        arguments: [
            ("", "parameter.missing", 400), ("?class=Dog", "parameter.invalid", 400),
            ("?class=1st", "parameter.invalid", 400), ("?class=A&type=zip", "parameter.invalid", 400),
            ("?class=A&type=zip=strng", "parameter.invalid", 400),
            ("?class=A&type=zip=int&type=zip=int", "parameter.invalid", 400),
            ("?class=A&type=zap=int", "import.unreadable", 400), ("?class=A&primaryKey=zap", "import.unreadable", 400),
            ("?class=A&format=ndjson", "unsupported_media_type", 415), ("?class=A&atomic", "parameter.unknown", 400),
            ("?class=A&partial=maybe", "parameter.invalid", 400),
        ] as [(String, String, Int)])
    func refused(query: String, code: String, status: Int) throws {
        let answer = try post(try TestGateway(), "/v1/schema/inference" + query)
        #expect(answer.member("code")?.asString == code, "\(answer.text)")
        #expect(answer.status == status)
    }

    @Test("an empty body, a file without rows and one with too many faults are refused")
    func faulty() throws {
        let gateway = try TestGateway { $0.importFaults = 3 }
        let empty = try gateway.send(.post, "/v1/schema/inference?class=A", headers: ["Content-Type": "text/csv"])
        #expect(empty.member("code") == "import.empty")
        #expect(try post(gateway, "/v1/schema/inference?class=A", "id\n").member("code") == "import.unreadable")
        let some = try post(gateway, "/v1/schema/inference?class=A", "id\n1,2\n3\n1,2\n1,2\n")
        #expect(some.status == 200)
        #expect(some.member("refused") == 3)
        #expect(some.member("errors")?[0]?["line"] == 2)
        let many = try post(gateway, "/v1/schema/inference?class=A", "id\n1,2\n3\n1,2\n1,2\n1,2\n")
        #expect(many.member("code") == "import.too_many_faults")
        #expect(many.status == 422)
    }

    @Test("a compressed file is expanded, up to a limit")
    func compressed() throws {
        let gateway = try TestGateway {
            $0.importExpansion = 2
            $0.importFreeExpansion = 5000
        }
        func send(_ text: String) throws -> Response {
            var request = try Request(
                .post, "/v1/schema/inference?class=Kennel",
                headers: ["Content-Type": "text/csv", "Content-Encoding": "gzip"], body: [])
            request.bodyFile = try BodyFile(
                try Array(text.utf8).withUnsafeBytes { try Compression.Encoder(.gzip).encode($0) })
            return try gateway.router.answer(request)
        }
        #expect(try send(Self.csv).member("rows") == 2)
        #expect(try send("id\n" + String(repeating: "1\n", count: 200_000)).member("code") == "import.expands_too_far")
    }
}

@Suite("loading the demo")
struct DemoTests {
    private static let empty = #"{"schemaVersion":0,"classes":[]}"#

    private func gateway(_ schema: String = Self.empty) throws -> TestGateway {
        try TestGateway(schema: schema) { $0.demoDirectory = Checkout.root + "/Examples/Demo" }
    }

    @Test("the demo is loaded in the background, once, and its progress can be read")
    func load() throws {
        let gateway = try gateway()
        #expect(try gateway.get("/v1/demo").text == #"{"available":true,"state":"absent"}"#)
        let begun = try gateway.send(.post, "/v1/demo")
        #expect(begun.status == 202, "\(begun.text)")
        var last: Int64 = 0
        let isLoaded = try eventually {
            let state = try gateway.get("/v1/demo")
            if case .int(let bytes)? = state.member("bytes") {
                #expect(bytes >= last)
                last = bytes
            }
            if state.member("state") == "loaded" {
                #expect(state.member("objects") == 9475)
                #expect(state.member("bytes") == state.member("total"))
                #expect(state.member("available") == false)
                return true
            }
            try #require(state.member("state") == "loading", "\(state.text)")
            // A repetition only reports it, unless it has just ended.
            #expect([202, 409].contains(try gateway.send(.post, "/v1/demo").status))
            return false
        }
        #expect(isLoaded)
        #expect(try gateway.get("/v1/objects/Flight?count&limit=0").member("count") == 6099)
        #expect(try gateway.send(.post, "/v1/demo").member("code") == "demo.not_empty")
    }

    @Test("a database with classes, and a server without the files, refuse")
    func refused() throws {
        let full = try gateway(TestGateway.schema)
        #expect(try full.get("/v1/demo").member("available") == false)
        let answer = try full.send(.post, "/v1/demo")
        #expect(answer.status == 409)
        #expect(answer.member("code") == "demo.not_empty")
        let bare = try TestGateway(schema: Self.empty)
        #expect(try bare.get("/v1/demo").member("available") == false)
        #expect(try bare.send(.post, "/v1/demo").member("code") == "demo.unavailable")
    }

    @Test("damaged files are reported")
    func damaged() throws {
        let directory = try TestDirectory()
        try directory.write("{}", to: "schema.json")
        let gateway = try TestGateway(schema: Self.empty) { $0.demoDirectory = directory.path }
        #expect(try gateway.send(.post, "/v1/demo").status == 202)
        #expect(try eventually { try gateway.get("/v1/demo").member("state") != "loading" })
        let state = try gateway.get("/v1/demo")
        #expect(state.member("state") == "failed")
        #expect(state.member("detail")?.asString?.contains("schema.json' is damaged") == true, "\(state.text)")
    }
}
