import JSONCoding
import ObjectModel
import Testing
import TestBasics

@Suite("Reading JSON")
struct JSONParserTests {
    private static let nested = JSONObject([
        JSONObject.Member(name: "b", value: .int(1)),
        JSONObject.Member(name: "a", value: .object(JSONObject([JSONObject.Member(name: "c", value: .array([]))]))),
    ])
    private static let documents: [(String, JSONValue)] = [
        ("null", JSONValue.null), ("true", .bool(true)), ("false", .bool(false)), ("0", .int(0)), ("-7", .int(-7)),
        ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)), ("1.0", .double(1)),
        ("1e2", .double(100)), ("0.1", .double(0.1)), ("0.30000000000000004", .double(0.30000000000000004)),
        ("\"\"", .string("")),
        (#""a\u0000b""#, .string("a\u{0}b")), (#""\uD83D\uDE00""#, .string("😀")), ("[]", .array([])),
        (" [1, [2]] ", .array([.int(1), .array([.int(2)])])),
        (#"{"b":1,"a":{"c":[]}}"#, .object(nested)),
    ]

    @Test("scalars and containers are parsed as they are written", arguments: documents)
    func values(text: String, expected: JSONValue) throws {
        #expect(try JSONValue.parse(text) == expected)
    }

    @Test("a number with more digits than a double keeps all of them, at any position")
    func preciseNumbers() throws {
        let text =
            #"{"a\"1.5":[0.5,1.00000000000000000000001,-1e-400,"0.1234567890123456789",1.5e3],"b":{"c":12345678901234567.5,"d":7}}"#
        let json = try JSONValue.parse(text)
        func precise(_ text: String, _ nearest: Double) throws -> JSONValue {
            .precise(try #require(Decimal128(text)), nearest: nearest)
        }
        let list = json["a\"1.5"]
        #expect(list?[0] == .double(0.5))
        #expect(try list?[1] == precise("1.00000000000000000000001", 1))
        #expect(try list?[2] == precise("-1e-400", -0.0))
        #expect(list?[3] == .string("0.1234567890123456789"))
        #expect(list?[4] == .double(1500))
        #expect(try json["b"]?["c"] == precise("12345678901234567.5", 12_345_678_901_234_568))
        #expect(json["b"]?["d"] == .int(7))
        let writer = JSONWriter()
        writer.value(json)
        #expect(try JSONValue.parse(writer.bytes) == json)
    }

    @Test("members keep the order in which they are written")
    func order() throws {
        let names = (0..<200).map { "n\(($0 * 77) % 200)" }
        let text = "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        guard case .object(let object) = try JSONValue.parse(text) else {
            Issue.record("no object")
            return
        }
        #expect(object.members.map(\.name) == names)
    }

    private static let faulty: [(String, JSONError.Code, Int, Int)] = [
        ("", .truncated, 1, 1), ("[1,2", .truncated, 1, 4), (#"{"a":"#, .truncated, 1, 5),
        ("[1,]", .syntax, 1, 4), ("{a:1}", .syntax, 1, 2), ("[1]\n[2]", .syntax, 2, 1), ("nul", .syntax, 1, 3),
        ("NaN", .syntax, 1, 3), (#"{"a":1,"a":2}"#, .duplicateName, 1, 10),
        ("9223372036854775808", .numberRange, 1, 19),
        ("-9223372036854775809", .numberRange, 1, 20), ("[1e999]", .numberRange, 1, 6),
        (#""\uD800""#, .syntax, 1, 7), ("\"a\nb\"", .syntax, 1, 2), ("'a'", .syntax, 1, 1),
    ]

    @Test("malformed JSON is rejected with a code and a position", arguments: faulty)
    func faults(text: String, code: JSONError.Code, line: Int, column: Int) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue.parse(text) }
        #expect(error.code == code, "\(error)")
        #expect(error.line == line, "\(error)")
        #expect(abs(error.column - column) <= 1, "\(error)")
        #expect(error.position <= text.utf8.count)
    }

    @Test(
        "bytes that are no UTF-8 are refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue.parse([0x22] + bytes + [0x22]) }
        #expect(error.code == .invalidUTF8 || error.code == .syntax)
    }

    @Test("nesting is rejected beyond the limit, and not before")
    func depth() throws {
        let limit = JSONValue.depthLimit
        let deepest = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
        #expect(throws: Never.self) { try JSONValue.parse(deepest) }
        let deeper = "\n " + String(repeating: "{\"é\":", count: limit + 1)
        let error = try #require(throws: JSONError.self) { try JSONValue.parse(deeper) }
        #expect(error.code == .tooDeep)
        #expect(error.line == 2)
        #expect(error.column == 2 + limit * 5)
        let hostile = [UInt8](repeating: UInt8(ascii: "["), count: 5_000_000)
        #expect(throws: JSONError.self) { try JSONValue.parse(hostile) }
        // Brackets within strings are text.
        let text = String(repeating: "[", count: limit * 2) + #"\"["#
        #expect(throws: Never.self) { try JSONValue.parse("\"\(text)\"") }
    }

    @Test("every prefix of a document is rejected or is a document")
    func truncation() throws {
        let text = #"{"a":[1,-2.5e3,"x\u00e9\n",{"b":null,"c":[true,false]}],"d":{}}"#
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            #expect(throws: JSONError.self, "the first \(count) bytes") { try JSONValue.parse(bytes[..<count]) }
        }
        #expect(throws: Never.self) { try JSONValue.parse(bytes) }
    }

    @Test("random damage is rejected or gives a readable document")
    func damage() throws {
        let seed = TestSeed.of()
        var random = SplitMix(seed)
        let text = Array(#"{"a":[1,-2.5e3,"xé\n",{"b":null}],"d":{"e":12345678901234567}}"#.utf8)
        for _ in 0..<2000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let value = try? JSONValue.parse(bytes) else { continue }
            let writer = JSONWriter()
            writer.value(value)
            #expect(try JSONValue.parse(writer.bytes) == value, "seed \(seed)")
        }
    }
}

extension JSONParserTests {
    @Test("trees smaller and larger than the memory that a thread keeps for them are read on several threads at once")
    func sizes() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 { group.addTask { try Self.readTrees(seed: UInt64(thread)) } }
            try await group.waitForAll()
        }
    }

    private static func readTrees(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            var members: [JSONObject.Member] = []
            for index in 0..<random.below(random.oneIn(4) ? 500 : 20) {
                let text = String(repeating: "x", count: random.below(120))
                let value: JSONValue = random.oneIn(3) ? .array([.int(Int64(index))]) : .string(text)
                members.append(.init(name: "n\(index)", value: value))
            }
            let writer = JSONWriter()
            writer.value(JSONValue.object(JSONObject(members)))
            let read = try JSONValue.parse(writer.bytes)
            #expect(read == .object(JSONObject(members)))
            #expect(throws: JSONError.self) { try JSONValue.parse(Array(writer.bytes.dropLast())) }
        }
    }
}

/// A small generator with a seed that can be printed.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
