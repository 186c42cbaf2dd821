import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

@Suite("Writing over the wire")
struct WireWriteTests {
    @Test("creating answers 201 with the object, its path and its defaults")
    func create() throws {
        let wire = try Wire.populated()
        let answer = try wire.send(.post, "/v1/objects/Dog", #"{"_id":-9,"weight":3.0,"owner":"bob"}"#)
        #expect(answer.status == 201)
        #expect(answer.headers["Location"] == "/v1/objects/Dog/-9")
        #expect(answer["name"] == "Stray")
        #expect(answer["good"] == .bool(true))
        #expect(answer["age"] == .null)
        #expect(answer["owner"] == "bob")
        #expect(try wire.get("/v1/objects/Dog/-9").text == answer.text)
    }

    @Test("an array is stored as a whole")
    func createSeveral() throws {
        let wire = try Wire.populated()
        let before = try wire.version()
        let answer = try wire.send(.post, "/v1/objects/Dog", #"[{"_id":5},{"_id":6},{"_id":7}]"#)
        #expect(answer.status == 201)
        #expect(answer.items("_id") == [5, 6, 7])
        #expect(try wire.version() == before + 1)
        #expect(answer["version"] == .int(Int64(before + 1)))
        let empty = try wire.send(.post, "/v1/objects/Dog", "[]")
        #expect((200...201).contains(empty.status))
        #expect(empty["items"] == [])
    }

    @Test(
        "an array with one fault is not stored at all",
        arguments: [
            #"[{"_id":5},{"_id":1}]"#, #"[{"_id":5},{"_id":5}]"#, #"[{"_id":5},{"_id":6,"age":"x"}]"#,
            #"[{"_id":5},{"nmae":"x","_id":6}]"#, #"[{"_id":5},7]"#, #"[{"_id":5},{"name":"no key"}]"#,
            #"[{"_id":5},{"_id":6,"owner":"nobody"}]"#,
            #"[{"_id":5,"owner":{"handle":"new"}},{"_id":6,"owner":{"handle":7}}]"#,
        ])
    func allOrNothing(body: String) throws {
        let wire = try Wire.populated()
        let before = try wire.get("/v1/objects/Dog", ["count": "true"]).text
        let people = try wire.get("/v1/objects/Person").items("handle")
        let answer = try wire.send(.post, "/v1/objects/Dog", body)
        #expect([400, 404, 409, 422].contains(answer.status), "\(answer)")
        #expect(answer.headers["Content-Type"]?.hasPrefix("application/problem+json") == true)
        #expect(try wire.get("/v1/objects/Dog", ["count": "true"]).text == before)
        #expect(try wire.get("/v1/objects/Person").items("handle") == people)
    }

    @Test("an existing key is refused, updated where it differs, or assigned, as `update` says")
    func updatePolicy() throws {
        let wire = try Wire.populated()
        for target in ["/v1/objects/Dog", "/v1/objects/Dog?update=error"] {
            let refused = try wire.send(.post, target, #"{"_id":1,"age":8}"#)
            #expect(refused.status == 409)
            #expect(refused.code == "object.duplicate_key")
        }
        let modified = try wire.send(.post, "/v1/objects/Dog?update=modified", #"{"_id":1,"age":8}"#)
        #expect(modified.status == 200)
        #expect(modified["age"] == 8)
        #expect(modified["name"] == "Rex", "what is not given stays")
        let all = try wire.send(.post, "/v1/objects/Dog?update=all", #"{"_id":1,"age":9}"#)
        #expect(all.status == 200)
        #expect(all["age"] == 9)
        #expect(all["name"] == "Rex")
        let created = try wire.send(.post, "/v1/objects/Dog?update=all", #"{"_id":77,"age":9}"#)
        #expect(created.status == 201)
    }

    @Test("update=modified tells observers only of what differs, update=all of all that is given")
    func updateChanges() throws {
        let wire = try Wire.populated()
        let stream = try wire.observe("/v1/observe/objects/Dog/1")
        _ = try stream.next("initial")
        #expect(
            try wire.send(.post, "/v1/objects/Dog?update=modified", #"{"_id":1,"age":8,"name":"Rex"}"#).status == 200)
        let first = try stream.next("change")
        #expect(first["changes"]?.asArray?.map { $0["name"] } == ["age"])
        #expect(try wire.send(.post, "/v1/objects/Dog?update=all", #"{"_id":1,"age":8,"name":"Rex"}"#).status == 200)
        let second = try stream.next("change")
        let names = second["changes"]?.asArray?.compactMap { $0["name"]?.asString } ?? []
        #expect(Set(names).isSuperset(of: ["age", "name"]))
    }

    @Test("PUT creates, and replaces with defaults for what is absent")
    func put() throws {
        let wire = try Wire.populated()
        let created = try wire.send(.put, "/v1/objects/Dog/9", #"{"name":"Nine"}"#)
        #expect(created.status == 201)
        #expect(created.headers["Location"] == "/v1/objects/Dog/9")
        #expect(created["_id"] == 9)
        let replaced = try wire.send(.put, "/v1/objects/Dog/1", #"{"_id":1,"age":3}"#)
        #expect(replaced.status == 200)
        #expect(replaced["age"] == 3)
        #expect(replaced["name"] == "Stray")
        #expect(replaced["owner"] == .null)
        #expect(replaced["weight"] == 0.0)
        let other = try wire.send(.put, "/v1/objects/Dog/1", #"{"_id":2}"#)
        #expect((400..<500).contains(other.status), "\(other)")
        #expect(try wire.get("/v1/objects/Dog/2")["name"] == "Fido")
    }

    @Test("PATCH sets what is given and leaves the rest")
    func patch() throws {
        let wire = try Wire.populated()
        let answer = try wire.send(.patch, "/v1/objects/Dog/1", #"{"owner":null,"age":null,"weight":2}"#)
        #expect(answer.status == 200)
        #expect(answer["owner"] == .null)
        #expect(answer["age"] == .null)
        #expect(answer["weight"] == 2.0)
        #expect(answer["name"] == "Rex")
        let immutable = try wire.send(.patch, "/v1/objects/Dog/1", #"{"_id":3}"#)
        #expect(immutable.status == 409, "\(immutable)")
        #expect(immutable.code == "object.key_immutable")
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"_id":1,"age":1}"#).status == 200)
        #expect(try wire.send(.patch, "/v1/objects/Dog/404", #"{"age":1}"#).status == 404)
    }

    @Test("DELETE answers 204, then 404, and links to the object become null")
    func delete() throws {
        let wire = try Wire.populated()
        #expect(try wire.send(.delete, "/v1/objects/Person/ada").status == 204)
        let again = try wire.send(.delete, "/v1/objects/Person/ada")
        #expect(again.status == 404)
        #expect(again.code == "object.not_found")
        #expect(try wire.get("/v1/objects/Dog/1")["owner"] == .null)
    }

    @Test("a write with If-Match is refused when the object has changed, not when another one has")
    func ifMatch() throws {
        let wire = try Wire.populated()
        let tag = try #require(try wire.get("/v1/objects/Dog/1").headers["ETag"])
        #expect(try wire.send(.patch, "/v1/objects/Dog/2", #"{"age":1}"#).status == 200)
        let first = try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":1}"#, headers: ["If-Match": tag])
        #expect(first.status == 200, "\(first)")
        let newTag = try #require(first.headers["ETag"])
        #expect(newTag != tag)
        #expect(try wire.get("/v1/objects/Dog/1").headers["ETag"] == newTag)
        for (method, body) in [
            (HTTPMethod.patch, #"{"age":2}"#), (.put, #"{"age":2}"#), (.delete, nil),
        ] as [(HTTPMethod, String?)] {
            let stale = try wire.send(method, "/v1/objects/Dog/1", body, headers: ["If-Match": tag])
            #expect(stale.status == 412, "\(method): \(stale)")
            #expect(stale.code == "object.precondition_failed")
        }
        #expect(try wire.get("/v1/objects/Dog/1")["age"] == 1)
        #expect(try wire.send(.put, "/v1/objects/Dog/1", "{}", headers: ["If-None-Match": "*"]).status == 412)
        #expect(try wire.send(.put, "/v1/objects/Dog/50", "{}", headers: ["If-Match": "*"]).status == 412)
        #expect(try wire.send(.put, "/v1/objects/Dog/50", "{}", headers: ["If-None-Match": "*"]).status == 201)
        #expect(try wire.send(.delete, "/v1/objects/Dog/50", headers: ["If-Match": "*"]).status == 204)
    }

    @Test("links are taken as a primary key, a $link or a nested object")
    func nestedLinks() throws {
        let wire = try Wire.populated()
        let nested = try wire.send(
            .post, "/v1/objects/Dog",
            #"{"_id":10,"owner":{"handle":"eve","city":"Rome","favourite":{"_id":11,"name":"Pup"}},"note":{"text":"hi"}}"#
        )
        #expect(nested.status == 201, "\(nested)")
        #expect(nested["owner"] == "eve")
        #expect(try wire.get("/v1/objects/Person/eve")["favourite"] == 11)
        #expect(try wire.get("/v1/objects/Dog/11")["name"] == "Pup")
        #expect(try wire.get("/v1/objects/Note").items("text") == ["first", "hi"])
        let typed = try wire.send(
            .patch, "/v1/objects/Dog/10", #"{"owner":{"$link":{"class":"Person","key":"ada"}}}"#)
        #expect(typed.status == 200, "\(typed)")
        #expect(typed["owner"] == "ada")
        let existing = try wire.send(.post, "/v1/objects/Dog", #"{"_id":12,"owner":{"handle":"ada","city":"Oslo"}}"#)
        #expect(existing.status == 409, "without a policy a nested object must not overwrite: \(existing)")
        #expect(try wire.get("/v1/objects/Person/ada")["city"] == "Turin")
        let updated = try wire.send(
            .post, "/v1/objects/Dog?update=modified", #"{"_id":12,"owner":{"handle":"ada","city":"Oslo"}}"#)
        #expect(updated.status == 201, "\(updated)")
        #expect(try wire.get("/v1/objects/Person/ada")["city"] == "Oslo")
        let wrongClass = try wire.send(
            .patch, "/v1/objects/Dog/10", #"{"owner":{"$link":{"class":"Dog","key":1}}}"#)
        #expect(wrongClass.status == 422, "\(wrongClass)")
    }

    @Test("objects without a primary key are reached by $key")
    func objectKeys() throws {
        let wire = try Wire.populated()
        let created = try wire.send(.post, "/v1/objects/Note", #"{"text":"second"}"#)
        #expect(created.status == 201)
        let key = try #require(created["$key"]?.asInt)
        #expect(created.headers["Location"] == "/v1/objects/Note/\(key)")
        #expect(try wire.get("/v1/objects/Note/\(key)")["text"] == "second")
        #expect(try wire.send(.patch, "/v1/objects/Note/\(key)", #"{"text":"2"}"#)["text"] == "2")
        #expect(try wire.send(.put, "/v1/objects/Note/\(key)", #"{"text":"3"}"#)["text"] == "3")
        #expect(try wire.send(.put, "/v1/objects/Note/\(key)", created.text).status == 200)
        let other = try wire.send(.patch, "/v1/objects/Note/\(key)", #"{"$key":0,"text":"4"}"#)
        #expect(other.status == 409)
        #expect(other.code == "object.key_immutable")
        #expect(try wire.send(.post, "/v1/objects/Note", #"{"$key":77,"text":"4"}"#).status == 422)
        let invented = try wire.send(.put, "/v1/objects/Note/9999", #"{"text":"x"}"#)
        #expect((400..<500).contains(invented.status), "keys of the store cannot be chosen: \(invented)")
        #expect(try wire.send(.delete, "/v1/objects/Note/\(key)").status == 204)
        #expect(try wire.get("/v1/objects/Note/\(key)").status == 404)
    }

    @Test(
        "any primary key survives the way through a path",
        arguments: ["a/b", "ä ö", "100%", "?x=1&y", "#", "..", ".", "a+b", "\u{1}", "\"", "日本", " ", "%2F"])
    func pathKeys(handle: String) throws {
        let wire = try Wire()
        let writer = JSONWriter()
        writer.string(handle)
        let literal = String(decoding: writer.bytes, as: UTF8.self)
        let created = try wire.send(.post, "/v1/objects/Person", #"{"handle":\#(literal)}"#)
        #expect(created.status == 201, "\(created)")
        let location = try #require(created.headers["Location"])
        let read = try wire.send(.get, location)
        #expect(read.status == 200, "\(location): \(read)")
        #expect(read["handle"] == .string(handle))
    }

    @Test(
        "values keep every bit on the way in and out",
        arguments: [
            #""big":-9223372036854775808"#, #""exact":5e-324"#, #""exact":1.7976931348623157e308"#, #""exact":"NaN""#,
            #""exact":0.1"#, #""ratio":3.4028235e38"#, #""ratio":"Infinity""#,
            #""label":"\u0000\"\\/\b\f\n\r\t\u001f\ud83d\ude00""#,
            #""at":"0001-01-01T00:00:00Z""#, #""at":"9999-12-31T23:59:59.999999999Z""#, #""big":3.0"#,
        ])
    func exactValues(member: String) throws {
        let wire = try Wire()
        let body = #"{"id":"00000000-0000-0000-0000-000000000001",\#(member)}"#
        let created = try wire.send(.post, "/v1/objects/Tag", body)
        #expect(created.status == 201, "\(created)")
        let name = try #require(try JSONValue.parse(body).memberNames.last)
        let given = try #require(try JSONValue.parse(body)[name])
        switch (given, created[name]) {
        case (.double(let a), .int(let b)?): #expect(a == Double(b))
        case (.double(let a), .double(let b)?): #expect(a == b)
        case (let a, let b): #expect(a == b)
        }
        let again = try wire.send(.put, "/v1/objects/Tag/00000000-0000-0000-0000-000000000001", created.text)
        #expect(again.text == created.text)
    }
}
