import JSONCoding

/// Reads the lines of an NDJSON file that are not blank.
struct NDJSONReader {
    /// Enough for a value of the maximum size, whose text may be a third longer.
    private static let lineLimit = 64 << 20

    private let source: ByteSource
    /// The line that was read last, from 1.
    private(set) var line = 0
    /// Whether the last line ended with the file, without a line break.
    private(set) var isAtEnd = false

    init(_ source: ByteSource) { self.source = source }

    /// Returns the next line without its line break; nil at the end. Throws `TransferError`.
    mutating func next() throws -> NDJSONLine? {
        while true {
            line += 1
            if line == 1 { try source.skipMark() }
            var next = NDJSONLine(number: line)
            let more = try source.read(upTo: UInt8(ascii: "\n"), into: &next.bytes, limit: Self.lineLimit) {
                next.memory = try source.lineMemory?.begin()
            }
            if let memory = next.memory {
                next.isTooHeavy = try !memory.count(JSONValue.weight(of: next.bytes, folding: true))
            }
            isAtEnd = !more
            if !next.isBlank { return next }
            if !more { return nil }
        }
    }
}

/// A line of an NDJSON file.
package struct NDJSONLine: ImportRecord {
    /// From 1.
    let number: Int
    fileprivate(set) var bytes: [UInt8] = []
    /// The memory of the line; nil for a short one.
    package fileprivate(set) var memory: (any LineShare)?
    /// Whether the values of the line take more memory than there is.
    fileprivate var isTooHeavy = false

    fileprivate init(number: Int) { self.number = number }

    fileprivate var isBlank: Bool {
        bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == 0x0D }
    }

    /// Parses the line. Throws `RecordError` for anything but an object.
    func object() throws(RecordError) -> JSONObject {
        guard !isTooHeavy else {
            throw RecordError(
                "The line has too many values for the memory of one request (limits.memory).",
                code: JSONError.Code.tooLarge.rawValue)
        }
        let document: JSONValue
        do {
            document = try JSONValue.parseFolding(bytes)
        } catch {
            // A file that ends its lines in the way of old systems is one long line.
            let returns = bytes.contains(0x0D) && bytes.split(separator: 0x0D).count > 1
            let advice = " The lines end in CR alone; end them in LF or CR LF."
            throw RecordError(error.message + (returns ? advice : ""))
        }
        guard case .object(let object) = document else {
            throw RecordError("Each line must be a JSON object; this is \(document.inWords).")
        }
        return object
    }
}
