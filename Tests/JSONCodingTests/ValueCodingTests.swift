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
    ]

    @Test("a value of the property's type is accepted, plain and typed", arguments: fitting)
    func accepted(json: String, type: String, expected: Value) throws {
        let type = try #require(PropertyType(text: type))
        #expect(try ValueCoding.decode(try JSONValue.parse(json), as: type) == expected)
    }

    private static let misfits: [(String, String)] = [
        ("1", "bool"), ("3.5", "int"), ("1e19", "int"), (#""3""#, "int"), ("true", "int"), ("null", "int"),
        (#""nan""#, "double"), ("1e39", "float"), ("1", "string"), (#""2026-02-31T00:00:00Z""#, "date"), ("0", "date"),
        (#"{"$uuid":"1"}"#, "uuid"), (#"{"$date":"1970-01-01","x":1}"#, "date"),
        (#"{"$date":{"$date":"1970-01-01"}}"#, "date"),
        (#"{"$oid":"000000000000000000000000"}"#, "uuid"), ("[]", "string"), (#""00""#, "objectId"),
    ]

    @Test("anything else is refused", arguments: misfits)
    func refused(json: String, type: String) throws {
        let type = try #require(PropertyType(text: type))
        let value = try JSONValue.parse(json)
        let fault = try #require(throws: ValueFault.self) { try ValueCoding.decode(value, as: type) }
        #expect(fault.got == value.inWords)
    }

    @Test("a fault says what the property takes and what it was given")
    func sentence() throws {
        let fault = try #require(throws: ValueFault.self) {
            try ValueCoding.decode(.string("seven"), as: PropertyType(.int, isOptional: true))
        }
        #expect(
            fault.sentence("Dog.age") == #"'Dog.age' takes an integer of 64 bits or null, not the string "seven"."#)
    }

    @Test("every value is read back as it was written", arguments: TypeStyle.allCases)
    func roundTrip(style: TypeStyle) throws {
        let values: [(Value, BaseType)] = [
            (.bool(false), .bool), (.int(.min), .int), (.float(1.5e-30), .float), (.double(-0.0), .double),
            (.double(.nan), .double), (.double(.infinity), .double), (.string("a\u{0}\"é"), .string),
            (.date(Timestamp(floorSeconds: -1, fraction: 1)), .date), (.objectId(.generate()), .objectId),
            (.uuid(.generate()), .uuid), (.null, .uuid),
        ]
        for (value, base) in values {
            let writer = JSONWriter()
            writer.value(value, style)
            let json = try JSONValue.parse(writer.bytes)
            #expect(try ValueCoding.decode(json, as: PropertyType(base, isOptional: true)) == value)
        }
    }

    @Test("typed objects are read without a schema, other objects and arrays are not")
    func untyped() {
        #expect(ValueCoding.decode(["$date": .string("1970-01-01")]) == .date(.epoch))
        #expect(ValueCoding.decode(.double(1.5)) == .double(1.5))
        #expect(ValueCoding.decode(["$what": .string("x")]) == nil)
        #expect(ValueCoding.decode(["$date": .string("yesterday")]) == nil)
        #expect(ValueCoding.decode([.int(1)]) == nil)
    }

    @Test("keys in paths have the primary key's type")
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
