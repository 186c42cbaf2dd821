import JSONCoding

/// Finds members and elements in a JSON text without reading their values, and reads the simplest ones. What it passes over
/// is still to be parsed, which finds the faults within it.
struct TextScan {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index: Int
    private let end: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    /// An array, and its elements.
    typealias Elements = (array: Range<Int>, elements: [Range<Int>])

    /// Moves to the first value of an object with a name, which must be written without escapes. Returns false if there
    /// is none, and if the text is no object.
    ///
    /// - Parameter isNext: whether a value of the object was read before.
    mutating func find(_ name: some Collection<UInt8>, isNext: Bool = false) throws -> Bool {
        if isNext {
            guard take(UInt8(ascii: ",")) else { return false }
        } else {
            guard take(UInt8(ascii: "{")), !take(UInt8(ascii: "}")) else { return false }
        }
        while true {
            let label = try value()
            guard take(UInt8(ascii: ":")) else { throw fault }
            if label.count == name.count + 2, bytes[label].dropFirst().dropLast().elementsEqual(name) { return true }
            _ = try value()
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    /// Moves past an array. Returns where it is, and where its elements are; nil if the text has no array here.
    mutating func elements() throws -> Elements? {
        guard take(UInt8(ascii: "[")) else { return nil }
        let start = index - 1
        var ranges: [Range<Int>] = []
        if take(UInt8(ascii: "]")) { return (start..<index, ranges) }
        while true {
            ranges.append(try value())
            if take(UInt8(ascii: "]")) { return (start..<index, ranges) }
            guard take(UInt8(ascii: ",")) else { throw fault }
        }
    }

    /// Moves past a value. Returns where it is.
    mutating func value() throws -> Range<Int> {
        skipSpace()
        let start = index
        guard index < end else { throw fault }
        switch bytes[index] {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "["), UInt8(ascii: "{"): try skipNested()
        default: skipPlain()
        }
        guard index > start else { throw fault }
        return start..<index
    }

    /// Reads a short integer, as most keys are, and moves past it; nil for everything else.
    mutating func shortInteger() -> Int64? {
        skipSpace()
        let start = index
        var (position, number) = (index, Int64(0))
        while position < end, position - start < 18 {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            number = number &* 10 &+ Int64(digit)
            position += 1
        }
        guard position > start, position == start + 1 || bytes[start] != UInt8(ascii: "0"), position < end else {
            return nil
        }
        guard Self.endsNumber(bytes[position]) else { return nil }
        index = position
        return number
    }

    /// Whether a number is complete where this byte follows.
    static func endsNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }

    /// Moves past some bytes if a block accepts them.
    mutating func takes(_ count: Int, _ accepts: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        skipSpace()
        guard index + count <= end,
            accepts(UnsafeBufferPointer(rebasing: bytes[index..<index + count]))
        else { return false }
        index += count
        return true
    }

    /// Moves past what a block reads: it returns nil for nothing, or a value and the number of its bytes.
    mutating func reads<R>(_ read: (UnsafeBufferPointer<UInt8>) -> (R, Int)?) -> R? {
        skipSpace()
        guard let (value, count) = read(UnsafeBufferPointer(rebasing: bytes[index..<end])) else { return nil }
        index += count
        return value
    }

    /// Whether only white space follows.
    var isAtEnd: Bool { bytes[index..<end].allSatisfy(Self.isSpace) }

    /// Moves past an array or an object. Within it only quotes and brackets matter.
    private mutating func skipNested() throws {
        var depth = 0
        while index < end {
            let byte = bytes[index]
            // The brackets of arrays and those of objects differ in this bit.
            switch byte | 0x20 {
            case UInt8(ascii: "{"):
                depth += 1
                index += 1
            case UInt8(ascii: "}"):
                depth -= 1
                index += 1
                if depth == 0 { return }
            default:
                if byte == UInt8(ascii: "\"") { try skipString() } else { index += 1 }
            }
        }
        throw fault
    }

    /// Moves past a number or a word.
    private mutating func skipPlain() {
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"), 0...0x20: return
            default: index += 1
            }
        }
    }

    /// Moves from the first quote past the last one.
    private mutating func skipString() throws {
        index += 1
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        throw fault
    }

    private mutating func skipSpace() {
        while index < end, Self.isSpace(bytes[index]) { index += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Moves past white space, and past a sign if it comes next.
    mutating func take(_ sign: UInt8) -> Bool {
        skipSpace()
        guard index < end, bytes[index] == sign else { return false }
        index += 1
        return true
    }

    private var fault: JSONError {
        JSONError(.syntax, "The JSON of an event is malformed.", position: index, line: 1, column: index + 1)
    }
}
