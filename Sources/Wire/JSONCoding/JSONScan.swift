import ObjectModel

/// Scans a text before jansson parses it, for nesting that would make jansson recurse too deep, and for numbers with
/// more digits than jansson's doubles keep. The text may be anything.
struct JSONScan {
    /// The positions of these numbers in the order of the text, each with the number of non-integers before it.
    private(set) var preciseNumbers: [PreciseNumber] = []

    /// A number that a double may not represent.
    struct PreciseNumber: Hashable, Sendable {
        /// The number of non-integers before it.
        var index: Int
        var text: Range<Int>

        /// - Parameter nearest: the nearest double.
        func value(in bytes: UnsafeBufferPointer<UInt8>, nearest: Double) -> JSONValue {
            let text = UnsafeBufferPointer(rebasing: bytes[text])
            // Most programs write a double with the digits that it needs, as this description does.
            var shortest = nearest.description
            if shortest.withUTF8({ $0.elementsEqual(text) }) { return .double(nearest) }
            guard let exact = Decimal128(String(decoding: text, as: UTF8.self)) else { return .double(nearest) }
            return Decimal128(shortest: nearest).canonical == exact.canonical
                ? .double(nearest) : .precise(exact, nearest: nearest)
        }
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var reals = 0

    /// Two texts of that many digits are never nearest to the same double, unless it is close to zero.
    private static let digitsOfDouble = 15

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        self.bytes = bytes
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = bytes.endOfString(from: index)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                guard depth <= JSONValue.depthLimit else { throw .tooDeep(at: index, in: bytes) }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                readNumber()
                continue
            default: break
            }
            index += 1
        }
    }

    /// Moves past the number.
    private mutating func readNumber() {
        let start = index
        var digits = 0
        var hasPoint = false
        var hasExponent = false
        scan: while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "0") where digits == 0: break
            case UInt8(ascii: "0")...UInt8(ascii: "9"): if !hasExponent { digits += 1 }
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): hasExponent = true
            case UInt8(ascii: "+"), UInt8(ascii: "-"): break
            default: break scan
            }
            index += 1
        }
        guard hasPoint || hasExponent else { return }
        // With an exponent it may be so small that a double has fewer digits.
        if digits > Self.digitsOfDouble || hasExponent || digits + 300 < index - start {
            preciseNumbers.append(PreciseNumber(index: reals, text: start..<index))
        }
        reals += 1
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The position of the quote that ends the string whose first quote is at `start`; not before the end of a text in
    /// which none does.
    @inline(__always)
    func endOfString(from start: Int) -> Int {
        var index = start + 1
        while index < count, self[index] != UInt8(ascii: "\"") {
            index += self[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index
    }
}
