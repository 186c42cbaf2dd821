import ObjectModel
import QuerySyntax
import QueryLanguage
import Testing

/// Every row of the examples of the reference, with its bound form or the code of its error.
@Suite("The reference's examples")
struct ExampleTests {
    struct Example: CustomTestStringConvertible, Sendable {
        var text: String
        var className: String
        var expected: BoundPredicate
        var testDescription: String { text }

        init(_ text: String, of className: String = "Person", _ expected: BoundPredicate) {
            self.text = text
            self.className = className
            self.expected = expected
        }
    }

    private static func compare(
        _ left: String, _ sign: ComparisonOperator, _ right: Value, _ quantifier: Quantifier = .any
    ) -> BoundPredicate {
        comparison(.path(path(left)), sign, .constant(right), leftQuantifier: quantifier)
    }

    private static let rex = BoundOperand.objects(
        ObjectConstants([.object(objectClass("Dog").id, primaryKey: .string("rex"))], isList: false))

    private static let redBlue = BoundOperand.list([.string("red"), .string("blue")])

    private static func subquery(_ links: String, _ predicate: BoundPredicate, of target: String) -> BoundOperand {
        .subquery(BoundSubquery(links: path(links).links, classID: objectClass(target).id, predicate: predicate))
    }

    private static func arithmetic(
        _ left: BoundOperand, _ operation: BoundArithmetic.Operation, _ right: BoundOperand
    ) -> BoundOperand {
        .arithmetic(BoundArithmetic(left, operation, right))
    }

    static let values: [Example] = [
        Example(
            "age > 20 AND name BEGINSWITH[c] 'a'",
            .and([
                compare("age", .greater, .int(20)),
                comparison(.path(path("name")), .beginsWith, .constant(.string("a")), ignoresCase: true),
            ])),
        Example("NOT name == 'Bo'", .not(compare("name", .equal, .string("Bo")))),
        Example("name != 'Bo'", compare("name", .notEqual, .string("Bo"))),
        Example(
            "age >= 18 && age < 30 || alive == false",
            .or([
                .and([compare("age", .greaterOrEqual, .int(18)), compare("age", .less, .int(30))]),
                compare("alive", .equal, .bool(false)),
            ])),
        Example(
            "age BETWEEN {18, 29}",
            .and([compare("age", .greaterOrEqual, .int(18)), compare("age", .lessOrEqual, .int(29))])),
        Example("3 < age", compare("age", .greater, .int(3))),
        Example("age == '42'", compare("age", .equal, .int(42))),
        Example("age == 42.0", compare("age", .equal, .int(42))),
        Example("age > 41.5", compare("age", .greater, .double(41.5))),
        Example("height == null", compare("height", .equal, .null)),
        Example("height >= null", compare("height", .greaterOrEqual, .null)),
        Example(
            "born > 1990-01-01@0:0:0",
            compare("born", .greater, .date(Timestamp(rfc3339: "1990-01-01T00:00:00Z") ?? .epoch))),
        Example("born == T0:0", compare("born", .equal, .date(.epoch))),
        Example(
            "id == oid(507f1f77bcf86cd799439011)",
            compare("id", .equal, .objectId(ObjectId(high: 0x507f_1f77, low: 0xbcf8_6cd7_9943_9011)))),
        Example(
            "key == uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
            compare("key", .equal, .uuid(UUIDValue(high: 0x3b24_1101_e2bb_4255, low: 0x8caf_4136_c566_a962)))),
        Example("worth == 0.1", compare("worth", .equal, .decimal(Decimal128("0.1") ?? .nan))),
        Example("photo == bin('abc')", compare("photo", .equal, .data([0x61, 0x62, 0x63]))),
        Example(
            "photo.@size > 1000", comparison(.path(path("photo", steps: [.size])), .greater, .constant(.int(1000)))),
        Example("name LIKE 'J?n*'", compare("name", .like, .string("J?n*"))),
        Example(
            "name LIKE[c] '*ö'", comparison(.path(path("name")), .like, .constant(.string("*ö")), ignoresCase: true)),
        Example("name CONTAINS ''", compare("name", .contains, .string(""))),
        Example("name == B64\"Sm9l\"", compare("name", .equal, .string("Joe"))),
        Example("name.@count == 3", comparison(.path(path("name", steps: [.size])), .equal, .constant(.int(3)))),
    ]

    static let links: [Example] = [
        Example("dog.age > 3", compare("dog.age", .greater, .int(3))),
        Example("dog == null", compare("dog", .equal, .null)),
        Example("dog != obj('Dog', 'rex')", comparison(.path(path("dog")), .notEqual, rex)),
        Example("dog.name == null", compare("dog.name", .equal, .null)),
        Example("dogs.age > 3", compare("dogs.age", .greater, .int(3))),
        Example("ANY dogs.age > 3", compare("dogs.age", .greater, .int(3))),
        Example(
            "ALL dogs.age > 3 AND dogs.@count > 0",
            .and([
                compare("dogs.age", .greater, .int(3), .all),
                comparison(.path(path("dogs", count: true)), .greater, .constant(.int(0))),
            ])),
        Example("NONE dogs.name == 'Rex'", compare("dogs.name", .equal, .string("Rex"), .none)),
        Example(
            "dogs.@avg.age >= 5",
            comparison(
                .aggregate(BoundAggregate(.average, path("dogs.age"))), .greaterOrEqual, .constant(.double(5)))),
        Example(
            "dogs.@max.age == null",
            comparison(.aggregate(BoundAggregate(.maximum, path("dogs.age"))), .equal, .constant(.null))),
        Example("ANY dogs.toys.brand == 'Kong'", compare("dogs.toys.brand", .equal, .string("Kong"))),
        Example(
            "dogs[0].name == 'Rex'",
            comparison(
                .path(element("dogs", .position(0), "name", of: "Dog")), .equal, .constant(.string("Rex")))),
        Example(
            "dogs[LAST].name == 'Rex'",
            comparison(.path(element("dogs", .last, "name", of: "Dog")), .equal, .constant(.string("Rex")))),
        Example(
            "SUBQUERY(dogs, $d, $d.age > 3 && $d.name CONTAINS 'e').@count >= 2",
            comparison(
                subquery(
                    "dogs",
                    .and([
                        comparison(.path(path("age", "Dog")), .greater, .constant(.int(3))),
                        comparison(.path(path("name", "Dog")), .contains, .constant(.string("e"))),
                    ]), of: "Dog"), .greaterOrEqual, .constant(.int(2)))),
        Example(
            "SUBQUERY(dogs, $d, ANY $d.toys.brand == 'Kong').@count == dogs.@count",
            comparison(
                subquery(
                    "dogs", comparison(.path(path("toys.brand", "Dog")), .equal, .constant(.string("Kong"))),
                    of: "Dog"), .equal, .path(path("dogs", count: true)))),
        Example(
            "@links.Person.dogs.age > 30", of: "Dog",
            comparison(.path(path("owner.age", "Dog")), .greater, .constant(.int(30)))),
        Example(
            "@links.@count == 0", of: "Place",
            comparison(
                arithmetic(
                    .path(
                        BoundPath(
                            links: [.backward(origin: objectClass("Person").id, property: id("place"))], end: .count)),
                    .add,
                    .path(
                        BoundPath(
                            links: [.backward(origin: objectClass("Person").id, property: id("places"))], end: .count))
                ), .equal, .constant(.int(0)))),
    ]

    private static func id(_ name: String) -> PropertyID { objectClass("Person")[name]?.id ?? PropertyID(0) }

    static let collections: [Example] = [
        Example("tags == 'red'", compare("tags", .equal, .string("red"))),
        Example("'red' IN tags", compare("tags", .equal, .string("red"))),
        Example(
            "tags == {'red', 'blue'}", comparison(.path(path("tags")), .equal, redBlue, isElementwise: true)),
        Example("ALL tags IN {'red', 'blue'}", comparison(.path(path("tags")), .equal, redBlue, leftQuantifier: .all)),
        Example("ANY {'red', 'blue'} IN ANY tags", comparison(.path(path("tags")), .equal, redBlue)),
        Example(
            "ALL {'red', 'blue'} IN tags", comparison(redBlue, .equal, .path(path("tags")), leftQuantifier: .all)),
        Example(
            "NOT ANY tags IN {'red'}", .not(comparison(.path(path("tags")), .equal, .list([.string("red")])))),
        Example(
            "nums.@sum == 0",
            comparison(.aggregate(BoundAggregate(.sum, path("nums"))), .equal, .constant(.int(0)))),
        Example(
            "nums * 2 > 10",
            comparison(arithmetic(.path(path("nums")), .multiply, .constant(.int(2))), .greater, .constant(.int(10)))),
        Example(
            "tags.length > 5",
            comparison(.path(path("tags", steps: [.elements(.all), .length])), .greater, .constant(.int(5)))),
        Example("tags.@count > 5", comparison(.path(path("tags", steps: [.size])), .greater, .constant(.int(5)))),
        Example(
            "prices['ash'] > 2",
            comparison(.path(path("prices", steps: [.elements(.key("ash"))])), .greater, .constant(.double(2)))),
        Example(
            "prices.ash > 2",
            comparison(.path(path("prices", steps: [.elements(.key("ash"))])), .greater, .constant(.double(2)))),
        Example(
            "prices.@keys == 'ash'",
            comparison(.path(path("prices", steps: [.keys])), .equal, .constant(.string("ash")))),
        Example("ALL prices.@values > 0", compare("prices", .greater, .double(0), .all)),
        Example(
            "prices['ash'] == null",
            comparison(.path(path("prices", steps: [.elements(.key("ash"))])), .equal, .constant(.null))),
        Example(
            "pets.rex.age == 3",
            comparison(.path(element("pets", .key("rex"), "age", of: "Dog")), .equal, .constant(.int(3)))),
        Example("pets.@values.age > 3", compare("pets.age", .greater, .int(3))),
        Example("any == 3", compare("any", .equal, .int(3))),
        Example(
            "any.@type == 'numeric'",
            comparison(
                .path(path("any", steps: [.typeName])), .equal,
                .list(["int", "float", "double", "decimal"].map { .string($0) }))),
        Example(
            "any.@type IN {'string', 'null'}",
            comparison(.path(path("any", steps: [.typeName])), .equal, .list([.string("string"), .string("null")]))),
        Example(
            "any.a[0] == 'x'",
            comparison(
                .path(path("any", steps: [.elements(.key("a")), .elements(.position(0))])), .equal,
                .constant(.string("x")))),
        Example(
            "any.list[*].n > 3",
            comparison(
                .path(path("any", steps: [.elements(.key("list")), .elements(.all), .elements(.key("n"))])), .greater,
                .constant(.int(3)))),
        Example(
            "age * 2 + 1 == 43",
            comparison(
                arithmetic(
                    arithmetic(.path(path("age")), .multiply, .constant(.int(2))), .add, .constant(.int(1))), .equal,
                .constant(.int(43)))),
        Example(
            "age / 2 == 21",
            comparison(arithmetic(.path(path("age")), .divide, .constant(.int(2))), .equal, .constant(.int(21)))),
        Example("age IN {}", comparison(.path(path("age")), .equal, .list([]))),
        Example("你好 == 5", compare("你好", .equal, .int(5))),
        Example("fav\\ item == 1", compare("fav item", .equal, .int(1))),
        Example("a-b == 1", compare("a-b", .equal, .int(1))),
        Example("true\\ love == false", compare("true love", .equal, .bool(false))),
        Example("NOT0 == 0", compare("NOT0", .equal, .int(0))),
    ]

    @Test("each example is bound to its meaning", arguments: values + links + collections)
    func bound(_ example: Example) throws {
        let query = try bind(example.text, example.className)
        #expect(query.predicate == example.expected)
        #expect(query.steps.isEmpty)
    }

    @Test("arguments and key path arguments become constants and paths")
    func arguments() throws {
        #expect(
            try bind(
                "age > $0 AND dog == $1", "Person",
                [.value(.int(3)), .object(className: "Dog", primaryKey: .string("rex"))])
                == (try bind("age > 3 AND dog == obj('Dog', 'rex')")))
        #expect(
            try bind("$K0 == $1", "Person", [.value(.string("dog.name")), .value(.string("Rex"))])
                == (try bind("dog.name == 'Rex'")))
    }

    @Test("sorts, distincts and limits are applied in their order")
    func steps() throws {
        let age = SortKey(path("age"), ascending: false)
        let name = SortKey(path("name"))
        #expect(
            try bind("age > 3 SORT(dog.age DESC, name ASC) LIMIT(10)").steps
                == [.sort([SortKey(path("dog.age"), ascending: false), name]), .limit(10)])
        #expect(
            try bind("TRUEPREDICATE SORT(age DESC) DISTINCT(name) LIMIT(5)").steps
                == [.sort([age]), .distinct([path("name")]), .limit(5)])
        #expect(
            try bind("TRUEPREDICATE DISTINCT(name) SORT(age DESC)").steps == [.distinct([path("name")]), .sort([age])])
        #expect(
            try bind("TRUEPREDICATE SORT(name ASC) SORT(age ASC)").steps
                == [.sort([name]), .sort([SortKey(path("age"))])])
        #expect(try bind("TRUEPREDICATE LIMIT(2) SORT(name ASC)").steps == [.limit(2), .sort([name])])
    }

    @Test(
        "is refused",
        arguments: [
            ("1 == 1", .invalid), ("age == 'old'", .typeMismatch), ("age == infinity", .typeMismatch),
            ("born == 1990-1-1", .syntax), ("photo == 'abc'", .typeMismatch), ("ANY dog.age > 3", .invalid),
            ("dogs.@min == 3", .invalid), ("nums == nums", .invalid), ("age -1 == 4", .syntax),
            ("age IN (1, 2)", .syntax), ("age IN [1, 2]", .syntax), ("age IN {height}", .syntax),
            ("age IN 5", .argument), ("age BETWEEN {1}", .invalid), ("name BEGINSWITH 3", .typeMismatch),
            ("dog > 3", .typeMismatch), ("nosuch == 1", .unknownProperty), ("dog.nosuch == 1", .unknownProperty),
            ("age.x == 1", .invalid), ("name == 'x", .syntax), ("(age == 1", .syntax), ("age = 1 =", .syntax),
            ("a == b & c == d", .syntax), ("", .syntax), ("SORT(age ASC)", .syntax),
            ("TRUEPREDICATE SORT(age)", .syntax), ("TRUEPREDICATE LIMIT(-1)", .syntax),
            ("TRUEPREDICATE LIMIT(2.5)", .syntax), ("TRUEPREDICATE LIMIT(n)", .syntax),
            ("TRUEPREDICATE SORT(tags ASC)", .invalid),
        ] as [(String, QueryError.Code)])
    func refused(_ text: String, _ code: QueryError.Code) { #expect(fault(text)?.code == code) }
}
