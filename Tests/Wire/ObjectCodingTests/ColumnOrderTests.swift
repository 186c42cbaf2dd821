import JSONCoding
import ObjectCoding
import ObjectModel
import TestBasics
import Testing

/// Objects of a file, whose names are compared with those of earlier objects, against the same objects read one by one,
/// each name looked up.
@Suite("The order of columns")
struct ColumnOrderTests {
    private let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Row", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.int)),
                    PropertySchema("name", PropertyType(.string, isOptional: true)),
                    PropertySchema("weight", PropertyType(.double)),
                    PropertySchema("next", PropertyType(.link("Row"), isOptional: true)),
                    PropertySchema("tag", PropertyType(.link("Tag"), isOptional: true)),
                    PropertySchema("log", PropertyType(.link("Log"), isOptional: true)),
                    PropertySchema("part", PropertyType(.link("Part"), isOptional: true)),
                    PropertySchema("tags", PropertyType(.link("Tag"), collection: .list)),
                    PropertySchema("any", PropertyType(.mixed)),
                    PropertySchema("rows", PropertyType(.linkingObjects(fromClass: "Row", property: "next"))),
                    PropertySchema("Price_EUR", PropertyType(.int)),
                ]),
            ClassSchema("Tag", primaryKey: "code", properties: [PropertySchema("code", PropertyType(.string))]),
            ClassSchema("Log", properties: [PropertySchema("text", PropertyType(.string))]),
            ClassSchema("Part", isEmbedded: true, properties: [PropertySchema("size", PropertyType(.int))]),
        ])
    private static let names = [
        "id", "name", "weight", "next", "tag", "log", "part", "tags", "any", "Price_EUR", "Price (EUR)", "rows", "nmae",
        "$key",
    ]

    private func value(_ random: inout SeededRandom) -> JSONValue {
        let values: [JSONValue] = [
            .null, .bool(true), 7, -1, 2.0, 2.5, "a", "", "7", ["a"], ["a", 1], [], ["size": 1], ["size": "x"],
            ["code": "a"],
            ["$link": ["class": "Tag", "key": "a"]], ["$link": ["class": "Row", "key": 1]], ["$numberLong": "7"], [:],
        ]
        return values[random.below(values.count)]
    }

    /// A value that mostly fits the property.
    private func value(of name: String, _ random: inout SeededRandom) -> JSONValue {
        if random.oneIn(15) { return value(&random) }
        switch name {
        case "id", "next", "Price_EUR", "Price (EUR)": return .int(Int64(random.below(9)))
        case "name", "tag": return .string(["a", "é", "0"][random.below(3)])
        case "weight": return .double(0.5)
        case "tags": return ["a", "b"]
        case "part": return ["size": 3]
        case "any": return value(&random)
        default: return .null
        }
    }

    @Test(
        "objects and faults are those of names that are looked up, whatever the order of lines and members",
        arguments: 0..<4)
    func order(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let row = try #require(schema["Row"])
        let reader = ObjectInputReader(schema: schema, readsColumns: true)
        let request = ObjectInputReader(schema: schema)
        var order = ColumnOrder(row)
        var usual = Self.names.dropLast(3).shuffled(using: &random)
        var (read, refused) = (0, 0)
        for number in 0..<400 * TestRun.length {
            if random.oneIn(40) { usual.shuffle(using: &random) }
            var names = random.oneIn(4) ? usual.shuffled(using: &random) : usual
            names.removeAll { _ in random.oneIn(5) }
            if random.oneIn(10) {
                names.insert(Self.names[random.below(Self.names.count)], at: random.below(names.count + 1))
            }
            let object = JSONObject(names.map { .init(name: $0, value: value(of: $0, &random)) })
            let comment: Comment = "seed \(random.seed), line \(number): \(object)"
            let fast = Result { try reader.object(object, row, &order) }
            let slow = Result { try reader.object(.object(object), row) }
            #expect(Self.text(fast) == Self.text(slow), comment)
            // A request knows neither other names of columns nor names that came before.
            if Set(names).count == names.count, !names.contains("Price (EUR)") {
                #expect(Self.text(fast) == Self.text(Result { try request.object(.object(object), row) }), comment)
            }
            if case .success = fast { read += 1 } else { refused += 1 }
        }
        #expect(read > 50 && refused > 50)
    }

    private static func text(_ result: Result<ObjectInput, any Error>) -> String {
        switch result {
        case .success(let input): String(reflecting: input)
        case .failure(let error): String(reflecting: error)
        }
    }
}
