import ColumnTesting
import ObjectModel
import QueryExecution
import QuerySyntax
import QueryLanguage
import StoreTesting
import Testing

/// Worked examples over collections, mixed values and computed operands: a predicate and the things that it finds, one
/// by one, in a plan, and by the reference evaluator.
@Suite("The meaning of predicates over every type")
struct EveryTypeMeaningTests {
    static let thing = ClassID(1)
    static let part = ClassID(2)

    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Thing",
                properties: [
                    PropertySchema("n", PropertyType(.int)),
                    PropertySchema("d", PropertyType(.decimal128, isOptional: true)),
                    PropertySchema("data", PropertyType(.data, isOptional: true)),
                    PropertySchema("any", PropertyType(.mixed)),
                    PropertySchema("nums", PropertyType(.int, isOptional: true, collection: .list)),
                    PropertySchema("tags", PropertyType(.string, isOptional: true, collection: .list)),
                    PropertySchema("marks", PropertyType(.int, collection: .set)),
                    PropertySchema("prices", PropertyType(.double, isOptional: true, collection: .map)),
                    PropertySchema("parts", PropertyType(.link("Part"), collection: .list)),
                    PropertySchema("pets", PropertyType(.link("Part"), isOptional: true, collection: .map)),
                    PropertySchema("name", PropertyType(.string, isOptional: true)),
                    PropertySchema("x", PropertyType(.double)),
                ]),
            ClassSchema(
                "Part",
                properties: [
                    PropertySchema("age", PropertyType(.int, isOptional: true)),
                    PropertySchema("label", PropertyType(.string, isOptional: true)),
                    PropertySchema("prices", PropertyType(.int, collection: .map)),
                ]),
        ])

    static func decimal(_ text: String) -> Value { .decimal(Decimal128(text) ?? .nan) }
    static func map(_ pairs: [(String, Value)]) -> Value { .dictionary(ValueMap(pairs)) }
    static func links(_ keys: [Int64]) -> Value { .list(keys.map { .link(ObjectKey($0)) }) }

    static let rows: Rows = {
        var rows = Rows(schema: schema)
        func add(_ key: Int64, _ values: [Value]) {
            rows.objects[thing, default: [:]][ObjectKey(key)] = Dictionary(
                uniqueKeysWithValues: values.enumerated().map { (PropertyID(UInt16($0 + 1)), $1) })
        }
        let nested = map([("a", .list([.string("x"), .int(2)])), ("n", .int(5))])
        add(
            0,
            [
                .int(7), decimal("0.1"), .data([0x61, 0x62, 0x63]), .int(3), .list([.int(1), .int(2), .int(3)]),
                .list([.string("red"), .string("blue")]), .set([.int(1), .int(5)]),
                map([("ash", .double(2.5)), ("oak", .null)]), links([0, 1]), map([("rex", .link(ObjectKey(0)))]),
                .string("Ångström"), .double(1.5),
            ])
        add(
            1,
            [
                .int(-7), decimal("3"), .data([]), .double(3), .list([]), .list([.null, .string("RED")]), .set([]),
                map([]), links([]), map([("rex", .null)]), .string("angstrom"), .double(.nan),
            ])
        add(
            2,
            [
                .int(.max), .null, .null, .string("abc"), .list([.null, .int(.max), .int(1)]), .list([]),
                .set([.int(-1)]), map([("ash", .double(.nan))]), links([2, 2]), map([]), .null, .double(0),
            ])
        add(
            3,
            [
                .int(.min), decimal("NaN"), .data([0xC3, 0xA9]), nested, .list([.int(4)]), .list([.string("é")]),
                .set([]), map([("ash", .double(-1))]), links([1]), map([]), .string(""), .double(-2),
            ])
        add(
            4,
            [
                .int(0), decimal("7"), .data([0x41]), .null, .list([.int(0)]), .list([.string("a")]), .set([]), map([]),
                links([0]), map([("rex", .link(ObjectKey(2)))]), .string("Σας"), .double(7),
            ])
        let others: [Value] = [
            .data([0x61, 0x62, 0x63]), .bool(true), decimal("3.0"), .list([.int(1), .list([.string("deep")])]),
            .reference(ObjectReference(part, ObjectKey(1))), .double(.nan),
        ]
        for (index, value) in others.enumerated() {
            add(
                Int64(5 + index),
                [
                    .int(Int64(index)), .null, .null, value, .list([]), .list([]), .set([]), map([]), links([]),
                    map([]),
                    .null, .double(0),
                ])
        }
        rows.objects[part] = [
            ObjectKey(0): [
                PropertyID(1): .int(3), PropertyID(2): .string("Rex"), PropertyID(3): map([("k", .int(1))]),
            ],
            ObjectKey(1): [PropertyID(1): .int(10), PropertyID(2): .string("Bo"), PropertyID(3): map([])],
            ObjectKey(2): [PropertyID(1): .null, PropertyID(2): .null, PropertyID(3): map([])],
        ]
        return rows
    }()

    // MARK: Paths

    static func path(_ name: String, _ steps: ValueStep..., links: [LinkStep] = [], of classID: ClassID = thing)
        -> BoundPath
    {
        let property = schema[classID]?[name]
        return BoundPath(
            links: links,
            end: .property(property?.id ?? PropertyID(0), property?.type ?? PropertyType(.int)), steps: steps)
    }

    static let toParts = [LinkStep.elements(PropertyID(9), target: part, .all)]
    static let all = ValueStep.elements(.all)

    static func test(
        _ left: BoundPath, _ operation: ComparisonOperator, _ right: Value, _ quantifier: Quantifier = .any,
        c: Bool = false, d: Bool = false
    ) -> BoundPredicate {
        .comparison(
            BoundComparison(
                .path(left), operation, .constant(right), ignoresCase: c, ignoresDiacritics: d,
                leftQuantifier: quantifier))
    }

    static func compare(
        _ left: BoundOperand, _ operation: ComparisonOperator, _ right: BoundOperand, _ one: Quantifier = .any,
        _ other: Quantifier = .any, inOrder: Bool = false
    ) -> BoundPredicate {
        .comparison(
            BoundComparison(
                left, operation, right, leftQuantifier: one, rightQuantifier: other, isElementwise: inOrder))
    }

    static func aggregate(
        _ function: AggregateRequest.Function, _ path: BoundPath, _ operation: ComparisonOperator, _ value: Value
    ) -> BoundPredicate {
        compare(.aggregate(BoundAggregate(function, path)), operation, .constant(value))
    }

    static func arithmetic(
        _ left: BoundOperand, _ operation: BoundArithmetic.Operation, _ right: BoundOperand
    ) -> BoundOperand { .arithmetic(BoundArithmetic(left, operation, right)) }

    static let everything: [Int64] = Array(0...10)
    static let any = path("any")
    static let nums = path("nums", all)
    static let tags = path("tags", all)
    static let n = BoundOperand.path(path("n"))
    static let x = BoundOperand.path(path("x"))
    static let d = path("d")

    typealias Case = (String, BoundPredicate, [Int64])

    static let collections: [Case] = [
        ("nums == 1", test(nums, .equal, .int(1)), [0, 2]),
        ("ALL nums > 0", test(nums, .greater, .int(0), .all), [0, 1, 3, 5, 6, 7, 8, 9, 10]),
        ("NONE nums == 1", test(nums, .equal, .int(1), .none), [1, 3, 4, 5, 6, 7, 8, 9, 10]),
        ("ANY nums == null", test(nums, .equal, .null), [2]),
        (
            "nums == {1, 2, 3} in order",
            compare(.path(nums), .equal, .list([.int(1), .int(2), .int(3)]), inOrder: true),
            [0]
        ),
        (
            "nums != {1, 2, 3} in order",
            compare(.path(nums), .notEqual, .list([.int(1), .int(2), .int(3)]), inOrder: true), Array(1...10)
        ),
        (
            "nums < {2, 3, 4} in order",
            compare(.path(nums), .less, .list([.int(2), .int(3), .int(4)]), inOrder: true),
            [0]
        ),
        ("nums == {} in order", compare(.path(nums), .equal, .list([]), inOrder: true), [1, 5, 6, 7, 8, 9, 10]),
        (
            "ALL tags IN {'red', 'blue'}",
            compare(.path(tags), .equal, .list([.string("red"), .string("blue")]), .all),
            [0, 2, 5, 6, 7, 8, 9, 10]
        ),
        (
            "ALL {'red', 'blue'} IN tags",
            compare(.list([.string("red"), .string("blue")]), .equal, .path(tags), .all),
            [0]
        ),
        ("tags ==[c] 'Red'", test(tags, .equal, .string("Red"), c: true), [0, 1]),
        ("tags ENDSWITH 'e'", test(tags, .endsWith, .string("e")), [0]),
        ("nums[0] == 1", test(path("nums", .elements(.position(0))), .equal, .int(1)), [0]),
        ("nums[LAST] == 1", test(path("nums", .elements(.last)), .equal, .int(1)), [2]),
        ("nums[2] == null", test(path("nums", .elements(.position(2))), .equal, .null), [1, 3, 4, 5, 6, 7, 8, 9, 10]),
        ("nums.@count > 1", test(path("nums", .size), .greater, .int(1)), [0, 2]),
        ("tags.length > 3", test(path("tags", all, .length), .greater, .int(3)), [0]),
        ("tags.length == 0 counts null", test(path("tags", all, .length), .equal, .int(0)), [1]),
        ("name.@count counts bytes", test(path("name", .size), .equal, .int(10)), [0]),
        ("marks == 5", test(path("marks", all), .equal, .int(5)), [0]),
        ("prices['ash'] > 2", test(path("prices", .elements(.key("ash"))), .greater, .double(2)), [0]),
        (
            "prices['ash'] == null: absent or null", test(path("prices", .elements(.key("ash"))), .equal, .null),
            [1, 4, 5, 6, 7, 8, 9, 10]
        ),
        ("prices.@keys == 'oak'", test(path("prices", .keys), .equal, .string("oak")), [0]),
        ("ALL prices.@values > 0", test(path("prices", all), .greater, .int(0), .all), [1, 4, 5, 6, 7, 8, 9, 10]),
        ("parts.age > 5", test(path("age", links: toParts, of: part), .greater, .int(5)), [0, 3]),
        (
            "ALL parts.age > 2", test(path("age", links: toParts, of: part), .greater, .int(2), .all),
            [0, 1, 3, 4, 5, 6, 7, 8, 9, 10]
        ),
        (
            "parts[LAST].age == 10",
            test(path("age", links: [.elements(PropertyID(9), target: part, .last)], of: part), .equal, .int(10)),
            [0, 3]
        ),
        (
            "parts[1].age == null: no such part, or no age",
            test(path("age", links: [.elements(PropertyID(9), target: part, .position(1))], of: part), .equal, .null),
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        ),
        ("parts.@count == 2", test(BoundPath(links: toParts, end: .count), .equal, .int(2)), [0, 2]),
        (
            "pets.rex.label == 'Rex'",
            test(
                path("label", links: [.elements(PropertyID(10), target: part, .key("rex"))], of: part), .equal,
                .string("Rex")), [0]
        ),
        (
            "pets.@values == part 2",
            test(
                BoundPath(links: [.elements(PropertyID(10), target: part, .all)], end: .object(part)), .equal,
                .reference(ObjectReference(part, ObjectKey(2)))), [4]
        ),
        (
            "ANY parts.prices['k'] == null: an absent key is a null",
            test(path("prices", .elements(.key("k")), links: toParts, of: part), .equal, .null), [0, 2, 3]
        ),
        (
            "ANY nums BETWEEN {2, 3}", .between(BoundBetween(.path(nums), .int(2), .int(3))), [0]
        ),
        (
            "ALL nums BETWEEN {0, 3}", .between(BoundBetween(.path(nums), .int(0), .int(3), quantifier: .all)),
            [0, 1, 4, 5, 6, 7, 8, 9, 10]
        ),
    ]

    static let values: [Case] = [
        ("d == 0.1", test(d, .equal, decimal("0.10")), [0]),
        ("d == 0.1 as a double", test(d, .equal, .double(0.1)), []),
        ("d > 2", test(d, .greater, .int(2)), [1, 4]),
        ("d == NaN", test(d, .equal, decimal("NaN")), []),
        ("d != 3 includes null and NaN", test(d, .notEqual, .int(3)), [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        ("data == bin('abc')", test(path("data"), .equal, .data([0x61, 0x62, 0x63])), [0]),
        ("data == 'abc' crosses kinds", test(path("data"), .equal, .string("abc")), []),
        ("data LIKE '?' is one sequence", test(path("data"), .like, .data([0x3F])), [3, 4]),
        ("data BEGINSWITH[c] 'a'", test(path("data"), .beginsWith, .data([0x61]), c: true), [0, 4]),
        ("data.@size == 0", test(path("data", .size), .equal, .int(0)), [1]),
        ("data.@size == null", test(path("data", .size), .equal, .null), [2, 5, 6, 7, 8, 9, 10]),
        ("any == 3 over all numbers", test(any, .equal, .int(3)), [0, 1, 7]),
        ("any == 'abc'", test(any, .equal, .string("abc")), [2]),
        ("any == bin('abc')", test(any, .equal, .data([0x61, 0x62, 0x63])), [5]),
        ("any < 5 numbers only", test(any, .less, .int(5)), [0, 1, 7]),
        ("any != 3", test(any, .notEqual, .int(3)), [2, 3, 4, 5, 6, 8, 9, 10]),
        ("any == 1 is not true", test(any, .equal, .int(1)), []),
        ("any == true", test(any, .equal, .bool(true)), [6]),
        ("any == null", test(any, .equal, .null), [4]),
        ("any == NaN", test(any, .equal, .double(.nan)), []),
        ("any == part 1", test(any, .equal, .reference(ObjectReference(part, ObjectKey(1)))), [9]),
        ("any BEGINSWITH 'a'", test(any, .beginsWith, .string("a")), [2]),
        ("any CONTAINS null", test(any, .contains, .null), [2, 4, 5]),
        ("any.@type == 'list'", test(path("any", .typeName), .equal, .string("list")), [8]),
        ("any.@type == 'null'", test(path("any", .typeName), .equal, .string("null")), [4]),
        ("any.@size == 2", test(path("any", .size), .equal, .int(2)), [3, 8]),
        (
            "any.a[0] == 'x'", test(path("any", .elements(.key("a")), .elements(.position(0))), .equal, .string("x")),
            [3]
        ),
        ("any[*] == 5", test(path("any", all), .equal, .int(5)), [3]),
        ("any[*][*] == 'deep'", test(path("any", all, all), .equal, .string("deep")), [8]),
        ("any.@keys == 'n'", test(path("any", .keys), .equal, .string("n")), [3]),
        ("any[9].@type is nothing", test(path("any", .elements(.position(9)), .typeName), .equal, .null), everything),
        (
            "ALL any[*] == 0 where there are none", test(path("any", all), .equal, .int(0), .all),
            [0, 1, 2, 4, 5, 6, 7, 9, 10]
        ),
        ("any == any, also two lists, but no NaN", compare(.path(any), .equal, .path(any)), Array(0...9)),
        ("name ==[c] 'ΣΑΣ'", test(path("name"), .equal, .string("ΣΑΣ"), c: true), [4]),
        ("name ==[cd] 'angstrom'", test(path("name"), .equal, .string("ANGSTROM"), c: true, d: true), [0, 1]),
        ("name CONTAINS[d] 'strom'", test(path("name"), .contains, .string("strom"), d: true), [0, 1]),
        ("name LIKE[c] '?NG*M'", test(path("name"), .like, .string("?NG*M"), c: true), [0, 1]),
        (
            "name !=[c] 'ANGSTROM'", test(path("name"), .notEqual, .string("ANGSTROM"), c: true),
            [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        ),
    ]

    static let computed: [Case] = [
        ("n / 2 == 3 truncates", compare(arithmetic(n, .divide, .constant(.int(2))), .equal, .constant(.int(3))), [0]),
        ("-7 / 2 == -3", compare(arithmetic(n, .divide, .constant(.int(2))), .equal, .constant(.int(-3))), [1]),
        (
            "n / 0 is the largest, of negative ones the smallest",
            compare(arithmetic(n, .divide, .constant(.int(0))), .equal, .constant(.int(.min))), [1, 3]
        ),
        (
            "n + 1 does not wrap",
            compare(arithmetic(n, .add, .constant(.int(1))), .equal, .constant(decimal("9223372036854775808"))), [2]
        ),
        (
            "n / -1 of the smallest",
            compare(arithmetic(n, .divide, .constant(.int(-1))), .equal, .constant(decimal("9223372036854775808"))),
            [3]
        ),
        (
            "x / 0 is infinite",
            compare(arithmetic(x, .divide, .constant(.int(0))), .equal, .constant(.double(.infinity))), [0, 4]
        ),
        ("n - x == 0", compare(arithmetic(n, .subtract, x), .equal, .constant(.int(0))), [5]),
        ("d + n is decimal", compare(arithmetic(.path(d), .add, n), .equal, .constant(decimal("7.1"))), [0]),
        (
            "any * 2 == 6", compare(arithmetic(.path(any), .multiply, .constant(.int(2))), .equal, .constant(.int(6))),
            [0, 1, 7]
        ),
        (
            "any * 2 == null", compare(arithmetic(.path(any), .multiply, .constant(.int(2))), .equal, .constant(.null)),
            [2, 3, 4, 5, 6, 8, 9]
        ),
        (
            "nums * 2 > 5",
            compare(arithmetic(.path(nums), .multiply, .constant(.int(2))), .greater, .constant(.int(5))), [0, 2, 3]
        ),
        ("nums.@sum == 0", aggregate(.sum, nums, .equal, .int(0)), [1, 4, 5, 6, 7, 8, 9, 10]),
        ("nums.@sum wraps", aggregate(.sum, nums, .equal, .int(.min)), [2]),
        ("nums.@min == null", aggregate(.minimum, nums, .equal, .null), [1, 5, 6, 7, 8, 9, 10]),
        ("nums.@avg == 2", aggregate(.average, nums, .equal, .int(2)), [0]),
        (
            "prices.@max skips NaN", aggregate(.maximum, path("prices", all), .equal, .null),
            [1, 2, 4, 5, 6, 7, 8, 9, 10]
        ),
        ("any[*].@sum over numbers", aggregate(.sum, path("any", all), .equal, .int(5)), [3]),
        ("any[*].@max over everything", aggregate(.maximum, path("any", all), .greater, .int(0)), []),
        (
            "parts.@avg.age == 6.5", aggregate(.average, path("age", links: toParts, of: part), .equal, .double(6.5)),
            [0]
        ),
        (
            "parts.@max.age == null", aggregate(.maximum, path("age", links: toParts, of: part), .equal, .null),
            [1, 2, 5, 6, 7, 8, 9, 10]
        ),
        (
            "SUBQUERY(parts, $p, $p.age >= 3).@count == 2",
            compare(
                .subquery(
                    BoundSubquery(
                        links: toParts, classID: part,
                        predicate: test(path("age", of: part), .greaterOrEqual, .int(3)))), .equal, .constant(.int(2))),
            [0]
        ),
        (
            "SUBQUERY counts every way to an object",
            compare(
                .subquery(
                    BoundSubquery(
                        links: toParts, classID: part, predicate: test(path("age", of: part), .equal, .null))), .equal,
                .constant(.int(2))), [2]
        ),
    ]

    static let cases = collections + values + computed

    @Test("a predicate finds the documented objects", arguments: cases.indices)
    func meaning(_ index: Int) throws {
        let (words, predicate, expected) = Self.cases[index]
        let executor = QueryExecutor(try MemoryColumnSource(Self.rows))
        let query = BoundQuery(classID: Self.thing, predicate: predicate)
        let matching = try Self.everything.filter { try executor.matches(query, ObjectKey($0)) }
        #expect(matching == expected, "\(words), one by one")
        #expect(try executor.select(query).map(\.rawValue) == expected, "\(words)")
        #expect(try ReferenceEvaluator(Self.rows).select(query).map(\.rawValue) == expected, "\(words), reference")
    }

    @Test("mixed values sort by the total order, and so do decimals", arguments: [true, false])
    func sorting(_ ascending: Bool) throws {
        let executor = QueryExecutor(try MemoryColumnSource(Self.rows))
        for limit in [nil, 3] {
            for name in ["any", "d", "data"] {
                let keys = [SortKey(Self.path(name), ascending: ascending)]
                let query = BoundQuery(classID: Self.thing, steps: [.sort(keys)])
                let found = try executor.select(query, Window(limit: limit))
                #expect(try found == ReferenceEvaluator(Self.rows).select(query, Window(limit: limit)), "\(name)")
            }
            let inside = [SortKey(Self.path("prices", .elements(.key("ash"))), ascending: ascending)]
            let query = BoundQuery(classID: Self.thing, steps: [.sort(inside)])
            let found = try executor.select(query, Window(limit: limit))
            #expect(try found == ReferenceEvaluator(Self.rows).select(query, Window(limit: limit)))
        }
        let any = BoundQuery(classID: Self.thing, steps: [.sort([SortKey(Self.any, ascending: true)])])
        #expect(try executor.select(any).map(\.rawValue) == [4, 6, 10, 0, 1, 7, 2, 5, 9, 8, 3])
    }
}
