import Gateway
import HTTPMessages
import JSONCoding
import ObjectModel
import RequestHandling
import Testing

/// The advice of slow queries, against what follows from it: the plan of the same query with the index, and the objects
/// that it then examines.
@Suite("Advice of an index")
struct IndexAdviceTests {
    private static let objects = 1500

    /// A type of property, with a value that all objects have another one of.
    struct Kind: CustomStringConvertible, Sendable {
        let type: String
        let canBeIndexed: Bool
        /// The value of an object as JSON.
        let value: @Sendable (Int) -> String

        var description: String { type }
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }

    static let kinds: [Kind] = [
        Kind(type: "int", canBeIndexed: true) { "\($0)" }, Kind(type: "int?", canBeIndexed: true) { "\($0)" },
        Kind(type: "string", canBeIndexed: true) { "\"v\($0)\"" },
        Kind(type: "string?", canBeIndexed: true) { "\"v\($0)\"" },
        Kind(type: "date", canBeIndexed: true) { "\"\(Timestamp(seconds: Int64($0) * 86_400).rfc3339)\"" },
        Kind(type: "objectId", canBeIndexed: true) { "\"\(padded($0, 24))\"" },
        Kind(type: "uuid", canBeIndexed: true) { "\"\(padded($0, 8))-0000-0000-0000-000000000000\"" },
        Kind(type: "mixed", canBeIndexed: true) { "\($0)" },
        Kind(type: "bool", canBeIndexed: true) { $0 == 7 ? "true" : "false" },
        Kind(type: "double", canBeIndexed: false) { "\($0).5" },
        Kind(type: "float?", canBeIndexed: false) { "\($0).5" },
        Kind(type: "decimal128", canBeIndexed: false) { "\"\($0)\"" },
    ]

    /// Conditions on `v`, and whether an index of it helps where a type can have one.
    static let conditions: [(filter: String, helps: Bool)] = [
        ("v == $0", true), ("$0 == v", true), ("v IN {$0, $1}", true), ("v == $0 AND common == 3", true),
        ("(v == $0 AND common == 3) OR v == $1", true), ("v == $0 OR v == $1", true),
        ("v == $0 AND common IN {1, 2, 3, 4}", true), ("v != $0", false), ("NOT v == $0", false),
        ("NOT v != $0", false), ("v > $0", false), ("v >= $0 AND v <= $1", false), ("v BETWEEN {$0, $1}", false),
        ("v == NULL", false), ("v IN {$0, NULL}", false), ("v ==[c] $0", false), ("v BEGINSWITH $0", false),
        ("v CONTAINS $0", false), ("v LIKE $0", false), ("v == $0 OR common == 3", false), ("common == 3", false),
        ("v == $0 OR rare > 1490", false), ("v == other", false),
    ]

    private static func fixture(_ kind: Kind) throws -> Wire {
        let schema = """
            {"schemaVersion":1,"classes":[{"name":"Item","primaryKey":"id","properties":[
              {"name":"id","type":"int"},{"name":"v","type":"\(kind.type)"},{"name":"other","type":"\(kind.type)"},
              {"name":"common","type":"int"},{"name":"rare","type":"int"}]}]}
            """
        let wire = try Wire(try SchemaCoding.decode(try JSONValue.parse(schema)))
        let items = (0..<objects).map { number in
            """
            {"id":\(number),"v":\(kind.value(number)),"other":\(kind.value(number + 1)),"common":\(number % 5),\
            "rare":\(number)}
            """
        }
        let answer = try wire.send(.post, "/v1/objects/Item", "[\(items.joined(separator: ","))]")
        guard answer.status == 201 else { throw WireFailure("\(answer)") }
        return wire
    }

    private struct Seen {
        let advised: [String]
        let examined: Int
        let plan: String
    }

    /// Runs the queries at a gateway of their own, and returns what it says of each; nil for one that the type does not
    /// have.
    private static func run(_ wire: Wire, _ kind: Kind) throws -> [Seen?] {
        let noting = try wire.noting()
        let targets = try conditions.map { condition in
            let target = "aggregates/objects/Item?filter=\(condition.filter)&args=[\(kind.value(7)),\(kind.value(9))]"
            return try noting.read(target, mayFail: true).status == 200 ? "/v1/\(target)" : nil
        }
        let queries = try noting.slowQueries()
        return try targets.map { target in
            guard let target else { return nil }
            let query = try #require(queries.first { $0["slowest"]?["target"]?.asString == target }, "\(target)")
            return Seen(
                advised: query["advice"]?.asArray?.compactMap { $0["property"]?.asString } ?? [],
                examined: query["slowest"]?["examined"]?.asInt ?? -1, plan: "\(query["plan"] ?? .null)")
        }
    }

    @Test("is given where the query then uses the index, and examines few objects, and nowhere else", arguments: kinds)
    func truth(kind: Kind) throws {
        let wire = try Self.fixture(kind)
        let before = try Self.run(wire, kind)
        // What every type has.
        #expect(before[0] != nil && before[7] != nil, "\(kind)")
        let schema = try wire.get("/v1/schema").text
        let plain = #""name":"v","type":"\#(kind.type)""#
        #expect(schema.contains(plain), "\(schema)")
        let indexed = schema.replacing(plain, with: plain + #","indexed":true"#)
        let changed = try wire.send(.put, "/v1/schema", indexed)
        #expect((changed.status == 200) == kind.canBeIndexed, "\(kind): \(changed)")
        let after = try Self.run(wire, kind)
        for (index, condition) in Self.conditions.enumerated() {
            guard let first = before[index] else { continue }
            let about = "\(kind): \(condition.filter): \(first.examined) of \(first.plan)"
            let isAdvised = first.advised == ["v"]
            #expect(isAdvised || first.advised.isEmpty, "\(about): \(first.advised)")
            if kind.type != "bool" {
                #expect(isAdvised == (condition.helps && kind.canBeIndexed), "\(about)")
            }
            guard kind.canBeIndexed else {
                #expect(!isAdvised, "\(about)")
                continue
            }
            let second = try #require(after[index])
            #expect(second.advised.isEmpty, "\(about): advised again")
            let now = "\(about), then \(second.examined) of \(second.plan)"
            if isAdvised {
                #expect(second.plan.contains("index") && !first.plan.contains("index"), "\(now)")
                #expect(second.examined * 5 <= first.examined, "\(now)")
            } else {
                #expect(second.examined * 10 > first.examined, "\(now)")
            }
        }
    }

    @Test("names each property whose index alone is enough, and says what it finds")
    func several() throws {
        let wire = try DogOwnersFixture.embedded().noting()
        let dogs = (100..<1600).map { #"{"id":\#($0),"name":"n","age":\#($0 % 300),"breed":"b\#($0)"}"# }
        #expect(
            try wire.send(.post, "/v1/objects/Dog", "[\(dogs.joined(separator: ","))]").status == 201)
        try wire.read("objects/Dog?filter=age == 7 AND name != 'x' AND breed IN {'b307', 'b607'}&count=true")
        let query = try #require(try wire.slowQueries().first)
        #expect(query["slowest"]?["returned"] == 2, "\(query)")
        #expect(query["slowest"]?["examined"]?.asInt ?? 0 >= 1000, "\(query)")
        let advice = query["advice"]?.asArray ?? []
        #expect(advice.map { $0["property"] } == ["age", "breed"], "\(query)")
        #expect(advice.map { $0["objects"] } == [6, 2])
        #expect(advice.allSatisfy { $0["class"] == "Dog" })
        #expect(
            advice.last?["words"]?.asString?.hasPrefix("With an index of Dog.breed the query finds 2 objects") == true)
    }

    @Test("is given for a query that was refused because it took too much")
    func refused() throws {
        let wire = try Self.fixture(try #require(Self.kinds.first))
        let noting = try wire.noting { $0.queryRows = 1400 }
        #expect(try noting.read("aggregates/objects/Item?filter=v == 7", mayFail: true).status == 400)
        let query = try #require(try noting.slowQueries().first)
        #expect(query["slowest"]?["returned"] == .null && query["slowest"]?["failed"] == .bool(true), "\(query)")
        #expect(query["advice"]?.asArray?.map { $0["property"] } == ["v"], "\(query)")
    }
}
