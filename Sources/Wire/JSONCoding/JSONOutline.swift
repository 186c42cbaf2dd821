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

        /// The content between the cuts.
        var pieces: [Range<Int>] {
            var pieces: [Range<Int>] = []
            var from = start + 1
            for cut in cuts {
                pieces.append(from..<cut)
                from = cut + 1
            }
            pieces.append(from..<end)
            return pieces
        }
    }

    /// The parts of the whole text.
    private(set) var parts: [Part] = []
    /// About how many bytes the values take in memory, first as JSON and then as what a store gets.
    private(set) var weight: Int

    /// The size of a text that is not cut.
    static let pieceSize = 64 << 10

    // What a value, an array, an object and a member add, as measured with bodies of small ones.
    private static let valueWeight = 48
    private static let foldedWeight = 24
    private static let arrayWeight = 150
    private static let objectWeight = 60
    private static let memberWeight = 90

    /// - Parameter folding: whether long flat arrays stay text.
    /// - Throws: for brackets that do not match.
    init(_ bytes: UnsafeBufferPointer<UInt8>, folding: Bool) throws(JSONError) {
        weight = bytes.count + Self.valueWeight
        var open: [Part] = []
        /// The number of commas in each open one, and the position of the last cut.
        var counts: [(commas: Int, lastCut: Int)] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if !open.isEmpty { open[open.count - 1].isFlat = false }
                open.append(Part(isArray: bytes[index] == UInt8(ascii: "["), start: index))
                counts.append((0, index))
            case UInt8(ascii: ","):
                guard !open.isEmpty else { break }
                let last = counts.count - 1
                counts[last].commas += 1
                if index - counts[last].lastCut >= Self.pieceSize {
                    open[last].cuts.append(index)
                    counts[last].lastCut = index
                }
            case UInt8(ascii: ":"): weight += Self.memberWeight
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                guard var part = open.popLast(), let (commas, _) = counts.popLast(),
                    part.isArray == (bytes[index] == UInt8(ascii: "]"))
                else { throw JSONError(.syntax, "The JSON is malformed: a bracket does not match.", at: index, in: bytes) }
                part.end = index
                let isLong = index - part.start >= Self.pieceSize
                let isFolded = folding && isLong && part.isFlat && part.isArray
                weight += (part.isArray ? Self.arrayWeight : Self.objectWeight)
                weight += (commas + 1) * (isFolded ? Self.foldedWeight : Self.valueWeight)
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
