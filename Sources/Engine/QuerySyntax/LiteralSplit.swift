package import ObjectModel

/// The text of a filter with its literals taken out: `age > 5 AND name = 'Rex'` is `age > ?# AND name = ?'` and the
/// values 5 and `Rex`.
///
/// Two filters with the same `text` are the same tokens, except for the values of these literals, which have the same
/// kinds. Only plain literals of the query language are taken out: a text in quotes without escapes, a whole number and a
/// number with a point, each with or without a minus sign. Others stay in the text. Cost: one pass over the bytes.
package struct LiteralSplit: Sendable {
    /// The filter, in which a control character stands for each literal and tells its kind.
    package let text: String
    /// Strings, ints and doubles, in the order of the text.
    package let literals: [Value]

    private enum Mark {
        static let string: UInt8 = 1
        static let integer: UInt8 = 2
        static let negativeInteger: UInt8 = 3
        static let number: UInt8 = 4
        static let negativeNumber: UInt8 = 5
    }

    /// So many digits fit an Int64, and no double that is not zero becomes zero.
    private static let digitLimit = 18

    /// Returns nil for a filter without such literals, and for one with an escape or a control character.
    package init?(_ filter: String) {
        var filter = filter
        var literals: [Value] = []
        let split = filter.withUTF8 { bytes -> String? in
            var isPlain = true
            let text = String(unsafeUninitializedCapacity: bytes.count) { output in
                var scan = Scan(bytes)
                guard let length = scan.run(output, &literals) else {
                    isPlain = false
                    return 0
                }
                return length
            }
            return isPlain ? text : nil
        }
        guard let split, !literals.isEmpty else { return nil }
        text = split
        self.literals = literals
    }

    private struct Scan {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0

        init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

        /// Writes the text, which is not longer than the filter; returns its length, or nil where literals cannot be told
        /// apart.
        mutating func run(_ output: UnsafeMutableBufferPointer<UInt8>, _ literals: inout [Value]) -> Int? {
            var length = 0
            while position < bytes.count {
                let byte = bytes[position]
                // A backslash may make a name of what looks like a literal.
                guard byte >= 0x20, byte != 0x5C else { return nil }
                var mark = byte
                switch byte {
                case 0x22, 0x27:
                    // After a letter the quotes are those of base64.
                    guard mayBegin, let text = quoted(byte) else { return nil }
                    literals.append(.string(text))
                    mark = Mark.string
                case 0x30...0x39 where mayBegin, 0x2D where mayBegin:
                    if let found = number() {
                        literals.append(found.value)
                        mark = found.mark
                    } else {
                        position += 1
                    }
                default: position += 1
                }
                output[length] = mark
                length += 1
            }
            return length
        }

        /// Whether a token begins here, whatever it is: what precedes is the start, a space, an operator, a comma or an
        /// opening parenthesis or brace.
        private var mayBegin: Bool {
            guard position > 0 else { return true }
            switch bytes[position - 1] {
            case 0x20, 0x28, 0x2C, 0x3C, 0x3D, 0x3E, 0x7B: return true
            default: return false
            }
        }

        /// The text in the quotes that begin here, without escapes.
        private mutating func quoted(_ quote: UInt8) -> String? {
            var end = position + 1
            while end < bytes.count, bytes[end] != quote {
                if bytes[end] == 0x5C || bytes[end] < 0x20 { return nil }
                end += 1
            }
            guard end < bytes.count else { return nil }
            defer { position = end + 1 }
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[position + 1..<end]), as: UTF8.self)
        }

        /// The number that begins here; nil, and nothing consumed, for a minus without digits and for what may be more
        /// than a number, such as a date.
        private mutating func number() -> (value: Value, mark: UInt8)? {
            let isNegative = bytes[position] == 0x2D
            let first = isNegative ? position + 1 : position
            var end = first
            while isDigit(end) { end += 1 }
            guard end > first else { return nil }
            var isWhole = true
            if end < bytes.count, bytes[end] == 0x2E, isDigit(end + 1) {
                isWhole = false
                end += 1
                while isDigit(end) { end += 1 }
            }
            guard end - first <= LiteralSplit.digitLimit, mayEnd(end) else { return nil }
            if isWhole {
                var value: Int64 = 0
                for index in first..<end { value = value * 10 + Int64(bytes[index] - 0x30) }
                position = end
                return (.int(isNegative ? -value : value), isNegative ? Mark.negativeInteger : Mark.integer)
            }
            let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[position..<end]), as: UTF8.self)
            guard let value = Double(text) else { return nil }
            position = end
            return (.double(value), isNegative ? Mark.negativeNumber : Mark.number)
        }

        private func isDigit(_ index: Int) -> Bool { index < bytes.count && (0x30...0x39).contains(bytes[index]) }

        /// Whether a token ends before that byte, whatever it is: a space, a comma, a closing parenthesis or brace, or
        /// nothing.
        private func mayEnd(_ index: Int) -> Bool {
            guard index < bytes.count else { return true }
            switch bytes[index] {
            case 0x20, 0x29, 0x2C, 0x7D: return true
            default: return false
            }
        }
    }
}
