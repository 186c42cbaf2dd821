import Foundation
import JSONCoding
import Testing
import TestBasics

/// Foundation's reader and writer are an independent implementation of the same format.
@Suite("Agreement with Foundation")
struct FoundationAgreementTests {
    @Test("Foundation reads any written string unchanged", arguments: 0..<4)
    func strings(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SplitMix(seed)
        for length in 0..<200 {
            let text = Self.text(length % 41, &random)
            let writer = JSONWriter()
            writer.beginArray()
            writer.string(text)
            writer.endArray()
            let read = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String]
            #expect(read?.first.map { Array($0.utf8) } == Array(text.utf8), "seed \(seed): \(text.debugDescription)")
        }
    }

    @Test("any string that Foundation writes is parsed unchanged", arguments: 0..<4)
    func foreignStrings(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SplitMix(seed)
        for length in 0..<200 {
            let text = Self.text(length % 41, &random)
            let written = try JSONSerialization.data(withJSONObject: [text])
            guard case .string(let read)? = try JSONValue.parse(Array(written))[0] else {
                Issue.record("seed \(seed): no string")
                continue
            }
            #expect(Array(read.utf8) == Array(text.utf8), "seed \(seed): \(text.debugDescription)")
        }
    }

    @Test("Foundation reads any finite double bit for bit, and any integer", arguments: 0..<4)
    func numbers(_ round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SplitMix(seed)
        for _ in 0..<500 {
            let bits = random.next()
            let double = Double(bitPattern: bits)
            let integer = Int64(bitPattern: bits >> UInt64.random(in: 0..<64, using: &random))
            guard double.isFinite else { continue }
            let (doubles, integers) = (JSONWriter(), JSONWriter())
            doubles.value(JSONValue.array([.double(double)]))
            integers.value(JSONValue.array([.int(integer)]))
            let decoder = JSONDecoder()
            #expect(try decoder.decode([Double].self, from: Data(doubles.bytes)) == [double], "seed \(seed)")
            #expect(try decoder.decode([Int64].self, from: Data(integers.bytes)) == [integer], "seed \(seed)")
        }
    }

    /// Scalars of every kind that escaping distinguishes, so that they occur at every distance from a word's edge.
    private static func text(_ length: Int, _ random: inout SplitMix) -> String {
        var text = ""
        for _ in 0..<length {
            let value: UInt32 =
                switch UInt8.random(in: 0..<8, using: &random) {
                case 0: .random(in: 0..<0x20, using: &random)
                case 1: [0x22, 0x5C, 0x2F, 0x7F, 0x80, 0x2028, 0xFFFD, 0x10FFFF].randomElement(using: &random) ?? 0
                case 2: .random(in: 0x80..<0x800, using: &random)
                case 3: .random(in: 0x800..<0xD800, using: &random)
                case 4: .random(in: 0x10000..<0x10FFFF, using: &random)
                default: .random(in: 0x20..<0x7F, using: &random)
                }
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
