import HTTPMessages
import HTTPServer
import JSONCoding
import Testing

@Suite("Queries of the values in one object's list, set or map")
struct ElementQueryTests {
    static let answers: [(String, String)] = [
        ("objects/Person/ada/nums?filter=SELF > 3", #""count":1,"items":[5]}"#),
        ("objects/Person/ada/nums?filter=self == NULL", #""count":1,"items":[null]}"#),
        ("objects/Person/ada/nums?filter=SELF != NULL&sort=-self", #""count":2,"items":[5,3]}"#),
        ("objects/Person/ada/nums?filter=SELF IN {5, 3} LIMIT(1)", #""count":1,"items":[3]}"#),
        ("objects/Person/ada/nums?filter=SELF BETWEEN {4, 9}", #""count":1,"items":[5]}"#),
        ("objects/Person/ada/nums?filter=SELF * 2 == 10", #""count":1,"items":[5]}"#),
        ("objects/Person/ada/nums?filter=SELF >= $0&args=[3]&limit=1&offset=1", #""count":2,"items":[5]}"#),
        ("objects/Person/ada/nums?filter=TRUEPREDICATE SORT(SELF DESC)", #""count":3,"items":[5,3,null]}"#),
        ("objects/Person/ada/tags?filter=SELF BEGINSWITH[c] 'R'", #""count":1,"items":["red"]}"#),
        ("objects/Person/ada/tags?filter=SELF LIKE '*ue'", #""count":1,"items":["blue"]}"#),
        ("objects/Person/ada/tags?filter=SELF.@count == 3", #""count":1,"items":["red"]}"#),
        ("objects/Person/ada/tags?filter=SELF.length > 3", #""count":1,"items":["blue"]}"#),
        ("objects/Person/ada/tags?filter=NOT SELF == 'red'", #""count":1,"items":["blue"]}"#),
        ("objects/Person/ada/marks?filter=SELF > 2", #""count":1,"items":["2.5"]}"#),
        ("objects/Person/ada/days?filter=SELF < 2025-06-01@0:0:0", #""count":1,"items":["2025-01-01T00:00:00Z"]}"#),
        ("objects/Person/ada/things?filter=SELF.@type == 'numeric'", #""count":2,"items":[1,{"$decimal":"2.5"}]}"#),
        ("objects/Person/ada/things?filter=SELF == 'x'", #""count":1,"items":["x"]}"#),
        ("objects/Person/ada/prices?filter=SELF > 1", #""count":1,"items":{"ash":2.5}}"#),
        ("objects/Person/ada/prices?filter=@keys BEGINSWITH 'o'", #""count":1,"items":{"oak":null}}"#),
        (
            "objects/Person/ada/prices?filter=@values == NULL OR @keys == 'ash'",
            #""count":2,"items":{"ash":2.5,"oak":null}}"#
        ),
        ("objects/Person/ada/prices?sort=-@keys", #""count":2,"items":[null,2.5]}"#),
        ("objects/Person/ada/prices?filter=SELF > 100", #""count":0,"items":{}}"#),
        ("objects/Person/ada/place/coordinates?filter=SELF < 0", #""count":1,"items":[-123.3]}"#),
        (
            "aggregates/objects/Person/ada/nums?filter=SELF > 3&max&sum=self",
            #""count":1,"max":{"self":5},"sum":{"self":5}}"#
        ),
        (
            "aggregates/objects/Person/ada/nums?filter=SELF > 9&min&sum",
            #""count":0,"min":{"self":null},"sum":{"self":0}}"#
        ),
        (
            "aggregates/objects/Person/ada/tags?by=self",
            #""groups":[{"key":{"self":"blue"},"count":1},{"key":{"self":"red"},"count":1}]}"#
        ),
        (
            "aggregates/objects/Person/ada/prices?by=@keys&max=self&filter=SELF != NULL",
            #""groups":[{"key":{"@keys":"ash"},"count":1,"max":{"self":2.5}}]}"#
        ),
        (
            "sections/objects/Person/ada/tags?by=self.first",
            #""count":2,"sections":[{"key":"B","count":1,"items":["blue"]},{"key":"R","count":1,"items":["red"]}]}"#
        ),
        (
            "sections/objects/Person/ada/nums?by=self.isNull&filter=SELF != 5",
            #""count":2,"sections":[{"key":false,"count":1,"items":[3]},{"key":true,"count":1,"items":[null]}]}"#
        ),
        ("sections/objects/Person/ada/days?by=self.year&ascending=false&keys", #""keys":[2026,2025]}"#),
        (
            "sections/objects/Person/ada/prices?by=@keys.first",
            #""count":2,"sections":[{"key":"A","count":1,"items":{"ash":2.5}},{"key":"O","count":1,"items":{"oak":null}}]}"#
        ),
        (
            "sections/objects/Person/ada/tags?by=self&sort=-self&section=red",
            #""count":2,"sections":[{"key":"red","count":1,"items":["red"]}]}"#
        ),
        ("index/objects/Person/ada/tags?matching=SELF ENDSWITH 'e'", #""index":1}"#),
        ("index/objects/Person/ada/tags?matching=SELF ENDSWITH 'e'&sort=self", #""index":0}"#),
        ("index/objects/Person/ada/nums?of=5&filter=SELF != NULL", #""index":1}"#),
        ("values/objects/Person/ada/nums?key=self&filter=SELF > 3", #""values":[5]}"#),
        ("values/objects/Person/ada/nums?keyPath=@count&filter=SELF != NULL", #""value":2}"#),
    ]

    @Test("they are answered as those of objects are", arguments: DogOwnersGatewayFixture.Kind.allCases, answers)
    func answer(kind: DogOwnersGatewayFixture.Kind, example: (target: String, body: String)) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        let answer = try wire.send(.get, "/v1/" + Self.encoded(example.target))
        #expect(answer.text == #"{"version":3,"# + example.body)
    }

    private static func encoded(_ target: String) -> String {
        var target = target
        for (character, code) in [
            (" ", "%20"), ("<", "%3C"), (">", "%3E"), ("{", "%7B"), ("}", "%7D"), ("[", "%5B"), ("]", "%5D"),
            ("'", "%27"),
        ] { target = target.replacing(character, with: code) }
        return target
    }

    static let refusals: [(String, String, String)] = [
        ("objects/Person/ada/nums?filter=age > 3", "query.invalid", "filter"),
        ("objects/Person/ada/nums?filter=SELF.age > 3", "query.invalid", "filter"),
        ("objects/Person/ada/nums?filter=SELF > 'x'", "query.type_mismatch", "filter"),
        ("objects/Person/ada/nums?filter=ANY SELF > 3", "query.invalid", "filter"),
        ("objects/Person/ada/nums?filter=@keys == 'a'", "query.invalid", "filter"),
        ("objects/Person/ada/nums?filter=@links.Person.dogs.@count > 0", "query.invalid", "filter"),
        ("objects/Person/ada/nums?filter=SUBQUERY(SELF, $x, $x > 1).@count > 0", "query.invalid", "filter"),
        ("objects/Person/ada/nums?filter=SELF >", "query.syntax", "filter"),
        ("objects/Person/ada/tags?filter=SELF TEXT 'red'", "query.invalid", "filter"),
        ("objects/Person/ada/prices?sort=@nope", "query.syntax", "sort"),
        ("objects/Person/ada/tags?distinct=handle", "query.invalid", "distinct"),
        ("sections/objects/Person/ada/nums?by=self.first", "query.invalid", "by"),
        ("sections/objects/Person/ada/nums?by=age", "query.invalid", "by"),
        ("aggregates/objects/Person/ada/nums?by=age", "query.invalid", "by"),
        ("index/objects/Person/ada/tags?of=red&matching=SELF == 'red'", "parameter.missing", "of"),
    ]

    @Test("what values do not have is refused with what they have", arguments: refusals)
    func refused(target: String, code: String, parameter: String) throws {
        let answer = try DogOwnersGatewayFixture(.model).wire.send(.get, "/v1/" + Self.encoded(target))
        #expect(answer.status == 400 && answer.code == code, "\(answer)")
        #expect(answer["parameter"] == .string(parameter), "\(answer)")
        #expect(answer["detail"]?.asString?.isEmpty == false)
    }

    @Test("a refused name says what there is")
    func hint() throws {
        let answer = try DogOwnersGatewayFixture(.model).wire.get(
            "/v1/objects/Person/ada/prices", ["filter": "price > 3"])
        #expect(answer["hint"] == "SELF")
        #expect(answer["detail"]?.asString?.contains("'SELF' is one of them and '@keys' its key") == true)
    }
}
