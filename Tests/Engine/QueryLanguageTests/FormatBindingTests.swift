import QuerySyntax
import ObjectModel
import QueryLanguage
import Testing

@Suite("Predicate formats")
struct FormatBindingTests {
    private func format(_ text: String, _ arguments: [QueryArgument] = []) throws -> BoundPredicate {
        try bind(text, "Person", arguments, dialect: .format).predicate
    }

    private func refusal(_ text: String, _ arguments: [QueryArgument] = []) -> String? {
        fault(text, "Person", arguments, dialect: .format)?.message
    }

    @Test("paths to several values need a quantifier, and quantifiers need such a path")
    func quantifiers() throws {
        let sentence = "Key paths that include a collection property must use aggregate operations"
        for text in [
            "dogs.age > 3", "tags == 'x'", "3 < nums", "nums == {1, 2}", "nums BETWEEN {1, 2}", "nums * 2 > 3",
        ] {
            #expect(refusal(text) == sentence, "\(text)")
        }
        #expect(
            refusal("ANY dog.age > 3")
                == "Aggregate operations can only be used on key paths that include an collection property")
        #expect(refusal("ALL dogs.age > 3") == "ALL modifier not supported")
        #expect(try format("ANY dogs.age > 3") == (try bind("ANY dogs.age > 3").predicate))
        #expect(try format("NONE tags == 'x'") == (try bind("NONE tags == 'x'").predicate))
        #expect(try format("dogs.@count > 3") == (try bind("dogs.@count > 3").predicate))
        #expect(try format("'x' IN tags") == (try bind("ANY tags == 'x'").predicate))
        #expect(try format("{'x', 'y'} IN tags") == (try bind("ANY tags IN {'x', 'y'}").predicate))
    }

    @Test("an empty or null substring occurs nowhere")
    func substrings() throws {
        for text in [
            "name CONTAINS ''", "name BEGINSWITH null", "name ENDSWITH ''", "ANY tags CONTAINS ''", "any CONTAINS ''",
        ] {
            #expect(try format(text) == .constant(false), "\(text)")
        }
        #expect(try format("NONE tags CONTAINS ''") == .constant(true))
        #expect(try format("NOT name CONTAINS ''") == .not(.constant(false)))
        #expect(try format("name CONTAINS 'x'") == (try bind("name CONTAINS 'x'").predicate))
        #expect(try format("name LIKE ''") == (try bind("name LIKE ''").predicate))
        #expect(
            try format("name CONTAINS bio")
                == .and([
                    comparison(.path(path("name")), .contains, .path(path("bio"))),
                    comparison(
                        .path(path("bio")), .equal, .list([.null, .string("")]), rightQuantifier: .none),
                ]))
        #expect(
            try format("'abc' CONTAINS name")
                == .and([
                    comparison(.constant(.string("abc")), .contains, .path(path("name"))),
                    comparison(
                        .path(path("name")), .equal, .list([.null, .string("")]), rightQuantifier: .none),
                ]))
    }

    @Test("strings and data are equal in mixed values")
    func mixed() throws {
        let both = BoundOperand.list([.string("x"), .data([0x78])])
        #expect(try format("any == 'x'") == comparison(.path(path("any")), .equal, both))
        #expect(try format("any != 'x'") == comparison(.path(path("any")), .equal, both, rightQuantifier: .none))
        #expect(try format("any BEGINSWITH 'x'") == comparison(.path(path("any")), .beginsWith, both))
        #expect(
            try format("any == %@", [.value(.data([0x78]))])
                == comparison(.path(path("any")), .equal, .list([.data([0x78]), .string("x")])))
        #expect(
            try format("any == %@", [.value(.data([0xFF]))])
                == comparison(.path(path("any")), .equal, .constant(.data([0xFF]))))
        #expect(try format("any == 3") == comparison(.path(path("any")), .equal, .constant(.int(3))))
        #expect(
            try format("any IN {'x', 3}")
                == comparison(.path(path("any")), .equal, .list([.string("x"), .data([0x78]), .int(3)])))
    }

    @Test("constants have the property's type, 0 and 1 are Booleans, and texts are not numbers")
    func types() throws {
        #expect(
            refusal("age == '42'") == "Cannot compare value '42' of type 'string' to property 'age' of type 'int'")
        #expect(refusal("name == 3")?.hasPrefix("Cannot compare value '3' of type 'int'") == true)
        #expect(refusal("born == %@", [.value(.string("1990-01-01T00:00:00Z"))]) != nil)
        #expect(refusal("dog == %@", [.value(.string("rex"))]) != nil)
        #expect(try format("alive == 1") == (try bind("alive == true").predicate))
        #expect(try format("alive == %@", [.value(.int(0))]) == (try bind("alive == false").predicate))
        #expect(refusal("alive == 2") != nil)
        #expect(refusal("alive > false") == "Operator '>' not supported for bool type")
        #expect(try format("worth == 0.1") == (try bind("worth == 0.1").predicate))
        #expect(try format("age == 3.0 AND height == 3") == (try bind("age == 3.0 AND height == 3").predicate))
        #expect(
            try format("dog == %@", [.object(className: "Dog", primaryKey: .string("rex"))])
                == (try bind("dog == obj('Dog', 'rex')").predicate))
    }

    @Test("properties are compared with properties of the same type")
    func properties() throws {
        #expect(refusal("age == height") == "Property type mismatch between int 'age' and double 'height'")
        #expect(refusal("any == age") != nil)
        #expect(refusal("ANY nums == ANY marks") == "Comparing two collections is not supported in predicate formats.")
        #expect(
            refusal("nums.@sum > dogs.@max.age")
                == "Key paths including aggregate operations cannot be compared with other aggregate operations.")
        #expect(try format("age < dog.age AND age IN nums") == (try bind("age < dog.age AND age IN nums").predicate))
        #expect(try format("ANY nums == age") == (try bind("ANY nums == age").predicate))
        #expect(try format("nums.@avg > age") == (try bind("nums.@avg > age").predicate))
    }

    @Test("subqueries are compared with constant numbers")
    func subqueries() throws {
        let sentence = "SUBQUERY(…).@count is only supported when compared with a constant number."
        #expect(refusal("SUBQUERY(dogs, $d, $d.age > 3).@count == dogs.@count") == sentence)
        #expect(refusal("SUBQUERY(dogs, $d, $d.age > 3).@count == null") == sentence)
        #expect(
            try format("SUBQUERY(dogs, $d, $d.age > 3).@count > %@", [.value(.int(1))])
                == (try bind("SUBQUERY(dogs, $d, $d.age > 3).@count > 1").predicate))
    }

    @Test("BETWEEN supports numbers and dates, and holds for one of several values")
    func between() throws {
        #expect(
            try format("ANY nums BETWEEN {1, 5}") == .between(BoundBetween(.path(path("nums")), .int(1), .int(5))))
        #expect(
            try format("NONE nums BETWEEN %@", [.list([.int(1), .int(5)])])
                == .between(BoundBetween(.path(path("nums")), .int(1), .int(5), quantifier: .none)))
        #expect(try format("age BETWEEN {1, 5}") == (try bind("age BETWEEN {1, 5}").predicate))
        #expect(
            refusal("age BETWEEN {1}") == "NSArray object must contain exactly two objects for BETWEEN operations")
        #expect(refusal("name BETWEEN {'a', 'b'}") == "Operator 'BETWEEN' not supported for type 'string'")
        let circle = GeoShape.circle(center: GeoPosition(longitude: 1, latitude: 2), radius: 0.1)
        #expect(
            refusal("dog IN %@", [.shape(circle)])
                == "Class 'Dog' does not have the form of geoJSON points: it needs the properties 'type' (string) and 'coordinates' (double[])."
        )
        #expect(refusal("age IN 5") == "IN clause requires an array of items")
    }

    @Test("maps are spelled in Cocoa's way, arguments are used in order")
    func spelling() throws {
        #expect(
            try format("ANY prices.@allKeys == %@", [.value(.string("a"))])
                == (try bind("prices.@keys == 'a'").predicate))
        #expect(try format("ANY prices.@allValues > 3") == (try bind("prices > 3").predicate))
        #expect(try format("prices[%@] > 3", [.value(.string("a"))]) == (try bind("prices['a'] > 3").predicate))
        #expect(try format("ANY any[#any] == 3") == (try bind("any[*] == 3").predicate))
        #expect(try format("any[#any] == 3") == (try bind("any[*] == 3").predicate))
        let word = QueryArgument.value(.string("#any"))
        #expect(try format("any[%K] == %@", [word, .value(.int(3))]) == (try bind("any[*] == 3").predicate))
        #expect(try bind("any[$K0] == 3", "Person", [word]).predicate == (try bind("any[*] == 3").predicate))
        #expect(refusal("any[%K] == 3", [.value(.string("a"))])?.contains("must be '#any'") == true)
        #expect(
            try format(
                "%K > %d AND %K == %@",
                ["age", 3, "name", "x"].map { (value: Any) -> QueryArgument in
                    if let text = value as? String { return .value(.string(text)) }
                    return .value(.int(3))
                }) == (try bind("age > 3 AND name == 'x'").predicate))
        #expect(refusal("name LIKE[d] 'x'") == "Operator 'LIKE' not supported with diacritic-insensitive modifier.")
    }
}
