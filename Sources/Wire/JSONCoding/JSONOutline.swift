/// Where a long JSON text can be cut, so that jansson, whose nodes take some hundred bytes for each small value, has only
/// one piece of it in memory at a time.
///
/// It knows strings, brackets and commas, and leaves the rest to jansson. An array or an object of at least `pieceSize`
/// bytes is a part; it is cut at commas of its own. What is between the cuts is parsed as an array or an object, with the
/// parts in it left empty; each of these is parsed in the same way.
struct JSONOutline {
    /// A long array or object.
    struct Part: Sendable {
        let isArray: Bool
        /// The position of the opening bracket.
        let start: Int
        /// The position of the closing bracket.
        fileprivate(set) var end = 0
        /// The positions of the commas at which it is cut.
        fileprivate(set) var cuts: [Int] = []
        /// The parts in it, in order, without those in other parts.
        fileprivate(set) var parts: [Part] = []
        /// Whether no array or object is in it.
        fileprivate(set) var isFlat = true
        /// Whether it stays text where the reader wishes so: an array of plain values, or the outermost one.
        fileprivate(set) var isFolded = false

        /// The content between the cuts, and the parts that begin in each piece of it.
        var contents: [(piece: Range<Int>, parts: [Part])] {
            var contents: [(piece: Range<Int>, parts: [Part])] = []
            var from = start + 1
            var rest = parts[...]
            for end in cuts + [end] {
                let inPiece = rest.prefix { $0.start < end }
                rest = rest.dropFirst(inPiece.count)
                contents.append((from..<end, Array(inPiece)))
                from = end + 1
            }
            return contents
        }
    }

    /// The parts of the whole text.
    private(set) var parts: [Part] = []
    /// About how many bytes the values take in memory, first as JSON and then as what a store gets.
    var weight: Int { jsonWeight + valueWeight }
    private var jsonWeight: Int
    private let pieceSize: Int
    private var valueWeight = 0

    /// The size of a text that is not cut.
    static let usualPieceSize = 64 << 10

    // What each value, array, object and member adds to the JSON and to what a store gets, as measured with bodies of small
    // ones.
    private static let plain = (json: 24, value: 24)
    private static let array = (json: 56, value: 112)
    private static let object = (json: 48, value: 130)
    private static let member = (json: 20, value: 40)

    /// - Parameter folding: whether long flat arrays stay text.
    /// - Throws: for brackets that do not match, and too many levels.
    init(
        _ bytes: UnsafeBufferPointer<UInt8>, folding: Bool, pieceSize: Int = JSONOutline.usualPieceSize
    ) throws(JSONError) {
        self.pieceSize = pieceSize
        jsonWeight = bytes.count
        var open: [Part] = []
        /// The number of commas in each open one, and the position of the last cut.
        var counts: [(commas: Int, lastCut: Int)] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = bytes.endOfString(from: index)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                guard open.count < JSONValue.depthLimit else { throw .tooDeep(at: index, in: bytes) }
                if !open.isEmpty { open[open.count - 1].isFlat = false }
                open.append(Part(isArray: bytes[index] == UInt8(ascii: "["), start: index))
                counts.append((0, index))
            case UInt8(ascii: ","):
                guard !open.isEmpty else { break }
                let last = counts.count - 1
                counts[last].commas += 1
                if index - counts[last].lastCut >= pieceSize {
                    open[last].cuts.append(index)
                    counts[last].lastCut = index
                }
            case UInt8(ascii: ":"):
                jsonWeight += Self.member.json
                valueWeight += Self.member.value
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard var part = open.popLast(), let (commas, _) = counts.popLast(),
                    part.isArray == (bytes[index] == UInt8(ascii: "]"))
                else {
                    throw JSONError(.syntax, "The JSON is malformed: a bracket does not match.", at: index, in: bytes)
                }
                part.end = index
                let isLong = index - part.start >= pieceSize
                part.isFolded = isLong && part.isArray && (part.isFlat || open.isEmpty)
                let kind = part.isArray ? Self.array : Self.object
                jsonWeight += kind.json
                valueWeight += kind.value + (commas + 1) * Self.plain.value
                if !(folding && part.isFolded) { jsonWeight += (commas + 1) * Self.plain.json }
                // All of it stayed text.
                if folding, part.isFolded, open.isEmpty { jsonWeight = bytes.count }
                guard isLong else { break }
                if open.isEmpty { parts.append(part) } else { open[open.count - 1].parts.append(part) }
            default: break
            }
            index += 1
        }
        guard open.isEmpty else {
            throw JSONError(.truncated, "The JSON text ends within an array or an object.", at: bytes.count, in: bytes)
        }
    }
}

extension JSONError {
    static func tooDeep(at position: Int, in bytes: UnsafeBufferPointer<UInt8>) -> JSONError {
        JSONError(
            .tooDeep, "The JSON is nested deeper than \(JSONValue.depthLimit) levels.", at: position, in: bytes)
    }

    /// An error at a position, from 0.
    init(_ code: Code, _ message: String, at position: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        let before = bytes[..<min(max(position, 0), bytes.count)]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        self.init(
            code, message, position: before.count, line: before.count { $0 == 0x0A } + 1,
            // Continuation bytes do not begin a character.
            column: before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1)
    }
}
