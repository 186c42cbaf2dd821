import Foundation
import JSONCoding
import ObjectModel
import Testing
import TestBasics

private func written(_ body: (JSONWriter) -> Void) -> String {
    let writer = JSONWriter(capacity: 1)
    body(writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("commas are between members and elements only")
    func commas() {
        let text = written { json in
            json.beginObject()
            json.name("a")
            json.beginArray()
            json.int(1)
            json.beginObject()
            json.endObject()
            json.null()
            json.endArray()
            json.name(escaped: JSONWriter.escapedName("b\""))
            json.bool(false)
            json.name("c")
            json.json(Array("[1]".utf8))
            json.endObject()
        }
        #expect(text == #"{"a":[1,{},null],"b\"":false,"c":[1]}"#)
    }

    @Test(
        "integers keep all their digits",
        arguments: [0, 1, -1, 9, 10, 99, 100, 1_234_567_890, .max, .min, .max - 1] as [Int64])
    func integers(value: Int64) { #expect(written { $0.int(value) } == String(value)) }

    @Test("unsigned integers keep all their digits")
    func unsigned() { #expect(written { $0.int(UInt64.max) } == "18446744073709551615") }

    @Test("doubles parse as the same number")
    func doubles() throws {
        let seed = TestSeed.of()
        var random = SplitMix(seed)
        var values: [Double] = [
            0, -0.0, 0.1, 1e20, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .leastNormalMagnitude, 1.0 / 3,
        ]
        values += (0..<2000).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
        for value in values {
            let text = written { $0.double(value) }
            guard case .double(let read) = try JSONValue.parse(text) else {
                Issue.record("\(text) is read as no double, seed \(seed)")
                continue
            }
            #expect(read.bitPattern == value.bitPattern, "\(text), seed \(seed)")
        }
    }

    @Test("numbers have the text that Swift gives them, whatever their length")
    func numberTexts() {
        let seed = TestSeed.of()
        var random = SplitMix(seed)
        for round in 0..<20_000 {
            // All magnitudes equally.
            let integer = UInt64(random.next()) >> UInt64(round % 64)
            #expect(written { $0.int(integer) } == String(integer), "seed \(seed)")
            let signed = Int64(bitPattern: integer)
            #expect(written { $0.int(signed) } == String(signed), "seed \(seed)")
            // With up to four digits after the point, next to such a number, and of all magnitudes.
            let decimal = Double(integer >> 8) / [1, 10, 100, 1000, 10_000][round % 5]
            for value in [decimal, -decimal, decimal.nextUp, decimal.nextDown, 1 / decimal] where value.isFinite {
                #expect(written { $0.double(value) } == value.description, "seed \(seed)")
            }
        }
        for power in 0...17 {
            let bound = (0..<power).reduce(1.0) { bound, _ in bound * 10 }
            for value in [bound, bound - 1, bound + 1, bound.nextDown, bound.nextUp, 1 / bound, bound - 0.001] {
                #expect(written { $0.double(value) } == value.description)
            }
        }
    }

    @Test("a byte that needs an escape gets it at any place of a text of any length, and no other does")
    func escapedPlaces() {
        for length in 0...20 {
            let plain = String(repeating: "x", count: length)
            #expect(written { $0.string(plain) } == "\"\(plain)\"")
            for index in 0..<length {
                for byte in UInt8(0)...0x7f {
                    var bytes = Array(plain.utf8)
                    bytes[index] = byte
                    let expected: [UInt8] =
                        switch byte {
                        case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
                        case 0x08: Array("\\b".utf8)
                        case 0x09: Array("\\t".utf8)
                        case 0x0A: Array("\\n".utf8)
                        case 0x0C: Array("\\f".utf8)
                        case 0x0D: Array("\\r".utf8)
                        case 0..<0x20: Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
                        default: [byte]
                        }
                    let whole = Array("\"".utf8) + bytes[..<index] + expected + bytes[(index + 1)...] + Array("\"".utf8)
                    #expect(Array(written { $0.string(String(decoding: bytes, as: UTF8.self)) }.utf8) == whole)
                }
            }
        }
    }

    @Test("names of any length are written one by one as they are together")
    func names() {
        let names = (0...40).map { String(repeating: "n", count: $0) } + ["a\"b", "é"]
        let escaped = EscapedNames(names)
        let text = written { json in
            json.beginObject()
            for index in names.indices {
                json.name(index, of: escaped)
                json.int(index)
            }
            json.endObject()
        }
        let expected = written { json in
            json.beginObject()
            for (index, name) in names.enumerated() {
                json.name(name)
                json.int(index)
            }
            json.endObject()
        }
        #expect(text == expected)
    }

    @Test("values that JSON numbers cannot express are strings")
    func nonFinite() {
        #expect(written { $0.double(.nan) } == "\"NaN\"")
        #expect(written { $0.double(.infinity) } == "\"Infinity\"")
        #expect(written { $0.float(-.infinity) } == "\"-Infinity\"")
    }

    @Test("a float has the digits of a float")
    func floats() { #expect(written { $0.float(0.1) } == "0.1") }

    @Test("Foundation reads any string unchanged")
    func strings() throws {
        let seed = TestSeed.of()
        var random = SplitMix(seed)
        let special: [Unicode.Scalar] = [
            "\"", "\\", "\u{0}", "\u{1F}", "\n", "\r", "\t", "\u{8}", "\u{C}", "\u{7F}", "é", "€", "😀",
        ]
        for round in 0..<3000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let scalar =
                    Int.random(in: 0..<12, using: &random) == 0
                    ? special.randomElement(using: &random)
                    : Unicode.Scalar(UInt32.random(in: 0x20..<0x7F, using: &random))
                if let scalar { text.append(scalar) }
            }
            let string = String(text)
            let json = written { $0.string(string) }
            let read = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
            let same = (read as? String).map { $0.unicodeScalars.elementsEqual(string.unicodeScalars) }
            #expect(same == true, "round \(round), seed \(seed): \(json)")
            #expect(try JSONValue.parse(json) == .string(string), "round \(round), seed \(seed)")
        }
    }

    @Test("dates are written as the model writes them")
    func dates() throws {
        let seed = TestSeed.of()
        var random = SplitMix(seed)
        var dates = [
            Timestamp.epoch, Timestamp(seconds: -1), Timestamp(seconds: -62_135_596_800),
            Timestamp(seconds: 253_402_300_799),
            Timestamp(seconds: 951_782_400), Timestamp(seconds: .max), Timestamp(seconds: .min),
            Timestamp(floorSeconds: -1, fraction: 1), Timestamp(floorSeconds: 1, fraction: 1_000),
            Timestamp(floorSeconds: -86_400, fraction: 999_000_000),
        ]
        for _ in 0..<2000 {
            let seconds = Int64.random(in: -62_135_596_800..<253_402_300_800, using: &random)
            let fraction = Int32.random(in: 0..<1_000_000_000, using: &random)
            dates.append(Timestamp(floorSeconds: seconds, fraction: fraction))
        }
        for date in dates { #expect(written { $0.date(date) } == "\"\(date.rfc3339)\"", "seed \(seed)") }
    }

    @Test("typed values include their type")
    func typed() throws {
        let id = try #require(ObjectId(hex: "0123456789abcdef01234567"))
        let uuid = try #require(UUIDValue(text: "123e4567-e89b-12d3-a456-426614174000"))
        #expect(written { $0.value(.objectId(id), .typed) } == #"{"$oid":"0123456789abcdef01234567"}"#)
        #expect(written { $0.value(.uuid(uuid), .typed) } == #"{"$uuid":"123e4567-e89b-12d3-a456-426614174000"}"#)
        #expect(written { $0.value(.date(.epoch), .typed) } == #"{"$date":"1970-01-01T00:00:00Z"}"#)
        for value in [Value.double(.nan), .float(.nan)] {
            #expect(written { $0.value(value, .typed) } == #"{"$double":"NaN"}"#)
            #expect(written { $0.value(value) } == #""NaN""#)
        }
        #expect(
            written { $0.value(.list([.float(-.infinity), .float(1.5)]), .typed) } == #"[{"$double":"-Infinity"},1.5]"#)
        #expect(written { $0.value(.double(3), .typed) } == "3.0")
        #expect(written { $0.value(.float(.nan), isMixed: true) } == #"{"$float":"NaN"}"#)
        #expect(written { $0.value(.uuid(uuid)) } == #""123e4567-e89b-12d3-a456-426614174000""#)
        #expect(written { $0.link(class: "Dog", key: ObjectKey(7)) } == #"{"$link":{"class":"Dog","key":7}}"#)
    }
}
