import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import StoreContract
import Testing

@Suite("Reading over the wire")
struct WireReadTests {
    @Test("a collection answers with its version, its items, the mark of the version and an ETag of that")
    func collection() throws {
        let wire = try Wire.populated()
        let answer = try wire.get("/v1/objects/Dog")
        #expect(answer.status == 200)
        let version = try wire.version()
        #expect(answer["version"] == .int(Int64(version)))
        let mark = try wire.mark()
        #expect(answer.headers["ETag"] == "\"\(mark)\"")
        #expect(answer.headers["Realmgate-Mark"] == mark)
        #expect(answer.headers["Content-Type"]?.hasPrefix("application/json") == true)
        #expect(answer.items("_id") == [.int(1), .int(2)])
        #expect(answer["count"] == nil)
        #expect(answer["next"] == nil)
        #expect(
            answer["items"]?[0]?.canonical
                == (try JSONValue.parse(
                    #"{"_id":1,"name":"Rex","breed":"Beagle","age":7,"weight":11.5,"good":true,"#
                        + #""born":"2019-03-02T08:30:00Z","owner":"ada","note":null}"#
                ).canonical))
    }

    @Test("properties come in the order of declaration, chosen ones in the order asked for")
    func order() throws {
        let wire = try Wire.populated()
        let all = try wire.get("/v1/objects/Dog/1")
        #expect(all.json?.memberNames == ["_id", "name", "breed", "age", "weight", "good", "born", "owner", "note"])
        let chosen = try wire.get("/v1/objects/Dog/1", ["fields": "weight,fans,name"])
        #expect(chosen.json?.memberNames == ["weight", "fans", "name"])
    }

    @Test(
        "a filter gives the objects that match",
        arguments: [
            ("age > 10", "[]", [2]), ("age > $0", "[5]", [1, 2]), ("name BEGINSWITH[c] 're'", "[]", [1]),
            ("name == %@ OR breed == %@", #"["Rex","Whippet"]"#, [1, 2]), ("owner.city == 'Turin'", "[]", [1]),
            ("owner == nil", "[]", [2]), ("breed IN $0", #"[["Beagle","Poodle"]]"#, [1]),
            ("weight BETWEEN {12, 14}", "[]", [2]), ("born > $0", #"[{"$date":"2000-01-01T00:00:00Z"}]"#, [1]),
            ("NOT (age == 7)", "[]", [2]), ("age == $0", "[null]", []),
        ])
    func filters(filter: String, args: String, expected: [Int]) throws {
        let wire = try Wire.populated()
        let answer = try wire.get("/v1/objects/Dog", ["filter": filter, "args": args])
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.items("_id").map { $0?.asInt } == expected, "\(answer)")
    }

    @Test("sort, offset, limit, distinct and count work together")
    func window() throws {
        let wire = try Wire()
        let dogs = (0..<30).map { "{\"_id\":\($0),\"age\":\($0 % 5),\"name\":\"d\($0)\"}" }
        #expect(try wire.send(.post, "/v1/objects/Dog", "[\(dogs.joined(separator: ","))]").status == 201)
        let page = try wire.get(
            "/v1/objects/Dog", ["sort": "-age,_id", "offset": "2", "limit": "5", "count": "true", "fields": "_id"])
        #expect(page.items("_id").map { $0?.asInt } == [14, 19, 24, 29, 3])
        #expect(page["count"] == .int(30))
        let distinct = try wire.get("/v1/objects/Dog", ["sort": "-_id", "distinct": "age", "count": "true"])
        #expect(distinct.items("_id").map { $0?.asInt } == [29, 28, 27, 26, 25])
        #expect(distinct["count"] == .int(5))
        let far = try wire.get("/v1/objects/Dog", ["offset": "\(Int.max)", "limit": "10000", "sort": "age"])
        #expect(far.status == 200)
        #expect(far["items"] == [])
        let none = try wire.get("/v1/objects/Dog", ["limit": "0", "count": "true"])
        #expect(none["items"] == [])
        #expect(none["count"] == .int(30))
    }

    @Test(
        "pages joined by their cursors are the whole result, also when objects go in between",
        arguments: ["_id", "age", "-age,name", "weight", "owner.city,-_id"])
    func cursors(sort: String) throws {
        let wire = try Wire()
        #expect(
            try wire.send(.post, "/v1/objects/Person", #"[{"handle":"a","city":"A"},{"handle":"b"}]"#).status == 201)
        let dogs = (0..<23).map { number in
            let owner = ["null", "\"a\"", "\"b\""][number % 3]
            let weight = number % 7 == 0 ? "\"NaN\"" : "\(number % 4).5"
            let age = number % 5 == 0 ? "null" : "\(number % 5)"
            return
                "{\"_id\":\(number),\"age\":\(age),\"weight\":\(weight),\"name\":\"d\(number % 2)\",\"owner\":\(owner)}"
        }
        #expect(try wire.send(.post, "/v1/objects/Dog", "[\(dogs.joined(separator: ","))]").status == 201)
        let whole = try wire.get("/v1/objects/Dog", ["sort": sort]).items("_id").map { $0?.asInt }
        #expect(whole.count == 23)
        var seen: [Int?] = []
        var after: String?
        repeat {
            let page =
                if let after {
                    try wire.get("/v1/objects/Dog", ["sort": sort, "limit": "4", "after": after])
                } else {
                    try wire.get("/v1/objects/Dog", ["sort": sort, "limit": "4"])
                }
            #expect(page.status == 200, "\(page)")
            let identifiers = page.items("_id").map { $0?.asInt }
            seen += identifiers
            after = page["next"]?.asString
            // Deletes the last object of a page: the next page must not shift.
            if after != nil, let last = identifiers.last, let last {
                #expect(try wire.send(.delete, "/v1/objects/Dog/\(last)").status == 204)
            }
        } while after != nil && seen.count < 100
        #expect(seen == whole)
    }

    @Test("a cursor of another sort, of another class or of somebody's making is refused")
    func foreignCursors() throws {
        let wire = try Wire.populated()
        let page = try wire.get("/v1/objects/Dog", ["sort": "age", "limit": "1"])
        let cursor = try #require(page["next"]?.asString)
        #expect(cursor.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
        #expect(try wire.get("/v1/objects/Dog", ["sort": "age", "after": cursor]).status == 200)
        for (path, sort, after) in [
            ("/v1/objects/Dog", "-age", cursor), ("/v1/objects/Dog", "name", cursor),
            ("/v1/objects/Person", "handle", cursor), ("/v1/objects/Dog", "age", "!!!"),
            ("/v1/objects/Dog", "age", ""), ("/v1/objects/Dog", "age", String(cursor.dropLast(2))),
            ("/v1/objects/Dog", "age", "AAAA"), ("/v1/objects/Dog", "age", String(repeating: "_w", count: 3000)),
        ] {
            let answer = try wire.get(path, ["sort": sort, "after": after])
            #expect(answer.status == 400, "\(path) \(sort) \(after): \(answer)")
            #expect(answer.code != nil)
        }
    }

    @Test("a read is not modified while the version stays, and is after a write")
    func conditional() throws {
        let wire = try Wire.populated()
        for path in ["/v1/objects/Dog", "/v1/objects/Dog/1"] {
            let tag = try #require(try wire.get(path).headers["ETag"])
            let same = try wire.send(.get, path, headers: ["If-None-Match": tag])
            #expect(same.status == 304)
            #expect(same.body.isEmpty)
            #expect(same.headers["ETag"] == tag)
            #expect(try wire.send(.get, path, headers: ["If-None-Match": "\"0\", \(tag)"]).status == 304)
            #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"good":false}"#).status == 200)
            #expect(try wire.send(.get, path, headers: ["If-None-Match": tag]).status == 200)
            #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"good":true}"#).status == 200)
        }
    }

    @Test("links are the target's primary key, the object where expanded, and $link where there is no key")
    func links() throws {
        let wire = try Wire.populated()
        let note = try #require(try wire.get("/v1/objects/Note")["items"]?[0]?["$key"]?.asInt)
        let patch = #"{"note":{"$link":{"class":"Note","key":\#(note)}}}"#
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", patch).status == 200)
        #expect(try wire.send(.patch, "/v1/objects/Person/ada", #"{"favourite":1}"#).status == 200)

        let plain = try wire.get("/v1/objects/Dog/1")
        #expect(plain["owner"] == .string("ada"))
        #expect(plain["note"]?["$link"]?["class"] == .string("Note"))
        #expect(plain["note"]?["$link"]?["key"] == .int(Int64(note)))

        let expanded = try wire.get("/v1/objects/Dog/1", ["expand": "owner.favourite,note,fans"])
        #expect(expanded.status == 200, "\(expanded)")
        #expect(expanded["owner"]?["city"] == .string("Turin"))
        #expect(expanded["owner"]?["favourite"]?["_id"] == .int(1))
        #expect(expanded["owner"]?["favourite"]?["owner"] == .string("ada"))
        #expect(expanded["note"]?["text"] == .string("first"))
        #expect(expanded["note"]?["$key"] == .int(Int64(note)))
        #expect(expanded["fans"]?[0]?["handle"] == .string("ada"))
        #expect(try wire.get("/v1/objects/Dog/1", ["fields": "fans"])["fans"] == ["ada"])
        #expect(try wire.get("/v1/objects/Dog/2", ["expand": "owner"])["owner"] == .null)
        #expect(try wire.get("/v1/objects/Person/ada", ["fields": "dogs"])["dogs"] == [1])
    }

    @Test("expanding has a bounded depth")
    func expandDepth() throws {
        let wire = try Wire.populated()
        let path = Array(repeating: "owner.favourite", count: 30).joined(separator: ".")
        let answer = try wire.get("/v1/objects/Dog", ["expand": path])
        #expect(answer.status == 400, "\(answer)")
    }

    @Test("types without a JSON form are plain by default and typed on demand")
    func types() throws {
        let wire = try Wire()
        let body =
            #"{"id":"0F8FAD5B-D9CB-469F-A165-70867728950E","token":"507f1f77bcf86cd799439011","#
            + #""at":"2026-01-31T12:00:00.123456789Z","ratio":0.1,"exact":"-Infinity","big":9223372036854775807}"#
        let created = try wire.send(.post, "/v1/objects/Tag", body)
        #expect(created.status == 201, "\(created)")
        let path = "/v1/objects/Tag/0f8fad5b-d9cb-469f-a165-70867728950e"
        #expect(created.headers["Location"] == path)
        let plain = try wire.get(path)
        #expect(plain["id"] == .string("0f8fad5b-d9cb-469f-a165-70867728950e"))
        #expect(plain["at"] == .string("2026-01-31T12:00:00.123456789Z"))
        #expect(plain["exact"] == .string("-Infinity"))
        #expect(plain.text.contains("9223372036854775807"))
        #expect(plain.text.contains("\"ratio\":0.1,"))
        let typed = try wire.get(path, ["types": "typed"])
        #expect(typed["id"] == ["$uuid": "0f8fad5b-d9cb-469f-a165-70867728950e"])
        #expect(typed["token"] == ["$oid": "507f1f77bcf86cd799439011"])
        #expect(typed["at"] == ["$date": "2026-01-31T12:00:00.123456789Z"])
        // The typed form of a read can be written back.
        #expect(try wire.send(.put, path, typed.text).status == 200)
        #expect(try wire.get(path).text == plain.text)
    }

    @Test("aggregates skip nulls, and over nothing are null, the sum 0")
    func aggregates() throws {
        let wire = try Wire.populated()
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":3,"weight":"NaN"}"#).status == 201)
        let target = "/v1/aggregates/objects/Dog?min=age&max=age&max=weight&sum=weight&average=age&min=born"
        let all = try wire.send(.get, target)
        #expect(all.status == 200, "\(all)")
        #expect(all["count"] == .int(3))
        #expect(all["min"] == ["age": 7, "born": "1970-01-01T00:00:00Z"])
        #expect(all["max"] == ["age": 12, "weight": 13.0])
        #expect(all["sum"] == ["weight": 24.5])
        #expect(all["average"] == ["age": 9.5])
        let none = try wire.send(.get, target + "&filter=age%20%3E%20100")
        #expect(none["count"] == .int(0))
        #expect(none["min"] == ["age": .null, "born": .null])
        #expect(none["average"] == ["age": .null])
        #expect(none["sum"]?["weight"] == .double(0) || none["sum"]?["weight"] == .int(0))
    }

    @Test("a HEAD request has the head of a GET")
    func head() throws {
        let wire = try Wire.populated()
        let answer = try wire.send(.head, "/v1/objects/Dog/1")
        #expect(answer.status == 200)
        #expect(answer.headers["ETag"] == (try wire.get("/v1/objects/Dog/1").headers["ETag"]))
    }

    @Test("without a sort, pages follow the order of creation")
    func creationOrder() throws {
        let wire = try Wire()
        let dogs = (0..<9).map { "{\"_id\":\(99 - $0)}" }.joined(separator: ",")
        #expect(try wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201)
        let first = try wire.get("/v1/objects/Dog", ["limit": "5"])
        #expect(first.items("_id").map { $0?.asInt } == [99, 98, 97, 96, 95])
        let next = try #require(first["next"]?.asString)
        let second = try wire.get("/v1/objects/Dog", ["limit": "5", "after": next])
        #expect(second.items("_id").map { $0?.asInt } == [94, 93, 92, 91])
        #expect(second["next"] == nil)
    }

    @Test("what is read by workers is what is read on the spot")
    func workers() throws {
        let wire = try Wire.populated()
        let workers = try Wire(store: wire.store, router: wireRouter(over: wire.store, inlineObjects: 0))
        for target in [
            "/v1/objects/Dog?count=true&sort=-age&expand=owner", "/v1/objects/Dog?filter=age%20%3E",
            "/v1/objects/Dog/1",
            "/v1/aggregates/objects/Dog?sum=age", "/v1/aggregates/objects/Dog?sum=agee",
        ] {
            let id: HeaderFields = ["X-Request-Id": "same"]
            let (here, there) = try (wire.send(.get, target, headers: id), workers.send(.get, target, headers: id))
            #expect(here.status == there.status)
            #expect(here.text == there.text)
            #expect(here.headers["ETag"] == there.headers["ETag"])
        }
        let stream = try workers.observe("/v1/observe/objects/Dog")
        #expect(try stream.next("initial")["count"] == 2)
    }
}
