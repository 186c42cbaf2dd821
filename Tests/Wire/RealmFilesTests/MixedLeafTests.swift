import ObjectModel
import Testing

@testable import RealmFiles

@Suite("Leaves of values of any kind")
struct MixedLeafTests {
    private typealias Writer = NodeWriter

    private static let column = TableDraft.Column(type: 6, attributes: TableDraft.Column.nullable)

    private func file(rows: Int, format: UInt8 = 24, leaf: (inout NodeWriter) -> Int64) -> [UInt8] {
        NodeWriter.file(Self.column, rows: rows, format: format, leaf: leaf)
    }

    @Test("have null, small and large numbers, and truths")
    func numbers() throws {
        let float = Int64(Float(1.5).bitPattern)
        let double = Int64(bitPattern: Double(-2.5).bitPattern)
        let codes = [
            0, Writer.code(0, -7), Writer.code(0, 1, index: 1), Writer.code(1, 0), Writer.code(1, 1),
            Writer.code(9, 2, index: 1), Writer.code(10, 0, index: 1),
        ]
        let bytes = file(rows: 7) { $0.mixed(codes, numbers: [double, .min, float]) }
        #expect(
            try ValueText.column(of: bytes)
                == ["null", "-7", "\(Int64.min)", "false", "true", "float 1.5", "double -2.5"])
    }

    @Test("have dates and decimals as pairs")
    func pairs() throws {
        let pairs: [Int64] = [-1, -5, 110, 0x303C_0000_0000_0000, 0xAA, 0x7C00_0000_0000_0000]
        let codes = [Writer.code(8, 0), Writer.code(11, 1), Writer.code(11, 2)]
        let bytes = file(rows: 3) { $0.mixed(codes, pairs: pairs) }
        #expect(try ValueText.column(of: bytes) == ["-1:-5", "decimal 1.10", "null"])
    }

    @Test("have strings, data and identifiers in one leaf of strings, of each form")
    func texts() throws {
        let id = [UInt8](repeating: 0x64, count: 12)
        let values: [[UInt8]] = [Array("ab".utf8), [1, 2], id]
        let codes = [Writer.code(2, 0), Writer.code(4, 1), Writer.code(15, 2)]
        let expected = ["'ab'", "[1, 2]", String(repeating: "64", count: 12)]
        let short = file(rows: 3) { writer in
            let texts = writer.shortStrings(["ab", "\u{1}\u{2}", String(repeating: "d", count: 12)], width: 16)
            return writer.mixed(codes, texts: texts)
        }
        #expect(try ValueText.column(of: short) == expected)
        let small = file(rows: 3) { writer in
            let texts = writer.smallBlobs(values.map { $0 + [0] })
            return writer.mixed(codes, texts: texts)
        }
        #expect(try ValueText.column(of: small) == expected)
        let big = file(rows: 3) { writer in
            let texts = writer.bigBlobs(values.map { $0 + [0] })
            return writer.mixed(codes, texts: texts)
        }
        #expect(try ValueText.column(of: big) == expected)
        let uuid = [UInt8](0..<16)
        let wide = file(rows: 1) { writer in
            let texts = writer.smallBlobs([uuid + [0]])
            return writer.mixed([Writer.code(17, 0)], texts: texts)
        }
        #expect(try ValueText.column(of: wide) == [UUIDValue(bytes: uuid)?.text])
    }

    @Test("have lists and maps within each other")
    func collections() throws {
        let bytes = file(rows: 3) { writer in
            let inner = writer.mixed([Writer.code(0, 1), Writer.code(19, 0, index: 4)], collections: [0])
            let keys = writer.shortStrings(["a", "b"], width: 4)
            let values = writer.mixed([Writer.code(0, 2), Writer.code(21, 0, index: 4)], collections: [0])
            let map = writer.refs([keys, values])
            let codes = [Writer.code(19, 0, index: 4), Writer.code(21, 1, index: 4), 0]
            return writer.mixed(codes, collections: [inner, map])
        }
        #expect(try ValueText.column(of: bytes) == ["[1 []]", "{'a'=2 'b'={}}", "null"])
    }

    @Test("a hundred collections within each other are read, and more are refused", arguments: [100, 128, 129, 5000])
    func nesting(depth: Int) throws {
        let bytes = file(rows: 1) { writer in
            var root: Int64 = 0
            for _ in 0..<depth { root = writer.mixed([Writer.code(19, 0, index: 4)], collections: [root]) }
            return root
        }
        guard depth <= 128 else {
            #expect(ValueText.damage(of: bytes) == "collections are nested too deeply, or their trees")
            return
        }
        let lists = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try ValueText.column(of: bytes) == [lists])
    }

    @Test("a code that leads nowhere, or says an unknown kind, is refused")
    func badCodes() {
        let all = [
            Writer.code(0, 1, index: 1), Writer.code(0, -1, index: 1), Writer.code(9, 5), Writer.code(8, 0),
            Writer.code(8, Int64.max >> 8), Writer.code(8, Int64.min >> 8), Writer.code(2, 0), Writer.code(4, 0),
            Writer.code(19, 0), Writer.code(21, 3), Writer.code(16, 0),
        ]
        for code in all {
            let bad = ValueText.damage(of: file(rows: 1) { $0.mixed([code], numbers: [3], pairs: [4]) })
            #expect(bad.hasPrefix("it has element"), "\(code)")
        }
        for kind: Int64 in [3, 5, 7, 12, 13, 14, 18, 20, 22, 30, -1] {
            let bad = ValueText.damage(of: file(rows: 1) { $0.mixed([Writer.code(kind, 0) | 0x100]) })
            #expect(bad.hasPrefix("a value is of the unknown kind"), "\(kind)")
        }
    }

    @Test("an identifier has its length, and a string is there")
    func badTexts() {
        for kind: Int64 in [15, 17, 2, 4] {
            let bytes = file(rows: 1) { writer in
                let texts = writer.smallBlobs(kind < 15 ? [nil] : [[1, 2, 0]])
                return writer.mixed([Writer.code(kind, 0)], texts: texts)
            }
            let reason = ValueText.damage(of: bytes)
            #expect(
                reason == "a value is not of its kind's length" || reason == "a string has no zero at its end",
                "\(kind)")
        }
    }
}
