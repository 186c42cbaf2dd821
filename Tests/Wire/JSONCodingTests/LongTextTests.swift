import ObjectModel
import TestBasics
import Testing

@testable import JSONCoding

/// Long texts are cut into pieces; here the pieces are a few bytes, so that short texts are cut everywhere.
@Suite("Reading long JSON")
struct LongTextTests {
    private static func parse(
        _ bytes: [UInt8], pieceSize: Int, folding: Bool = false
    ) throws(JSONError) -> JSONValue {
        let result: Result<JSONValue, JSONError> = bytes.withUnsafeBufferPointer { text in
            Result { () throws(JSONError) in
                try JSONValue.parse(bytes: text, retained: folding ? bytes : nil, pieceSize: pieceSize)
            }
        }
        return try result.get()
    }

    private static func value(_ random: inout SeededRandom, level: Int = 0) -> JSONValue {
        switch random.below(level > 4 ? 7 : 10) {
        case 0: return .null
        case 1: return .bool(random.oneIn(2))
        case 2: return .int(Int64(random.below(1_000_000)) - 500_000)
        case 3: return .double(Double(random.below(1000)) / 8)
        case 4:
            guard let exact = Decimal128("0.\(random.below(1_000_000_000))123456789\(random.below(1_000_000))7") else {
                return .null
            }
            return .precise(exact, nearest: Double(exact.description) ?? 0)
        case 5: return .string(["[", "]", "{", "}", ",", ":", "\"", "\\", "\\\"", "é", "", "x,[y]"][random.below(12)])
        case 6: return .string(String(repeating: "s,", count: random.below(12)))
        case 7, 8: return .array((0..<random.below(8)).map { _ in value(&random, level: level + 1) })
        default:
            return .object(
                JSONObject(
                    (0..<random.below(6)).map { index in
                        JSONObject.Member(name: "\(index)[\"{,", value: value(&random, level: level + 1))
                    }))
        }
    }

    private static func text(_ value: JSONValue) -> [UInt8] {
        let writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }

    @Test("a text is the same value in pieces of any size, and damage is refused in pieces where it is as a whole")
    func pieces() throws {
        var random = SeededRandom.ofTest()
        var (read, refused, folded) = (0, 0, 0)
        for round in 0..<3_000 * TestRun.length {
            let comment: Comment = "seed \(random.seed), round \(round)"
            var bytes = Self.text(Self.value(&random))
            for _ in 0..<random.below(3) where !bytes.isEmpty {
                let index = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(Array("[]{},:\"1 e.-".utf8)[random.below(12)], at: index)
                case 2: bytes[index] = Array("[]{},:\"1 e.-".utf8)[random.below(12)]
                default: bytes = Array(bytes[..<index])
                }
            }
            let size = 1 + random.below(12)
            let whole = Result { try JSONValue.parse(bytes) }
            let pieces = Result { try Self.parse(bytes, pieceSize: size) }
            let text = String(decoding: bytes, as: UTF8.self)
            switch (whole, pieces) {
            case (.success(let whole), .success(let pieces)):
                #expect(whole == pieces, comment)
                read += 1
                let retained = try Self.parse(bytes, pieceSize: size, folding: true)
                if retained != whole { folded += 1 }
                #expect(Self.text(retained) == Self.text(whole), comment)
            case (.failure, .failure(let error)):
                refused += 1
                let error = try #require(error as? JSONError)
                #expect((0...bytes.count).contains(error.position) && error.line >= 1 && error.column >= 1, comment)
            default: Issue.record("\(whole) \(pieces) \(text), in pieces of \(size), \(comment)")
            }
        }
        if TestRun.hasFixedSeeds { #expect(read > 300 && refused > 300 && folded > 100) }
    }

    @Test("a name that occurs twice in an object is refused, however far apart")
    func duplicates() throws {
        let members = (0..<20_000).map { "\"n\($0)\":\($0)" }
        let text = "{" + members.joined(separator: ",") + ",\"n7\":1}"
        let error = try #require(throws: JSONError.self) { try JSONValue.parse(text) }
        #expect(error.code == .duplicateName && error.message.contains("n7"))
        // Names are bytes: these two are one character, written in two ways.
        let others = "{" + members.joined(separator: ",") + ",\"\u{e9}\":1,\"e\u{301}\":2}"
        #expect(try JSONValue.parse(others)["n19999"] == .int(19_999))
    }

    @Test("faults of a long text have the position that they have in it")
    func positions() throws {
        let rows = (0..<20_000).map { "{\"id\":\($0),\"text\":\"é\"}" }
        for row in [0, 1, 7_000, 19_999] {
            var damaged = rows
            damaged[row] = "{\"id\":\(row) \"text\":1}"
            let text = "[" + damaged.joined(separator: ",\n") + "]"
            let error = try #require(throws: JSONError.self) { try JSONValue.parse(text) }
            #expect(error.code == .syntax)
            #expect(error.line == row + 1)
            // jansson stops after the name.
            #expect((8...20).contains(error.column - (row == 0 ? 1 : 0)), "\(error)")
        }
    }

    @Test("a long list of numbers stays text, and its numbers keep their digits")
    func folding() throws {
        var numbers = (0..<30_000).map { $0 % 3 == 0 ? "\($0)" : "\($0).5" }
        numbers[12_345] = "1.00000000000000000000001"
        let list = "[" + numbers.joined(separator: ", ") + "]"
        let text = "{\"before\":[0.1,0.30000000000000000001],\"list\":\(list),\"after\":0.10000000000000000000002}"
        let json = try JSONValue.parseFolding(Array(text.utf8))
        guard case .long(let long)? = json["list"] else {
            Issue.record("no text: \(json["list"]?.inWords ?? "")")
            return
        }
        #expect(long.count == 30_000)
        let whole = try JSONValue.parse(text)
        #expect(json["before"] == whole["before"] && json["after"] == whole["after"])
        var elements: [JSONValue] = []
        try long.forEach { elements.append($0) }
        #expect(.array(elements) == whole["list"])
        guard case .precise? = whole["list"]?[12_345] else {
            Issue.record("The digits were lost.")
            return
        }
        #expect(
            JSONValue.weight(of: Array(text.utf8), folding: true)
                < JSONValue.weight(of: Array(text.utf8), folding: false))
    }
}
