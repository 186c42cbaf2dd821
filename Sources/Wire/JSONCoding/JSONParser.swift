import CJansson
import CScratch

extension JSONValue {
    /// The maximum nesting of arrays and objects.
    package static let depthLimit = 128

    /// Parses one JSON text, which may be a scalar. Names may not repeat within an object; `\u0000` is allowed. A byte
    /// order mark before it is skipped, as RFC 8259 permits. Cost: linear; about 25 ns per byte. A long text is parsed
    /// in pieces, so that jansson has little of it in memory.
    package static func parse(_ bytes: some Collection<UInt8>) throws(JSONError) -> JSONValue {
        let result: Result<JSONValue, JSONError>? = bytes.withContiguousStorageIfAvailable { bytes in
            let mark = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
            return Result { () throws(JSONError) in
                try parse(bytes: UnsafeBufferPointer(rebasing: bytes.dropFirst(mark)))
            }
        }
        if let result { return try result.get() }
        return try parse(Array(bytes))
    }

    /// U+FEFF in UTF-8.
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Parses one JSON text.
    package static func parse(_ text: String) throws(JSONError) -> JSONValue { try parse(Array(text.utf8)) }

    /// Hashing of names is seeded once per process, before the first document, so that no client can guess collisions.
    /// jansson must have its functions for memory before it allocates anything.
    private static let isPrepared: Void = {
        json_set_alloc_funcs(cscratch_malloc, cscratch_free)
        json_object_seed(0)
    }()

    /// Parses one JSON text whose long arrays stay text if they are the outermost one, or have plain values: they
    /// become `long`.
    package static func parseFolding(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        // Arrays that stay text are found by their positions in it.
        guard !bytes.starts(with: byteOrderMark) else { return try parseFolding(Array(bytes.dropFirst(3))) }
        let result: Result<JSONValue, JSONError> = bytes.withUnsafeBufferPointer { text in
            Result { () throws(JSONError) in try parse(bytes: text, retained: bytes) }
        }
        return try result.get()
    }

    /// About how many bytes the values of a text take in memory, first as JSON and then as what a store gets. A text
    /// with errors, which is not parsed to its end, weighs what it is long. Cost: some nanoseconds per byte.
    ///
    /// - Parameter folding: whether it is parsed by `parseFolding`.
    package static func weight(of bytes: [UInt8], folding: Bool) -> Int {
        bytes.withUnsafeBufferPointer { (try? JSONOutline($0, folding: folding))?.weight ?? $0.count }
    }

    /// - Parameters:
    ///   - kept: the text as an array that long arrays keep; nil if they are read.
    ///   - pieceSize: the size up to which a text is parsed as a whole.
    static func parse(
        bytes: UnsafeBufferPointer<UInt8>, retained: [UInt8]? = nil, pieceSize: Int = JSONOutline.usualPieceSize
    ) throws(JSONError) -> JSONValue {
        _ = isPrepared
        let precise = try JSONScan(bytes).preciseNumbers
        // jansson accepts no null pointer, which an empty buffer may have.
        guard !bytes.isEmpty else {
            throw JSONError(.truncated, "The JSON text is empty.", position: 0, line: 1, column: 1)
        }
        var reader = JSONPieceReader(bytes, precise: precise[...], retained: retained)
        guard bytes.count > pieceSize else { return try reader.whole() }
        return try reader.whole(try JSONOutline(bytes, folding: retained != nil, pieceSize: pieceSize))
    }
}

extension JSONError {
    /// jansson returns null only when memory is exhausted.
    static var outOfMemory: JSONError {
        JSONError(.outOfMemory, "There is not enough memory to read the JSON.", position: 0, line: 1, column: 1)
    }

    init(_ fault: json_error_t) {
        var fault = fault
        let text = withUnsafeBytes(of: &fault.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let code: Code =
            switch json_error_code(&fault) {
            case json_error_premature_end_of_input: .truncated
            case json_error_invalid_utf8: .invalidUTF8
            case json_error_duplicate_key: .duplicateName
            case json_error_numeric_overflow: .numberRange
            case json_error_stack_overflow: .tooDeep
            case json_error_out_of_memory: .outOfMemory
            default: .syntax
            }
        let advice =
            switch code {
            case .numberRange where text.contains("real"):
                " Numbers with a fraction or an exponent are at most 1.8e308; write larger decimals as strings."
            case .numberRange:
                " Integers have 64 bits; write larger decimals as strings, and doubles with an exponent."
            case .duplicateName: " Use each name once."
            default: ""
            }
        self.init(
            code, "The JSON is malformed: \(text).\(advice)", position: max(0, Int(fault.position)),
            line: max(1, Int(fault.line)), column: max(1, Int(fault.column)))
    }
}
