extension Lexer {
    /// A string in its quotes, with its escapes resolved. In formats `%%` is one percent sign.
    mutating func quoted() throws(LexicalError) -> String {
        let start = position
        let quote = bytes[position]
        position += 1
        var text: [UInt8] = []
        while let byte = peek() {
            position += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte == 0x5C {
                text += try escape(stringStart: start)
            } else {
                text.append(byte)
                if byte == 0x25, peek() == 0x25, dialect == .format { position += 1 }
            }
        }
        throw unclosed(start)
    }

    private func unclosed(_ start: Int) -> LexicalError {
        LexicalError(
            message: "The closing quote of this string is missing.", range: SourceRange(start: start, end: position),
            expected: [String(Character(Unicode.Scalar(bytes[start])))])
    }

    /// The bytes of the escape after a backslash in a string.
    private mutating func escape(stringStart: Int) throws(LexicalError) -> [UInt8] {
        let start = position - 1
        guard let byte = peek() else { throw unclosed(stringStart) }
        position += 1
        switch Unicode.Scalar(byte) {
        case "\"", "'", "/", "\\": return [byte]
        case "b": return [0x08]
        case "f": return [0x0C]
        case "n": return [0x0A]
        case "r": return [0x0D]
        case "t": return [0x09]
        case "0": return [0x00]
        case "u":
            if let scalar = unicodeEscape() { return Array(String(Character(scalar)).utf8) }
        default: break
        }
        throw LexicalError(
            message: "An escape in a string is one of \\\" \\' \\/ \\\\ \\b \\f \\n \\r \\t \\0 \\uXXXX.",
            range: SourceRange(start: start, end: start + 1), hint: "\\\\")
    }

    /// The digits of `\uXXXX`, after the backslash and the letter; characters outside the first plane are two such
    /// escapes, as in JSON. Nil for half of such a pair.
    mutating func unicodeEscape() -> Unicode.Scalar? {
        guard let code = hexadecimal(4) else { return nil }
        guard (0xD800..<0xDC00).contains(code) else { return Unicode.Scalar(code) }
        guard consume("\\u"), let low = hexadecimal(4), (0xDC00..<0xE000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (code - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func hexadecimal(_ count: Int) -> UInt32? {
        guard position + count <= bytes.count else { return nil }
        let digits = bytes[position..<position + count]
        guard digits.allSatisfy(Self.isHexadecimal),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        position += count
        return value
    }

    static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
    }
}
