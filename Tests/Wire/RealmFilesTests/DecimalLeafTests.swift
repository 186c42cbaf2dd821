import ObjectModel
import Testing

@testable import RealmFiles

@Suite("Leaves of decimals")
struct DecimalLeafTests {
    private func values(
        _ words: [UInt64], width: Int, flags: NodeWriter.Flags = [], size: Int
    ) throws -> [String] {
        let payload = words.flatMap { word in
            (0..<min(width, 8)).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
        }
        let column = TableDraft.Column(type: 11, attributes: TableDraft.Column.nullable)
        return try ValueText.column(
            of: NodeWriter.file(column, rows: size) {
                $0.node(payload, kind: 1, width: width, size: size, flags)
            })
    }

    @Test("of 16 bytes are as they are, and one NaN is null")
    func wide() throws {
        let words: [UInt64] = [
            110, 0x303C_0000_0000_0000, 0xAA, 0x7C00_0000_0000_0000, 0, 0x7C00_0000_0000_0000, 0, 0xF800_0000_0000_0000,
        ]
        #expect(try values(words, width: 16, size: 4) == ["decimal 1.10", "null", "decimal NaN", "decimal -Infinity"])
    }

    @Test("of 8 bytes have all numbers of decimal64")
    func medium() throws {
        let words: [UInt64] = [
            398 << 53 | 5, 1 << 63 | 396 << 53 | 110, 0x7C00_0000_0000_00AA, 0x6000_0000_0000_0000 | 398 << 51 | 1,
            0x6000_0000_0000_0000 | 398 << 51 | (1 << 51 - 1), 0x7800_0000_0000_0000, 0x7C00_0000_0000_0000,
        ]
        let expected = [
            "decimal 5", "decimal -1.10", "null", "decimal 9007199254740993", "decimal 0", "decimal Infinity",
            "decimal NaN",
        ]
        #expect(try values(words, width: 8, size: words.count) == expected)
    }

    @Test("of 4 bytes have all numbers of decimal32")
    func narrow() throws {
        let words: [UInt64] = [
            101 << 23 | 5, 1 << 31 | 99 << 23 | 110, 0x7C00_00AA, 0x6000_0000 | 101 << 21 | 1,
            0x6000_0000 | 101 << 21 | (1 << 21 - 1), 0x7800_0000, 0x7C00_0000,
        ]
        let expected = [
            "decimal 5", "decimal -1.10", "null", "decimal 8388609", "decimal 0", "decimal Infinity", "decimal NaN",
        ]
        #expect(try values(words, width: 4, size: words.count) == expected)
    }

    @Test("without bytes are all zero, or all null")
    func none() throws {
        #expect(try values([], width: 0, flags: .context, size: 2) == ["decimal 0", "decimal 0"])
        #expect(try values([], width: 0, size: 2) == ["null", "null"])
    }

    @Test("of another width are refused")
    func otherWidth() {
        #expect(throws: RealmFileError.self) { try values([1], width: 2, size: 1) }
    }
}
