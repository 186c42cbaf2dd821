/// One field of a CSV record. An empty field without quotes means no value; with quotes it is the empty string.
package struct CSVField: Equatable {
    package var text: String
    package var isQuoted: Bool

    package var isMissing: Bool { text.isEmpty && !isQuoted }
}

/// An error in one record of a file; the rest of the file can still be read.
package struct RecordFault: Error, Equatable {
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
}

/// Reads CSV as in RFC 4180: fields separated by commas, quotes doubled within quotes, records ended by CR LF, LF or
/// the end of the file. Skips a byte order mark.
package struct CSVReader {
    /// Enough for a value of the maximum size, whose text may be a third longer.
    private static let recordLimit = 64 << 20

    private let source: ByteSource
    private var atStart = true
    /// Whether the first record has one field; nil before it is read. An empty line is then a record whose field is missing.
    private var hasOneColumn: Bool?

    /// The line on which the last record began, from 1.
    package private(set) var line = 0
    private var linesSeen = 0
    /// Whether the last record ended with the file, without a line break.
    package private(set) var isAtEnd = false

    package init(_ source: ByteSource) { self.source = source }

    /// Returns the next record; nil at the end. Skips empty lines, except where a record has one field. Throws `RecordFault` for invalid UTF-8, for text
    /// after a closing quote, and for a quote that is never closed.
    package mutating func next() throws -> [CSVField]? {
        if atStart {
            atStart = false
            try skipByteOrderMark()
        }
        while true {
            line = linesSeen + 1
            guard try source.peek() != nil else { return nil }
            let record = try readRecord()
            if record.count == 1, record[0].isMissing, hasOneColumn != true { continue }
            if hasOneColumn == nil { hasOneColumn = record.count == 1 }
            return record
        }
    }

    /// Reads the first record, and makes a column of each name in it. Throws `TransferFault` for an empty file, for a
    /// record that cannot be read, for a name that appears twice, and for a `RecordFault` that `column` throws.
    ///
    /// - Parameter escapesFormulas: whether the file was written with escaped formulas; see `CSVFormulas`.
    mutating func header<Column>(
        escapesFormulas: Bool, _ column: (String) throws -> Column
    ) throws -> [Column] {
        do {
            guard let header = try next() else {
                throw TransferFault("The file is empty; its first line must name the properties.")
            }
            var seen: Set<String> = []
            return try header.map { field in
                let name = escapesFormulas ? CSVFormulas.plain(field.text) : field.text
                guard seen.insert(name).inserted else { throw RecordFault("Column '\(name)' appears twice.") }
                return try column(name)
            }
        } catch let fault as RecordFault {
            throw TransferFault("The first line must name the properties. \(fault.message)")
        }
    }

    private mutating func readRecord() throws -> [CSVField] {
        var fields: [CSVField] = []
        var bytes: [UInt8] = []
        var total = 0
        var isQuoted = false
        var fault: RecordFault?
        func field() -> CSVField {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                fault = fault ?? RecordFault("Field \(fields.count + 1) is not UTF-8.")
                return CSVField(text: "", isQuoted: isQuoted)
            }
            return CSVField(text: text, isQuoted: isQuoted)
        }
        while let byte = try source.next() {
            total += 1
            guard total <= Self.recordLimit else {
                throw TransferFault(
                    "The record that starts on line \(line) is longer than \(Self.recordLimit >> 20) MiB.")
            }
            switch byte {
            case UInt8(ascii: ","):
                fields.append(field())
                bytes = []
                isQuoted = false
            case UInt8(ascii: "\n"):
                linesSeen += 1
                fields.append(field())
                if let fault { throw fault }
                return fields
            case UInt8(ascii: "\r") where try source.peek() == UInt8(ascii: "\n"):
                continue
            case UInt8(ascii: "\"") where bytes.isEmpty && !isQuoted:
                isQuoted = true
                guard try readQuoted(into: &bytes, &total) else {
                    isAtEnd = true
                    throw RecordFault("A quote is opened and never closed.")
                }
            default:
                if isQuoted {
                    fault = fault ?? RecordFault("Field \(fields.count + 1) continues after its closing quote.")
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
                throw TransferFault(
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

    private func skipByteOrderMark() throws {
        guard try source.peek() == 0xEF else { return }
        for _ in 0..<3 { _ = try source.next() }
    }
}
