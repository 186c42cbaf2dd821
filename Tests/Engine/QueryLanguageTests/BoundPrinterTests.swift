import ObjectModel
import QuerySyntax
import QueryLanguage
import Testing
import TestBasics

@Suite("Bound queries as text")
struct BoundPrinterTests {
    @Test("every example is printed as a text with the same meaning")
    func examples() throws {
        for example in ExampleTests.values + ExampleTests.links + ExampleTests.collections {
            let query = try bind(example.text, example.className)
            let text = try #require(QueryPrinter.text(query, schema: people), "\(example.text)")
            #expect(try bind(text, example.className) == query, "\(example.text) became \(text)")
        }
    }

    @Test(
        "constants of all kinds and paths of all forms come back",
        arguments: [
            "worth IN {0.1, 1e40, -12345678901234567890, inf, nan, 5, -0.0}", "worth * 0.10 + 1 > age / 3",
            "(age + 1) * (age - 2) / 3 == -4 - age", "weight * 1.5f >= -inf", "height == 1e300 OR weight < 0.1",
            "any == 1.5f AND any != bin('x') AND any IN {null, true, 'x', T5:6}", "any.a['b c'][*][LAST].@count > 2",
            "any[*].@type == 'numeric' OR any.@keys BEGINSWITH 'x' OR anys[*].a == 3 OR anys.@type != 'object'",
            "ALL anys.@type == 'collection' AND NONE {'numeric', 'int'} == any.@type",
            "pets['it\\'s'].age == 3 OR pets.@keys == 'a' OR pets.age > 3 OR pets == obj('Dog', 'x')",
            "prices[$0] > 2 OR prices.@keys[SIZE] == 1", "tags.length > 5 OR tags[1].length > 2",
            "SUBQUERY(dogs, $d, SUBQUERY($d.owner, $p, $p.dog == $p.friend.dog AND $p == $p.friend).@count > 1).@count * 2 > 4",
            "SUBQUERY(dogs, $d, $d == obj('Dog', 'rex') OR $d.@links.@count > 3).@count > 0",
            "nums[FIRST] + dogs[LAST].age > dogs.@max.age AND any[*].@min < 3",
            "ALL {1, 2} IN nums OR nums == {1, 2} OR {'a'} CONTAINS tags OR NONE {3} > ALL nums",
            "bio TEXT 'swim -jump climb*' AND NONE dog.owners.bio TEXT 'x'",
            "ALL places GEOWITHIN geoBox([-1.5, 2], [3, 4.25]) OR place GEOWITHIN geoCircle([0, 0], 1e-9)",
            "place GEOWITHIN geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]}, {[0.1, 0.1], [0.2, 0.1], [0.2, 0.2], [0.1, 0.1]})",
            "name CONTAINS[cd] 'x' AND name ==[d] 'y' AND name LIKE[c] null AND photo ==[c] bin('')",
            "dog == obj('Dog', null) OR any == obj('Toy', 3) OR dog IN {null, obj('Dog', 'x')}",
            "TRUEPREDICATE SORT(prices['a'] ASC, any.a[0] DESC) DISTINCT(any.@type, tags[LAST]) LIMIT(3)",
            "age == 1 AND (age == 2 AND (age == 3 OR (age == 4 OR NOT (age == 5 AND age == 6))))",
            "@links.@count > 0 AND dogs.@links.@count < dog.@links.@count", "ANY nums * 2 > ANY {1, 2}",
        ])
    func forms(_ text: String) throws {
        let query = try bind(text, "Person", [.value(.string("a]b'c"))])
        let printed = try #require(QueryPrinter.text(query, schema: people))
        #expect(try bind(printed) == query, "\(printed)")
        #expect(QueryPrinter.text(query, schema: .empty) == nil)
    }

    @Test("a query that RQL cannot express has no text")
    func wordless() throws {
        let arguments: [QueryArgument] = [
            .value(.decimal(Decimal128("0.1") ?? .nan)),
            .value(.reference(ObjectReference(objectClass("Dog").id, ObjectKey(4)))), .value(.float(.infinity)),
        ]
        for text in ["any == $0", "age == $0", "dog == $1", "any == $2"] {
            #expect(QueryPrinter.text(try bind(text, "Person", arguments), schema: people) == nil, "\(text)")
        }
        let between = try bind("ANY nums BETWEEN {1, 2}", dialect: .format)
        #expect(QueryPrinter.text(between, schema: people) == nil)
        // The binder would round a Double to the nearest Float.
        var floats = try bind("weight == 0.5")
        guard case .comparison(var comparison) = floats.predicate else {
            Issue.record("\(floats)")
            return
        }
        for number: Double in [0.1, 0.5, 16_777_217, 1e300, -.infinity] {
            for right in [BoundOperand.constant(.double(number)), .list([.float(0.5), .double(number)])] {
                comparison.right = right
                floats.predicate = .comparison(comparison)
                let isExact = Double(Float(number)) == number || number == 1e300
                #expect((QueryPrinter.text(floats, schema: people) != nil) == isExact, "\(right)")
            }
        }
    }

    @Test("random queries are printed as texts that bind to the same query; errors have a position in the text")
    func random() throws {
        let seed = TestSeed.of()
        print("bound printer seed \(seed)")
        var texts = RandomTexts(seed: seed)
        var bound = 0
        for _ in 0..<6000 {
            let text = texts.predicate(depth: 2)
            let dialect: QueryDialect = texts.oneIn(4) ? .format : .rql
            let query: BoundQuery
            do {
                query = try bind(text, dialect: dialect)
            } catch {
                #expect(error.position + error.length <= text.unicodeScalars.count, "seed \(seed): \(text)")
                #expect(error.code != .unsupported, "\(text)")
                continue
            }
            bound += 1
            guard let printed = QueryPrinter.text(query, schema: people) else {
                #expect(dialect == .format && text.contains("BETWEEN"), "seed \(seed): \(text) has no text")
                continue
            }
            let again = try? bind(printed)
            #expect(again == query, "seed \(seed): \(text) became \(printed)")
        }
        if TestRun.hasFixedSeeds { #expect(bound > 300) }
    }
}

/// Well-formed texts that often, but not always, have a meaning for people.
private struct RandomTexts {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func oneIn(_ count: UInt64) -> Bool { random.next() % count == 0 }

    private mutating func pick(_ options: [String]) -> String { options[Int(random.next() % UInt64(options.count))] }

    mutating func predicate(depth: Int) -> String {
        guard depth > 0, oneIn(3) else { return comparison(depth: depth) }
        switch random.next() % 3 {
        case 0: return "NOT (\(predicate(depth: depth - 1)))"
        case 1: return "(\(predicate(depth: depth - 1))) AND (\(predicate(depth: depth - 1)))"
        default: return "(\(predicate(depth: depth - 1))) OR (\(predicate(depth: depth - 1)))"
        }
    }

    private mutating func comparison(depth: Int) -> String {
        switch random.next() % 12 {
        case 0: return "\(path()) BETWEEN {\(constant()), \(constant())}"
        case 1: return "\(operand(depth)) IN \(operand(depth))"
        case 2: return "\(numeric(depth)) \(pick(["<", ">=", "==", "!="])) \(numeric(depth))"
        case 3: return "\(path()) \(pick(Self.textOperators)) \(pick(["'x'", "null", "bin('x')", "name", "any", "''"]))"
        case 4: return "any\(pick(["", "[*]", ".a"])).@type \(pick(["==", "!=", "IN"])) \(typeNames())"
        case 5:
            return
                "\(pick(["dog", "dogs", "pets", "any", "dogs[0]", "ANY dogs"])) \(pick(["==", "!=", "IN"])) \(objects())"
        default: return "\(operand(depth)) \(pick(Self.operators)) \(operand(depth))"
        }
    }

    private static let operators = ["==", "!=", "<", "<=", ">", ">="]
    private static let textOperators = [
        "BEGINSWITH", "ENDSWITH[c]", "CONTAINS[cd]", "LIKE", "LIKE[c]", "==[d]", "!=[c]",
    ]

    private mutating func typeNames() -> String {
        let names = ["'numeric'", "'int'", "'object'", "'collection'", "'string'", "'List'", "name.@type"]
        return oneIn(2)
            ? pick(names)
            : "\(pick(["", "ANY ", "ALL ", "NONE "])){\(pick(Array(names.dropLast()))), \(pick(Array(names.dropLast())))}"
    }

    private mutating func objects() -> String {
        pick([
            "null", "obj('Dog', 'rex')", "{obj('Dog', 'a'), null}", "{obj('Dog', 'a')}", "dog", "dogs", "any",
            "obj('Toy', 3)",
        ])
    }

    private mutating func operand(_ depth: Int) -> String {
        switch random.next() % 8 {
        case 0, 1: constant()
        case 2: "\(pick(["", "ANY ", "ALL ", "NONE "])){\(constant()), \(constant())}"
        case 3: numeric(depth)
        default: pick(["", "", "ANY ", "ALL ", "NONE "]) + path()
        }
    }

    private mutating func numeric(_ depth: Int) -> String {
        switch random.next() % 6 {
        case 0: return pick(["3", "2.5", "1.5f", "-7"])
        case 1: return "\(pick(["nums", "dogs", "any[*]"])).@\(pick(["sum", "avg", "min", "max"]))\(pick(["", ".age"]))"
        case 2 where depth > 0:
            let condition = pick([
                "$d.age > 3", "$d.toys.price < 2.5", "$d == obj('Dog', 'x')", "ANY $d.owner.tags == 'x'",
            ])
            return "SUBQUERY(\(pick(["dogs", "pets", "dog.owners"])), $d, \(condition)).@count"
        case 3 where depth > 0:
            return "(\(numeric(depth - 1)) \(pick(["+", "-", "*", "/"])) \(numeric(depth - 1)))"
        default:
            return pick([
                "age", "height", "weight", "worth", "any", "nums", "dogs.age", "prices", "dogs.@count", "name.@count",
            ])
        }
    }

    private mutating func path() -> String {
        pick([
            "age", "name", "height", "weight", "born", "alive", "id", "key", "photo", "worth", "any", "any.a", "any[*]",
            "anys", "anys[0]", "tags", "tags[0]", "tags[LAST]", "tags.length", "nums", "marks", "prices", "prices['a']",
            "prices.@keys", "dog.name", "dogs.age", "dogs[0].name", "pets.rex.age", "pets.@keys", "dogs.toys.brand",
            "friend.nums", "@links.Person.friend.age", "friend.@links.@count", "nums.@count", "dogs.@count",
            "fav\\ item",
            "dog.owners.worth", "dogs.name.@count", "$K0",
        ])
    }

    private mutating func constant() -> String {
        pick([
            "null", "3", "-1", "2.5", "0.1", "1.5f", "1e300", "inf", "nan", "'x'", "'3'", "''", "true", "T1:2",
            "bin('x')", "oid(507f1f77bcf86cd799439011)", "uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
            "99999999999999999999",
        ])
    }
}
