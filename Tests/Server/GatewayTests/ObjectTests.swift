import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract
import StoreTesting
import Testing

@Suite("Objects over HTTP")
struct ObjectTests {
    /// A request and its response; the body as a whole, or nil if it does not matter.
    struct Step: Sendable, CustomTestStringConvertible {
        let method: HTTPMethod
        let target: String
        var body: String?
        let status: Int
        var answer: String?

        init(_ method: HTTPMethod, _ target: String, _ status: Int, _ answer: String? = nil) {
            self.method = method
            self.target = target
            self.status = status
            self.answer = answer
        }

        init(_ method: HTTPMethod, _ target: String, _ body: String, _ status: Int, _ answer: String? = nil) {
            self.method = method
            self.target = target
            self.body = body
            self.status = status
            self.answer = answer
        }

        var testDescription: String { "\(method) \(target)" }
    }

    static let rex =
        #"{"_id":1,"name":"Rex","breed":"Beagle","age":7,"weight":11.5,"good":true,"born":"2019-03-02T08:30:00Z","owner":"ada","friend":null}"#
    static let newDog =
        #"{"_id":9,"name":"Rex","breed":null,"age":null,"weight":0.0,"good":true,"born":"1970-01-01T00:00:00Z","owner":null,"friend":null}"#

    static let steps: [Step] = [
        Step(.get, "/v1/objects/Dog/1", 200, rex),
        Step(.get, "/v1/objects/Dog/1?fields=name,age", 200, #"{"name":"Rex","age":7}"#),
        Step(.get, "/v1/objects/Dog/1?fields=fans,_id", 200, #"{"fans":["ada"],"_id":1}"#),
        Step(
            .get, "/v1/objects/Dog/1?fields=_id&expand=owner.favourite", 200,
            #"{"_id":1,"owner":{"handle":"ada","city":"Turin","favourite":"# + rex + "}}"),
        Step(.get, "/v1/objects/Dog/1?fields=born&types=typed", 200, #"{"born":{"$date":"2019-03-02T08:30:00Z"}}"#),
        Step(.get, "/v1/objects/Person/ada?fields=handle&expand=dogs", 200),
        Step(.get, "/v1/objects/Dog/99", 404), Step(.get, "/v1/objects/Cat/1", 404),
        Step(.get, "/v1/objects/Dog/one", 400), Step(.delete, "/v1/objects/Dog/99", 404),
        Step(.post, "/v1/objects/Dog", #"{"_id":9}"#, 201, newDog),
        Step(.post, "/v1/objects/Dog", #"{"_id":1}"#, 409),
        Step(
            .post, "/v1/objects/Dog?update=modified", #"{"_id":1,"age":8}"#, 200,
            rex.replacingAge(8)),
        Step(
            .post, "/v1/objects/Dog?update=all", #"{"_id":9,"name":"New"}"#, 201,
            newDog.replacing("\"Rex\"", with: "\"New\"")),
        Step(.post, "/v1/objects/Dog", #"[{"_id":8},{"_id":1}]"#, 409),
        Step(.post, "/v1/objects/Dog", "[]", 201, #"{"version":5,"items":[]}"#),
        Step(
            .post, "/v1/objects/Dog?update=all", #"[{"_id":1,"age":8}]"#, 200,
            #"{"version":5,"items":["# + rex.replacingAge(8) + "]}"),
        Step(
            .post, "/v1/objects/Dog", #"{"_id":9,"owner":{"handle":"eve","city":"Rome"}}"#, 201,
            newDog.replacing("\"owner\":null", with: "\"owner\":\"eve\"")),
        Step(.post, "/v1/objects/Dog", #"{"_id":9,"owner":{"handle":"ada","city":"Rome"}}"#, 409),
        Step(.post, "/v1/objects/Dog?update=modified", #"{"_id":9,"owner":{"handle":"ada","city":"Rome"}}"#, 201),
        Step(.post, "/v1/objects/Dog", #"{"_id":9,"owner":{"$link":{"class":"Person","key":"bob"}}}"#, 201),
        Step(
            .post, "/v1/objects/Dog", #"{"_id":9,"friend":9}"#, 201,
            newDog.replacing("\"friend\":null", with: "\"friend\":9")),
        Step(.post, "/v1/objects/Dog", #"{"_id":9,"owner":"nobody"}"#, 422),
        Step(
            .post, "/v1/objects/Note", #"{"text":"a","tag":"123e4567-e89b-12d3-a456-426614174000","ratio":0.1}"#, 201,
            #"{"$key":0,"text":"a","reply":null,"tag":"123e4567-e89b-12d3-a456-426614174000","by":null,"ratio":0.1}"#),
        Step(
            .post, "/v1/objects/Note", #"{"text":"b","reply":{"text":"a"}}"#, 201,
            #"{"$key":1,"text":"b","reply":{"$link":{"class":"Note","key":0}},"tag":null,"by":null,"ratio":null}"#),
        Step(.put, "/v1/objects/Dog/9", "{}", 201, newDog),
        Step(
            .put, "/v1/objects/Dog/1", #"{"_id":1}"#, 200,
            newDog.replacing("\"_id\":9", with: "\"_id\":1")),
        Step(.put, "/v1/objects/Dog/1", #"{"_id":2}"#, 409), Step(.put, "/v1/objects/Note/0", "{}", 404),
        Step(.patch, "/v1/objects/Dog/1", #"{"age":8}"#, 200, rex.replacingAge(8)),
        Step(
            .patch, "/v1/objects/Dog/1", #"{"owner":null}"#, 200,
            rex.replacing("\"ada\"", with: "null")),
        Step(.patch, "/v1/objects/Dog/1", #"{"_id":2}"#, 409), Step(.patch, "/v1/objects/Dog/99", "{}", 404),
        Step(.delete, "/v1/objects/Dog/1", 204, ""),
    ]

    @Test("a request is answered as the wire says", arguments: steps)
    func scenario(step: Step) throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let response = try gateway.send(step.method, step.target, step.body)
        #expect(response.status == step.status, "\(response.text)")
        if let answer = step.answer { #expect(response.text == answer) }
        if response.status >= 400 {
            #expect(response.headers["Content-Type"] == "application/problem+json")
            #expect(response.member("status") == .int(Int64(response.status)))
            if case .string(let code)? = response.member("code") {
                #expect(!code.isEmpty)
            } else {
                Issue.record("no code")
            }
        }
    }

    @Test(
        "what is refused leaves nothing behind",
        arguments: [#"[{"_id":8},{"_id":1}]"#, #"{"_id":8,"owner":{"handle":"x"},"friend":99}"#])
    func allOrNothing(body: String) throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let before = try gateway.store.snapshot().version
        #expect(try gateway.send(.post, "/v1/objects/Dog", body).status >= 400)
        #expect(try gateway.store.snapshot().version == before)
        #expect(try gateway.get("/v1/objects/Person/x").status == 404)
    }

    @Test("a created object's path is in Location and leads to it")
    func location() throws {
        let gateway = try TestGateway()
        for (target, body) in [
            ("/v1/objects/Person", #"{"handle":"a/b ?é%"}"#), ("/v1/objects/Dog", #"{"_id":-3}"#),
            ("/v1/objects/Note", "{}"),
            ("/v1/objects/Badge", #"{"id":{"$uuid":"123E4567-e89b-12d3-a456-426614174000"}}"#),
        ] {
            let created = try gateway.send(.post, target, body)
            #expect(created.status == 201, "\(created.text)")
            let location = try #require(created.headers["Location"])
            let read = try gateway.get(location)
            #expect(read.text == created.text)
            #expect(read.headers["ETag"] == created.headers["ETag"])
        }
    }

    @Test("an object's tag changes with the object and guards writes")
    func preconditions() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let tag = try #require(try gateway.get("/v1/objects/Dog/1").headers["ETag"])
        #expect(try gateway.get("/v1/objects/Dog/1", headers: ["If-None-Match": tag]).status == 304)
        let expanded = try #require(try gateway.get("/v1/objects/Dog/1?expand=owner").headers["ETag"])
        #expect(try gateway.send(.patch, "/v1/objects/Person/ada", #"{"city":"Rome"}"#).status == 200)
        #expect(try gateway.get("/v1/objects/Dog/1", headers: ["If-None-Match": tag]).status == 304)
        #expect(try gateway.get("/v1/objects/Dog/1?expand=owner", headers: ["If-None-Match": expanded]).status == 200)
        // Commas within quotes are part of the tag.
        let several = "\"a, b\" ,, W/\"c,\",\(tag)"
        #expect(try gateway.get("/v1/objects/Dog/1", headers: ["If-None-Match": several]).status == 304)
        #expect(try gateway.get("/v1/objects/Dog/1", headers: ["If-None-Match": "\"a\" \(tag)"]).status == 400)

        let changed = try gateway.send(.patch, "/v1/objects/Dog/1", #"{"age":8}"#, headers: ["If-Match": expanded])
        #expect(changed.status == 200)
        #expect(changed.headers["ETag"] != tag)
        for method in [HTTPMethod.patch, .put] {
            #expect(try gateway.send(method, "/v1/objects/Dog/1", "{}", headers: ["If-Match": tag]).status == 412)
        }
        #expect(try gateway.send(.delete, "/v1/objects/Dog/1", headers: ["If-Match": tag]).status == 412)
        #expect(try gateway.send(.put, "/v1/objects/Dog/1", "{}", headers: ["If-None-Match": "*"]).status == 412)
        #expect(try gateway.send(.put, "/v1/objects/Dog/77", "{}", headers: ["If-Match": "*"]).status == 412)
        #expect(try gateway.send(.put, "/v1/objects/Dog/77", "{}", headers: ["If-None-Match": "*"]).status == 201)
        #expect(try gateway.send(.delete, "/v1/objects/Dog/1", headers: ["If-Match": "x"]).status == 400)
        let now = try #require(changed.headers["ETag"])
        #expect(try gateway.send(.delete, "/v1/objects/Dog/1", headers: ["If-Match": "\"y\", W/\(now)"]).status == 204)
    }
}

extension String {
    fileprivate func replacing(_ old: String, with new: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: old) {
            result += rest[..<range.lowerBound] + new
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    fileprivate func replacingAge(_ age: Int) -> String { replacing("\"age\":7", with: "\"age\":\(age)") }
}
