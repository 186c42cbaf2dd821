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
    /// The memory of the line that was read last; nil for a short one.
    private(set) var memory: (any LineShare)?
    /// Whether the values of the line that was read last take more memory than there is.
    private var isTooHeavy = false

    init(_ source: ByteSource) { self.source = source }

    /// Returns the next line without its line break; nil at the end. Throws `TransferFault`.
    mutating func next() throws -> [UInt8]? {
        while true {
            var bytes: [UInt8] = []
            line += 1
            if line == 1 { try source.skipMark() }
            (memory, isTooHeavy) = (nil, false)
            let more = try source.read(upTo: UInt8(ascii: "\n"), into: &bytes, limit: Self.lineLimit) {
                memory = try source.lineMemory?.begin()
            }
            if let memory {
                isTooHeavy = try !memory.count(JSONValue.weight(of: bytes, folding: true))
            }
            isAtEnd = !more
            if !bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == 0x0D }) { return bytes }
            if !more { return nil }
        }
    }

    /// Releases the memory of the line, which somebody else holds if it is still needed.
    mutating func takeMemory() -> (any LineShare)? {
        defer { memory = nil }
        return memory
    }

    /// Parses the line that was read last. Throws `RecordFault` for anything but an object.
    func object(_ bytes: [UInt8]) throws(RecordFault) -> JSONObject {
        guard !isTooHeavy else {
            throw RecordFault(
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
            throw RecordFault(error.message + (returns ? advice : ""))
        }
        guard case .object(let object) = document else {
            throw RecordFault("Each line must be a JSON object; this is \(document.inWords).")
        }
        return object
    }
}
