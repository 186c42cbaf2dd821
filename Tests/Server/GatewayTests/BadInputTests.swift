import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import StoreContract
import StoreTesting
import Testing

@Suite("Bad input")
struct BadInputTests {
    struct Bad: Sendable, CustomTestStringConvertible {
        let method: HTTPMethod
        let target: String
        let body: String?
        let status: Int
        let code: String
        /// The members that the problem must have.
        let members: [String: JSONValue]

        init(
            _ method: HTTPMethod, _ target: String, _ body: String? = nil, status: Int, code: String,
            _ members: [String: JSONValue] = [:]
        ) {
            self.method = method
            self.target = target
            self.body = body
            self.status = status
            self.code = code
            self.members = members
        }

        var testDescription: String { "\(method) \(target) \(body ?? "")" }
    }

    static let queries: [Bad] = [
        Bad(.get, "/v1/objects/Dgo", status: 404, code: "object.unknown_class", ["hint": .string("Dog")]),
        Bad(.get, "/v1/aggregates/objects/Dogs", status: 404, code: "object.unknown_class", ["hint": .string("Dog")]),
        Bad(.get, "/v1/observe/objects/Dogs", status: 404, code: "object.unknown_class", ["hint": .string("Dog")]),
        Bad(.get, "/v1/observe/objects/Dog/99", status: 404, code: "object.not_found"),
        Bad(
            .get, "/v1/objects/Dog?filer=x", status: 400, code: "parameter.unknown",
            ["hint": .string("filter"), "parameter": .string("filer")]),
        Bad(.get, "/v1/objects/Dog/1?filter=x", status: 400, code: "parameter.unknown"),
        Bad(.get, "/v1/objects/Dog?limit=1&limit=2", status: 400, code: "parameter.repeated"),
        Bad(.get, "/v1/objects/Dog?limit=-1", status: 400, code: "parameter.invalid", ["parameter": .string("limit")]),
        Bad(.get, "/v1/objects/Dog?limit=10001", status: 400, code: "parameter.invalid"),
        Bad(.get, "/v1/objects/Dog?limit=99999999999999999999", status: 400, code: "parameter.invalid"),
        Bad(.get, "/v1/objects/Dog?offset=x", status: 400, code: "parameter.invalid"),
        Bad(.get, "/v1/objects/Dog?count=yes", status: 400, code: "parameter.invalid"),
        Bad(.get, "/v1/objects/Dog?types=typd", status: 400, code: "parameter.invalid", ["hint": .string("typed")]),
        Bad(.get, "/v1/objects/Dog?after=x", status: 400, code: "cursor.invalid"),
        Bad(.get, "/v1/objects/Dog?after=!!!", status: 400, code: "cursor.invalid"),
        Bad(.get, "/v1/objects/Dog?after=WzFd", status: 400, code: "cursor.invalid"),
        Bad(.get, "/v1/objects/Dog?after=x&distinct=breed", status: 400, code: "cursor.invalid"),
        Bad(
            .get, "/v1/objects/Dog?fields=nmae", status: 400, code: "query.unknown_property",
            ["hint": .string("name"), "property": .string("nmae"), "parameter": .string("fields")]),
        Bad(.get, "/v1/objects/Dog?fields=", status: 400, code: "query.unknown_property"),
        Bad(.get, "/v1/objects/Dog?expand=name", status: 400, code: "parameter.invalid"),
        Bad(
            .get, "/v1/objects/Dog?expand=owner.favorite", status: 400, code: "query.unknown_property",
            ["hint": .string("favourite")]),
        Bad(.get, "/v1/objects/Dog?expand=friend.friend.friend.friend.friend", status: 400, code: "parameter.invalid"),
        Bad(
            .get, "/v1/objects/Dog?filter=age+%3E", status: 400, code: "query.syntax",
            ["position": .int(5), "parameter": .string("filter")]),
        Bad(
            .get, "/v1/objects/Dog?filter=agee+%3E+1", status: 400, code: "query.unknown_property",
            ["position": .int(0), "hint": .string("age")]),
        // Two characters of two and four bytes precede the error.
        Bad(
            .get, "/v1/objects/Dog?filter=name+%3D%3D+'%C3%A9%F0%9F%98%80'+AND+agee+%3E+1", status: 400,
            code: "query.unknown_property", ["position": .int(21)]),
        Bad(.get, "/v1/objects/Dog?filter=age+%3E+'x'", status: 400, code: "query.type_mismatch"),
        Bad(.get, "/v1/objects/Dog?filter=age+%3E+%240", status: 400, code: "query.argument"),
        Bad(
            .get, "/v1/objects/Dog?filter=age+%3E+%240&args=%5B", status: 400, code: "json.truncated",
            ["parameter": .string("args")]),
        Bad(.get, "/v1/objects/Dog?filter=age+%3E+%240&args=7", status: 400, code: "parameter.invalid"),
        Bad(
            .get, "/v1/objects/Dog?filter=age+%3E+%240&args=%5B%7B%22%24what%22%3A1%7D%5D", status: 400,
            code: "query.argument"),
        Bad(
            .get,
            "/v1/objects/Dog?filter=owner+%3D%3D+%240&args=%5B%7B%22%24link%22%3A%7B%22class%22%3A%22Persn%22%2C%22key%22%3A1%7D%7D%5D",
            status: 400, code: "query.unknown_class", ["hint": .string("Person")]),
        Bad(
            .get, "/v1/objects/Dog?sort=name,-agee", status: 400, code: "query.unknown_property",
            ["parameter": .string("sort"), "position": .int(6), "hint": .string("age")]),
        Bad(.get, "/v1/objects/Dog?sort=", status: 400, code: "query.syntax", ["parameter": .string("sort")]),
        Bad(
            .get, "/v1/objects/Dog?distinct=bred", status: 400, code: "query.unknown_property",
            ["hint": .string("breed")]),
        Bad(
            .get, "/v1/aggregates/objects/Dog?sum=name", status: 400, code: "query.invalid",
            ["parameter": .string("sum")]),
        Bad(.get, "/v1/aggregates/objects/Dog?sum=born", status: 400, code: "query.invalid"),
        Bad(.get, "/v1/aggregates/objects/Dog?min=owner", status: 400, code: "query.invalid"),
        Bad(.get, "/v1/aggregates/objects/Dog?avg=age", status: 400, code: "parameter.unknown"),
        Bad(
            .get, "/v1/observe/objects/Dog?keyPaths=owner.cty", status: 400, code: "query.unknown_property",
            ["hint": .string("city")]),
        Bad(
            .get, "/v1/observe/objects/Dog?include=object", status: 400, code: "parameter.invalid",
            ["hint": .string("objects")]),
        Bad(.get, "/v1/observe/objects/Dog?offset=1", status: 400, code: "parameter.unknown"),
        Bad(.get, "/v1/nothing", status: 404, code: "not_found"),
        Bad(.delete, "/v1/schema", status: 405, code: "method_not_allowed"),
    ]

    static let bodies: [Bad] = [
        Bad(.post, "/v1/objects/Dgo", "{}", status: 404, code: "object.unknown_class", ["hint": .string("Dog")]),
        Bad(.post, "/v1/objects/Dog", "", status: 400, code: "json.truncated"),
        Bad(.post, "/v1/objects/Dog", #"{"_id":1"#, status: 400, code: "json.truncated"),
        Bad(.post, "/v1/objects/Dog", #"{"_id":8,}"#, status: 400, code: "json.syntax"),
        Bad(.post, "/v1/objects/Dog", #"{"_id":8,"_id":9}"#, status: 400, code: "json.duplicate_name"),
        Bad(.post, "/v1/objects/Dog", #"{"_id":9223372036854775808}"#, status: 400, code: "json.number_range"),
        Bad(
            .post, "/v1/objects/Dog", #"{"_id":8,"agee":1}"#, status: 422, code: "object.unknown_property",
            ["property": .string("agee"), "hint": .string("age")]),
        Bad(
            .post, "/v1/objects/Dog", #"{"_id":8,"age":"seven"}"#, status: 422, code: "object.invalid_value",
            ["property": .string("age")]),
        Bad(.post, "/v1/objects/Dog", #"{"_id":8,"age":1.5}"#, status: 422, code: "object.invalid_value"),
        Bad(.post, "/v1/objects/Dog", #"{"_id":8,"name":null}"#, status: 422, code: "object.invalid_value"),
        Bad(.post, "/v1/objects/Dog", #"{"_id":8,"born":"yesterday"}"#, status: 422, code: "object.invalid_value"),
        Bad(
            .post, "/v1/objects/Dog", #"{"name":"x"}"#, status: 422, code: "object.missing_value",
            ["property": .string("_id")]),
        Bad(.post, "/v1/objects/Dog", #"{"_id":8,"fans":[]}"#, status: 422, code: "object.invalid_value"),
        Bad(
            .post, "/v1/objects/Dog", #"{"_id":8,"owner":7}"#, status: 422, code: "object.invalid_value",
            ["property": .string("owner")]),
        Bad(
            .post, "/v1/objects/Dog", #"{"_id":8,"owner":"zoe"}"#, status: 422, code: "object.invalid_value",
            ["property": .string("owner")]),
        Bad(
            .post, "/v1/objects/Dog", #"{"_id":8,"owner":{"handle":"x","ctiy":"y"}}"#, status: 422,
            code: "object.unknown_property",
            ["property": .string("owner.ctiy"), "hint": .string("city")]),
        Bad(
            .post, "/v1/objects/Dog", #"{"_id":8,"owner":{"$link":{"class":"Dog","key":1}}}"#, status: 422,
            code: "object.invalid_value"),
        Bad(.post, "/v1/objects/Dog", #"{"_id":8,"owner":{"$link":7}}"#, status: 422, code: "object.invalid_value"),
        Bad(.post, "/v1/objects/Note", #"{"reply":0}"#, status: 422, code: "object.invalid_value"),
        Bad(
            .post, "/v1/objects/Note", #"{"reply":{"$link":{"class":"Note","key":5}}}"#, status: 422,
            code: "object.invalid_value"),
        Bad(.post, "/v1/objects/Note", #"{"$key":3}"#, status: 422, code: "object.unknown_property"),
        Bad(.post, "/v1/objects/Dog", "7", status: 422, code: "object.invalid_value"),
        Bad(.post, "/v1/objects/Dog", "[7]", status: 422, code: "object.invalid_value"),
        Bad(.post, "/v1/objects/Dog", #"{"_id":1}"#, status: 409, code: "object.duplicate_key"),
        Bad(
            .post, "/v1/objects/Dog?update=modifed", "{}", status: 400, code: "parameter.invalid",
            ["hint": .string("modified")]),
        Bad(.put, "/v1/objects/Dog/1", #"{"_id":2}"#, status: 409, code: "object.key_immutable"),
        Bad(.patch, "/v1/objects/Dog/1", #"{"_id":2}"#, status: 409, code: "object.key_immutable"),
        Bad(.patch, "/v1/objects/Dog/1", "[]", status: 422, code: "object.invalid_value"),
        Bad(.patch, "/v1/objects/Dog/x", "{}", status: 400, code: "object.invalid_key"),
        Bad(.put, "/v1/schema", "{}", status: 422, code: "schema.invalid"),
        Bad(
            .put, "/v1/schema", #"{"schemaVersion":1,"clases":[],"classes":[]}"#, status: 422, code: "schema.invalid",
            ["hint": .string("classes")]),
        Bad(
            .put, "/v1/schema",
            #"{"schemaVersion":1,"classes":[{"name":"A","properties":[{"name":"b","type":"B?"}]}]}"#, status: 422,
            code: "schema.invalid"),
        Bad(
            .put, "/v1/schema",
            #"{"schemaVersion":0,"classes":[{"name":"A","properties":[{"name":"b","type":"int"}]}]}"#, status: 409,
            code: "schema.version_too_low"),
        Bad(
            .put, "/v1/schema",
            #"{"schemaVersion":1,"classes":[{"name":"Dog","primaryKey":"name","properties":[{"name":"name","type":"string"}]}]}"#,
            status: 409, code: "schema.migration_required"),
    ]

    @Test("it is answered with what is wrong and leaves nothing behind", arguments: queries + bodies)
    func refused(bad: Bad) throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let before = try gateway.store.snapshot().version
        let response = try gateway.send(bad.method, bad.target, bad.body)
        #expect(response.status == bad.status, "\(response.text)")
        #expect(response.member("code") == .string(bad.code), "\(response.text)")
        #expect(response.headers["Content-Type"] == "application/problem+json")
        for (name, value) in bad.members { #expect(response.member(name) == value, "\(name) of \(response.text)") }
        #expect(try gateway.store.snapshot().version == before)
        #expect(try gateway.get("/v1/objects/Dog?limit=0&count=true").status == 200)
    }

    @Test(
        "a body that is not declared as JSON is refused",
        arguments: [
            "", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1",
            "application/jsonp",
        ])
    func contentType(type: String) throws {
        let gateway = try TestGateway()
        #expect(try gateway.send(.post, "/v1/objects/Dog", "{}", headers: ["Content-Type": type]).status == 415)
        #expect(try gateway.send(.put, "/v1/schema", "{}", headers: ["Content-Type": type]).status == 415)
    }

    @Test(
        "JSON is accepted by any of its names",
        arguments: ["application/json", "Application/JSON; charset=\"UTF-8\"", "application/merge-patch+json"])
    func contentTypes(type: String) throws {
        let gateway = try TestGateway()
        #expect(
            try gateway.send(.post, "/v1/objects/Dog", #"{"_id":1}"#, headers: ["Content-Type": type]).status == 201)
    }

    @Test("a body beyond the limit is refused before it is read")
    func tooLarge() throws {
        let gateway = try TestGateway { $0.bodyLimit = 100 }
        let body = #"{"_id":1,"name":""# + String(repeating: "x", count: 100) + "\"}"
        let response = try gateway.send(.post, "/v1/objects/Dog", body)
        #expect(response.status == 413)
        #expect(response.member("code") == .string("body_too_large"))
        #expect(try gateway.send(.post, "/v1/objects/Dog", #"{"_id":1}"#).status == 201)
    }

    @Test("a filter and arguments beyond their limits are refused")
    func longQueries() throws {
        let gateway = try TestGateway {
            $0.filterLimit = 20
            $0.argumentLimit = 3
        }
        #expect(
            try gateway.get("/v1/objects/Dog?filter=age%3E1+AND+age%3E2+AND+age%3E3").member("code")
                == .string("query.too_long"))
        #expect(try gateway.get("/v1/objects/Dog?filter=age+IN+%240&args=%5B%5B1%2C2%5D%5D").status == 200)
        #expect(try gateway.get("/v1/objects/Dog?filter=age+IN+%240&args=%5B%5B1%2C2%2C3%5D%5D").status == 400)
    }

    @Test("a cursor of another class or sort is refused")
    func foreignCursor() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        guard case .string(let cursor)? = try gateway.get("/v1/objects/Dog?limit=1&sort=age").member("next") else {
            Issue.record("no cursor")
            return
        }
        #expect(try gateway.get("/v1/objects/Dog?sort=age&after=\(cursor)").status == 200)
        for target in ["Dog?sort=-age", "Dog?sort=weight", "Dog?sort=age,weight", "Dog?limit=1", "Person?sort=city"] {
            let response = try gateway.get("/v1/objects/\(target)&after=\(cursor)")
            #expect(response.member("code") == .string("cursor.mismatch"), "\(target)")
        }
        for cut in [1, 2, 5] {
            #expect(try gateway.get("/v1/objects/Dog?sort=age&after=\(cursor.dropLast(cut))").status == 400)
        }
    }
}
