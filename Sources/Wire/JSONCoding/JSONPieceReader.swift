import CJansson
import CScratch

/// Reads values from a text by jansson: as a whole, or in pieces if it is long.
struct JSONPieceReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The bytes as an array that long flat arrays keep; nil if they are read.
    private let retained: [UInt8]?
    /// Numbers that a double may not represent, each with the number of non-integers before it in the text.
    private var precise: ArraySlice<JSONScan.PreciseNumber>
    private var realsRead = 0
    /// The parts that the present tree has empty, each with the number of arrays and objects before it in the tree.
    private var parts: ArraySlice<(index: Int, part: JSONOutline.Part)> = []
    private var containersRead = 0

    private static let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, precise: ArraySlice<JSONScan.PreciseNumber>, retained: [UInt8]?
    ) {
        self.bytes = bytes
        self.precise = precise
        self.retained = retained
    }

    /// Reads a short text.
    mutating func whole() throws(JSONError) -> JSONValue {
        guard let base = bytes.baseAddress else { return .null }
        cscratch_begin()
        defer { cscratch_end() }
        var fault = json_error_t()
        let root = UnsafeRawPointer(base).withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            json_loadb($0, bytes.count, Self.flags, &fault)
        }
        guard let root else { throw JSONError(fault) }
        // A tree in the block is abandoned with it.
        defer { if cscratch_holds_all() == 0 { json_decref(root) } }
        return try value(root)
    }

    /// Reads a long text.
    mutating func whole(_ outline: JSONOutline) throws(JSONError) -> JSONValue {
        let root = try load(bytes.indices, without: outline.parts, in: nil)
        defer { json_decref(root) }
        return try value(root)
    }

    /// Calls the body with the elements of an array.
    mutating func elements(of part: JSONOutline.Part, _ body: (JSONValue) throws -> Void) throws {
        for (piece, inner) in part.contents {
            let root = try load(piece, without: inner, in: part)
            defer { json_decref(root) }
            // The brackets around the piece.
            containersRead = 1
            for index in 0..<json_array_size(root) {
                guard let element = json_array_get(root, index) else { throw JSONError.outOfMemory }
                try body(try value(element))
            }
        }
    }

    // MARK: Pieces

    /// Parses a piece of a part in brackets of its own; the whole text if there is no part around it.
    private mutating func load(
        _ piece: Range<Int>, without inner: [JSONOutline.Part], in outer: JSONOutline.Part?
    ) throws(JSONError) -> UnsafeMutablePointer<json_t> {
        var text = JSONSegments(bytes)
        var from = piece.lowerBound
        var containers = 0
        var found: [(index: Int, part: JSONOutline.Part)] = []
        if let outer {
            text.add(outer.start..<outer.start + 1)
            containers = 1
        }
        for part in inner {
            containers += openings(in: from..<part.start)
            found.append((containers, part))
            containers += 1
            text.add(from..<part.start + 1)
            from = part.end
        }
        text.add(from..<piece.upperBound)
        if let outer { text.add(outer.end..<outer.end + 1) }
        var fault = json_error_t()
        let root = withUnsafeMutablePointer(to: &text) { text in
            json_load_callback(
                { buffer, size, text in
                    guard let buffer, let text else { return 0 }
                    return text.assumingMemoryBound(to: JSONSegments.self).pointee.read(into: buffer, size)
                }, text, Self.flags, &fault)
        }
        guard let root else {
            var error = JSONError(fault)
            let located = JSONError(.syntax, "", at: text.position(of: error.position), in: bytes)
            (error.position, error.line, error.column) = (located.position, located.line, located.column)
            throw error
        }
        let isEmpty = outer.map { ($0.isArray ? json_array_size(root) : json_object_size(root)) == 0 } ?? false
        guard !isEmpty || outer?.cuts.isEmpty == true else {
            json_decref(root)
            throw JSONError(
                .syntax, "The JSON is malformed: a value is missing near a comma.", at: piece.lowerBound, in: bytes)
        }
        (parts, containersRead) = (found[...], 0)
        return root
    }

    /// The number of arrays and objects that begin in a range, whose ends are outside of strings.
    private func openings(in range: Range<Int>) -> Int {
        var count = 0
        var index = range.lowerBound
        while index < range.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = bytes.endOfString(from: index)
            case UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
            default: break
            }
            index += 1
        }
        return count
    }

    private mutating func read(_ part: JSONOutline.Part) throws(JSONError) -> JSONValue {
        let outside = (parts, containersRead)
        defer { (parts, containersRead) = outside }
        if part.isFolded, let retained { return .long(try folded(part, retained)) }
        var elements: [JSONValue] = []
        var members: [JSONObject.Member] = []
        for (piece, inner) in part.contents {
            let root = try load(piece, without: inner, in: part)
            defer { json_decref(root) }
            // The brackets around the piece.
            containersRead = 1
            if part.isArray { try add(to: &elements, root) } else { try add(to: &members, root) }
        }
        guard !part.isArray else { return .array(elements) }
        if !part.cuts.isEmpty { try checkNames(members, part) }
        return .object(JSONObject(members))
    }

    private mutating func folded(_ part: JSONOutline.Part, _ retained: [UInt8]) throws(JSONError) -> JSONLongArray {
        let reals = realsRead
        let before = precise
        let count = try pass(part)
        let own = before.prefix { $0.index < realsRead }
        precise = before.dropFirst(own.count)
        return JSONLongArray(
            retained, part, own.map { JSONScan.PreciseNumber(index: $0.index - reals, text: $0.text) }, count: count)
    }

    /// Checks a part without keeping it. Returns the number of its elements or members.
    private mutating func pass(_ part: JSONOutline.Part) throws(JSONError) -> Int {
        var count = 0
        for (piece, inner) in part.contents {
            let root = try load(piece, without: inner, in: part)
            defer { json_decref(root) }
            count += part.isArray ? json_array_size(root) : json_object_size(root)
            realsRead += Self.reals(in: root)
            for part in inner { _ = try pass(part) }
        }
        return count
    }

    /// The number of non-integers in a tree. Recursion is bounded by `JSONValue.depthLimit`.
    private static func reals(in node: UnsafeMutablePointer<json_t>) -> Int {
        var count = 0
        switch node.pointee.type {
        case JSON_REAL: return 1
        case JSON_ARRAY:
            for index in 0..<json_array_size(node) { count += json_array_get(node, index).map { reals(in: $0) } ?? 0 }
        case JSON_OBJECT:
            var next = json_object_iter(node)
            while let current = next {
                count += json_object_iter_value(current).map { reals(in: $0) } ?? 0
                next = json_object_iter_next(node, current)
            }
        default: break
        }
        return count
    }

    /// Throws if a name occurs twice, which jansson sees within a piece only. Names differ if their bytes do.
    private func checkNames(_ members: [JSONObject.Member], _ part: JSONOutline.Part) throws(JSONError) {
        struct Name: Hashable {
            let text: String
            static func == (a: Name, b: Name) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }
            func hash(into hasher: inout Hasher) {
                var text = text
                text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            }
        }
        var known = Set<Name>(minimumCapacity: members.count)
        for member in members where !known.insert(Name(text: member.name)).inserted {
            throw JSONError(
                .duplicateName,
                "The JSON is malformed: an object has the name \(JSONValue.string(member.name).inWords) twice. Use each name once.",
                at: part.start, in: bytes)
        }
    }

    // MARK: Trees

    /// Copies jansson's tree, whose members and elements are in the order of the text. Recursion is bounded by
    /// `JSONValue.depthLimit`.
    private mutating func value(_ node: UnsafeMutablePointer<json_t>) throws(JSONError) -> JSONValue {
        switch node.pointee.type {
        case JSON_OBJECT:
            if let part = partHere() { return try read(part) }
            var members: [JSONObject.Member] = []
            try add(to: &members, node)
            return .object(JSONObject(members))
        case JSON_ARRAY:
            if let part = partHere() { return try read(part) }
            var elements: [JSONValue] = []
            try add(to: &elements, node)
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

    /// Counts an array or object. Returns the part that it stands for, if any.
    private mutating func partHere() -> JSONOutline.Part? {
        defer { containersRead += 1 }
        guard let next = parts.first, next.index == containersRead else { return nil }
        parts.removeFirst()
        return next.part
    }

    private mutating func add(
        to members: inout [JSONObject.Member], _ node: UnsafeMutablePointer<json_t>
    ) throws(JSONError) {
        if members.isEmpty { members.reserveCapacity(json_object_size(node)) }
        var next = json_object_iter(node)
        while let current = next {
            guard let name = json_object_iter_key(current), let value = json_object_iter_value(current) else {
                throw .outOfMemory
            }
            let length = json_object_iter_key_len(current)
            members.append(JSONObject.Member(name: text(name, length), value: try self.value(value)))
            next = json_object_iter_next(node, current)
        }
    }

    private mutating func add(
        to elements: inout [JSONValue], _ node: UnsafeMutablePointer<json_t>
    ) throws(JSONError) {
        let count = json_array_size(node)
        if elements.isEmpty { elements.reserveCapacity(count) }
        for index in 0..<count {
            guard let element = json_array_get(node, index) else { throw .outOfMemory }
            elements.append(try value(element))
        }
    }

    private mutating func real(_ nearest: Double) -> JSONValue {
        defer { realsRead += 1 }
        guard let first = precise.first, first.index == realsRead else { return .double(nearest) }
        precise.removeFirst()
        return first.value(in: bytes, nearest: nearest)
    }

    private func text(_ characters: UnsafePointer<CChar>, _ length: Int) -> String {
        let bytes = UnsafeRawBufferPointer(start: characters, count: length)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A text in several ranges of another one, for jansson to read without a copy of it.
private struct JSONSegments {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var ranges: [Range<Int>] = []
    /// The range that is read, and the position in it.
    private var index = 0
    private var offset = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func add(_ range: Range<Int>) { if !range.isEmpty { ranges.append(range) } }

    /// Returns the number of bytes that were copied; 0 at the end.
    mutating func read(into buffer: UnsafeMutableRawPointer, _ size: Int) -> Int {
        while index < ranges.count {
            let range = ranges[index]
            guard offset < range.count, let base = bytes.baseAddress else {
                index += 1
                offset = 0
                continue
            }
            let count = min(size, range.count - offset)
            buffer.copyMemory(from: base + range.lowerBound + offset, byteCount: count)
            offset += count
            return count
        }
        return 0
    }

    /// Returns the position in the other text of a position in this one.
    func position(of position: Int) -> Int {
        var rest = position
        for range in ranges {
            if rest <= range.count { return range.lowerBound + rest }
            rest -= range.count
        }
        return ranges.last?.upperBound ?? 0
    }
}
