import QuerySyntax
import Testing

/// Texts with their parsed form, printed, or with the position and the reason of their rejection. Only the text
/// matters: the binder's tests cover the schema.
@Suite("Reading query texts")
struct ParserCorpusTests {
    static func printed(_ text: String, _ dialect: QueryDialect = .rql) -> String {
        do throws(QueryError) {
            return QueryPrinter.text(try QueryParser.parse(text, dialect: dialect))
        } catch {
            return "\(error)"
        }
    }

    static func fault(_ text: String, _ dialect: QueryDialect = .rql) -> QueryError? {
        do throws(QueryError) {
            _ = try QueryParser.parse(text, dialect: dialect)
            return nil
        } catch {
            return error
        }
    }

    /// The well-formed examples of the reference, in its order.
    static let examples: [(String, String)] = [
        ("age > 20 AND name BEGINSWITH[c] 'a'", "age > 20 AND name BEGINSWITH[c] 'a'"),
        ("NOT name == 'Bo'", "NOT name == 'Bo'"),
        ("name != 'Bo'", "name != 'Bo'"),
        ("age >= 18 && age < 30 || alive == false", "age >= 18 AND age < 30 OR alive == false"),
        ("age BETWEEN {18, 29}", "age BETWEEN {18, 29}"),
        ("3 < age", "3 < age"),
        ("1 == 1", "1 == 1"),
        ("age == '42'", "age == '42'"),
        ("age == 'old'", "age == 'old'"),
        ("age == 42.0", "age == 42.0"),
        ("age > 41.5", "age > 41.5"),
        ("age == infinity", "age == inf"),
        ("height == null", "height == null"),
        ("height >= null", "height >= null"),
        ("born > 1990-01-01@0:0:0", "born > T631152000:0"),
        ("born == T0:0", "born == T0:0"),
        ("id == oid(507f1f77bcf86cd799439011)", "id == oid(507f1f77bcf86cd799439011)"),
        (
            "key == uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
            "key == uuid(3b241101-e2bb-4255-8caf-4136c566a962)"
        ),
        ("worth == 0.1", "worth == 0.1"),
        ("photo == bin('abc')", "photo == binary(B64\"YWJj\")"),
        ("photo.@size > 1000", "photo.@size > 1000"),
        ("photo == 'abc'", "photo == 'abc'"),
        ("name LIKE 'J?n*'", "name LIKE 'J?n*'"),
        ("name LIKE[c] '*ö'", "name LIKE[c] '*ö'"),
        ("name CONTAINS ''", "name CONTAINS ''"),
        ("name == B64\"Sm9l\"", "name == 'Joe'"),
        ("name.@count == 3", "name.@count == 3"),
        ("dog.age > 3", "dog.age > 3"),
        ("dog == null", "dog == null"),
        ("dog != obj('Dog', 'rex')", "dog != obj('Dog', 'rex')"),
        ("dog.name == null", "dog.name == null"),
        ("dogs.age > 3", "dogs.age > 3"),
        ("ANY dogs.age > 3", "ANY dogs.age > 3"),
        ("ALL dogs.age > 3 AND dogs.@count > 0", "ALL dogs.age > 3 AND dogs.@count > 0"),
        ("NONE dogs.name == 'Rex'", "NONE dogs.name == 'Rex'"),
        ("ANY dog.age > 3", "ANY dog.age > 3"),
        ("dogs.@avg.age >= 5", "dogs.@avg.age >= 5"),
        ("dogs.@max.age == null", "dogs.@max.age == null"),
        ("dogs.@min == 3", "dogs.@min == 3"),
        ("ANY dogs.toys.brand == 'Kong'", "ANY dogs.toys.brand == 'Kong'"),
        ("dogs[0].name == 'Rex'", "dogs[0].name == 'Rex'"),
        ("dogs[LAST].name == 'Rex'", "dogs[LAST].name == 'Rex'"),
        (
            "SUBQUERY(dogs, $d, $d.age > 3 && $d.name CONTAINS 'e').@count >= 2",
            "SUBQUERY(dogs, $d, $d.age > 3 AND $d.name CONTAINS 'e').@count >= 2"
        ),
        (
            "SUBQUERY(dogs, $d, ANY $d.toys.brand == 'Kong').@count == dogs.@count",
            "SUBQUERY(dogs, $d, ANY $d.toys.brand == 'Kong').@count == dogs.@count"
        ),
        ("tags == 'red'", "tags == 'red'"),
        ("'red' IN tags", "'red' IN tags"),
        ("tags == {'red', 'blue'}", "tags == {'red', 'blue'}"),
        ("ALL tags IN {'red', 'blue'}", "ALL tags IN {'red', 'blue'}"),
        ("ANY {'red', 'blue'} IN ANY tags", "ANY {'red', 'blue'} IN ANY tags"),
        ("ALL {'red', 'blue'} IN tags", "ALL {'red', 'blue'} IN tags"),
        ("NOT ANY tags IN {'red'}", "NOT ANY tags IN {'red'}"),
        ("nums.@sum == 0", "nums.@sum == 0"),
        ("nums == nums", "nums == nums"),
        ("nums * 2 > 10", "nums * 2 > 10"),
        ("tags.length > 5", "tags.length > 5"),
        ("tags.@count > 5", "tags.@count > 5"),
        ("prices['ash'] > 2", "prices['ash'] > 2"),
        ("prices.ash > 2", "prices.ash > 2"),
        ("prices.@keys == 'ash'", "prices.@keys == 'ash'"),
        ("ALL prices.@values > 0", "ALL prices.@values > 0"),
        ("prices['ash'] == null", "prices['ash'] == null"),
        ("pets.rex.age == 3", "pets.rex.age == 3"),
        ("pets.@values.age > 3", "pets.@values.age > 3"),
        ("any == 3", "any == 3"),
        ("any.@type == 'numeric'", "any.@type == 'numeric'"),
        ("any.@type IN {'string', 'null'}", "any.@type IN {'string', 'null'}"),
        ("any.a[0] == 'x'", "any.a[0] == 'x'"),
        ("any.list[*].n > 3", "any.list[*].n > 3"),
        ("@links.Person.dogs.age > 30", "@links.Person.dogs.age > 30"),
        ("@links.@count == 0", "@links.@count == 0"),
        ("age * 2 + 1 == 43", "age * 2 + 1 == 43"),
        ("age / 2 == 21", "age / 2 == 21"),
        ("age > $0 AND dog == $1", "age > $0 AND dog == $1"),
        ("$K0 == $1", "$K0 == $1"),
        ("age IN {}", "age IN {}"),
        ("age IN 5", "age IN 5"),
        ("age BETWEEN {1}", "age BETWEEN {1}"),
        ("name BEGINSWITH 3", "name BEGINSWITH 3"),
        ("dog > 3", "dog > 3"),
        ("nosuch == 1", "nosuch == 1"),
        ("age.x == 1", "age.x == 1"),
        (
            "age > 3 SORT(dog.age DESC, name ASC) LIMIT(10)",
            "age > 3 SORT(dog.age DESC, name ASC) LIMIT(10)"
        ),
        (
            "TRUEPREDICATE SORT(age DESC) DISTINCT(name) LIMIT(5)",
            "TRUEPREDICATE SORT(age DESC) DISTINCT(name) LIMIT(5)"
        ),
        ("TRUEPREDICATE DISTINCT(name) SORT(age DESC)", "TRUEPREDICATE DISTINCT(name) SORT(age DESC)"),
        ("TRUEPREDICATE SORT(name ASC) SORT(age ASC)", "TRUEPREDICATE SORT(name ASC) SORT(age ASC)"),
        ("TRUEPREDICATE LIMIT(2) SORT(name ASC)", "TRUEPREDICATE LIMIT(2) SORT(name ASC)"),
        ("TRUEPREDICATE SORT(tags ASC)", "TRUEPREDICATE SORT(tags ASC)"),
        ("你好 == 5", "你好 == 5"),
        ("fav\\ item == 1", "fav\\ item == 1"),
        ("a-b == 1", "a-b == 1"),
        ("true\\ love == false", "true\\ love == false"),
        ("NOT0 == 0", "NOT0 == 0"),
    ]

    @Test("the reference's examples are parsed as documented", arguments: examples)
    func example(_ text: String, _ canonical: String) { #expect(Self.printed(text) == canonical) }

    /// The malformed examples of the reference: the position, the alternatives, the hint.
    static let refused: [(text: String, position: Int, length: Int, hint: String?)] = [
        ("born == 1990-1-1", 8, 8, "1990-1-1@0:0:0"),
        ("age -1 == 4", 4, 2, "- 1"),
        ("age IN (1, 2)", 7, 1, "{1, 2}"),
        ("age IN [1, 2]", 7, 1, "{1, 2}"),
        ("age IN {height}", 8, 6, nil),
        ("name == 'x", 8, 2, nil),
        ("(age == 1", 9, 0, nil),
        ("age = 1 =", 8, 1, "AND"),
        ("a == b & c == d", 7, 1, "&&"),
        ("", 0, 0, nil),
        ("SORT(age ASC)", 0, 4, "TRUEPREDICATE SORT"),
        ("TRUEPREDICATE SORT(age)", 22, 1, "age ASC"),
        ("TRUEPREDICATE LIMIT(-1)", 20, 2, nil),
        ("TRUEPREDICATE LIMIT(2.5)", 20, 3, nil),
        ("TRUEPREDICATE LIMIT(n)", 20, 1, nil),
    ]

    @Test("the reference's malformed examples are rejected at the right position", arguments: refused)
    func malformedExample(_ text: String, _ position: Int, _ length: Int, _ hint: String?) throws {
        let fault = try #require(Self.fault(text))
        #expect(fault.code == .syntax)
        #expect((fault.position, fault.length) == (position, length))
        #expect(fault.hint == hint)
    }
}
