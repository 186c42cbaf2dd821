import JSONCoding
import ObjectModel
import Testing

@Suite("Values from JSON")
struct ValueCodingTests {
    private static let fitting: [(String, String, Value)] = [
        ("true", "bool", .bool(true)), ("3", "int", .int(3)), ("3.0", "int", .int(3)), ("3", "double", .double(3)),
        ("1e300", "double", .double(1e300)), (#""NaN""#, "double", .double(.nan)),
        (#""-Infinity""#, "float", .float(-.infinity)),
        ("0.1", "float", .float(0.1)), (#""x""#, "string", .string("x")), ("null", "int?", .null),
        (#""1970-01-01T00:00:01+01:00""#, "date", .date(Timestamp(seconds: -3599))),
        (#"{"$date":"1970-01-01T00:00:00Z"}"#, "date", .date(.epoch)),
        (#"{"$oid":"00000000000000000000000A"}"#, "objectId", .objectId(ObjectId(high: 0, low: 10))),
        (#""00000000-0000-0000-0000-00000000000b""#, "uuid", .uuid(UUIDValue(high: 0, low: 11))),
        (#""""#, "data", .data([])), (#""AP8=""#, "data", .data([0, 255])),
        (#"{"$binary":"AP8="}"#, "data", .data([0, 255])),
        (#""1.10""#, "decimal128", decimal("1.10")), (#"{"$decimal":"1.10"}"#, "decimal128", decimal("1.10")),
        ("9223372036854775807", "decimal128", decimal("9223372036854775807")), ("0.1", "decimal128", decimal("0.1")),
        ("1e300", "decimal128", decimal("1e300")), ("-2.5E-3", "decimal128", decimal("-0.0025")),
        ("1234567890.12345678901234567890", "decimal128", decimal("1234567890.12345678901234567890")),
        ("0.10000000000000000555", "decimal128", decimal("0.10000000000000000555")),
        ("1e-400", "decimal128", decimal("1e-400")),
        (#""-Infinity""#, "decimal128", .decimal(-.infinity)), (#""NaN""#, "decimal128?", .decimal(.nan)),
        ("0.10000000000000000555", "double", .double(0.1)), ("3.0000000000000000000", "int", .int(3)),
        (#"{"$float":0.1}"#, "float", .float(0.1)), (#"{"$double":"NaN"}"#, "double", .double(.nan)),
        (#"{"$double":"NaN"}"#, "float", .float(.nan)), (#"{"$double":"-Infinity"}"#, "float?", .float(-.infinity)),
        (#"{"$double":"Infinity"}"#, "decimal128", .decimal(.infinity)),
        (#"{"$double":"NaN"}"#, "mixed", .double(.nan)),
        ("[1,2,1]", "int[]", .list([.int(1), .int(2), .int(1)])), ("[]", "string<>", .set([])),
        ("null", "int[]", .list([])),
        ("null", "int<>", .set([])), ("null", "int{}", .dictionary(ValueMap())),
        ("[null,\"a\"]", "string?[]", .list([.null, .string("a")])),
        (
            #"["2026-01-31",{"$date":"1970-01-01"}]"#, "date<>",
            .set([.date(Timestamp(seconds: 1_769_817_600)), .date(.epoch)])
        ),
        (#"{"b":1,"a":2.5}"#, "double{}", .dictionary(ValueMap([("a", .double(2.5)), ("b", .double(1))]))),
        (#"{"$dictionary":{"a":1}}"#, "int{}", .dictionary(ValueMap([("a", .int(1))]))),
        (
            #"{"a":{"b":[1,null,true]},"c":{"$uuid":"00000000-0000-0000-0000-00000000000b"}}"#, "mixed",
            .dictionary(
                ValueMap([
                    ("a", .dictionary(ValueMap([("b", .list([.int(1), .null, .bool(true)]))]))),
                    ("c", .uuid(UUIDValue(high: 0, low: 11))),
                ]))
        ),
        (
            #"[1,1.5,"x",{"$oid":"00000000000000000000000A"},{}]"#, "mixed[]",
            .list([.int(1), .double(1.5), .string("x"), .objectId(ObjectId(high: 0, low: 10)), .dictionary(ValueMap())])
        ),
        (#"{"$dictionary":{"$date":1}}"#, "mixed", .dictionary(ValueMap([("$date", .int(1))]))),
    ]

    private static func decimal(_ text: String) -> Value { Decimal128(text).map { .decimal($0) } ?? .null }

    @Test("a value of the property's type is accepted, plain and typed", arguments: fitting)
    func accepted(json: String, type: String, expected: Value) throws {
        let type = try #require(PropertyType(text: type))
        #expect(try ValueCoding.decode(try JSONValue.parse(json), as: type) == expected)
    }

    private static let misfits: [(String, String)] = [
        ("1", "bool"), ("3.5", "int"), ("1e19", "int"), (#""3""#, "int"), ("true", "int"), ("null", "int"),
        (#"{"$double":"NaN"}"#, "int"), (#"{"$double":3}"#, "int"),
        (#""nan""#, "double"), ("1e39", "float"), ("1", "string"), (#""2026-02-31T00:00:00Z""#, "date"), ("0", "date"),
        (#"{"$uuid":"1"}"#, "uuid"), (#"{"$date":"1970-01-01","x":1}"#, "date"),
        (#"{"$date":{"$date":"1970-01-01"}}"#, "date"),
        (#"{"$oid":"000000000000000000000000"}"#, "uuid"), ("[]", "string"), (#""00""#, "objectId"),
        (#""a""#, "data"), (#""AP8""#, "data"), ("1", "data"), (#"{"$binary":1}"#, "data"),
        (#"{"$oid":"AP8="}"#, "data"),
        (#""1,5""#, "decimal128"), ("true", "decimal128"), (#"{"$decimal":{"$decimal":"1"}}"#, "decimal128"),
        ("1", "int[]"), ("{}", "int[]"), ("[]", "int{}"), ("{}", "string<>"), (#""x""#, "mixed<>"),
        ("1e30", "int"), ("9223372036854775807.5", "int"),
    ]

    @Test("other values are rejected", arguments: misfits)
    func refused(json: String, type: String) throws {
        let type = try #require(PropertyType(text: type))
        let value = try JSONValue.parse(json)
        let fault = try #require(throws: ValueError.self) { try ValueCoding.decode(value, as: type) }
        #expect(fault.got == value.inWords)
    }

    @Test("a fault names the expected and the given value")
    func sentence() throws {
        let fault = try #require(throws: ValueError.self) {
            try ValueCoding.decode(.string("seven"), as: PropertyType(.int, isOptional: true))
        }
        #expect(
            fault.sentence("Dog.age") == #"'Dog.age' must be an integer of 64 bits or null, not the string "seven"."#)
    }

    private static let faultyPlaces: [(String, String, String, String)] = [
        ("[1,\"x\"]", "int[]", "'C.p[1]' must be an integer of 64 bits, not the string \"x\".", "[1]"),
        (#"{"a":1,"b c":null}"#, "int{}", #"'C.p["b c"]' must be an integer of 64 bits, not null."#, #"["b c"]"#),
        (
            #"{"a":[1,{"$date":"soon"}]}"#, "mixed",
            #"'C.p.a[1]["$date"]' must be a date such as "2026-01-31T12:00:00Z", not the string "soon"."#,
            #".a[1]["$date"]"#
        ),
        (
            #"[{"$what":1}]"#, "mixed[]",
            #"'C.p[0]' must be a typed object such as {"$date": …}, or a dictionary whose keys do not start with '$', not the key "$what"."#,
            "[0]"
        ),
        (
            #"{"$link":7}"#, "mixed",
            #"'C.p["$link"]' must be a link such as {"class": "Dog", "key": 7}, not the integer 7."#, #"["$link"]"#
        ),
        ("7", "string?<>", "'C.p' must be an array, each element a string or null, not the integer 7.", ""),
    ]

    @Test("a fault within a value has its path", arguments: faultyPlaces)
    func places(json: String, type: String, sentence: String, path: String) throws {
        let type = try #require(PropertyType(text: type))
        let value = try JSONValue.parse(json)
        let fault = try #require(throws: ValueError.self) { try ValueCoding.decode(value, as: type) }
        #expect(fault.sentence("C.p") == sentence)
        #expect(fault.path == path)
    }

    private static let everything: [(Value, BaseType)] = [
        (.bool(false), .bool), (.int(.min), .int), (.float(1.5e-30), .float), (.double(-0.0), .double),
        (.double(.nan), .double), (.double(.infinity), .double), (.string("a\u{0}\"é"), .string),
        (.date(Timestamp(floorSeconds: -1, fraction: 1)), .date), (.objectId(.generate()), .objectId),
        (.uuid(.generate()), .uuid), (.null, .uuid), (.data([]), .data), (.data([1, 2, 3, 255]), .data),
        (decimal("1.10"), .decimal128), (decimal("-0E-20"), .decimal128), (.decimal(.nan), .decimal128),
        (.decimal(-.infinity), .decimal128), (.float(0.1), .float), (.float(-.infinity), .float),
    ]

    @Test("every value is decoded as it was written, also in collections", arguments: TypeStyle.allCases)
    func roundTrip(style: TypeStyle) throws {
        for (value, base) in Self.everything {
            let type = PropertyType(base, isOptional: true)
            #expect(try rewritten(value, style, as: type) == value)
            for (kind, whole) in [
                (CollectionKind.list, Value.list([value, .null, value])), (.set, .set([.null, value])),
                (.map, .dictionary(ValueMap([("", value), ("a key", value)]))),
            ] {
                let type = PropertyType(base, isOptional: true, collection: kind)
                #expect(try rewritten(whole, style, as: type) == whole)
            }
        }
    }

    @Test("a mixed value is decoded as it was written, whatever the style", arguments: TypeStyle.allCases)
    func mixedRoundTrip(style: TypeStyle) throws {
        var values = Self.everything.map(\.0)
        values.append(.list(values))
        values.append(.dictionary(ValueMap(values.enumerated().map { ("k\($0.offset)", $0.element) })))
        for key in ["$date", "$link", "$dictionary", "$what", "$", "date"] {
            values.append(.dictionary(ValueMap([(key, .string("1970-01-01"))])))
            values.append(.dictionary(ValueMap([(key, .dictionary(ValueMap([(key, .null)])))])))
            values.append(.dictionary(ValueMap([(key, .int(1)), ("z", .int(2))])))
        }
        values += [.list([]), .dictionary(ValueMap()), .list([.list([.dictionary(ValueMap())])])]
        for value in values {
            #expect(try rewritten(value, style, as: PropertyType(.mixed)) == value)
        }
        let list = PropertyType(.mixed, collection: .list)
        #expect(try rewritten(.list(values), style, as: list) == .list(values))
        let map = PropertyType(.mixed, collection: .map)
        let entries = Value.dictionary(ValueMap([("a", .float(0.1)), ("b", .list(values))]))
        #expect(try rewritten(entries, style, as: map) == entries)
    }

    private func rewritten(_ value: Value, _ style: TypeStyle, as type: PropertyType) throws -> Value {
        let writer = JSONWriter()
        writer.value(value, style, isMixed: type.isMixed)
        return try ValueCoding.decode(try JSONValue.parse(writer.bytes), as: type)
    }

    @Test("values are written in the forms that the documentation shows")
    func forms() {
        func text(_ value: Value, _ style: TypeStyle, isMixed: Bool = false) -> String {
            let writer = JSONWriter()
            writer.value(value, style, isMixed: isMixed)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        #expect(text(.data([0, 255]), .plain) == #""AP8=""#)
        #expect(text(.data([0, 255]), .typed) == #"{"$binary":"AP8="}"#)
        #expect(text(Self.decimal("1.10"), .plain) == #""1.10""#)
        #expect(text(Self.decimal("1.10"), .typed) == #"{"$decimal":"1.10"}"#)
        #expect(text(Self.decimal("1.10"), .plain, isMixed: true) == #"{"$decimal":"1.10"}"#)
        #expect(text(.list([.date(.epoch)]), .plain) == #"["1970-01-01T00:00:00Z"]"#)
        #expect(
            text(.list([.date(.epoch), .int(1)]), .plain, isMixed: true) == #"[{"$date":"1970-01-01T00:00:00Z"},1]"#)
        #expect(text(.float(0.5), .plain, isMixed: true) == #"{"$float":0.5}"#)
        #expect(text(.dictionary(ValueMap([("b", .int(1)), ("a", .null)])), .plain) == #"{"a":null,"b":1}"#)
    }

    @Test("links are left unresolved, with their paths")
    func links() throws {
        let dogs = PropertyType(.link("Dog"), collection: .list)
        let draft = try ValueCoding.draft([.int(7), ["name": .string("Rex")]], as: dogs)
        #expect(
            draft == .list([.link(.plain(.int(7), path: "[0]")), .link(.plain(["name": .string("Rex")], path: "[1]"))]))
        let mixed = try ValueCoding.draft(
            ["a": [.int(1), ["$link": ["class": .string("Dog"), "key": .int(7)]]]], as: PropertyType(.mixed))
        let reference = ValueDraft.link(WrittenLink.typed(className: "Dog", key: .int(7), path: ".a[1]"))
        #expect(mixed == .map([ValueDraft<WrittenLink>.Entry(key: "a", value: .list([.value(.int(1)), reference]))]))
        let noLink = try ValueCoding.draft(.null, as: PropertyType(.link("Dog"), isOptional: true))
        #expect(noLink == .value(.null))
        #expect(throws: ValueError.self) { try ValueCoding.draft([.null], as: dogs) }
        #expect(throws: ValueError.self) { try ValueCoding.decode([.int(7)], as: dogs) }
    }

    @Test("keys in URL paths have the primary key's type")
    func keys() {
        #expect(ValueCoding.decode(keyText: "-7", as: PropertyType(.int)) == .int(-7))
        #expect(ValueCoding.decode(keyText: "7", as: PropertyType(.string)) == .string("7"))
        #expect(ValueCoding.decode(keyText: "null", as: PropertyType(.int, isOptional: true)) == .null)
        #expect(ValueCoding.decode(keyText: "null", as: PropertyType(.int)) == nil)
        #expect(ValueCoding.decode(keyText: "null", as: PropertyType(.string, isOptional: true)) == .string("null"))
        #expect(ValueCoding.decode(keyText: "seven", as: PropertyType(.int)) == nil)
        #expect(ValueCoding.decode(keyText: "7.0", as: PropertyType(.int)) == nil)
    }
}
