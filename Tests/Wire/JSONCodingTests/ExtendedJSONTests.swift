@testable import JSONCoding
import ObjectModel
import TestBasics
import Testing

@Suite("Extended JSON of MongoDB")
struct ExtendedJSONTests {
    private static let uuid = UUIDValue(text: "3b241101-e2bb-4255-8caf-4136c566a962")

    /// Every form, with the value that a mixed property gets.
    private static let forms: [(json: String, value: Value)] = [
        (#"{"$numberInt":"-7"}"#, .int(-7)),
        (#"{"$numberInt":7}"#, .int(7)),
        (#"{"$numberLong":"9223372036854775807"}"#, .int(.max)),
        (#"{"$numberLong":"-9223372036854775808"}"#, .int(.min)),
        (#"{"$numberDouble":"1.5"}"#, .double(1.5)),
        (#"{"$numberDouble":"-0.0"}"#, .double(-0.0)),
        (#"{"$numberDouble":"1E+10"}"#, .double(1e10)),
        (#"{"$numberDouble":"3"}"#, .double(3)),
        (#"{"$numberDouble":2.25}"#, .double(2.25)),
        (#"{"$numberDouble":"Infinity"}"#, .double(.infinity)),
        (#"{"$numberDouble":"-Infinity"}"#, .double(-.infinity)),
        (#"{"$numberDecimal":"1.10"}"#, Decimal128("1.10").map { .decimal($0) } ?? .null),
        (#"{"$numberDecimal":"NaN"}"#, Decimal128("NaN").map { .decimal($0) } ?? .null),
        (#"{"$numberDecimal":"1E+100"}"#, Decimal128("1E+100").map { .decimal($0) } ?? .null),
        (
            #"{"$date":"2026-01-31T12:00:00.5Z"}"#,
            Timestamp(rfc3339: "2026-01-31T12:00:00.5Z").map { .date($0) } ?? .null
        ),
        (
            #"{"$date":"2026-01-31T13:00:00.500+0100"}"#,
            Timestamp(rfc3339: "2026-01-31T12:00:00.5Z").map { .date($0) } ?? .null
        ),
        (#"{"$date":1500}"#, Timestamp(seconds: 1, nanoseconds: 500_000_000).map { .date($0) } ?? .null),
        (#"{"$date":-1500}"#, Timestamp(seconds: -1, nanoseconds: -500_000_000).map { .date($0) } ?? .null),
        (#"{"$date":{"$numberLong":"-1"}}"#, Timestamp(seconds: 0, nanoseconds: -1_000_000).map { .date($0) } ?? .null),
        (#"{"$date":{"$numberLong":"253402300800000"}}"#, .date(Timestamp(seconds: 253_402_300_800))),
        (
            #"{"$oid":"5f0c2e1d9b1e8a0001a1b2c3"}"#,
            ObjectId(hex: "5f0c2e1d9b1e8a0001a1b2c3").map { .objectId($0) } ?? .null
        ),
        (#"{"$uuid":"3b241101-e2bb-4255-8caf-4136c566a962"}"#, uuid.map { .uuid($0) } ?? .null),
        (#"{"$binary":{"base64":"OyQRAeK7QlWMr0E2xWapYg==","subType":"04"}}"#, uuid.map { .uuid($0) } ?? .null),
        (#"{"$binary":{"subType":4,"base64":"OyQRAeK7QlWMr0E2xWapYg=="}}"#, uuid.map { .uuid($0) } ?? .null),
        (#"{"$binary":{"base64":"AAEC","subType":"00"}}"#, .data([0, 1, 2])),
        (#"{"$binary":{"base64":"AAEC","subType":"04"}}"#, .data([0, 1, 2])),
        (#"{"$binary":{"base64":"","subType":"80"}}"#, .data([])),
    ]

    @Test("each form is the value that it stands for, alone and in collections", arguments: forms.indices)
    func mixed(index: Int) throws {
        let (text, value) = Self.forms[index]
        let json = try JSONValue.parse(text)
        #expect(try ValueCoding.mixed(json).complete == value)
        let both = try JSONValue.parse("[\(text),{\"a\":\(text)}]")
        #expect(
            try ValueCoding.decode(both, as: PropertyType(.mixed))
                == .list([value, .dictionary(ValueMap([("a", value)]))]))
    }

    @Test("each form fits a property of its type", arguments: forms.indices)
    func typed(index: Int) throws {
        let (text, value) = Self.forms[index]
        let json = try JSONValue.parse(text)
        let base: BaseType? =
            switch value {
            case .int: .int
            case .double: .double
            case .decimal: .decimal128
            case .date: .date
            case .objectId: .objectId
            case .uuid: .uuid
            case .data: .data
            default: nil
            }
        let found = try #require(base)
        for isOptional in [false, true] {
            #expect(try ValueCoding.decode(json, as: PropertyType(found, isOptional: isOptional)) == value)
        }
        #expect(throws: ValueError.self) { try ValueCoding.decode(json, as: PropertyType(.string)) }
        #expect(throws: ValueError.self) { try ValueCoding.decode(json, as: PropertyType(.bool)) }
    }

    @Test("numbers fit properties of other numbers as plain ones do, and a UUID in base64 fits data")
    func otherTypes() throws {
        func decode(_ text: String, _ base: BaseType) throws -> Value {
            try ValueCoding.decode(try JSONValue.parse(text), as: PropertyType(base))
        }
        #expect(try decode(#"{"$numberInt":"3"}"#, .double) == .double(3))
        #expect(try decode(#"{"$numberLong":"3"}"#, .float) == .float(3))
        #expect(try decode(#"{"$numberInt":"3"}"#, .decimal128) == .decimal(Decimal128(Int64(3))))
        #expect(try decode(#"{"$numberDouble":"3.0"}"#, .int) == .int(3))
        #expect(try decode(#"{"$numberDouble":"NaN"}"#, .float) == .float(.nan))
        if case .double(let number) = try decode(#"{"$numberDouble":"NaN"}"#, .double) {
            #expect(number.isNaN)
        } else {
            Issue.record("not a double")
        }
        #expect(
            try decode(#"{"$binary":{"base64":"OyQRAeK7QlWMr0E2xWapYg==","subType":"04"}}"#, .data)
                == .data(try #require(Self.uuid).bytes))
        for (text, base) in [
            (#"{"$numberDouble":"3.5"}"#, BaseType.int), (#"{"$numberDecimal":"1.5"}"#, .double),
            (#"{"$numberInt":"1"}"#, .date), (#"{"$numberDouble":"NaN"}"#, .int),
        ] {
            #expect(throws: ValueError.self) { try decode(text, base) }
        }
    }

    @Test(
        "what is not a value of the type is refused, with a sentence",
        arguments: [
            #"{"$numberInt":"seven"}"#, #"{"$numberInt":"1.5"}"#, #"{"$numberLong":"9223372036854775808"}"#,
            #"{"$numberInt":null}"#, #"{"$numberDouble":"0x1p3"}"#, #"{"$numberDouble":"inf"}"#,
            #"{"$numberDouble":"[1]"}"#, #"{"$numberDecimal":{"$numberDecimal":"1"}}"#,
            #"{"$date":{"$numberLong":"x"}}"#,
            #"{"$date":{"$numberDouble":"1"}}"#, #"{"$date":true}"#, #"{"$date":{"$date":"2026-01-31T12:00:00Z"}}"#,
            #"{"$binary":{"base64":"AAEC"}}"#, #"{"$binary":{"base64":"?","subType":"00"}}"#,
            #"{"$binary":{"base64":"AAEC","subType":"xyz"}}"#, #"{"$binary":{"base64":"AAEC","subType":"-1"}}"#,
            #"{"$uuid":{"$uuid":"3b241101-e2bb-4255-8caf-4136c566a962"}}"#, #"{"$minKey":1}"#,
        ])
    func wrong(text: String) throws {
        let json = try JSONValue.parse(text)
        #expect(throws: ValueError.self) { try ValueCoding.mixed(json) }
    }

    @Test("a byte order mark before a text is skipped, and nowhere else")
    func byteOrderMark() throws {
        #expect(try JSONValue.parse("\u{feff}{\"a\":1}") == ["a": 1])
        for text in ["\u{feff}", "\u{feff}\u{feff}1", "[\u{feff}1]", "1\u{feff}"] {
            #expect(throws: JSONError.self) { try JSONValue.parse(text) }
        }
    }
}
