import JSONCoding
import WireProtocol

/// The objects of an event: those of a first result, or those that an update inserts and modifies. Each is parsed when it
/// is used, since as values all of a large event together need many times the memory of its text.
struct EventObjects: Sendable {
    private enum Form {
        case values([JSONValue])
        case text([UInt8], [Range<Int>])
    }

    private let form: Form
    /// Where the objects are that an update modifies; nil if it was parsed with them.
    private var modifiedRanges: [Range<Int>]?

    init(_ values: [JSONValue]) { form = .values(values) }

    private init(_ bytes: [UInt8], _ ranges: [Range<Int>], modified: [Range<Int>]? = nil) {
        form = .text(bytes, ranges)
        modifiedRanges = modified
    }

    /// The objects that an update modifies; nil if it was parsed with them.
    var modified: EventObjects? {
        guard case .text(let bytes, _) = form, let modifiedRanges else { return nil }
        return EventObjects(bytes, modifiedRanges)
    }

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
    /// Parses an event without the objects that it begins, inserts or modifies, and separates these. The event has none
    /// itself, unless its text is of another form.
    static func split(_ event: ServerEvent) throws -> (event: SetEvent, objects: EventObjects?) {
        guard let kind = EventKind(rawValue: event.name), kind == .initial || kind == .update else {
            return (try SetEvent(event), nil)
        }
        let found = try event.data.withUnsafeBufferPointer { data -> [TextScan.Elements]? in
            var scan = TextScan(data, 0..<data.count)
            guard kind == .update else {
                return try scan.find(EventField.items.utf8) ? try scan.elements().map { [$0] } : nil
            }
            guard try scan.find(EventField.objects.utf8), try scan.find(EventField.insertions.utf8),
                let inserted = try scan.elements()
            else { return nil }
            guard try scan.find(EventField.modifications.utf8, isNext: true), let modified = try scan.elements() else {
                return [inserted]
            }
            return [inserted, modified]
        }
        guard let found, let first = found.first else { return (try SetEvent(event), nil) }
        var rest: [UInt8] = []
        var end = 0
        for found in found {
            rest += event.data[end..<found.array.lowerBound]
            rest += [UInt8(ascii: "["), UInt8(ascii: "]")]
            end = found.array.upperBound
        }
        rest += event.data[end...]
        let parsed = try SetEvent(ServerEvent(id: event.id, name: event.name, data: rest))
        let modified = found.count > 1 ? found[1].elements : nil
        return (parsed, EventObjects(event.data, first.elements, modified: modified))
    }
}
