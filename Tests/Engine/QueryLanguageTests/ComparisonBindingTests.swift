import QuerySyntax
import ObjectModel
import QueryLanguage
import Testing

@Suite("Comparisons and their types")
struct ComparisonBindingTests {
    @Test("decimals are parsed from the text, not from a double, and numbers of all types become decimals")
    func decimals() throws {
        func worth(_ text: String) -> BoundPredicate {
            comparison(.path(path("worth")), .equal, .constant(.decimal(Decimal128(text) ?? .nan)))
        }
        #expect(try bind("worth == 0.1").predicate == worth("0.1"))
        #expect(try bind("worth == 1.5f").predicate == worth("1.5"))
        #expect(
            try bind("worth == 1234567890123456789012345678.901234").predicate
                == worth("1234567890123456789012345678.901234"))
        #expect(try bind("worth == 7").predicate == worth("7"))
        #expect(try bind("worth == '0.30'").predicate == worth("0.30"))
        #expect(try bind("worth == 0.1 + 0.2").predicate == worth("0.3"))
        #expect(try bind("worth == $0", "Person", [.value(.double(0.1))]).predicate == worth("0.1"))
        #expect(
            try bind("worth > inf").predicate
                == comparison(.path(path("worth")), .greater, .constant(.decimal(.infinity))))
    }

    @Test("a decimal against other numbers becomes their type where that loses nothing")
    func decimalArguments() throws {
        let tenth = Value.decimal(Decimal128("0.1") ?? .nan)
        let half = Value.decimal(Decimal128("0.5") ?? .nan)
        let three = Value.decimal(Decimal128("3.0") ?? .nan)
        let arguments: [QueryArgument] = [.value(tenth), .value(half), .value(three), .value(.decimal(.nan))]
        func constant(_ text: String) throws -> BoundOperand? {
            guard case .comparison(let comparison) = try bind(text, "Person", arguments).predicate else { return nil }
            return comparison.right
        }
        #expect(try constant("height == $0") == .constant(tenth))
        #expect(try constant("height == $1") == .constant(.double(0.5)))
        #expect(try constant("weight == $1") == .constant(.float(0.5)))
        #expect(try constant("age == $1") == .constant(half))
        #expect(try constant("age == $2") == .constant(.int(3)))
        #expect(fault("age == $3", "Person", arguments)?.message == "NaN not supported for int")
    }

    @Test("numbers compare across types, mixed values with everything, other types only with themselves")
    func families() {
        for text in [
            "age == height", "weight < worth", "age > worth", "any == name", "any == photo", "any > age",
            "nums == height", "anys == name", "any == any", "prices > age", "alive < true", "any.@type == any.@type",
            "any.@type == name.@type", "anys.@type == any.@type", "age == dogs.@count", "age > nums.@avg",
            "name < bio", "photo CONTAINS photo", "any BEGINSWITH name", "name BEGINSWITH any",
        ] {
            #expect(fault(text) == nil, "\(text): \(fault(text)?.message ?? "")")
        }
        for text in [
            "name == age", "name == photo", "alive == age", "born == age", "id == key", "name CONTAINS photo",
            "photo == 'abc'", "name == bin('abc')", "name CONTAINS bin('a')", "any.@type == any", "any.@type == name",
            "age CONTAINS 'x'", "name CONTAINS age", "name CONTAINS true", "alive == 1", "born == 'x'",
            "any BEGINSWITH 3", "dog == name", "dog == any.@type",
        ] {
            #expect(fault(text)?.code == .typeMismatch, "\(text)")
        }
    }

    @Test("an operator that does not support a type is rejected with its own sentence")
    func operators() {
        #expect(fault("age ==[c] 3")?.message == "Unsupported comparison operator '=[c]' against type 'int'")
        #expect(
            fault("name BEGINSWITH 3")?.message
                == "Unsupported comparison operator 'beginswith' against type 'int', right side must be a string or binary type"
        )
        #expect(fault("name == 3")?.message == "Unsupported comparison between type 'string' and type 'int'")
        #expect(
            fault("name LIKE[d] 'x'")?.message
                == "Operator 'LIKE' not supported with diacritic-insensitive modifier.")
        #expect(fault("name LIKE[c] 'x'") == nil)
        #expect(fault("name CONTAINS[cd] 'x' AND name ==[d] 'y' AND name IN[cd] {'z'} AND photo ==[c] bin('x')") == nil)
        #expect(
            fault("age == $0", "Person", [.value(.bool(true))])?.message
                == "Cannot compare argument $0 with value 'true' to a int")
    }

    @Test("two collections are compared element by element without a quantifier, and by value with one")
    func elementwise() throws {
        let numbers = BoundOperand.list([.int(1), .int(2)])
        #expect(
            try bind("nums < {1, 2}").predicate
                == comparison(.path(path("nums")), .less, numbers, isElementwise: true))
        #expect(
            try bind("{1, 2} < nums").predicate
                == comparison(.path(path("nums")), .greater, numbers, isElementwise: true))
        #expect(
            try bind("nums IN {1, 2}").predicate
                == comparison(.path(path("nums")), .equal, numbers, isElementwise: true))
        #expect(
            try bind("nums == $0", "Person", [.list([.int(1), .int(2)])]).predicate
                == (try bind("nums == {1, 2}").predicate))
        #expect(
            try bind("NONE nums == {1, 2}").predicate
                == comparison(.path(path("nums")), .equal, numbers, leftQuantifier: .none))
        #expect(
            try bind("{'a'} BEGINSWITH tags").predicate
                == comparison(.list([.string("a")]), .beginsWith, .path(path("tags")), isElementwise: true))
        #expect(
            fault("nums == marks")?.message
                == "Ordered comparison between two primitive lists is not implemented yet ('nums' and 'marks')")
        #expect(fault("ANY nums == marks") == nil)
    }

    @Test("a list of constants stays on the left where the order of the quantifiers matters")
    func quantifiers() throws {
        let numbers = BoundOperand.list([.int(1), .int(2)])
        let nums = BoundOperand.path(path("nums"))
        #expect(
            try bind("ALL {1, 2} IN nums").predicate == comparison(numbers, .equal, nums, leftQuantifier: .all))
        #expect(
            try bind("NONE {1, 2} > NONE nums").predicate
                == comparison(numbers, .greater, nums, leftQuantifier: .none, rightQuantifier: .none))
        #expect(try bind("ANY {1, 2} > ANY nums").predicate == comparison(nums, .less, numbers))
        #expect(
            try bind("ALL {1, 2} > age").predicate
                == comparison(.path(path("age")), .less, numbers, rightQuantifier: .all))
        #expect(
            try bind("ALL nums * 2 > 10").predicate
                == comparison(
                    .arithmetic(BoundArithmetic(nums, .multiply, .constant(.int(2)))), .greater, .constant(.int(10)),
                    leftQuantifier: .all))
    }

    @Test("a quantifier needs a side with several values")
    func quantifiersOfOne() {
        #expect(
            fault("ANY dog.age > 3")?.message == "The keypath following 'ANY' must contain a list. Found 'dog.age'")
        #expect(fault("SOME age > 3")?.message.contains("following 'ANY'") == true)
        #expect(fault("ALL dogs.@count > 3")?.code == .invalid)
        #expect(fault("ANY prices['a'] > 3")?.code == .invalid)
        #expect(fault("ANY prices > 3") == nil)
    }

    @Test("arithmetic of constants is computed, and operands that are not numbers are rejected")
    func arithmetic() throws {
        let age = BoundOperand.path(path("age"))
        func product(_ value: Value) -> BoundOperand {
            .arithmetic(BoundArithmetic(age, .multiply, .constant(value)))
        }
        #expect(
            try bind("age * (2 + 3) == 7 / 2").predicate == comparison(product(.int(5)), .equal, .constant(.int(3))))
        #expect(try bind("age > 5 / 0").predicate == comparison(age, .greater, .constant(.int(.max))))
        #expect(try bind("age > -5 / 0").predicate == comparison(age, .greater, .constant(.int(.min))))
        #expect(
            try bind("age * 1.5 == 3").predicate == comparison(product(.double(1.5)), .equal, .constant(.double(3))))
        #expect(
            try bind("worth * 0.1 == 3").predicate
                == comparison(
                    .arithmetic(
                        BoundArithmetic(
                            .path(path("worth")), .multiply, .constant(.decimal(Decimal128("0.1") ?? .nan)))), .equal,
                    .constant(.decimal(Decimal128(Int64(3))))))
        #expect(
            fault("age + name == 3")?.message == "Cannot perform '+' operation on 'age' and 'name'")
        #expect(fault("age + 'x' == 3")?.message == "Cannot perform '+' operation on 'age' and ''x''")
        #expect(fault("dog + 1 == 3")?.code == .invalid)
        #expect(fault("alive + 1 == 3")?.code == .invalid)
        #expect(fault("nums + nums == 3")?.code == .invalid)
        #expect(fault("1 + 1 == 2")?.message == "Cannot compare two constants")
        #expect(fault("any + 1 > age AND nums.@sum / nums.@count > 2 AND height - null == null") == nil)
        #expect(
            fault("(age + 1) * 2 BETWEEN {1, 5} AND SUBQUERY(dogs, $d, $d.age > 1).@count * 2 < dogs.@count") == nil)
    }

    @Test(
        "arithmetic on constants",
        arguments: [
            (.int(.max), .add, .int(1), .decimal(Decimal128("9223372036854775808") ?? .nan)),
            (.int(7), .divide, .int(-2), .int(-3)),
            (.int(0), .divide, .int(0), .int(.max)),
            (.int(.min), .divide, .int(-1), .decimal(Decimal128("9223372036854775808") ?? .nan)),
            (.int(.min), .multiply, .int(3), .decimal(Decimal128("-27670116110564327424") ?? .nan)),
            (.int(1), .add, .float(0.5), .float(1.5)), (.float(0.5), .multiply, .double(0.1), .double(0.05)),
            (.double(1), .divide, .double(0), .double(.infinity)), (.null, .add, .int(1), .null),
            (.decimal(Decimal128("0.1") ?? .nan), .add, .double(0.2), .decimal(Decimal128("0.3") ?? .nan)),
            (.string("1"), .add, .int(1), .null),
        ] as [(Value, BoundArithmetic.Operation, Value, Value)])
    func results(_ a: Value, _ operation: BoundArithmetic.Operation, _ b: Value, _ result: Value) {
        #expect(operation(a, b) == result)
    }

    @Test("type names are case-insensitive, and names of several types are lists")
    func typeNames() throws {
        let type = BoundOperand.path(path("any", steps: [.typeName]))
        let types = BoundOperand.path(path("anys", steps: [.elements(.all), .typeName]))
        let numeric = BoundOperand.list(["int", "float", "double", "decimal"].map { .string($0) })
        func names(_ names: String...) -> BoundOperand { .list(names.map { .string($0) }) }
        let cases: [(String, BoundPredicate)] = [
            ("any.@type == 'Binary'", comparison(type, .equal, .constant(.string("data")))),
            ("any.@type != 'GUID'", comparison(type, .notEqual, .constant(.string("uuid")))),
            ("'list' == any.@type", comparison(type, .equal, .constant(.string("list")))),
            ("any.@type != 'numeric'", comparison(type, .equal, numeric, rightQuantifier: .none)),
            ("any.@type == 'object'", comparison(type, .equal, names("link", "dictionary"))),
            ("any.@type == 'collection'", comparison(type, .equal, names("list", "dictionary"))),
            (
                "any.@type IN {'numeric', 'int', 'string'}",
                comparison(type, .equal, names("int", "float", "double", "decimal", "string"))
            ),
            ("any.@type == ALL {'object', 'collection'}", comparison(type, .equal, names("dictionary"))),
            (
                "any.@type != {'object', 'collection'}",
                comparison(type, .equal, names("dictionary"), rightQuantifier: .none)
            ),
            (
                "any.@type != ALL {'object', 'list'}",
                comparison(type, .equal, names("link", "dictionary", "list"), rightQuantifier: .none)
            ),
            ("ALL anys.@type == 'numeric'", comparison(types, .equal, numeric, leftQuantifier: .all)),
            (
                "ALL {'numeric', 'string'} IN anys.@type",
                .and([comparison(types, .equal, numeric), comparison(types, .equal, .constant(.string("string")))])
            ),
            (
                "any.@type == name.@type", comparison(type, .equal, .constant(.string("string")))
            ),
            ("anys.@type == {'int', 'null'}", comparison(types, .equal, names("int", "null"), isElementwise: true)),
        ]
        for (text, expected) in cases { #expect(try bind(text).predicate == expected, "\(text)") }
        let unknown = fault("any.@type == 'strin'")
        #expect(unknown?.message == "Unable to parse the type attribute string 'strin'")
        #expect(unknown?.hint == "string")
        #expect(
            fault("any.@type == 3")?.message.hasPrefix("Unsupported comparison between @type and raw value") == true)
        #expect(fault("any.@type > 'int'")?.code == .typeMismatch)
        #expect(fault("name.@type == 'string'")?.message == "Cannot compare two constants")
    }

    @Test("null has no parts")
    func partsOfNull() throws {
        #expect(try bind("null CONTAINS name").predicate == .constant(false))
        #expect(
            try bind("null BEGINSWITH ALL tags").predicate
                == comparison(.path(path("tags")), .equal, .list([]), leftQuantifier: .all))
        #expect(
            try bind("null LIKE name").predicate
                == comparison(.constant(.null), .like, .path(path("name"))))
    }

    @Test("IN needs a list on its right")
    func lists() {
        #expect(
            fault("age IN height")?.message == "The keypath following 'IN' must contain a list. Found 'height'")
        #expect(fault("age IN $0", "Person", [.value(.int(1))])?.code == .argument)
        #expect(fault("age IN $0", "Person", [.value(.list([.int(1)]))]) == nil)
        #expect(fault("name IN prices.@keys AND 5 IN nums AND dog.name IN tags") == nil)
    }

    @Test("BETWEEN of several values needs ALL, and two valid bounds")
    func between() throws {
        #expect(
            fault("nums BETWEEN {1, 2}")?.message
                == "Only 'ALL' supported for operator 'BETWEEN' when applied to lists.")
        #expect(
            try bind("ALL nums BETWEEN {1, 2.5}").predicate
                == .and([
                    comparison(.path(path("nums")), .greaterOrEqual, .constant(.int(1)), leftQuantifier: .all),
                    comparison(.path(path("nums")), .lessOrEqual, .constant(.double(2.5)), leftQuantifier: .all),
                ]))
        #expect(fault("name BETWEEN {'a', 'b'} AND id BETWEEN $0", "Person", [.list([.null, .null])]) == nil)
        #expect(fault("dog BETWEEN {null, null}")?.code == .typeMismatch)
        #expect(fault("1 BETWEEN {0, 2}")?.code == .invalid)
        #expect(fault("age BETWEEN {1, 'x'}")?.code == .typeMismatch)
    }
}
