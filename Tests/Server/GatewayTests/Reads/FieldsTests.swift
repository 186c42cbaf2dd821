import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

@Suite("Fields and expansion")
struct FieldsTests {
    static let examples: [(String, String)] = [
        ("Person/bob?fields=handle,dog.name", #"{"handle":"bob","dog":{"name":"Fido"}}"#),
        ("Person/bob?fields=dog.name,handle", #"{"dog":{"name":"Fido"},"handle":"bob"}"#),
        ("Person/bob?fields=dog.name,dog.age", #"{"dog":{"name":"Fido","age":7}}"#),
        ("Person/bob?fields=dog.name&expand=dog", #"{"dog":{"name":"Fido"}}"#),
        ("Person/bob?fields=dogs.name", #"{"dogs":[{"name":"Ace"},{"name":"Fido"}]}"#),
        (
            "Person/bob?fields=dogs.owners.handle",
            #"{"dogs":[{"owners":[{"handle":"bob"}]},{"owners":[{"handle":"ada"},{"handle":"bob"}]}]}"#
        ),
        ("Person/bob?fields=place.coordinates", #"{"place":{"coordinates":[2.35,48.85]}}"#),
        ("Person/cy?fields=dog.name", #"{"dog":null}"#),
        (
            "Person/dee?fields=friends.dog.name,friends.handle",
            #"{"friends":[{"dog":{"name":"Rex"},"handle":"ada"},{"dog":{"name":"Fido"},"handle":"bob"}]}"#
        ),
        ("Person/bob?fields=dog.name&expand=dog.owners", #"{"dog":{"name":"Fido","owners":["ada","bob"]}}"#),
    ]

    @Test("fields name properties behind links", arguments: DogOwnersGatewayFixture.Kind.allCases, examples)
    func dotted(kind: DogOwnersGatewayFixture.Kind, example: (target: String, expected: String)) throws {
        let answer = try DogOwnersGatewayFixture(kind).wire.send(.get, "/v1/objects/\(example.target)")
        if example.target.hasSuffix("expand=dog.owners") {
            // Expanded, they are whole objects.
            #expect(answer["dog"]?["owners"]?.asArray?.map { $0["handle"] } == ["ada", "bob"])
            #expect(answer["dog"]?.memberNames == ["name", "owners"])
        } else {
            #expect(answer.text == example.expected)
        }
    }

    static let refusals: [(String, String)] = [
        ("fields=dog.agee", "query.unknown_property"), ("fields=age.x", "parameter.invalid"),
        ("fields=dog.", "query.unknown_property"),
        ("fields=dogs.owners.dogs.owners.dogs.name", "parameter.invalid"),
        ("expand=dogs.owners.dogs.owners.dogs", "parameter.invalid"), ("expand=age", "parameter.invalid"),
    ]

    @Test("names that are not there, and too many of them, are refused", arguments: refusals)
    func refused(query: String, code: String) throws {
        let answer = try DogOwnersGatewayFixture(.model).wire.send(.get, "/v1/objects/Person/ada?\(query)")
        #expect(answer.status == 400 && answer.code == code, "\(answer)")
    }

    @Test("four links deep go round a cycle and end")
    func cycles() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let answer = try wire.send(.get, "/v1/objects/Person/bob?fields=handle&expand=dogs.owners.dogs.owners")
        #expect(answer.status == 200)
        let third = answer["dogs"]?.asArray?.first?["owners"]?.asArray?.first?["dogs"]?.asArray?.first
        #expect(third?["owners"]?.asArray?.first?["handle"] == "bob")
        #expect(third?["owners"]?.asArray?.first?["dogs"]?.asArray?.first == 3)
    }

    @Test("an expansion that would be far larger than the page is refused")
    func large() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        // 60 dogs in the list of each of 60 people: 60 × 60 × 60 objects.
        let dogs = (100..<160).map { #"{"id":\#($0),"name":"d"}"# }.joined(separator: ",")
        #expect(try wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201)
        let keys = (100..<160).map(String.init).joined(separator: ",")
        let people = (0..<60).map { #"{"handle":"p\#($0)","dogs":[\#(keys)]}"# }.joined(separator: ",")
        #expect(try wire.send(.post, "/v1/objects/Person", "[\(people)]").status == 201)
        let answer = try wire.send(.get, "/v1/objects/Person?expand=dogs.owners.dogs&limit=100")
        #expect(answer.status == 400 && answer.code == "parameter.expansion_too_large")
        #expect(try wire.send(.get, "/v1/objects/Person?expand=dogs&limit=100").status == 200)
    }
}
