import Basics
import ObjectModel

extension Lexer {
    /// A name, or one of the constants that look like names.
    mutating func word() throws(LexicalError) -> Token.Kind {
        let start = position
        if peek() == 0x54, let date = try date() { return .constant(.value(.date(date))) }
        if consume("B64'") || consume("B64\"") {
            position -= 1
            let text = try quoted()
            guard let decoded = Base64.standard.decode(text) else {
                throw LexicalError(
                    message: "This is not base64.", range: SourceRange(start: start, end: position))
            }
            return .base64(decoded)
        }
        if consume("uuid(") {
            let text = try untilParenthesis(start)
            guard text.utf8.count == 36, let value = UUIDValue(text: text) else {
                throw LexicalError(
                    message: "A UUID is written uuid(xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx).",
                    range: SourceRange(start: start, end: position))
            }
            return .constant(.value(.uuid(value)))
        }
        if consume("oid(") {
            let text = try untilParenthesis(start)
            guard let value = ObjectId(hex: text) else {
                throw LexicalError(
                    message: "An object id is written oid(24 hexadecimal digits).",
                    range: SourceRange(start: start, end: position))
            }
            return .constant(.value(.objectId(value)))
        }
        let text = try name()
        let raw = bytes[start..<position]
        if isRowKey(raw) { return .rowKey }
        // A word with an escape in it is always a name.
        return .word(text, raw.contains(0x5C) ? nil : Keyword.named(text, dialect))
    }

    /// Whether the lexer or the parser reads the name, unescaped, as another token.
    static func mistakes(_ name: String, _ dialect: QueryDialect) -> Bool {
        if Keyword.named(name, dialect)?.isReserved == true { return true }
        var digits = name.utf8.dropFirst()
        if name.utf8.first == 0x24, digits.first == 0x4B { digits = digits.dropFirst() }
        guard let first = name.utf8.first, first == 0x24 || first == 0x4F, !digits.isEmpty else { return false }
        return digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// `O5` and `L3:5`; consumes the part after the colon too.
    private mutating func isRowKey(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.count > 1, word.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        if word.first == 0x4F { return true }
        guard word.first == 0x4C, peek() == 0x3A, isDigit(position + 1) else { return false }
        position += 1
        while isDigit(position) { position += 1 }
        return true
    }

    /// The longest name here, with its escapes resolved; it may be empty.
    mutating func name() throws(LexicalError) -> String {
        let start = position
        while let byte = peek(), Self.continuesName(byte) { position += 1 }
        guard peek() == 0x5C else { return String(decoding: bytes[start..<position], as: UTF8.self) }
        var name = Array(bytes[start..<position])
        while let byte = peek() {
            if Self.continuesName(byte) {
                name.append(byte)
                position += 1
            } else if byte == 0x5C {
                name += try nameEscape()
            } else {
                break
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// A backslash and its escape. Beyond Realm's four escapes there is `\uXXXX`, which can express every name, such as
    /// those that begin with a digit or are keywords.
    private mutating func nameEscape() throws(LexicalError) -> [UInt8] {
        let start = position
        position += 1
        if let byte = peek() {
            position += 1
            switch Unicode.Scalar(byte) {
            case " ": return [0x20]
            case "n": return [0x0A]
            case "r": return [0x0D]
            case "t": return [0x09]
            case "u":
                if let scalar = unicodeEscape() { return Array(String(Character(scalar)).utf8) }
            default: break
            }
        }
        throw LexicalError(
            message: "In a name, a backslash is followed by a space, n, r, t or uXXXX.",
            range: SourceRange(start: start, end: min(start + 1, bytes.count)))
    }

    static func startsName(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F || byte == 0x24 || byte >= 0x80
    }

    static func continuesName(_ byte: UInt8) -> Bool {
        startsName(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
    }

    private mutating func untilParenthesis(_ start: Int) throws(LexicalError) -> String {
        let from = position
        while let byte = peek(), byte != 0x29 { position += 1 }
        guard peek() != nil else {
            throw LexicalError(
                message: "A closing parenthesis is missing.", range: SourceRange(start: start, end: position),
                expected: [")"])
        }
        defer { position += 1 }
        return String(decoding: bytes[from..<position], as: UTF8.self)
    }
}
