import StoreTesting
import TestBasics
import Testing
import Transfer

@Suite("CSV")
struct CSVTests {
    private func records(_ text: String) throws -> [[CSVField]] {
        var reader = CSVReader(source(text))
        var records: [[CSVField]] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    @Test(
        "records end at CR LF, LF, CR or the end of the file",
        arguments: [
            "a,b\r\nc,d\r\n", "a,b\nc,d\n", "a,b\nc,d", "\u{FEFF}a,b\r\n\r\nc,d", "a,b\rc,d\r", "\ra,b\r\rc,d",
            "a,b\rc,d\r\n",
        ])
    func recordEnds(text: String) throws {
        let texts = try records(text).map { $0.map(\.text) }
        #expect(texts == [["a", "b"], ["c", "d"]])
    }

    @Test(
        "without a comma in the first record, semicolons or tabs separate the fields",
        arguments: [
            ("a;b\n1,5;2\n", [["a", "b"], ["1,5", "2"]]), ("a\tb;c\n1,5\t2\n", [["a\tb", "c"], ["1,5\t2"]]),
            ("a\tb\n1,5\t2;\n", [["a", "b"], ["1,5", "2;"]]), ("a,b;c\n1,2\n", [["a", "b;c"], ["1", "2"]]),
            ("\"a,b\";\"c\"\n\"1;2\";3\n", [["a,b", "c"], ["1;2", "3"]]),
            ("\"a;\"\"b\"\"\"\n1;2\n", [["a;\"b\""], ["1;2"]]), ("\"x\ny\"\tz\n1\t2", [["x\ny", "z"], ["1", "2"]]),
            ("a;b", [["a", "b"]]), ("a \"b;c\n1;2\n", [["a \"b", "c"], ["1", "2"]]),
        ] as [(String, [[String]])])
    func separators(text: String, expected: [[String]]) throws {
        for mark in ["", "\u{FEFF}"] {
            #expect(try records(mark + text).map { $0.map(\.text) } == expected)
        }
    }

    @Test("what begins like a byte order mark and is none is text, and UTF-16 is refused")
    func marks() throws {
        #expect(try records("\u{FF4E},b\n1,2\n").first?.map(\.text) == ["\u{FF4E}", "b"])
        var reader = CSVReader(source(bytes: [0xFF, 0xFE, 0x61, 0x00]))
        #expect(throws: TransferError.self) { try reader.next() }
    }

    @Test("an empty field is missing without quotes and the empty string with them")
    func missingAndEmpty() throws {
        let record = try #require(try records("a,,\"\",b\n").first)
        #expect(record.map(\.isMissing) == [false, true, false, false])
        #expect(record.map(\.text) == ["a", "", "", "b"])
    }

    @Test("quotes keep commas, line ends and doubled quotes")
    func quotes() throws {
        let texts = try records("\"a,1\",\"b\r\nc\",\"say \"\"hi\"\"\"\n").map { $0.map(\.text) }
        #expect(texts == [["a,1", "b\r\nc", "say \"hi\""]])
    }

    @Test("a faulty record is reported with its line and the next one is read")
    func faultyRecord() throws {
        var reader = CSVReader(source("a\n\"x\ny\"\n\"b\"c\nd\n"))
        #expect(try reader.next()?.map(\.text) == ["a"])
        #expect(try reader.next()?.map(\.text) == ["x\ny"])
        #expect(throws: RecordError("Field 1 continues after its closing quote.")) { _ = try reader.next() }
        #expect(reader.line == 4)
        #expect(try reader.next()?.map(\.text) == ["d"])
        #expect(reader.line == 5)
        #expect(try reader.next() == nil)
    }

    @Test("a quote that is never closed is a fault, and the end")
    func unclosedQuote() throws {
        #expect(throws: RecordError("A quote is opened and never closed.")) { _ = try records("\"a,b\nc") }
    }

    @Test(
        "what is written is read back",
        arguments: [nil, "", " ", "plain", "comma,", "\"", "\"\"", "line\r\nend", "é", "\u{1F600}", ","] as [String?])
    func roundTrip(field: String?) throws {
        var bytes: [UInt8] = []
        CSVText.append(["first", field, "last"], to: &bytes)
        let record = try #require(try records(String(decoding: bytes, as: UTF8.self)).first)
        #expect(record.map { $0.isMissing ? nil : $0.text } == ["first", field, "last"])
    }

    @Test("what is written is read back, in every shape", arguments: 1...4)
    func shapes(width: Int) throws {
        var random = SeededRandom.ofTest(width)
        let texts: [String?] = [nil, nil, "", "a", "b,c", "\"", "\r\n", " "]
        for _ in 0..<50 * TestRun.length {
            var table: [[String?]] = [(0..<width).map { "column \($0)" }]
            for _ in 0..<random.below(5) { table.append((0..<width).map { _ in random.pick(texts) ?? nil }) }
            var bytes: [UInt8] = []
            for row in table { CSVText.append(row, to: &bytes) }
            let read = try records(String(decoding: bytes, as: UTF8.self)).map {
                $0.map { $0.isMissing ? nil : $0.text }
            }
            #expect(read == table, "seed \(random.seed)")
        }
    }
}
