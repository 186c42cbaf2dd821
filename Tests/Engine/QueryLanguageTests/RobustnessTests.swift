import ObjectModel
import QuerySyntax
import QueryLanguage
import Testing
import TestBasics

@Suite("Queries at their edges")
struct RobustnessTests {
    static let valid = [
        "age > 20 AND name BEGINSWITH[c] 'a' SORT(dog.age DESC, name ASC) LIMIT(10)",
        "NOT (age BETWEEN {18, 29} OR 'abc' CONTAINS name) AND dog != obj('Dog', 'rex')",
        "ALL dog.owners.age IN ANY {1, 2.5, -3} AND dog.owners.@count > 1 DISTINCT(name)",
        "id == oid(507f1f77bcf86cd799439011) && key == uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
        "born > 1990-01-01@0:0:0 || born == T-5:-7 || 3 < age || friend == null",
        "name == '\\u00e9 \\'x\\'' AND dog.toy == obj('Toy', 7) AND weight == 1.5f AND height != -inf",
        "NONE @links.Person.friend.name LIKE[c] '*ö' AND age < dog.age",
        "dog IN {obj('Dog', 'a'), obj('Dog', 'b')} AND weight > 1e300 AND weight == 16777217",
    ]

    @Test("a bound query printed against its schema binds to itself", arguments: valid)
    func boundPrinting(_ text: String) throws {
        let query = try bind(text)
        let printed = try #require(QueryPrinter.text(query, schema: people))
        #expect(try bind(printed) == query, "\(printed)")
        #expect(QueryPrinter.text(query, schema: .empty) == nil)
    }

    @Test("every prefix of a valid query parses or has an error with a position inside the text", arguments: valid)
    func truncation(_ text: String) {
        for length in 0...text.unicodeScalars.count {
            let part = String(String.UnicodeScalarView(text.unicodeScalars.prefix(length)))
            guard let fault = fault(part) else { continue }
            #expect((0...length).contains(fault.position), "\(part)")
            #expect(fault.position + fault.length <= length, "\(part)")
        }
    }

    @Test("random bytes never trap, and errors have a position inside the text")
    func bytes() {
        let seed = TestSeed.of()
        print("random bytes seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<3000 {
            var text = String(
                decoding: (0..<random.next() % 40).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) },
                as: UTF8.self)
            if random.next() % 2 == 0 { text = "age == " + text }
            guard let fault = fault(text) else { continue }
            #expect(
                fault.position + fault.length <= text.unicodeScalars.count, "seed \(seed): \(text.debugDescription)")
        }
    }

    @Test("thirty thousand ANDs are one flat predicate")
    func flat() throws {
        let query = try bind(String(repeating: "age=1 AND ", count: 29_999) + "age=1")
        guard case .and(let parts) = query.predicate else {
            Issue.record("not an AND")
            return
        }
        #expect(parts.count == 30_000)
    }

    @Test("a key path has a limit, so that a text cannot ask for endless steps per object")
    func longPath() {
        #expect(fault(String(repeating: "friend.", count: 63) + "age == 1") == nil)
        #expect(fault(String(repeating: "friend.", count: 64) + "age == 1")?.code == .tooDeep)
    }

    @Test(
        "keywords are read in the cases that they have",
        arguments: [
            ("age == 1 aNd age == 2 Or age == 3", true), ("name bEgInSwItH 'a'", true), ("age BetWeen {1, 2}", true),
            ("nOt age == 1", false), ("age In {1}", false), ("alive == True", false), ("alive == TRUE", true),
            ("Any dog.owners.age == 1", false), ("some dog.owners.age == 1", true), ("friend == NiL", true),
            ("TruePredicate LiMiT(1)", true), ("id == OID(507f1f77bcf86cd799439011)", false),
            ("dog.owners.@COUNT == 1", false), ("TRUEPREDICATE LIMIT(0x10)", false), ("TRUEPREDICATE LIMIT(-0)", false),
        ])
    func casing(_ text: String, _ isValid: Bool) { #expect((fault(text) == nil) == isValid) }

    @Test("a number beyond every Float stays below infinity, and NaN has no sign")
    func extremes() throws {
        #expect(
            try bind("weight < 1e300").predicate == comparison(.path(path("weight")), .less, .constant(.double(1e300))))
        #expect(try bind("height == -nan") == (try bind("height == nan")))
        #expect(try bind("height == 1e100f") == (try bind("height == inf")))
    }

    @Test("string operators name the type that they do not support")
    func stringOperators() {
        #expect(
            fault("name BEGINSWITH 3")?.message
                == "Unsupported comparison operator 'beginswith' against type 'int', right side must be a string or binary type"
        )
        #expect(fault("name CONTAINS null") == nil)
        #expect(fault("3 CONTAINS name")?.position == 0)
    }

    @Test("a collection of links is not null, and a null primary key is an object constant")
    func nullLinks() {
        #expect(fault("dog.owners == null")?.message == "Cannot compare linklist ('dog.owners') with NULL")
        #expect(fault("dog == obj('Dog', null)") == nil)
        #expect(fault("dog IN {null, obj('Dog', 'a')}") == nil)
    }

    @Test("an error in a list names the element, and a syntax error lists the alternatives")
    func detail() throws {
        #expect(fault("age IN {1, 'old', 3}")?.position == 11)
        #expect(fault("age IN {1, 'old', 3}")?.length == 5)
        #expect(fault("TRUEPREDICATE SORT(age)")?.expected == ["ASC", "DESC"])
        #expect(fault("(age == 1")?.expected.contains(")") == true)
        #expect(fault("age 5")?.expected.contains("BETWEEN") == true)
    }

    @Test("a key path that does not support sorting is rejected with the reason")
    func sortMessages() {
        func message(_ text: String) -> String? { fault("TRUEPREDICATE SORT(\(text) ASC)")?.message }
        #expect(message("dog.agee") == "No property 'agee' found on object type 'Dog' specified in 'sort' clause")
        #expect(message("age.x") == "All but last property must be a link")
        #expect(message("tags") == "Cannot sort on a collection property")
        #expect(message("dog")?.contains("cannot be the final property in the key path") == true)
        #expect(message("dog.owners.age") == "Cannot sort on a collection property")
        #expect(fault("TRUEPREDICATE DISTINCT(dog)")?.message.hasPrefix("Cannot make distinct by") == true)
    }
}
