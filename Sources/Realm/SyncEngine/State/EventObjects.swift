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
            return try scan.find(name.utf8) ? try scan.value() : nil
        }
        // A name that is written with escapes is not found.
        guard let range else { return try object(index)[name] ?? .null }
        return try JSONValue.parse(bytes[range])
    }

    /// Calls a block with each object, of which it can read the key and the hash of the text without a parser.
    func forEach(_ body: (_ index: Int, _ row: RowText?) throws -> Void) throws {
        guard case .text(let bytes, let ranges) = form else {
            for index in 0..<count { try body(index, nil) }
            return
        }
        try bytes.withUnsafeBufferPointer { bytes in
            for (index, range) in ranges.enumerated() { try body(index, RowText(bytes, range)) }
        }
    }

    /// The hash of an object's text, which is different in each process; nil for an object that came as a value.
    func textHash(_ index: Int) -> Int? {
        guard case .text(let bytes, let ranges) = form else { return nil }
        return bytes.withUnsafeBufferPointer { RowText($0, ranges[index]).hash }
    }
}

/// The text of one object, valid during a call of `EventObjects.forEach`.
struct RowText {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let range: Range<Int>

    fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// Reads a member that is a short integer; nil for everything else.
    func shortInteger(_ name: [UInt8]) -> Int64? {
        var scan = TextScan(bytes, range)
        guard (try? scan.find(name)) == true else { return nil }
        return scan.shortInteger()
    }

    var scan: TextScan { TextScan(bytes, range) }

    /// The hash of the text, which is different in each process.
    var hash: Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range]))
        return hasher.finalize()
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
            var scan = TextScan(data, 0..<data.count)
            if kind == .update, try !scan.find(EventField.objects.utf8) { return nil }
            let name = kind == .initial ? EventField.items : EventField.insertions
            return try scan.find(name.utf8) ? try scan.elements() : nil
        }
        guard let found else { return (try SetEvent(event), nil) }
        let rest = event.data[..<found.array.lowerBound] + [UInt8]("[]".utf8) + event.data[found.array.upperBound...]
        let parsed = try SetEvent(ServerEvent(id: event.id, name: event.name, data: Array(rest)))
        return (parsed, EventObjects(event.data, found.elements))
    }
}
