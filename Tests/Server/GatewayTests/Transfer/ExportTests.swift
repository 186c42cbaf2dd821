import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

@Suite("exporting files")
struct ExportTests {
    /// Everything that a file can contain: a class without a primary key has no text for links to its objects.
    private static let fields =
        "id,cover,stamp,price,fee,tags,marks,words,rates,days,anything,notes,next,series,related,publisher,editions,loans"

    @Test("an export is a file that an import reads back as it was", arguments: ["ndjson", "csv"])
    func roundTrip(format: String) throws {
        let first = try TestGateway(schema: EveryTypeFixture.schema)
        _ = try first.send(.post, "/v1/objects/Shelf", #"[{"label":"top"},{"label":"low"}]"#)
        _ = try first.send(
            .post, "/v1/objects/Loan", #"{"number":"123e4567-e89b-12d3-a456-426614174000","by":"ada"}"#)
        _ = try first.send(.post, "/v1/objects/Book", #"{"id":1}"#)
        #expect(try first.send(.post, "/v1/objects/Book", EveryTypeFixture.full).status == 201)
        let books = try first.get("/v1/export/Book?format=\(format)&fields=\(Self.fields)")
        #expect(books.status == 200, "\(books.text)")
        #expect(books.headers["Content-Disposition"] == "attachment; filename=\"Book.\(format)\"")

        let second = try TestGateway(schema: EveryTypeFixture.schema)
        _ = try second.send(.post, "/v1/objects/Shelf", #"[{"label":"top"},{"label":"low"}]"#)
        _ = try second.send(
            .post, "/v1/objects/Loan", #"{"number":"123e4567-e89b-12d3-a456-426614174000","by":"ada"}"#)
        let type = try #require(books.headers["Content-Type"])
        let imported = try second.send(
            .post, "/v1/import/Book", file: books.text, headers: ["Content-Type": type])
        #expect(imported.member("created") == 2, "\(imported.text)")
        let target = "/v1/objects/Book?fields=\(Self.fields)"
        #expect(try second.get(target).member("items") == (try first.get(target).member("items")))
    }

    @Test("null is a row also where it is the only field", arguments: ["ndjson", "csv"])
    func oneProperty(format: String) throws {
        let schema = #"{"schemaVersion":1,"classes":[{"name":"Word","properties":[{"name":"text","type":"string?"}]}]}"#
        let (first, second) = (try TestGateway(schema: schema), try TestGateway(schema: schema))
        let words = #"[{"text":null},{"text":"a"},{"text":""},{"text":null},{"text":null}]"#
        #expect(try first.send(.post, "/v1/objects/Word", words).status == 201)
        let file = try first.get("/v1/export/Word?format=\(format)")
        let imported = try second.send(
            .post, "/v1/import/Word", file: file.text,
            headers: ["Content-Type": try #require(file.headers["Content-Type"])])
        #expect(imported.member("created") == 5, "\(imported.text)")
        #expect(
            try second.get("/v1/objects/Word").member("items") == (try first.get("/v1/objects/Word").member("items")))
    }

    @Test("more objects than a block has come in order, whether they are sorted or not")
    func blocks() throws {
        let gateway = try TestGateway()
        let rows = (0..<2500).map { #"{"_id":\#(2500 - $0),"weight":\#($0 % 7)}"# }.joined(separator: ",")
        #expect(try gateway.send(.post, "/v1/objects/Dog", "[\(rows)]").status == 201)
        func ids(_ target: String) throws -> [Int] {
            try gateway.get(target).text.split(separator: "\n").map { line in
                guard case .int(let id)? = try JSONValue.parse(String(line))["_id"] else { return -1 }
                return Int(id)
            }
        }
        #expect(try ids("/v1/export/Dog?fields=_id") == Array((1...2500).reversed()))
        #expect(try ids("/v1/export/Dog?fields=_id&sort=_id") == Array(1...2500))
        #expect(try ids("/v1/export/Dog?fields=_id&sort=_id&limit=3") == [1, 2, 3])
        #expect(try ids("/v1/export/Dog?fields=_id&filter=weight+%3D%3D+6&sort=_id").count == 357)
        #expect(try ids("/v1/export/Dog?filter=FALSEPREDICATE") == [])
    }

    @Test("an empty class has the names of its properties in CSV, and nothing in NDJSON")
    func empty() throws {
        let gateway = try TestGateway()
        #expect(try gateway.get("/v1/export/Badge", headers: ["Accept": "text/csv"]).text == "id,level\r\n")
        #expect(try gateway.get("/v1/export/Badge").text == "")
    }

    @Test(
        "what cannot be exported is refused with what to do instead",
        arguments: [
            ("/v1/export/Cat", 404, "object.unknown_class"), ("/v1/export/Dog?fields=fans", 400, "parameter.invalid"),
            ("/v1/export/Dog?fields=nme", 400, "query.unknown_property"),
            ("/v1/export/Note", 422, "export.impossible"), ("/v1/export/Dog?offset=3", 400, "parameter.unknown"),
            ("/v1/export/Dog?filter=age+%3E", 400, "query.syntax"),
        ])
    func refusals(target: String, status: Int, code: String) throws {
        let answer = try TestGateway().get(target)
        #expect(answer.status == status)
        #expect(answer.member("code") == .string(code), "\(answer.text)")
    }
}
