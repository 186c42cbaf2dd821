import ObjectModel
import Testing

struct ValueConversionTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let value: Value
        let from: String
        let to: String
        let expected: Value?
        init(_ value: Value, _ from: String, _ to: String, _ expected: Value?) {
            (self.value, self.from, self.to, self.expected) = (value, from, to, expected)
        }
        var testDescription: String { "\(value) as \(to)" }
    }

    private static let date = Timestamp(floorSeconds: -2, fraction: 500_000_000)
    private static let id = ObjectId(high: 1, low: 2)
    private static let uuid = UUIDValue(high: 1, low: 2)

    @Test(
        "values convert only where nothing is lost without a word",
        arguments: [
            Example(.int(1 << 53), "int", "double", .double(9_007_199_254_740_992)),
            Example(.int(1 << 53 + 1), "int", "double", nil),
            Example(.int(16_777_217), "int", "float", nil),
            Example(.int(7), "int", "decimal128", .decimal(Decimal128(Int64(7)))),
            Example(.int(1), "int", "bool", .bool(true)), Example(.int(2), "int", "bool", nil),
            Example(.int(-5), "int", "string", .string("-5")),
            Example(.int(5), "int", "date", .date(Timestamp(seconds: 5))),
            Example(.int(5), "int", "mixed", .int(5)), Example(.int(5), "int", "uuid", nil),
            Example(.bool(true), "bool", "int", .int(1)), Example(.bool(false), "bool", "double", .double(0)),
            Example(.bool(true), "bool", "string", .string("true")),
            Example(.double(2), "double", "int", .int(2)), Example(.double(2.5), "double", "int", nil),
            Example(.double(.nan), "double", "int", nil), Example(.double(1e300), "double", "int", nil),
            Example(.double(0.1), "double", "float", .float(0.1)), Example(.double(1e300), "double", "float", nil),
            Example(.double(.infinity), "double", "float", .float(.infinity)),
            Example(.double(0.1), "double", "decimal128", Decimal128("0.1").map { .decimal($0) }),
            Example(.float(0.1), "float", "decimal128", Decimal128("0.1").map { .decimal($0) }),
            Example(.float(0.5), "float", "double", .double(0.5)),
            Example(.double(-1.5), "double", "date", .date(date)),
            Example(.double(.nan), "double", "date", nil),
            Example(.decimal(Decimal128("1E+2") ?? .zero), "decimal128", "int", .int(100)),
            Example(.decimal(Decimal128("0.5") ?? .zero), "decimal128", "int", nil),
            Example(.decimal(Decimal128("1E+400") ?? .zero), "decimal128", "double", nil),
            Example(.decimal(Decimal128("1.10") ?? .zero), "decimal128", "string", .string("1.10")),
            Example(.string("12"), "string", "int", .int(12)), Example(.string(" 12"), "string", "int", nil),
            Example(.string("9223372036854775808"), "string", "int", nil),
            Example(.string("1e3"), "string", "double", .double(1000)),
            Example(.string("1e999"), "string", "double", nil),
            Example(.string("inf"), "string", "double", .double(.infinity)),
            Example(.string("true"), "string", "bool", .bool(true)), Example(.string("yes"), "string", "bool", nil),
            Example(.string("1969-12-31T23:59:58.5Z"), "string", "date", .date(date)),
            Example(.string("yesterday"), "string", "date", nil),
            Example(.string(id.hex), "string", "objectId", .objectId(id)),
            Example(.string(uuid.text), "string", "uuid", .uuid(uuid)),
            Example(.string("é"), "string", "data", .data([0xC3, 0xA9])),
            Example(.date(date), "date", "string", .string("1969-12-31T23:59:58.500Z")),
            Example(.date(date), "date", "int", nil), Example(.date(date), "date", "double", .double(-1.5)),
            Example(.date(Timestamp(seconds: 5)), "date", "int", .int(5)),
            Example(.data([0xC3, 0xA9]), "data", "string", .string("é")), Example(.data([0xFF]), "data", "string", nil),
            Example(.data(id.bytes), "data", "objectId", .objectId(id)), Example(.data([1]), "data", "uuid", nil),
            Example(.uuid(uuid), "uuid", "data", .data(uuid.bytes)),
            Example(.uuid(uuid), "uuid", "string", .string(uuid.text)),
            Example(.null, "int?", "string?", .null), Example(.null, "int?", "string", nil),
            Example(.null, "int?", "mixed", .null),
            Example(.string("7"), "mixed", "int", .int(7)),
            Example(.list([.int(1)]), "mixed", "int[]", .list([.int(1)])),
            Example(.list([.int(1)]), "mixed", "int", nil),
            Example(.reference(ObjectReference(ClassID(1), ObjectKey(3))), "mixed", "A?", .link(ObjectKey(3))),
            Example(.reference(ObjectReference(ClassID(2), ObjectKey(3))), "mixed", "A?", nil),
            Example(.link(ObjectKey(3)), "A?", "mixed", .reference(ObjectReference(ClassID(1), ObjectKey(3)))),
            Example(.link(ObjectKey(3)), "E?", "mixed", nil), Example(.link(ObjectKey(3)), "A?", "B?", nil),
            Example(.link(ObjectKey(3)), "A?", "A[]", .list([.link(ObjectKey(3))])),
            Example(.list([.int(1), .null]), "int?[]", "string?[]", .list([.string("1"), .null])),
            Example(.list([.int(1), .null]), "int?[]", "string[]", nil),
            Example(.list([.int(1), .int(1)]), "int[]", "string<>", .set([.string("1"), .string("1")])),
            Example(.set([.int(1)]), "int<>", "double[]", .list([.double(1)])),
            Example(.set([.int(1)]), "int<>", "mixed", .list([.int(1)])),
            Example(
                .dictionary(ValueMap([("a", .int(1))])), "int{}", "string{}",
                .dictionary(ValueMap([("a", .string("1"))]))),
            Example(.dictionary(ValueMap([("a", .int(2))])), "int{}", "bool{}", nil),
            Example(.int(1), "int", "string[]", .list([.string("1")])), Example(.null, "int?", "int<>", .set([])),
            Example(.null, "int?", "int?[]", .list([.null])), Example(.list([.int(1)]), "int[]", "int", nil),
        ])
    func conversions(_ example: Example) throws {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "A",
                    properties: [
                        PropertySchema("from", try #require(PropertyType(text: example.from))),
                        PropertySchema("to", try #require(PropertyType(text: example.to))),
                    ]), ClassSchema("B", properties: [PropertySchema("x", PropertyType(.int))]),
                ClassSchema("E", isEmbedded: true, properties: [PropertySchema("x", PropertyType(.int))]),
            ])
        let source = try #require(schema["A"]?["from"])
        let target = try #require(schema["A"]?["to"])
        let converted = example.value.converted(from: source, to: target)
        #expect(converted == example.expected)
        if let converted {
            #expect(target.type.accepts(converted))
            #expect(source.type.isConvertible(to: target.type) || example.value.isNull)
        }
    }

    @Test("the types alone show that no value can be converted")
    func convertibleTypes() {
        for (from, to, expected) in [
            ("int", "string", true), ("A?", "int", false), ("A?", "A[]", true), ("A[]", "mixed", false),
            ("int{}", "int[]", false), ("int[]", "mixed", true), ("data", "int", false), ("date", "decimal128", false),
            ("objectId", "uuid", false), ("linkingObjects(A.b)", "int", false), ("mixed", "int{}", true),
        ] {
            let source = PropertyType(text: from) ?? PropertyType(.mixed)
            let target = PropertyType(text: to) ?? PropertyType(.mixed)
            #expect(source.isConvertible(to: target) == expected, "\(from) to \(to)")
        }
    }
}
