import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import RequestHandling
import Testing

@Suite("Positions and key-value coding")
struct IndexAndValueTests {
    private static func keyText(_ value: JSONValue?) -> String { value?.asString ?? value?.asInt.map { "\($0)" } ?? "" }

    @Test(
        "a position is that in the page that the same query gives", arguments: DogOwnersGatewayFixture.Kind.allCases,
        CollectionPath.all)
    func positions(kind: DogOwnersGatewayFixture.Kind, collection: CollectionPath) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        for sort in collection.sorts {
            for filter in collection.filters {
                let query = [("filter", filter), ("sort", sort)]
                let page = try wire.send(.get, "/v1/objects/\(collection.path)\(CollectionPath.query(query))").rows
                let keys = page.map { Self.keyText($0[collection.key]) }
                let everything = try wire.send(.get, "/v1/objects/\(collection.ofClass)").rows
                for object in everything {
                    let key = Self.keyText(object[collection.key])
                    let found = try wire.send(
                        .get, "/v1/index/objects/\(collection.path)\(CollectionPath.query(query + [("of", key)]))")
                    let expected = keys.firstIndex(of: key).map { JSONValue.int(Int64($0)) } ?? .null
                    #expect(found["index"] == expected, "\(collection.path) \(query) of \(key)")
                }
                for matching in collection.filters where !matching.isEmpty {
                    let matches = try wire.send(
                        .get, "/v1/objects/\(collection.ofClass)\(CollectionPath.query([("filter", matching)]))"
                    ).rows.map { Self.keyText($0[collection.key]) }
                    let found = try wire.send(
                        .get,
                        "/v1/index/objects/\(collection.path)\(CollectionPath.query(query + [("matching", matching)]))")
                    let expected = keys.firstIndex { matches.contains($0) }.map { JSONValue.int(Int64($0)) } ?? .null
                    #expect(found["index"] == expected, "\(collection.path) \(query) matching \(matching)")
                }
            }
        }
    }

    @Test("a position far behind is found, too")
    func farBehind() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let dogs = (100..<400).map { #"{"id":\#($0),"name":"d\#($0 % 7)"}"# }.joined(separator: ",")
        #expect(try wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201)
        #expect(try wire.get("/v1/index/objects/Dog", ["matching": "id == 390", "sort": "id"])["index"] == 294)
        #expect(try wire.get("/v1/index/objects/Dog", ["matching": "id == 390", "sort": "-id"])["index"] == 9)
        #expect(try wire.get("/v1/index/objects/Dog", ["matching": "id == $0", "args": "[1000]"])["index"] == .null)
    }

    @Test(
        "values are what the rows of the page have", arguments: DogOwnersGatewayFixture.Kind.allCases,
        CollectionPath.all)
    func values(kind: DogOwnersGatewayFixture.Kind, collection: CollectionPath) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        let schema = try #require(try wire.get("/v1/schema")["classes"]?.asArray)
        let described = try #require(schema.first { $0["name"] == .string(collection.ofClass) }?["properties"]?.asArray)
        for name in described.compactMap({ $0["name"]?.asString }) {
            for filter in collection.filters {
                let query = [("filter", filter), ("sort", collection.sorts[1]), ("limit", "3"), ("offset", "1")]
                let page = try wire.send(
                    .get, "/v1/objects/\(collection.path)\(CollectionPath.query(query + [("fields", name)]))")
                let values = try wire.send(
                    .get, "/v1/values/objects/\(collection.path)\(CollectionPath.query(query + [("key", name)]))")
                #expect(page.status == 200 && values.status == 200, "\(collection.path) \(name): \(values)")
                #expect(values["values"] == .array(page.rows.map { $0[name] ?? .null }), "\(collection.path) \(name)")
                #expect(values["version"] == page["version"])
                #expect(values.headers["ETag"] == page.headers["ETag"])
            }
        }
    }

    static let paths: [(String, String)] = [
        ("Person?key=self", #"{"values":["ada","bob","cy","dee"]}"#),
        ("Person?keyPath=dog.name", #"{"values":["Rex","Fido",null,"nora"]}"#),
        ("Person?keyPath=dogs.name", #"{"values":[["Rex","Fido","Rex"],["Ace","Fido"],[],[]]}"#),
        ("Person?keyPath=pets.name", #"{"values":[[null,"Rex"],[],[],[]]}"#),
        ("Person?keyPath=dogs.self", #"{"values":[[1,2,1],[3,2],[],[]]}"#),
        ("Person?keyPath=friends.dog.name", #"{"values":[[],["Rex"],[],["Rex","Fido"]]}"#),
        ("Dog?keyPath=owners.handle", #"{"values":[["ada","ada"],["ada","bob"],["bob"],[]]}"#),
        ("Dog?keyPath=owners", #"{"values":[["ada","ada"],["ada","bob"],["bob"],[]]}"#),
        ("Person?keyPath=place.coordinates", #"{"values":[[-123.3,48.4],[2.35,48.85],null,null]}"#),
        ("Person?key=extra&types=typed", #"{"values":[{"a":[1,"x"]},3,"x",{"$decimal":"3"}]}"#),
        ("Person?keyPath=@count", #"{"value":4}"#),
        ("Person?keyPath=@count&limit=3", #"{"value":3}"#),
        ("Person?keyPath=@max.age", #"{"value":36}"#),
        ("Person?keyPath=@min.age&filter=age>7", #"{"value":36}"#),
        ("Person?keyPath=@sum.age", #"{"value":50}"#),
        ("Person?keyPath=@avg.dog.age", #"{"value":5.0}"#),
        ("Person?keyPath=@min.height&filter=FALSEPREDICATE", #"{"value":null}"#),
        ("Person?keyPath=@sum.age&sort=handle&limit=2", #"{"value":43}"#),
        ("Person?keyPath=@unionOfObjects.age", #"{"values":[36,7,7]}"#),
        ("Person?keyPath=@distinctUnionOfObjects.age", #"{"values":[36,7]}"#),
        ("Person?keyPath=@unionOfObjects.dog", #"{"values":[1,2,4]}"#),
        ("Person?keyPath=@distinctUnionOfObjects.extra", #"{"values":[{"a":[1,"x"]},3,"x"]}"#),
        ("Person?keyPath=@unionOfArrays.tags", #"{"values":["red","blue","red"]}"#),
        ("Person?keyPath=@distinctUnionOfArrays.tags", #"{"values":["red","blue"]}"#),
        ("Person?keyPath=@unionOfArrays.nums", #"{"values":[3,5]}"#),
        ("Person?keyPath=@distinctUnionOfArrays.dogs", #"{"values":[1,2,3]}"#),
        ("Person/ada/dogs?keyPath=@max.age", #"{"value":7}"#),
        ("Person/ada/dogs?key=age", #"{"values":[3,7,3]}"#),
        ("Person/ada/tags?key=self", #"{"values":["red","blue"]}"#),
        ("Person/ada/tags?key=self&sort=self", #"{"values":["blue","red"]}"#),
        ("Person/ada/nums?key=self&sort=-self&limit=2", #"{"values":[5,3]}"#),
        ("Person/ada/nums?keyPath=@count", #"{"value":3}"#),
        ("Person/ada/prices?key=self", #"{"values":[2.5,null]}"#),
        ("Person/ada/marks?key=self&types=typed", #"{"values":[{"$decimal":"1.5"},{"$decimal":"2.5"}]}"#),
    ]

    @Test("key-value coding gives what it says", arguments: DogOwnersGatewayFixture.Kind.allCases, paths)
    func keyPaths(kind: DogOwnersGatewayFixture.Kind, example: (target: String, expected: String)) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        let target = example.target.replacing(">", with: "%3E")
        let answer = try wire.send(.get, "/v1/values/objects/\(target)")
        let version = try #require(answer["version"], "\(answer)")
        let expected = try JSONValue.parse(
            example.expected.replacing("{\"v", with: "{\"version\":0,\"v", maxReplacements: 1))
        #expect(version == 3)
        #expect(answer["values"] == expected["values"], "\(example.target) \(answer)")
        #expect(answer["value"] == expected["value"], "\(example.target) \(answer)")
    }

    static let elements: [(String, String)] = [
        ("objects/Person/ada/tags?sort=self", #"{"version":3,"count":2,"items":["blue","red"]}"#),
        ("objects/Person/ada/nums?sort=self", #"{"version":3,"count":3,"items":[null,3,5]}"#),
        ("objects/Person/ada/nums?sort=-self&limit=1&offset=1", #"{"version":3,"count":3,"items":[3]}"#),
        ("objects/Person/ada/prices?sort=-self", #"{"version":3,"count":2,"items":[2.5,null]}"#),
        (
            "objects/Person/ada/days?sort=self",
            #"{"version":3,"count":2,"items":["2025-01-01T00:00:00Z","2026-01-01T00:00:00Z"]}"#
        ),
        ("objects/Person/ada/things?distinct=self", #"{"version":3,"count":3,"items":[1,"x",{"$decimal":"2.5"}]}"#),
        ("index/objects/Person/ada/tags?of=blue", #"{"version":3,"index":1}"#),
        ("index/objects/Person/ada/tags?of=blue&sort=self", #"{"version":3,"index":0}"#),
        ("index/objects/Person/ada/tags?of=%22blue%22", #"{"version":3,"index":1}"#),
        ("index/objects/Person/ada/tags?of=3", #"{"version":3,"index":null}"#),
        ("index/objects/Person/ada/nums?of=null", #"{"version":3,"index":1}"#),
        ("index/objects/Person/ada/nums?of=5", #"{"version":3,"index":2}"#),
        ("index/objects/Person/ada/marks?of=2.50", #"{"version":3,"index":1}"#),
        ("index/objects/Person/ada/prices?of=2.5", #"{"version":3,"index":0}"#),
        ("index/objects/Person/ada/days?of=2025-01-01", #"{"version":3,"index":1}"#),
        ("index/objects/Person/ada/things?of=x", #"{"version":3,"index":1}"#),
        ("index/objects/Person/ada/things?of=2.5", #"{"version":3,"index":2}"#),
    ]

    @Test(
        "values in lists, sets and maps have an order and positions", arguments: DogOwnersGatewayFixture.Kind.allCases,
        elements)
    func valuesInOrder(kind: DogOwnersGatewayFixture.Kind, example: (target: String, expected: String)) throws {
        let answer = try DogOwnersGatewayFixture(kind).wire.send(.get, "/v1/\(example.target)")
        #expect(answer.text == example.expected)
    }

    @Test("distinct values are told apart in the order in which they come")
    func distinct() throws {
        let wire = try DogOwnersGatewayFixture(.model).wire
        #expect(try wire.send(.patch, "/v1/objects/Person/cy", #"{"nums":[2,1,null,2,1,3]}"#).status == 200)
        #expect(try wire.send(.get, "/v1/objects/Person/cy/nums?distinct=self")["items"] == [2, 1, .null, 3])
        #expect(
            try wire.send(.get, "/v1/objects/Person/cy/nums?distinct=self&sort=-self")["items"] == [3, 2, 1, .null])
    }

    static let refusals: [(String, Int, String)] = [
        ("index/objects/Dog", 400, "parameter.missing"),
        ("index/objects/Dog?of=1&matching=age==1", 400, "parameter.missing"),
        ("index/objects/Dog?of=x", 400, "object.invalid_key"),
        ("index/objects/Dog?matching=agee==1", 400, "query.unknown_property"),
        ("index/objects/Dog?matching=age==1%20SORT(age%20ASC)", 400, "query.invalid"),
        ("index/objects/Person/ada/tags", 400, "parameter.missing"),
        ("index/objects/Person/ada/nums?of=x", 400, "parameter.invalid"),
        ("index/objects/Person/ada/tags?of=x&matching=age==1", 400, "parameter.missing"),
        ("values/objects/Dog", 400, "parameter.missing"),
        ("values/objects/Dog?key=age&keyPath=age", 400, "parameter.missing"),
        ("values/objects/Dog?key=agee", 400, "query.unknown_property"),
        ("values/objects/Dog?key=a.b", 400, "parameter.invalid"),
        ("values/objects/Person?keyPath=dog.agee", 400, "query.unknown_property"),
        ("values/objects/Person?keyPath=age.x", 400, "parameter.invalid"),
        ("values/objects/Person?keyPath=@nope.age", 400, "parameter.invalid"),
        ("values/objects/Person?keyPath=@max", 400, "parameter.invalid"),
        ("values/objects/Person?keyPath=@count.age", 400, "parameter.invalid"),
        ("values/objects/Person?keyPath=@max.bio", 400, "query.invalid"),
        ("values/objects/Person?keyPath=dogs.@count", 400, "parameter.invalid"),
        ("values/objects/Person?keyPath=@unionOfArrays.age", 400, "parameter.invalid"),
        ("values/objects/Person?keyPath=@count&offset=1", 400, "parameter.invalid"),
        (
            "values/objects/Person?keyPath=" + Array(repeating: "dog", count: 9).joined(separator: "."), 400,
            "parameter.invalid"
        ),
        ("values/objects/Person/ada/tags?key=age", 400, "parameter.invalid"),
        ("objects/Person/ada/tags?sort=age", 400, "query.invalid"),
        ("objects/Person/ada/tags?distinct=x", 400, "query.invalid"),
    ]

    @Test("what has no meaning is refused with a reason", arguments: refusals)
    func refused(target: String, status: Int, code: String) throws {
        let answer = try DogOwnersGatewayFixture(.model).wire.send(.get, "/v1/\(target)")
        #expect(answer.status == status && answer.code == code, "\(answer)")
        #expect(answer["detail"]?.asString?.isEmpty == false)
    }

    @Test("more values than are given is said, not cut off")
    func tooMany() throws {
        let wire = try DogOwnersGatewayFixture(.embedded) { $0.maximumObserved = 3 }.wire
        for target in ["Person?key=age", "Person/ada/dogs?key=age&offset=0", "Person?keyPath=@unionOfArrays.tags"] {
            let answer = try wire.send(.get, "/v1/values/objects/\(target)")
            let expected = target.hasPrefix("Person/") ? 200 : 400
            #expect(answer.status == expected, "\(target) \(answer)")
        }
        #expect(try wire.get("/v1/values/objects/Person", ["key": "age", "limit": "3"]).status == 200)
        #expect(try wire.get("/v1/values/objects/Person", ["key": "age"]).code == "values.too_many")
    }
}

@Suite("Setting a property of many objects")
struct ValueWritingTests {
    @Test("one value goes to all that the query gives", arguments: DogOwnersGatewayFixture.Kind.allCases)
    func setting(kind: DogOwnersGatewayFixture.Kind) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        func put(_ target: String, _ body: String) throws -> WireResponse {
            try wire.send(.put, "/v1/values/objects/\(target)", body)
        }
        func read(_ path: String) throws -> JSONValue? { try wire.send(.get, "/v1/values/objects/\(path)")["values"] }

        // The objects are those that match when the write begins, even if the write makes them stop matching.
        let answer = try put("Person?key=age&filter=age%20%3D%3D%207", "8")
        #expect(answer.text == #"{"version":4,"modified":2}"#)
        #expect(try read("Person?key=age") == [36, 8, .null, 8])
        #expect(try put("Person?key=age&all=true&sort=-handle&limit=1", "null")["modified"] == 1)
        #expect(try read("Person?key=age") == [36, 8, .null, .null])
        #expect(try put("Person/ada/dogs?key=age", "1")["modified"] == 2)
        #expect(try read("Dog?key=age") == [1, 1, 5, .null])
        #expect(try put("Person/ada/pets?key=breed", #""Mix""#)["modified"] == 1)
        #expect(try put("Dog/2/owners?key=tags", #"["x","y"]"#)["modified"] == 2)
        #expect(try read("Person?key=tags") == [["x", "y"], ["x", "y"], [], []])
        #expect(try put("Person/dee/friends?key=dog", "3")["modified"] == 2)
        #expect(try read("Person?key=dog") == [3, 3, .null, 4])
        // A new object is created once, an embedded one for each.
        #expect(try put("Person?key=dog&all", #"{"id":9,"name":"New"}"#)["modified"] == 4)
        #expect(try read("Person?key=dog") == [9, 9, 9, 9])
        #expect(try put("Person?key=place&all", #"{"coordinates":[1,2]}"#)["modified"] == 4)
        #expect(try wire.send(.patch, "/v1/objects/Person/ada", #"{"place":null}"#).status == 200)
        #expect(try read("Person?keyPath=place.coordinates") == [.null, [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]])
        #expect(try put("Person?key=age&filter=FALSEPREDICATE", "1")["modified"] == 0)
    }

    static let refusals: [(String, String, Int, String)] = [
        ("Dog?key=age", "1", 400, "parameter.missing"), ("Dog?all", "1", 400, "parameter.missing"),
        ("Dog?key=agee&all", "1", 400, "query.unknown_property"), ("Dog?key=id&all", "1", 409, "object.key_immutable"),
        ("Dog?key=age&all", #""x""#, 422, "object.invalid_value"),
        ("Dog?key=name&all", "null", 422, "object.invalid_value"),
        ("Dog?key=owners&all", "[]", 422, "object.invalid_value"),
        ("Dog?key=age&all&snapshot=x", "1", 400, "snapshot.not_possible"),
        ("Person/ada/tags?key=self", "1", 400, "values.values"),
        ("Person?key=dog&all", "77", 422, "object.invalid_value"),
        ("Nope?key=a", "1", 404, "object.unknown_class"),
    ]

    @Test("what cannot be set is refused, and nothing is set", arguments: refusals)
    func refused(target: String, body: String, status: Int, code: String) throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let answer = try wire.send(.put, "/v1/values/objects/\(target)", body)
        #expect(answer.status == status && answer.code == code, "\(answer)")
        #expect(try wire.version() == 3)
    }

    @Test("with If-Match it is set only in the version that was read")
    func precondition() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let tag = try #require(try wire.get("/v1/objects/Dog").headers["ETag"])
        let target = "/v1/values/objects/Dog?key=age&all"
        #expect(try wire.send(.put, target, "1", headers: ["If-Match": "\"2\""]).status == 412)
        #expect(try wire.send(.put, target, "1", headers: ["If-Match": tag]).status == 200)
        #expect(try wire.send(.put, target, "2", headers: ["If-Match": tag]).code == "object.precondition_failed")
        #expect(try wire.send(.get, "/v1/values/objects/Dog?key=age")["values"] == [1, 1, 1, 1])
    }
}
