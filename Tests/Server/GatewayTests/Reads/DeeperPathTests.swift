import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

@Suite("Reads through deeper paths")
struct DeeperPathTests {
    static let examples: [(String, String)] = [
        ("objects/Person/bob/age", #"{"version":3,"value":7}"#),
        ("objects/Person/ada/extra", #"{"version":3,"value":{"a":[1,"x"]}}"#),
        ("objects/Person/ada/extra/a/1", #"{"version":3,"value":"x"}"#),
        ("objects/Person/ada/tags/1", #"{"version":3,"value":"blue"}"#),
        ("objects/Person/ada/prices/ash", #"{"version":3,"value":2.5}"#),
        ("objects/Person/cy/age", #"{"version":3,"value":null}"#),
        ("objects/Person/ada/born?types=typed", #"{"version":3,"value":{"$date":"1990-12-10T06:30:00Z"}}"#),
        ("objects/Person/bob/dog", #"{"id":2,"name":"Fido","age":7,"breed":"Whippet"}"#),
        ("objects/Person/bob/dog?fields=name", #"{"name":"Fido"}"#),
        ("objects/Person/bob/dogs/0", #"{"id":3,"name":"Ace","age":5,"breed":"Beagle"}"#),
        ("objects/Person/bob/dog/name", #"{"version":3,"value":"Fido"}"#),
        ("objects/Person/bob/dog/owners?fields=handle", #"{"version":3,"items":[{"handle":"ada"},{"handle":"bob"}]}"#),
        ("objects/Person/bob/dog/owners/1/tags", #"{"version":3,"count":1,"items":["red"]}"#),
        ("objects/Person/ada/pets/rex/name", #"{"version":3,"value":"Rex"}"#),
        ("objects/Person/ada/place", #"{"type":"Point","coordinates":[-123.3,48.4]}"#),
        ("objects/Person/ada/place/coordinates", #"{"version":3,"count":2,"items":[-123.3,48.4]}"#),
        ("aggregates/objects/Person/dee/friends/0/dogs?max=age", #"{"version":3,"count":3,"max":{"age":7}}"#),
        ("sections/objects/Person/dee/friends/0/dogs?by=breed&keys", #"{"version":3,"keys":["Beagle","Whippet"]}"#),
        ("index/objects/Person/dee/friends/0/dogs?of=2", #"{"version":3,"index":1}"#),
        ("index/objects/Person/ada/place/coordinates?of=48.4", #"{"version":3,"index":1}"#),
        ("values/objects/Person/dee/friends/0/dogs?key=id", #"{"version":3,"values":[1,2,1]}"#),
    ]

    @Test("what a path leads to is read there", arguments: DogOwnersGatewayFixture.Kind.allCases, examples)
    func reading(kind: DogOwnersGatewayFixture.Kind, example: (target: String, expected: String)) throws {
        let answer = try DogOwnersGatewayFixture(kind).wire.send(.get, "/v1/\(example.target)")
        #expect(answer.text == example.expected)
    }

    static let refusals: [(String, Int)] = [
        ("objects/Person/cy/dog", 404), ("objects/Person/cy/dog/name", 404), ("objects/Person/ada/tags/2", 404),
        ("objects/Person/ada/prices/pine", 404), ("objects/Person/ada/nope", 404), ("objects/Person/zoe/age", 404),
        ("objects/Person/ada/tags/x", 400), ("objects/Person/bob/dog?limit=1", 400),
        ("values/objects/Person/bob/dog?key=age", 400), ("objects/Person/bob/age?fields=x", 400),
    ]

    @Test("what is not there is refused", arguments: refusals)
    func refused(target: String, status: Int) throws {
        let answer = try DogOwnersGatewayFixture(.model).wire.send(.get, "/v1/\(target)")
        #expect(answer.status == status && answer["detail"]?.asString?.isEmpty == false, "\(answer)")
    }

    @Test("the object that a link leads to has the tag that it has at its own path")
    func tags() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let tag = try #require(try wire.get("/v1/objects/Dog/2").headers["ETag"])
        #expect(try wire.get("/v1/objects/Person/bob/dog").headers["ETag"] == tag)
        #expect(try wire.send(.get, "/v1/objects/Person/bob/dog", headers: ["If-None-Match": tag]).status == 304)
    }

    @Test("objects deep in a path are set, too")
    func setting() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        #expect(try wire.send(.put, "/v1/values/objects/Person/dee/friends/0/dogs?key=age", "1")["modified"] == 2)
        #expect(try wire.send(.get, "/v1/values/objects/Dog?key=age")["values"] == [1, 1, 5, .null])
    }
}
