import ColumnTesting
import ObjectModel
import QueryExecution
import QuerySyntax
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

/// Worked examples of the query language, as rows of a table: a predicate and the keys of the dogs that it finds.
@Suite("The meaning of predicates")
struct MeaningTests {
    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Dog",
                properties: [
                    PropertySchema("name", PropertyType(.string, isOptional: true)),
                    PropertySchema("age", PropertyType(.int, isOptional: true)),
                    PropertySchema("weight", PropertyType(.double, isOptional: true)),
                    PropertySchema("owner", PropertyType(.link("Person"), isOptional: true)),
                    PropertySchema("born", PropertyType(.date, isOptional: true), isIndexed: true),
                ]),
            ClassSchema(
                "Person",
                properties: [
                    PropertySchema("city", PropertyType(.string, isOptional: true)),
                    PropertySchema("dogs", PropertyType(.linkingObjects(fromClass: "Dog", property: "owner"))),
                ]),
            ClassSchema("Nobody", properties: [PropertySchema("x", PropertyType(.int))]),
        ])
    static let dog = ClassID(1)
    static let person = ClassID(2)

    /// Dogs 0 to 5; 3 was deleted. Person 0 lives in Rome and has dogs 0 and 1; person 1 has no city and dog 2; person 2 has no dogs.
    static let rows: Rows = {
        var rows = Rows(schema: schema)
        func add(_ key: Int64, _ name: Value, _ age: Value, _ weight: Value, _ owner: Value, _ born: Value) {
            rows.objects[dog, default: [:]][ObjectKey(key)] = [
                PropertyID(1): name, PropertyID(2): age, PropertyID(3): weight, PropertyID(4): owner,
                PropertyID(5): born,
            ]
        }
        add(0, .string("Rex"), .int(3), .double(10), .link(ObjectKey(0)), .date(.epoch))
        add(1, .string("élan"), .int(42), .double(.nan), .link(ObjectKey(0)), .null)
        add(2, .null, .null, .null, .link(ObjectKey(1)), .date(Timestamp(seconds: 0, nanoseconds: -1) ?? .epoch))
        add(4, .string(""), .int(-1), .double(-0.0), .null, .date(Timestamp(seconds: 9)))
        add(5, .string("rex"), .int(.max), .double(.infinity), .null, .date(.epoch))
        rows.objects[person] = [
            ObjectKey(0): [PropertyID(1): .string("Rome")], ObjectKey(1): [PropertyID(1): .null],
            ObjectKey(2): [PropertyID(1): .string("Oslo")],
        ]
        return rows
    }()

    static let name = path(1, .string)
    static let age = path(2, .int)
    static let weight = path(3, .double)
    static let born = path(5, .date)
    static let owner = BoundPath(links: [.forward(PropertyID(4), target: person)], end: .object(person))
    static let person0 = Value.reference(ObjectReference(person, ObjectKey(0)))
    static let city = BoundPath(
        links: [.forward(PropertyID(4), target: person)],
        end: .property(PropertyID(1), PropertyType(.string, isOptional: true)))

    static func path(_ id: UInt16, _ base: BaseType) -> BoundPath {
        BoundPath(end: .property(PropertyID(id), PropertyType(base, isOptional: true)))
    }

    static func test(
        _ path: BoundPath, _ operation: ComparisonOperator, _ value: Value, ignoresCase: Bool = false
    ) -> BoundPredicate {
        .comparison(BoundComparison(.path(path), operation, .constant(value), ignoresCase: ignoresCase))
    }

    static func isIn(_ path: BoundPath, _ values: [Value]) -> BoundPredicate {
        .comparison(BoundComparison(.path(path), .equal, .list(values)))
    }

    static let all: [Int64] = [0, 1, 2, 4, 5]

    static let cases: [(String, BoundPredicate, [Int64])] = [
        ("everything", .constant(true), all),
        ("nothing", .constant(false), []),
        ("an empty AND", .and([]), all),
        ("an empty OR", .or([]), []),
        ("age == 42", test(age, .equal, .int(42)), [1]),
        ("age != 42 includes null", test(age, .notEqual, .int(42)), [0, 2, 4, 5]),
        ("age == 42.0", test(age, .equal, .double(42)), [1]),
        ("age == 3.5", test(age, .equal, .double(3.5)), []),
        ("age != 3.5", test(age, .notEqual, .double(3.5)), all),
        ("age > 41.5", test(age, .greater, .double(41.5)), [1, 5]),
        ("age < 1e300", test(age, .less, .double(1e300)), [0, 1, 4, 5]),
        ("age < 2^63 as a double", test(age, .less, .double(0x1p63)), [0, 1, 4, 5]),
        ("age >= 2^63 as a double", test(age, .greaterOrEqual, .double(0x1p63)), []),
        ("age < NaN", test(age, .less, .double(.nan)), []),
        ("age == null", test(age, .equal, .null), [2]),
        ("age != null", test(age, .notEqual, .null), [0, 1, 4, 5]),
        ("age >= null", test(age, .greaterOrEqual, .null), [2]),
        ("age > null", test(age, .greater, .null), []),
        ("NOT age < 5 includes null", .not(test(age, .less, .int(5))), [1, 2, 5]),
        (
            "age between 3 and 42", .and([test(age, .greaterOrEqual, .int(3)), test(age, .lessOrEqual, .int(42))]),
            [0, 1]
        ),
        ("reversed bounds", .and([test(age, .greaterOrEqual, .int(42)), test(age, .lessOrEqual, .int(3))]), []),
        ("age IN {3, null}", isIn(age, [.int(3), .null]), [0, 2]),
        ("age IN {}", isIn(age, []), []),
        ("weight == 0 finds -0", test(weight, .equal, .int(0)), [4]),
        ("weight < inf leaves NaN out", test(weight, .less, .double(.infinity)), [0, 4]),
        ("weight != 10 includes NaN and null", test(weight, .notEqual, .double(10)), [1, 2, 4, 5]),
        ("weight == NaN", test(weight, .equal, .double(.nan)), []),
        ("weight != NaN", test(weight, .notEqual, .double(.nan)), all),
        ("name == 'Rex'", test(name, .equal, .string("Rex")), [0]),
        ("name ==[c] 'REX'", test(name, .equal, .string("REX"), ignoresCase: true), [0, 5]),
        ("name ==[c] 'ÉLAN' folds Latin-1", test(name, .equal, .string("ÉLAN"), ignoresCase: true), [1]),
        ("name !=[c] 'REX'", test(name, .notEqual, .string("REX"), ignoresCase: true), [1, 2, 4]),
        ("name < 'a' goes by bytes", test(name, .less, .string("a")), [0, 4]),
        ("name CONTAINS ''", test(name, .contains, .string("")), [0, 1, 4, 5]),
        ("name CONTAINS null", test(name, .contains, .null), all),
        ("name LIKE null", test(name, .like, .null), [2]),
        ("name LIKE '?lan'", test(name, .like, .string("?lan")), [1]),
        ("name LIKE[c] 'r*X'", test(name, .like, .string("r*X"), ignoresCase: true), [0, 5]),
        ("name ENDSWITH 'ex'", test(name, .endsWith, .string("ex")), [0, 5]),
        ("name IN strings", isIn(name, [.string("Rex"), .string(""), .null]), [0, 2, 4]),
        ("born == epoch, by index", test(born, .equal, .date(.epoch)), [0, 5]),
        ("born < epoch by a nanosecond", test(born, .less, .date(.epoch)), [2]),
        ("born >= epoch", test(born, .greaterOrEqual, .date(.epoch)), [0, 4, 5]),
        ("owner == null", test(owner, .equal, .null), [4, 5]),
        ("owner == person 0", test(owner, .equal, person0), [0, 1]),
        ("owner != person 0 includes null", test(owner, .notEqual, person0), [2, 4, 5]),
        ("owner.city == 'Rome'", test(city, .equal, .string("Rome")), [0, 1]),
        ("owner.city == null includes no owner", test(city, .equal, .null), [2, 4, 5]),
        ("owner.city != null needs both", test(city, .notEqual, .null), [0, 1]),
        ("owner.city != 'Rome'", test(city, .notEqual, .string("Rome")), [2, 4, 5]),
        (
            "age > weight",
            .comparison(BoundComparison(.path(age), .greater, .path(weight))), []
        ),
        (
            "age <= weight, property against property",
            .comparison(BoundComparison(.path(age), .lessOrEqual, .path(weight))), [0, 2, 4, 5]
        ),
    ]

    @Test("a predicate finds the documented objects", arguments: cases.indices)
    func meaning(_ index: Int) throws {
        let (words, predicate, expected) = Self.cases[index]
        let executor = QueryExecutor(try MemoryColumnSource(Self.rows))
        let query = BoundQuery(classID: Self.dog, predicate: predicate)
        #expect(try executor.select(query).map(\.rawValue) == expected, "\(words)")
        #expect(try executor.count(query) == expected.count, "\(words)")
        let matching = try (0..<7 as Range<Int64>).filter { try executor.matches(query, ObjectKey($0)) }
        #expect(matching == expected, "\(words), one by one")
        #expect(try ReferenceEvaluator(Self.rows).select(query).map(\.rawValue) == expected, "\(words), reference")
    }

    static let dogsAge = BoundPath(
        links: [.backward(origin: dog, property: PropertyID(4))],
        end: .property(PropertyID(2), PropertyType(.int, isOptional: true)))

    @Test(
        "quantifiers over backlinks",
        arguments: [
            (Quantifier.any, ComparisonOperator.greater, 3, [0]), (.any, .notEqual, 3, [0, 1]),
            (.all, .greater, 3, [2]),
            (.all, .notEqual, 42, [1, 2]), (.none, .equal, 42, [1, 2]), (.none, .notEqual, 3, [2]),
        ] as [(Quantifier, ComparisonOperator, Int64, [Int64])])
    func quantifiers(_ quantifier: Quantifier, _ operation: ComparisonOperator, _ value: Int64, _ expected: [Int64])
        throws
    {
        let executor = QueryExecutor(try MemoryColumnSource(Self.rows))
        let comparison = BoundComparison(
            .path(Self.dogsAge), operation, .constant(.int(value)), leftQuantifier: quantifier)
        let query = BoundQuery(classID: Self.person, predicate: .comparison(comparison))
        #expect(try executor.select(query).map(\.rawValue) == expected)
    }

    @Test("a null link sorts last ascending and first descending, a null value the other way round")
    func nullOrder() throws {
        let executor = QueryExecutor(try MemoryColumnSource(Self.rows))
        func sorted(_ path: BoundPath, _ ascending: Bool) throws -> [Int64] {
            let steps = [ResultStep.sort([SortKey(path, ascending: ascending)])]
            return try executor.select(BoundQuery(classID: Self.dog, steps: steps)).map(\.rawValue)
        }
        #expect(try sorted(Self.city, true) == [2, 0, 1, 4, 5])
        #expect(try sorted(Self.city, false) == [4, 5, 0, 1, 2])
        #expect(try sorted(Self.weight, true) == [2, 1, 4, 0, 5])
        #expect(try sorted(Self.weight, false) == [5, 0, 4, 1, 2])
        let distinct = BoundQuery(classID: Self.dog, steps: [.distinct([Self.city])])
        #expect(try executor.select(distinct).map(\.rawValue) == [0, 2])
    }

    @Test("aggregates skip null and NaN, and distinguish no values from zero")
    func aggregates() throws {
        let executor = QueryExecutor(try MemoryColumnSource(Self.rows))
        let some = BoundQuery(classID: Self.dog, predicate: Self.test(Self.age, .lessOrEqual, .int(42)))
        let requests = AggregateRequest.Function.allCases.map { AggregateRequest($0, Self.age) }
        #expect(try executor.aggregate(some, requests) == [.int(-1), .int(42), .int(44), .double(44.0 / 3)])
        let weights = AggregateRequest.Function.allCases.map { AggregateRequest($0, Self.weight) }
        #expect(try executor.aggregate(some, weights) == [.double(-0.0), .double(10), .double(10), .double(5)])
        let none = BoundQuery(classID: Self.dog, predicate: .constant(false))
        #expect(try executor.aggregate(none, requests) == [.null, .null, .int(0), .null])
        // The sum wraps; the average does not.
        let huge = BoundQuery(classID: Self.dog, predicate: Self.test(Self.age, .greaterOrEqual, .int(42)))
        #expect(
            try executor.aggregate(huge, requests)
                == [.int(42), .int(.max), .int(.max &+ 42), .double((0x1p63 + 41) / 2)])
    }

    @Test("a class without objects has empty results, and an unknown object matches nothing")
    func emptyClass() throws {
        let executor = QueryExecutor(try MemoryColumnSource(Self.rows))
        let query = BoundQuery(classID: ClassID(3), predicate: Self.test(Self.path(1, .int), .greater, .int(1)))
        #expect(try executor.select(query).isEmpty && executor.count(query) == 0)
        #expect(try executor.count(BoundQuery(classID: ClassID(3))) == 0)
        let dogs = BoundQuery(classID: Self.dog)
        for key in [3, 6, 64, -1, .max] as [Int64] { #expect(try !executor.matches(dogs, ObjectKey(key))) }
    }

    @Test("explain names the method of each part")
    func explain() throws {
        let executor = QueryExecutor(try MemoryColumnSource(Self.rows))
        func words(_ predicate: BoundPredicate) throws -> String {
            let query = BoundQuery(classID: Self.dog, predicate: predicate)
            return try executor.explain(query).root.lines().joined(separator: "\n")
        }
        #expect(
            try words(.and([Self.test(Self.name, .contains, .string("e")), Self.test(Self.age, .greater, .int(3))]))
                == """
                select Dog, 5 objects
                  all of
                    scan age in 4...highest, zones first
                    scan name: contains, dictionary first
                """)
        #expect(try words(Self.test(Self.born, .equal, .date(.epoch))).contains("index: 2 objects"))
        #expect(try words(Self.test(Self.owner, .equal, Self.person0)).contains("backlinks: 2 objects"))
        #expect(
            try words(Self.test(Self.city, .equal, .string("Rome"))).contains(
                "link owner to Person: link column tested against 1 object"))
        #expect(
            try words(.comparison(BoundComparison(.path(Self.age), .less, .path(Self.weight)))).contains("row by row"))
    }
}

extension QueryExplanation.Part {
    /// The description of the part and its parts, one below the other.
    func lines(depth: Int = 0) -> [String] {
        [String(repeating: "  ", count: depth) + words] + parts.flatMap { $0.lines(depth: depth + 1) }
    }
}
