import CJansson
import ObjectModel

extension JSONValue {
    /// The maximum nesting of arrays and objects.
    package static let depthLimit = 128

    /// Parses one JSON text, which may be a scalar. Names may not repeat within an object; `\u0000` is allowed. Cost:
    /// linear; about 25 ns per byte.
    package static func parse(_ bytes: some Collection<UInt8>) throws(JSONError) -> JSONValue {
        let result: Result<JSONValue, JSONError>? = bytes.withContiguousStorageIfAvailable { bytes in
            Result { () throws(JSONError) in try parse(bytes: bytes) }
        }
        if let result { return try result.get() }
        return try parse(Array(bytes))
    }

    /// Parses one JSON text.
    package static func parse(_ text: String) throws(JSONError) -> JSONValue { try parse(Array(text.utf8)) }

    /// Hashing of names is seeded once per process, before the first document, so that no client can guess collisions.
    private static let seeded: Void = json_object_seed(0)

    private static func parse(bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
        _ = seeded
        let precise = try JSONScan(bytes).preciseNumbers
        // jansson accepts no null pointer, which an empty buffer may have.
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            throw JSONError(.truncated, "The JSON text is empty.", position: 0, line: 1, column: 1)
        }
        var fault = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)
        let root = UnsafeRawPointer(base).withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            json_loadb($0, bytes.count, flags, &fault)
        }
        guard let root else { throw JSONError(fault) }
        defer { json_decref(root) }
        var reader = TreeReader(bytes, precise: precise[...])
        return try reader.value(root)
    }
}

/// Copies jansson's tree, whose members and elements are in the order of the text.
private struct TreeReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// Numbers that a double may not represent, each with the number of non-integers before it in the text.
    private var precise: ArraySlice<(place: Int, text: Range<Int>)>
    private var realsRead = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, precise: ArraySlice<(place: Int, text: Range<Int>)>) {
        self.bytes = bytes
        self.precise = precise
    }

    /// Recursion is bounded by `JSONValue.depthLimit`.
    mutating func value(_ node: UnsafeMutablePointer<json_t>) throws(JSONError) -> JSONValue {
        switch node.pointee.type {
        case JSON_OBJECT:
            var members: [JSONObject.Member] = []
            members.reserveCapacity(json_object_size(node))
            var place = json_object_iter(node)
            while let current = place {
                guard let name = json_object_iter_key(current), let value = json_object_iter_value(current) else {
                    throw .outOfMemory
                }
                let length = json_object_iter_key_len(current)
                members.append(JSONObject.Member(name: text(name, length), value: try self.value(value)))
                place = json_object_iter_next(node, current)
            }
            return .object(JSONObject(members))
        case JSON_ARRAY:
            var elements: [JSONValue] = []
            let count = json_array_size(node)
            elements.reserveCapacity(count)
            for index in 0..<count {
                guard let element = json_array_get(node, index) else { throw .outOfMemory }
                elements.append(try value(element))
            }
            return .array(elements)
        case JSON_STRING:
            guard let characters = json_string_value(node) else { throw .outOfMemory }
            return .string(text(characters, json_string_length(node)))
        case JSON_INTEGER: return .int(json_integer_value(node))
        case JSON_REAL: return real(json_real_value(node))
        case JSON_TRUE: return .bool(true)
        case JSON_FALSE: return .bool(false)
        default: return .null
        }
    }

    private mutating func real(_ nearest: Double) -> JSONValue {
        defer { realsRead += 1 }
        guard let first = precise.first, first.place == realsRead else { return .double(nearest) }
        precise.removeFirst()
        let text = UnsafeBufferPointer(rebasing: bytes[first.text])
        // Most programs write a double with the digits that it needs, as this description does.
        var shortest = nearest.description
        if shortest.withUTF8({ $0.elementsEqual(text) }) { return .double(nearest) }
        guard let exact = Decimal128(String(decoding: text, as: UTF8.self)) else { return .double(nearest) }
        return Decimal128(shortest: nearest).canonical == exact.canonical
            ? .double(nearest) : .precise(exact, nearest: nearest)
    }

    private func text(_ characters: UnsafePointer<CChar>, _ length: Int) -> String {
        let bytes = UnsafeRawBufferPointer(start: characters, count: length)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONError {
    /// jansson returns null only when memory is exhausted.
    fileprivate static var outOfMemory: JSONError {
        JSONError(.outOfMemory, "There is not enough memory to read the JSON.", position: 0, line: 1, column: 1)
    }

    fileprivate init(_ fault: json_error_t) {
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
