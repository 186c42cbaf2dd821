import ObjectModel
import QuerySyntax
import QueryLanguage
import Testing

@Suite("The query language's examples")
struct CorpusTests {
    @Test(
        "is accepted",
        arguments: [
            "age > 20 AND name BEGINSWITH[c] 'a'", "NOT name == 'Bo'", "name != 'Bo'",
            "age >= 18 && age < 30 || alive == false",
            "age BETWEEN {18, 29}", "3 < age", "age == '42'", "age == 42.0", "age > 41.5", "height == null",
            "height >= null",
            "born > 1990-01-01@0:0:0", "born == T0:0", "born > 1990-01-01T0:0:0:5",
            "id == oid(507f1f77bcf86cd799439011)",
            "key == uuid(3b241101-e2bb-4255-8caf-4136c566a962)", "name LIKE 'J?n*'", "name LIKE[c] '*ö'",
            "name CONTAINS ''",
            "name == B64\"Sm9l\"", "dog.age > 3", "dog == null", "dog != obj('Dog', 'rex')", "dog.name == null",
            "age IN {}",
            "age IN {1, 2.5, null}", "name IN {'a','b'}", "!age == 5 && alive == true", "(age) == 3", "((age == 3))",
            "sort > 0",
            "in in {'in'}", "NOT0 == 0", "你好 == 5", "fav\\ item == 1", "a-b == 1", "TRUEPREDICATE", "falsepredicate",
            "age > 3 SORT(dog.age DESC, name ASC) LIMIT(10)", "TRUEPREDICATE SORT(age DESC) DISTINCT(name) LIMIT(5)",
            "TRUEPREDICATE LIMIT(2) SORT(name ASC)", "age = 0xFF", "height == inf", "height != -Infinity",
            "height == NaN",
            "weight == 1.5f", "age =< 3 or age => 5 and age <> 4", "age != -5", "name == friend.name", "age < dog.age",
            "dog.owners.age > 3", "ANY dog.owners.age > 3", "dog.owners.@count > 1", "friend.@count == 1",
            "alive == TRUE",
            "'abc' CONTAINS name", "name == \"it's\"", "name == 'say \\\"hi\\\" \\u00e9 \\ud83d\\ude00'",
            "age > -3 AND age < +3",
            "NONE dog.owners.name == 'x'", "ALL dog.owners.age BETWEEN {1, 9}",
            "height == .5 or height == 10. or height == 1e3",
            "dog.owners == obj('Person', oid(507f1f77bcf86cd799439011))", "dog.toy != null",
            "name ==[c] 'x'", "name IN[c] {'x'}", "born == 1969-12-31T23:59:59:1",
        ])
    func accepted(_ text: String) { #expect(fault(text) == nil) }

    @Test(
        "breaks the grammar",
        arguments: [
            "", "born == 1990-1-1", "age -1 == 4", "1-0 == age", "age IN (1, 2)", "age IN [1, 2]", "age IN {height}",
            "name == 'x", "(age == 1", "age = 1 =", "a == b & c == d", "SORT(age ASC)", "TRUEPREDICATE SORT(age)",
            "TRUEPREDICATE LIMIT(-1)", "TRUEPREDICATE LIMIT(2.5)", "TRUEPREDICATE LIMIT(n)", "age ==", "== 3",
            "age == 3)",
            "age > 3 age < 5", "name == 'bad \\x escape'", "name <[c] 'a'", "NOT",
            "AND age == 1",
            "born == 1899-01-01@0:0:0", "born == 2001-02-30@0:0:0", "born == T1:-1", "key == uuid(12)", "id == oid(12)",
            "age == 3;", "age == #", "{1, 2} ", "ANY 3 == age",
        ])
    func syntax(_ text: String) { #expect(fault(text)?.code == .syntax) }

    @Test(
        "has no meaning here",
        arguments: [
            ("1 == 1", QueryError.Code.invalid), ("age == 'old'", .typeMismatch), ("age == infinity", .typeMismatch),
            ("age == nan", .typeMismatch), ("ANY dog.age > 3", .invalid), ("age BETWEEN {1}", .invalid),
            ("age BETWEEN 3", .invalid),
            ("name BEGINSWITH 3", .typeMismatch), ("age CONTAINS 'x'", .typeMismatch), ("dog > 3", .typeMismatch),
            ("dog > null", .typeMismatch), ("nosuch == 1", .unknownProperty), ("dog.nosuch == 1", .unknownProperty),
            ("age.x == 1", .invalid), ("age IN 5", .argument), ("age IN height", .invalid),
            ("name == age", .typeMismatch),
            ("alive == 1", .typeMismatch), ("dog == obj('Toy', 1)", .typeMismatch),
            ("dog == obj('Cat', 1)", .unknownClass),
            ("dog == obj('Dog', 1.5)", .typeMismatch), ("dog == friend", .typeMismatch), ("age ==[c] 3", .typeMismatch),
            ("TRUEPREDICATE SORT(dog ASC)", .invalid), ("TRUEPREDICATE SORT(dog.owners.age ASC)", .invalid),
            ("TRUEPREDICATE DISTINCT(nosuch)", .unknownProperty), ("age == $0", .argument),
            ("dog.owners.age BETWEEN {1, 2}", .invalid), ("@links.Person.friends.age == 3", .unknownProperty),
            ("name == oid(507f1f77bcf86cd799439011)", .typeMismatch), ("age.@count == 1", .invalid),
            ("name.@type == 'string'", .invalid), ("bin('abc') == name", .typeMismatch),
            ("dog[0].name == 'x'", .invalid),
        ] as [(String, QueryError.Code)])
    func invalid(_ text: String, _ code: QueryError.Code) { #expect(fault(text)?.code == code) }

    @Test("AND binds tighter than OR, NOT tighter than AND")
    func precedence() throws {
        func age(_ number: Int64) -> BoundPredicate { comparison(.path(path("age")), .equal, .constant(.int(number))) }
        #expect(
            try bind("age == 1 OR age == 2 AND NOT age == 3").predicate == .or([age(1), .and([age(2), .not(age(3))])]))
        #expect(
            try bind("(age == 1 OR age == 2) AND !age == 3").predicate == .and([.or([age(1), age(2)]), .not(age(3))]))
    }

    @Test("constants adapt to the property's type")
    func adaptation() throws {
        func constant(_ text: String) throws -> BoundPredicate { try bind(text).predicate }
        #expect(try constant("age == 3.0") == comparison(.path(path("age")), .equal, .constant(.int(3))))
        #expect(try constant("age > 3.5") == comparison(.path(path("age")), .greater, .constant(.double(3.5))))
        #expect(try constant("height == 3") == comparison(.path(path("height")), .equal, .constant(.double(3))))
        #expect(try constant("weight == 0.1") == comparison(.path(path("weight")), .equal, .constant(.float(0.1))))
        #expect(
            try constant("weight == 16777217") == comparison(.path(path("weight")), .equal, .constant(.int(16_777_217)))
        )
        #expect(try constant("3 < age") == comparison(.path(path("age")), .greater, .constant(.int(3))))
    }

    @Test("arguments are values, lists and key paths, and %@ uses them in order")
    func arguments() throws {
        #expect(
            try bind("age > %@ AND name == %@", "Person", [.value(.int(3)), .value(.string("x"))])
                == (try bind("age > 3 AND name == 'x'")))
        #expect(
            try bind("$K0 == $1", "Person", [.value(.string("dog.name")), .value(.string("Rex"))])
                == (try bind("dog.name == 'Rex'")))
        #expect(try bind("%K > %@", "Person", [.value(.string("age")), .value(.int(1))]) == (try bind("age > 1")))
        #expect(try bind("age IN $0", "Person", [.list([.int(1), .double(2)])]) == (try bind("age IN {1, 2}")))
        #expect(try bind("age BETWEEN $0", "Person", [.list([.int(1), .int(2)])]) == (try bind("age BETWEEN {1, 2}")))
        #expect(
            try bind("born > $0", "Person", [.value(.string("1990-01-01T00:00:00Z"))])
                == (try bind("born > 1990-01-01@0:0:0")))
        #expect(
            fault("age > $2", "Person", [.value(.int(1)), .value(.int(1))])?.message.contains("at index 2 but only 2")
                == true)
        #expect(fault("age > $0")?.message.contains("no arguments are provided") == true)
        #expect(fault("$K0 == 1", "Person", [.value(.null)])?.code == .argument)
        #expect(fault("$K0 == 1", "Person", [.value(.int(1))])?.message.contains("found type 'int'") == true)
        #expect(fault("ANY $0 == age", "Person", [.value(.int(1))])?.code == .argument)
        #expect(
            fault("age == $0", "Person", [.value(.string("old"))])?.message.contains("argument $0 with value 'old'")
                == true)
    }

    @Test("quantifiers apply to the side that they precede")
    func quantifiers() throws {
        let owners = BoundOperand.path(path("owners.age", "Dog"))
        #expect(
            try bind("ALL owners.age > 3", "Dog").predicate
                == comparison(owners, .greater, .constant(.int(3)), leftQuantifier: .all))
        #expect(
            try bind("NONE owners.age IN {1, 2}", "Dog").predicate
                == comparison(owners, .equal, .list([.int(1), .int(2)]), leftQuantifier: .none))
        #expect(
            try bind("ALL {1, 2} IN owners.age", "Dog").predicate
                == comparison(.list([.int(1), .int(2)]), .equal, owners, leftQuantifier: .all))
        #expect(try bind("@links.Person.dog.age > 3", "Dog") == (try bind("owners.age > 3", "Dog")))
    }
}
