/// One field of a CSV record. An empty field without quotes means no value; with quotes it is the empty string.
package struct CSVField: Equatable {
    package var text: String
    package var isQuoted: Bool

    package var isMissing: Bool { text.isEmpty && !isQuoted }
}

/// An error in one record of a file; the rest of the file can still be read.
package struct RecordError: Error, Equatable {
    package var message: String
    /// A stable code, for programs.
    package var code: String

    package init(_ message: String, code: String = "import.malformed") {
        self.message = message
        self.code = code
    }

    /// The error for a CSV record whose number of fields differs from the header's; nil if it is the same.
    init?(_ record: [CSVField], columns: Int) {
        guard record.count != columns else { return nil }
        self.init("There are \(record.count) fields where the first line has \(columns).")
    }

    /// The error for a value in a column without a name; nil for a blank field. Spreadsheets write such columns.
    init?(_ field: CSVField, withoutName index: Int) {
        guard !field.text.isBlank else { return nil }
        self.init("Field \(index + 1) has a value, and the first line has no name for it.")
    }
}

/// Reads CSV as in RFC 4180: fields separated by commas, quotes doubled within quotes, records ended by CR LF, LF, CR or
/// the end of the file. Skips a byte order mark.
///
/// If the first record has no comma outside of quotes, semicolons separate the fields, or tabs if it has none of these
/// either: so programs write CSV where the comma is the decimal sign, and copy tables.
package struct CSVReader {
    /// Enough for a value of the maximum size, whose text may be a third longer.
    private static let recordLimit = 64 << 20

    private let source: ByteSource
    private var atStart = true
    private var separator = UInt8(ascii: ",")
    /// Whether the first record has one field; nil before it is read. An empty line is then a record whose field is missing.
    private var hasOneColumn: Bool?

    /// The line on which the last record began, from 1.
    package private(set) var line = 0
    private var linesSeen = 0
    /// Whether the last record ended with the file, without a line break.
    package private(set) var isAtEnd = false

    package init(_ source: ByteSource) { self.source = source }

    /// Returns the next record; nil at the end. Skips empty lines, except where a record has one field. Throws
    /// `RecordError` for invalid UTF-8, for text after a closing quote, and for a quote that is never closed.
    package mutating func next() throws -> [CSVField]? {
        if atStart {
            atStart = false
            try source.skipMark()
            return try firstRecord()
        }
        while true {
            line = linesSeen + 1
            guard try source.peek() != nil else { return nil }
            let record = try readRecord()
            if record.count == 1, record[0].isMissing, hasOneColumn != true { continue }
            return record
        }
    }

    /// Reads the first record that is not empty, and determines the separator by it.
    private mutating func firstRecord() throws -> [CSVField]? {
        var found: (bytes: [UInt8], separators: Set<UInt8>)
        repeat {
            line = linesSeen + 1
            guard try source.peek() != nil else { return nil }
            found = try firstLines()
        } while found.bytes.isEmpty
        separator = Self.separators.first { found.separators.contains($0) } ?? separator
        var reader = CSVReader(ByteSource(found.bytes))
        reader.separator = separator
        let record = try reader.readRecord()
        hasOneColumn = record.count == 1
        return record
    }

    private static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

    /// Reads the bytes up to a line break outside of quotes, and finds the possible separators there.
    private mutating func firstLines() throws -> (bytes: [UInt8], separators: Set<UInt8>) {
        var bytes: [UInt8] = []
        var separators: Set<UInt8> = []
        var isQuoted = false
        while let byte = try source.next() {
            guard bytes.count < Self.recordLimit else {
                throw TransferError("The first record is longer than \(Self.recordLimit >> 20) MiB.")
            }
            let next = try source.peek()
            switch byte {
            case UInt8(ascii: "\"") where isQuoted:
                isQuoted = next == byte
                if isQuoted { bytes.append(try source.next() ?? byte) }
            case UInt8(ascii: "\"") where bytes.last.map(Self.separators.contains) ?? true: isQuoted = true
            case UInt8(ascii: "\n") where isQuoted: linesSeen += 1
            case _ where isQuoted: break
            case UInt8(ascii: "\r") where next == UInt8(ascii: "\n"): continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                linesSeen += 1
                return (bytes, separators)
            case _ where Self.separators.contains(byte): separators.insert(byte)
            default: break
            }
            bytes.append(byte)
        }
        linesSeen += 1
        isAtEnd = true
        return (bytes, separators)
    }

    /// Reads the first record, and makes a column of each name in it; nil for a blank one. Throws `TransferError` for
    /// an empty file, for a record that cannot be read or has blanks alone, for a name that appears twice, and for a
    /// `RecordError` that `column` throws.
    ///
    /// - Parameter escapesFormulas: whether the file was written with escaped formulas; see `CSVFormulas`.
    mutating func header<Column>(
        escapesFormulas: Bool, _ column: (String) throws -> Column
    ) throws -> [Column?] {
        do {
            guard let header = try next() else {
                throw TransferError("The file is empty; its first line must name the properties.")
            }
            var seen: Set<String> = []
            guard !header.allSatisfy(\.text.isBlank) else { throw RecordError("All of its fields are blank.") }
            return try header.map { field in
                guard !field.text.isBlank else { return nil }
                let name = escapesFormulas ? CSVFormulas.plain(field.text) : field.text
                guard seen.insert(name).inserted else { throw RecordError("Column '\(name)' appears twice.") }
                return try column(name)
            }
        } catch let fault as RecordError {
            throw TransferError("The first line must name the properties. \(fault.message)")
        }
    }

    private mutating func readRecord() throws -> [CSVField] {
        var fields: [CSVField] = []
        var bytes: [UInt8] = []
        var total = 0
        var isQuoted = false
        var fault: RecordError?
        func field() -> CSVField {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                fault = fault ?? RecordError("Field \(fields.count + 1) is not UTF-8.")
                return CSVField(text: "", isQuoted: isQuoted)
            }
            return CSVField(text: text, isQuoted: isQuoted)
        }
        while let byte = try source.next() {
            total += 1
            guard total <= Self.recordLimit else {
                throw TransferError(
                    "The record that starts on line \(line) is longer than \(Self.recordLimit >> 20) MiB.")
            }
            switch byte {
            case separator:
                fields.append(field())
                bytes = []
                isQuoted = false
            case UInt8(ascii: "\r") where try source.peek() == UInt8(ascii: "\n"):
                continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                linesSeen += 1
                fields.append(field())
                if let fault { throw fault }
                return fields
            case UInt8(ascii: "\"") where bytes.isEmpty && !isQuoted:
                isQuoted = true
                guard try readQuoted(into: &bytes, &total) else {
                    isAtEnd = true
                    throw RecordError("A quote is opened and never closed.")
                }
            default:
                if isQuoted {
                    fault = fault ?? RecordError("Field \(fields.count + 1) continues after its closing quote.")
                }
                bytes.append(byte)
            }
        }
        linesSeen += 1
        isAtEnd = true
        fields.append(field())
        if let fault { throw fault }
        return fields
    }

    /// Reads the text between quotes, after the opening one. Returns false if the file ends first.
    private mutating func readQuoted(into bytes: inout [UInt8], _ total: inout Int) throws -> Bool {
        while let byte = try source.next() {
            total += 1
            guard total <= Self.recordLimit else {
                throw TransferError(
                    "The record that starts on line \(line) is longer than \(Self.recordLimit >> 20) MiB.")
            }
            if byte == UInt8(ascii: "\"") {
                guard try source.peek() == byte else { return true }
                _ = try source.next()
            } else if byte == UInt8(ascii: "\n") {
                linesSeen += 1
            }
            bytes.append(byte)
        }
        return false
    }
}

extension String {
    /// Whether there are only spaces and tabs.
    fileprivate var isBlank: Bool { utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
}
