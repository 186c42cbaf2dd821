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

    /// Returns the next line without its line break; nil at the end. Throws `TransferFault`.
    mutating func next() throws -> [UInt8]? {
        while true {
            var bytes: [UInt8] = []
            line += 1
            if line == 1 { try source.skipMark() }
            let more = try source.read(upTo: UInt8(ascii: "\n"), into: &bytes, limit: Self.lineLimit)
            isAtEnd = !more
            if !bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == 0x0D }) { return bytes }
            if !more { return nil }
        }
    }

    /// Parses a line. Throws `RecordFault` for anything but an object.
    static func object(_ bytes: [UInt8]) throws(RecordFault) -> JSONObject {
        let document: JSONValue
        do {
            document = try JSONValue.parse(bytes)
        } catch {
            // A file that ends its lines in the way of old systems is one long line.
            let returns = bytes.contains(0x0D) && bytes.split(separator: 0x0D).count > 1
            let advice = " The lines end in CR alone; end them in LF or CR LF."
            throw RecordFault(error.message + (returns ? advice : ""))
        }
        guard case .object(let object) = document else {
            throw RecordFault("Each line must be a JSON object; this is \(document.inWords).")
        }
        return object
    }
}
