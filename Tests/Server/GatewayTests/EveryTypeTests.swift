import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

@Suite("Every kind of value over HTTP")
struct EveryTypeTests {
    private func library() throws -> TestGateway {
        let gateway = try TestGateway(schema: EveryTypeFixture.schema)
        #expect(try gateway.send(.post, "/v1/objects/Shelf", #"{"label":"top"}"#).status == 201)
        #expect(
            try gateway.send(
                .post, "/v1/objects/Loan", #"{"number":"123e4567-e89b-12d3-a456-426614174000","by":"ada"}"#
            ).status == 201)
        #expect(try gateway.send(.post, "/v1/objects/Book", #"{"id":1}"#).status == 201)
        return gateway
    }

    @Test("an object without anything has the zero value of each type")
    func empty() throws {
        let gateway = try library()
        #expect(try gateway.get("/v1/objects/Book/1").text == EveryTypeFixture.empty.trimmed)
    }

    @Test("what is written is read back byte for byte, and what is read can be written")
    func roundTrip() throws {
        let gateway = try library()
        let created = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        #expect(created.status == 201, "\(created.text)")
        #expect(created.text == EveryTypeFixture.full.trimmed)
        let read = try gateway.get("/v1/objects/Book/2")
        #expect(read.text == EveryTypeFixture.full.trimmed)
        #expect(read.headers["ETag"] == created.headers["ETag"])
        let put = try gateway.send(.put, "/v1/objects/Book/2", read.text)
        #expect(put.status == 200, "\(put.text)")
        #expect(put.text == EveryTypeFixture.full.trimmed)
        #expect(put.headers["ETag"] == created.headers["ETag"])
    }

    @Test("the embedded store gives the same answers")
    func embeddedStore() throws {
        let wire = try Wire(try SchemaCoding.decode(try JSONValue.parse(EveryTypeFixture.schema)))
        _ = try wire.send(.post, "/v1/objects/Shelf", #"{"label":"top"}"#)
        _ = try wire.send(.post, "/v1/objects/Loan", #"{"number":"123e4567-e89b-12d3-a456-426614174000","by":"ada"}"#)
        let first = try wire.send(.post, "/v1/objects/Book", #"{"id":1}"#)
        #expect(first.text == EveryTypeFixture.empty.trimmed)
        let created = try wire.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        #expect(created.text == EveryTypeFixture.full.trimmed)
        #expect(try wire.get("/v1/objects/Book/2").text == EveryTypeFixture.full.trimmed)
        let put = try wire.send(.put, "/v1/objects/Book/2", EveryTypeFixture.full)
        #expect(put.text == EveryTypeFixture.full.trimmed)
        for policy in ["modified", "all"] {
            let answer = try wire.send(.post, "/v1/objects/Book?update=\(policy)", EveryTypeFixture.full)
            #expect(answer.text == EveryTypeFixture.full.trimmed)
        }
        _ = try wire.send(.delete, "/v1/objects/Book/1")
        let book = try wire.get("/v1/objects/Book/2").text
        #expect(book.contains(#""next":null,"series":[2],"related":[2]"#))
        #expect(book.contains(#"{"$binary":"AA=="},null,{"$link":{"class":"Shelf","key":0}}"#))
        #expect(try wire.get("/v1/objects/Address").text.contains(#""items":[{"$key":"#))
    }

    @Test("what is read with typed values can be written, too")
    func typedRoundTrip() throws {
        let gateway = try library()
        _ = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        let typed = try gateway.get("/v1/objects/Book/2?types=typed").text
        #expect(typed.contains(#""cover":{"$binary":"AP8="}"#))
        #expect(typed.contains(#""rates":{"":{"$decimal":"NaN"},"EUR":{"$decimal":"1.0"},"USD":null}"#))
        #expect(typed.contains(#""days":[{"$date":"2026-01-31T00:00:00Z"}]"#))
        #expect(typed.contains(#""loans":{"$uuid":"123e4567-e89b-12d3-a456-426614174000"}"#))
        #expect(try gateway.send(.delete, "/v1/objects/Book/2").status == 204)
        let again = try gateway.send(.post, "/v1/objects/Book", typed)
        #expect(again.text == EveryTypeFixture.full.trimmed)
    }

    @Test("a patch replaces what it names and leaves the rest")
    func patch() throws {
        let gateway = try library()
        _ = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        let body = #"{"tags":[],"price":1.5,"extra":"x","publisher":{"name":"Bob"},"rates":{"CHF":2}}"#
        let patched = try gateway.send(.patch, "/v1/objects/Book/2", body)
        #expect(patched.status == 200)
        #expect(patched.member("tags") == [])
        #expect(patched.member("price") == .string("1.5"))
        #expect(patched.member("extra") == .string("x"))
        #expect(patched.member("publisher") == ["name": .string("Bob"), "address": .null])
        #expect(patched.member("rates") == ["CHF": .string("2")])
        #expect(patched.member("editions")?[1]?["year"] == .int(2001))
        // Replaced embedded objects are deleted with those that they owned.
        #expect(try gateway.get("/v1/objects/Address?count=true").member("count") == .int(0))
        #expect(try gateway.get("/v1/objects/Publisher?count=true").member("count") == .int(1))
    }

    @Test("null empties a collection and takes away an embedded object")
    func nulls() throws {
        let gateway = try library()
        _ = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        let body = #"{"tags":null,"words":null,"rates":null,"publisher":null,"editions":null,"extra":null}"#
        let patched = try gateway.send(.patch, "/v1/objects/Book/2", body)
        for name in ["tags", "words", "editions"] { #expect(patched.member(name) == [], "\(name)") }
        #expect(patched.member("rates") == [:])
        #expect(patched.member("publisher") == .null)
        #expect(try gateway.get("/v1/objects/Edition?count=true").member("count") == .int(0))
    }

    @Test("numbers for decimals keep all digits that are written")
    func decimals() throws {
        let gateway = try library()
        for (given, kept) in [
            ("0.1", "0.1"), ("12345678901234567.12345678901234567", "12345678901234567.12345678901234567"),
            ("9223372036854775807", "9223372036854775807"), ("1e2", "100.0"), (#""1E+2""#, "1E+2"),
            (#""-Infinity""#, "-Infinity"), (#"{"$decimal":"0.00"}"#, "0.00"),
        ] {
            let patched = try gateway.send(.patch, "/v1/objects/Book/1", "{\"price\":\(given)}")
            #expect(patched.member("price") == .string(kept), "\(given)")
        }
    }

    @Test("links in collections are given by key, by $link or as new objects")
    func links() throws {
        let gateway = try library()
        let body = #"""
            {"id":3,"series":[1,{"$link":{"class":"Book","key":1}},{"id":4,"tags":["new"]},3],
             "shelves":{"a":{"label":"made"},"b":{"$link":{"class":"Shelf","key":0}}},"related":[4,1,4]}
            """#
        let created = try gateway.send(.post, "/v1/objects/Book", body)
        #expect(created.status == 201, "\(created.text)")
        #expect(created.member("series") == [.int(1), .int(1), .int(4), .int(3)])
        #expect(created.member("related") == [.int(1), .int(4)])
        #expect(created.member("shelves")?["a"]?["$link"]?["key"] == .int(1))
        #expect(try gateway.get("/v1/objects/Shelf/1").member("label") == .string("made"))
        #expect(try gateway.get("/v1/objects/Book/4").member("tags") == [.string("new")])
    }

    @Test("links in collections and mixed values follow what becomes of their targets")
    func deletedTargets() throws {
        let gateway = try library()
        _ = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        #expect(try gateway.send(.delete, "/v1/objects/Book/1").status == 204)
        #expect(try gateway.send(.delete, "/v1/objects/Shelf/0").status == 204)
        let book = try gateway.get("/v1/objects/Book/2")
        #expect(book.member("next") == .null)
        #expect(book.member("series") == [.int(2)])
        #expect(book.member("related") == [.int(2)])
        #expect(book.member("shelves") == ["left": .null, "right": .null])
        #expect(book.member("extra")?["list"]?[4] == .null)
        #expect(book.member("extra")?["list"]?[5] == .null)
    }

    @Test("expand writes the objects in lists, maps and embedded objects; fields chooses any property")
    func expand() throws {
        let gateway = try library()
        _ = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        let target = "/v1/objects/Book/2?fields=series,shelves,publisher&expand=series,shelves,publisher.address.main"
        let book = try gateway.get(target)
        #expect(book.status == 200, "\(book.text)")
        #expect(book.member("series")?[0]?["id"] == .int(1))
        #expect(book.member("series")?[1]?["tags"]?[0] == .string("b"))
        #expect(book.member("shelves")?["left"] == ["$key": .int(0), "label": .string("top")])
        #expect(book.member("shelves")?["right"] == .null)
        #expect(book.member("publisher")?["address"]?["main"]?["id"] == .int(2))
        #expect(try gateway.get("/v1/objects/Book/2?expand=tags").status == 400)
        let back = try gateway.get("/v1/objects/Shelf/0?fields=books")
        #expect(back.member("books") == [.int(2)])
    }

    @Test("embedded objects can be listed, read and changed, but not made on their own")
    func embedded() throws {
        let gateway = try library()
        _ = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        let list = try gateway.get("/v1/objects/Edition?sort=-year&expand=of&fields=year")
        #expect(list.member("items")?[0]?["year"] == .int(2001))
        #expect(list.member("items")?[0]?["of"]?[0]?["id"] == .int(2))
        let refused = try gateway.send(.post, "/v1/objects/Edition", #"{"year":7}"#)
        #expect(refused.status == 422)
        #expect(refused.member("code") == .string("object.embedded_without_owner"))
        #expect(try gateway.send(.patch, "/v1/objects/Edition/0", #"{"year":7}"#).status == 200)
        #expect(try gateway.send(.delete, "/v1/objects/Edition/1").status == 204)
        #expect(try gateway.get("/v1/objects/Book/2").member("editions") == [["year": .int(7)]])
    }

    @Test("a part of an embedded object changes the entity tag of its owner")
    func tags() throws {
        let gateway = try library()
        let created = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        _ = try gateway.send(.patch, "/v1/objects/Edition/0", #"{"year":7}"#)
        let tag = try #require(created.headers["ETag"])
        let stale = try gateway.send(.patch, "/v1/objects/Book/2", #"{"price":1}"#, headers: ["If-Match": tag])
        #expect(stale.status == 412)
    }

    private static let faults: [(String, String, String, String)] = [
        (#"{"tags":["a",1]}"#, "object.invalid_value", "$.tags[1]", "tags"),
        (#"{"tags":{"a":1}}"#, "object.invalid_value", "$.tags", "tags"),
        (#"{"tags":[null]}"#, "object.invalid_value", "$.tags[0]", "tags"),
        (#"{"cover":"AP8"}"#, "object.invalid_value", "$.cover", "cover"),
        (#"{"price":"1,5"}"#, "object.invalid_value", "$.price", "price"),
        (#"{"rates":{"a b":true}}"#, "object.invalid_value", #"$.rates["a b"]"#, "rates"),
        (#"{"extra":{"a":[{"$date":"soon"}]}}"#, "object.invalid_value", #"$.extra.a[0]["$date"]"#, "extra"),
        (#"{"extra":{"$link":{"class":"Bok","key":1}}}"#, "object.invalid_value", "$.extra", "extra"),
        (#"{"extra":[{"$link":{"class":"Book","key":"x"}}]}"#, "object.invalid_value", "$.extra[0]", "extra"),
        (#"{"extra":[{"$link":{"class":"Book","key":77}}]}"#, "object.invalid_value", "$.extra[0]", "extra"),
        (#"{"series":[1,77]}"#, "object.invalid_value", "$.series[1]", "series"),
        (#"{"series":[null]}"#, "object.invalid_value", "$.series[0]", "series"),
        (#"{"series":[{"id":5,"nmae":1}]}"#, "object.unknown_property", "$.series[0].nmae", "series.nmae"),
        (#"{"shelves":{"a":{"$link":{"class":"Book","key":1}}}}"#, "object.invalid_value", "$.shelves.a", "shelves"),
        (#"{"shelves":{"a":0}}"#, "object.invalid_value", "$.shelves.a", "shelves"),
        (#"{"publisher":7}"#, "object.invalid_value", "$.publisher", "publisher"),
        (
            #"{"publisher":{"address":{"codes":[1,"x"]}}}"#, "object.invalid_value", "$.publisher.address.codes[1]",
            "publisher.address.codes"
        ),
        (#"{"editions":[{"year":1},{"yaer":2}]}"#, "object.unknown_property", "$.editions[1].yaer", "editions.yaer"),
        (#"{"editions":[{"of":[]}]}"#, "object.invalid_value", "$.editions[0].of", "editions.of"),
    ]

    @Test("a fault is told with its place", arguments: faults)
    func places(body: String, code: String, path: String, property: String) throws {
        let gateway = try library()
        let answer = try gateway.send(.patch, "/v1/objects/Book/1", body)
        #expect(answer.status == 422, "\(answer.text)")
        #expect(answer.member("code") == .string(code), "\(answer.text)")
        #expect(answer.member("path") == .string(path), "\(answer.text)")
        #expect(answer.member("property") == .string(property), "\(answer.text)")
    }

    @Test("in an array of objects the place begins with the element")
    func placeInArray() throws {
        let gateway = try library()
        let answer = try gateway.send(.post, "/v1/objects/Book", #"[{"id":5},{"id":6,"tags":[7]}]"#)
        #expect(answer.member("path") == .string("$[1].tags[0]"))
        #expect(try gateway.get("/v1/objects/Book/5").status == 404)
    }

    @Test(
        "what the store refuses is 422 with its code",
        arguments: [
            (#"{"rates":{"$a":1}}"#, "object.invalid_map_key"), (#"{"rates":{"a.b":1}}"#, "object.invalid_map_key"),
            (#"{"extra":{"$dictionary":{"$a":1}}}"#, "object.invalid_map_key"),
            (#"{"extra":DEEP}"#, "object.too_deep"),
            (#"{"publisher":{"$link":{"class":"Publisher","key":0}}}"#, "object.embedded_owned"),
        ])
    func refusals(body: String, code: String) throws {
        let gateway = try library()
        _ = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        let deep = String(repeating: "[", count: 101) + String(repeating: "]", count: 101)
        let answer = try gateway.send(.patch, "/v1/objects/Book/1", body.replacing("DEEP", with: deep))
        #expect(answer.status == 422)
        #expect(answer.member("code") == .string(code), "\(answer.text)")
    }

    @Test("an update under the policy modified leaves equal values alone, also nested ones")
    func policies() throws {
        let gateway = try library()
        _ = try gateway.send(.post, "/v1/objects/Book", EveryTypeFixture.full)
        for policy in ["modified", "all"] {
            let answer = try gateway.send(.post, "/v1/objects/Book?update=\(policy)", EveryTypeFixture.full)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.text == EveryTypeFixture.full.trimmed)
        }
        let shelf = try gateway.send(.post, "/v1/objects/Shelf?update=modified", #"{"label":"x"}"#)
        #expect(shelf.status == 422)
        #expect(shelf.member("code") == .string("object.no_primary_key"))
    }
}

extension String {
    /// The text without the line break that a multi-line literal may have.
    fileprivate var trimmed: String { String(self.prefix { $0 != "\n" }) }
}
