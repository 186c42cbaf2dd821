import JSONCoding
import WireProtocol

/// The objects of an event: those of a first result, or those that an update inserts. Each is parsed when it is used,
/// since as values all of a large event together need many times the memory of its text.
struct EventObjects: Sendable {
    private enum Form {
        case values([JSONValue])
        case text([UInt8], [Range<Int>])
    }

    private let form: Form

    init(_ values: [JSONValue]) { form = .values(values) }

    private init(_ bytes: [UInt8], _ ranges: [Range<Int>]) { form = .text(bytes, ranges) }

    var count: Int {
        switch form {
        case .values(let values): values.count
        case .text(_, let ranges): ranges.count
        }
    }

    /// Parses an object. Throws if its text is not JSON.
    func object(_ index: Int) throws -> JSONValue {
        switch form {
        case .values(let values): values[index]
        case .text(let bytes, let ranges): try JSONValue.parse(bytes[ranges[index]])
        }
    }

    /// Parses a member of an object; null if it has none of that name. The other members are passed over.
    func member(_ name: String, of index: Int) throws -> JSONValue {
        guard case .text(let bytes, let ranges) = form else { return try object(index)[name] ?? .null }
        let range = try bytes.withUnsafeBufferPointer { bytes in
            var scan = TextScan(bytes, ranges[index])
            return try scan.member(name)
        }
        // A name that is written with escapes is not found.
        guard let range else { return try object(index)[name] ?? .null }
        return try Self.integer(bytes[range]) ?? JSONValue.parse(bytes[range])
    }

    /// The hash of an object's text, which is different in each process; nil for an object that came as a value.
    func textHash(_ index: Int) -> Int? {
        guard case .text(let bytes, let ranges) = form else { return nil }
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[ranges[index]])) }
        return hasher.finalize()
    }

    /// Reads a short number, as most keys are, without a parser; nil for everything else.
    private static func integer(_ text: ArraySlice<UInt8>) -> JSONValue? {
        guard (1...18).contains(text.count), text.first != UInt8(ascii: "0") || text.count == 1 else { return nil }
        var number: Int64 = 0
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return .int(number)
    }
}

extension EventObjects {
    /// Parses an event without the objects that it begins or inserts, and separates these. The event has none itself,
    /// unless its text is of another form.
    static func split(_ event: ServerEvent) throws -> (event: SetEvent, objects: EventObjects?) {
        guard let kind = EventKind(rawValue: event.name), kind == .initial || kind == .update else {
            return (try SetEvent(event), nil)
        }
        let found = try event.data.withUnsafeBufferPointer { data -> (array: Range<Int>, elements: [Range<Int>])? in
            var range = 0..<data.count
            let path = kind == .initial ? [EventField.items] : [EventField.objects, EventField.insertions]
            for name in path {
                var scan = TextScan(data, range)
                guard let next = try scan.member(name) else { return nil }
                range = next
            }
            var scan = TextScan(data, range)
            return try scan.elements().map { (range, $0) }
        }
        guard let found else { return (try SetEvent(event), nil) }
        let rest = event.data[..<found.array.lowerBound] + [UInt8]("[]".utf8) + event.data[found.array.upperBound...]
        let parsed = try SetEvent(ServerEvent(id: event.id, name: event.name, data: Array(rest)))
        return (parsed, EventObjects(event.data, found.elements))
    }
}

/// Finds members and elements in a JSON text without reading their values. What it finds is still to be parsed, which
/// finds the faults within it.
private struct TextScan {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index: Int
    private let end: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    /// Returns where the first value is of an object with a name, which must be written without escapes; nil if
    /// there is none, and if the text is no object.
    mutating func member(_ name: String) throws -> Range<Int>? {
        guard take("{"), !take("}") else { return nil }
        while true {
            let label = try value()
            guard take(":") else { throw fault }
            let found = try value()
            if label.count == name.utf8.count + 2, bytes[label].dropFirst().dropLast().elementsEqual(name.utf8) {
                return found
            }
            guard take(",") else { return nil }
        }
    }

    /// Returns where an array's elements are; nil if the text is no array.
    mutating func elements() throws -> [Range<Int>]? {
        guard take("[") else { return nil }
        var ranges: [Range<Int>] = []
        if take("]") { return ranges }
        while true {
            ranges.append(try value())
            if take("]") { return ranges }
            guard take(",") else { throw fault }
        }
    }

    /// Moves past a value. Returns where it is.
    private mutating func value() throws -> Range<Int> {
        skipSpace()
        let start = index
        var depth = 0
        scan: while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { break scan }
                depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { break scan }
                index += 1
                continue
            default:
                index += 1
                continue
            }
            index += 1
            if depth == 0 { return start..<index }
        }
        guard index > start, depth == 0 else { throw fault }
        return start..<index
    }

    /// Moves from the first quote to the last one.
    private mutating func skipString() throws {
        index += 1
        while index < end, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < end else { throw fault }
    }

    private mutating func skipSpace() {
        while index < end, bytes[index] <= 0x20 { index += 1 }
    }

    /// Moves past white space, and past a sign if it comes next.
    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipSpace()
        guard index < end, bytes[index] == UInt8(ascii: sign) else { return false }
        index += 1
        return true
    }

    private var fault: JSONError {
        JSONError(.syntax, "The JSON of an event is malformed.", position: index, line: 1, column: index + 1)
    }
}
