import ObjectModel

/// Cuts a query text into tokens, after query-language.md §1 and §3. One pass, linear.
struct Lexer {
    private let bytes: [UInt8]
    private var position = 0

    /// The text as an array of bytes, and the error with its place in Unicode scalars.
    static func tokens(_ text: String) throws(QueryError) -> [Token] {
        var lexer = Lexer(bytes: Array(text.utf8))
        var tokens: [Token] = []
        while true {
            do throws(LexicalFault) {
                let token = try lexer.next()
                tokens.append(token)
                if token.kind == .end { return tokens }
            } catch {
                throw SourceText(text).error(.syntax, error.message, error.range)
            }
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private struct LexicalFault: Error {
        var message: String
        var range: SourceRange
    }

    private mutating func next() throws(LexicalFault) -> Token {
        while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
        let start = position
        guard let byte = peek() else { return Token(kind: .end, range: SourceRange(start: start, end: start)) }
        let kind = try kind(startingWith: byte)
        return Token(kind: kind, range: SourceRange(start: start, end: position))
    }

    private mutating func kind(startingWith byte: UInt8) throws(LexicalFault) -> Token.Kind {
        if let kind = comparison() { return kind }
        if let date = try date() { return .constant(.date(date)) }
        if let number = try number() { return .constant(number) }
        switch Character(Unicode.Scalar(byte)) {
        case "'", "\"": return .constant(.string(try quoted()))
        case "(", ")", "{", "}", ",", ".", "]":
            position += 1
            return .punctuation(Character(Unicode.Scalar(byte)))
        case "[":
            if take("[c]") { return .ignoringCase }
            if take("[d]") || take("[cd]") || take("[dc]") { return .ignoringDiacritics }
            position += 1
            return .punctuation("[")
        case "!", "+", "-", "*", "/":
            position += 1
            return .symbol(Character(Unicode.Scalar(byte)))
        case "&":
            guard take("&&") else { break }
            return .symbol("&")
        case "|":
            guard take("||") else { break }
            return .symbol("|")
        case "%":
            if take("%@") { return .nextArgument }
            if take("%K") { return .nextKeyPath }
        case "@":
            position += 1
            let name = try name()
            guard !name.isEmpty else { break }
            return .atName(name)
        case "$":
            if let number = natural(after: "$") { return .argument(number) }
            if let number = natural(after: "$K") { return .keyPathArgument(number) }
            return .identifier(try name())
        default:
            if Self.startsName(byte) { return try word() }
        }
        let shown = String(decoding: bytes[position..<min(position + 1, bytes.count)], as: UTF8.self)
        throw LexicalFault(
            message: "'\(shown)' cannot stand here.", range: SourceRange(start: position, end: position + 1))
    }

    // MARK: Words

    /// A name, or one of the constants that are written like names.
    private mutating func word() throws(LexicalFault) -> Token.Kind {
        let start = position
        if take("B64'") || take("B64\"") {
            position -= 1
            let text = try quoted()
            guard let decoded = Base64.standard.decode(text), let string = String(validating: decoded, as: UTF8.self)
            else {
                throw LexicalFault(
                    message: "This is not the base64 form of UTF-8 text.",
                    range: SourceRange(start: start, end: position))
            }
            return .constant(.string(string))
        }
        if take("uuid(") {
            let text = try untilParenthesis(start)
            guard let value = UUIDValue(text: text) else {
                throw LexicalFault(
                    message: "A UUID is written uuid(xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx).",
                    range: SourceRange(start: start, end: position))
            }
            return .constant(.uuid(value))
        }
        if take("oid(") {
            let text = try untilParenthesis(start)
            guard let value = ObjectId(hex: text) else {
                throw LexicalFault(
                    message: "An object id is written oid(24 hexadecimal digits).",
                    range: SourceRange(start: start, end: position))
            }
            return .constant(.objectId(value))
        }
        let text = try name()
        switch text {
        case "true", "TRUE": return .constant(.bool(true))
        case "false", "FALSE": return .constant(.bool(false))
        default: break
        }
        switch text.lowercased() {
        case "null", "nil": return .constant(.null)
        case "inf", "infinity": return .constant(.double(.infinity))
        case "nan": return .constant(.double(.nan))
        default: return .identifier(text)
        }
    }

    private mutating func name() throws(LexicalFault) -> String {
        var name: [UInt8] = []
        while let byte = peek() {
            if Self.startsName(byte) || (0x30...0x39).contains(byte) || byte == 0x2D {
                name.append(byte)
                position += 1
            } else if byte == 0x5C {
                guard position + 1 < bytes.count, let plain = Self.nameEscapes[bytes[position + 1]] else {
                    throw LexicalFault(
                        message: "In a name, a backslash is followed by a space, n, r or t.",
                        range: SourceRange(start: position, end: position + 1))
                }
                name.append(plain)
                position += 2
            } else {
                break
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static let nameEscapes: [UInt8: UInt8] = [0x20: 0x20, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09]

    private static func startsName(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F || byte == 0x24 || byte >= 0x80
    }

    private mutating func untilParenthesis(_ start: Int) throws(LexicalFault) -> String {
        let from = position
        while let byte = peek(), byte != 0x29 { position += 1 }
        guard peek() != nil else {
            throw LexicalFault(
                message: "A closing parenthesis is missing.", range: SourceRange(start: start, end: position))
        }
        defer { position += 1 }
        return String(decoding: bytes[from..<position], as: UTF8.self)
    }

    // MARK: Strings

    private mutating func quoted() throws(LexicalFault) -> String {
        let start = position
        let quote = bytes[position]
        position += 1
        var text: [UInt8] = []
        while let byte = peek() {
            position += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte != 0x5C {
                text.append(byte)
                continue
            }
            text += try escape()
        }
        throw LexicalFault(
            message: "The closing quote of this string is missing.", range: SourceRange(start: start, end: position))
    }

    /// What follows a backslash in a string.
    private mutating func escape() throws(LexicalFault) -> [UInt8] {
        let range = SourceRange(start: position - 1, end: position + 1)
        guard let byte = peek() else {
            throw LexicalFault(message: "The closing quote of this string is missing.", range: range)
        }
        position += 1
        switch Character(Unicode.Scalar(byte)) {
        case "\"", "'", "/", "\\": return [byte]
        case "b": return [0x08]
        case "f": return [0x0C]
        case "n": return [0x0A]
        case "r": return [0x0D]
        case "t": return [0x09]
        case "0": return [0x00]
        case "u":
            guard var code = hexadecimal(4) else { break }
            // Characters outside the first plane are written as two escapes, as in JSON.
            if (0xD800..<0xDC00).contains(code), take("\\u"), let low = hexadecimal(4), (0xDC00..<0xE000).contains(low)
            {
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { break }
            return Array(String(Character(scalar)).utf8)
        default: break
        }
        throw LexicalFault(
            message: "An escape in a string is one of \\\" \\' \\/ \\\\ \\b \\f \\n \\r \\t \\0 \\uXXXX.", range: range)
    }

    private mutating func hexadecimal(_ digits: Int) -> UInt32? {
        guard position + digits <= bytes.count else { return nil }
        let text = String(decoding: bytes[position..<position + digits], as: UTF8.self)
        guard text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }), let value = UInt32(text, radix: 16) else {
            return nil
        }
        position += digits
        return value
    }

    // MARK: Numbers and dates

    private mutating func number() throws(LexicalFault) -> Value? {
        var scanner = position
        let negative = peek() == 0x2D
        if negative || peek() == 0x2B { scanner += 1 }
        func digit(_ index: Int) -> Bool { index < bytes.count && (0x30...0x39).contains(bytes[index]) }
        let signed = scanner > position
        if signed, let special = specialNumber(at: scanner) {
            position = special.end
            // A NaN has no sign that a comparison could see; without one, equal queries are equal.
            return .double(negative && !special.value.isNaN ? -special.value : special.value)
        }
        guard digit(scanner) || (scanner < bytes.count && bytes[scanner] == 0x2E && digit(scanner + 1)) else {
            return nil
        }
        let start = position
        if bytes[scanner] == 0x30, scanner + 1 < bytes.count, bytes[scanner + 1] | 0x20 == 0x78 {
            var end = scanner + 2
            while end < bytes.count, Self.isHexadecimal(bytes[end]) { end += 1 }
            position = end
            let digits = String(decoding: bytes[scanner + 2..<end], as: UTF8.self)
            guard let value = Int64((negative ? "-" : "") + digits, radix: 16) else {
                throw LexicalFault(
                    message: "This number does not fit 64 bits.", range: SourceRange(start: start, end: end))
            }
            return .int(value)
        }
        var isFraction = false
        while digit(scanner) { scanner += 1 }
        if scanner < bytes.count, bytes[scanner] == 0x2E {
            isFraction = true
            scanner += 1
            while digit(scanner) { scanner += 1 }
        }
        if scanner < bytes.count, bytes[scanner] | 0x20 == 0x65 {
            var exponent = scanner + 1
            if exponent < bytes.count, bytes[exponent] == 0x2B || bytes[exponent] == 0x2D { exponent += 1 }
            if digit(exponent) {
                isFraction = true
                while digit(exponent) { exponent += 1 }
                scanner = exponent
            }
        }
        let text = String(decoding: bytes[start..<scanner], as: UTF8.self)
        position = scanner
        if isFraction, scanner < bytes.count, bytes[scanner] | 0x20 == 0x66 {
            position += 1
            let value = Float(padded(text)) ?? .infinity
            return value.isInfinite ? .double(Double(value)) : .float(value)
        }
        if isFraction { return .double(Double(padded(text)) ?? .infinity) }
        guard let value = Int64(text) else {
            throw LexicalFault(
                message: "This number does not fit 64 bits.", range: SourceRange(start: start, end: scanner))
        }
        return .int(value)
    }

    /// Swift reads neither `.5` nor `10.`; both are numbers in a query.
    private func padded(_ text: String) -> String {
        var text = text
        if let point = text.firstIndex(of: ".") {
            let after = text.index(after: point)
            if after == text.endIndex || !text[after].isNumber { text.insert("0", at: after) }
            if point == text.startIndex || !text[text.index(before: point)].isNumber { text.insert("0", at: point) }
        }
        return text
    }

    private func specialNumber(at start: Int) -> (value: Double, end: Int)? {
        for (word, value) in [("infinity", Double.infinity), ("inf", .infinity), ("nan", .nan)] {
            let end = start + word.utf8.count
            guard end <= bytes.count, bytes[start..<end].elementsEqual(word.utf8, by: { $0 | 0x20 == $1 }),
                end == bytes.count || !(Self.startsName(bytes[end]) || (0x30...0x39).contains(bytes[end]))
            else { continue }
            return (value, end)
        }
        return nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
    }

    /// `T5:-3`, `2017-12-31@23:59:59` and `2017-12-31T23:59:59:123`.
    private mutating func date() throws(LexicalFault) -> Timestamp? {
        let start = position
        var scanner = DateScanner(bytes: bytes, position: position)
        guard let parts = scanner.scan() else { return nil }
        position = scanner.position
        let range = SourceRange(start: start, end: position)
        switch parts {
        case .seconds(let seconds, let nanoseconds):
            guard let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else {
                throw LexicalFault(message: "Invalid timestamp format: both parts have the same sign.", range: range)
            }
            return date
        case .calendar(let fields, let nanoseconds):
            guard fields[0] >= 1900 else {
                throw LexicalFault(message: "Conversion of dates before 1900 is not supported.", range: range)
            }
            guard
                let whole = Timestamp(
                    year: fields[0], month: fields[1], day: fields[2], hour: fields[3], minute: fields[4],
                    second: fields[5])
            else { throw LexicalFault(message: "This date is not in the calendar.", range: range) }
            // Realm counts the nanoseconds away from zero, on either side of 1970.
            guard
                let date = Timestamp(
                    seconds: whole.seconds, nanoseconds: whole.seconds < 0 ? -nanoseconds : nanoseconds)
            else {
                throw LexicalFault(message: "There are at most 999999999 nanoseconds in a second.", range: range)
            }
            return date
        case .outOfRange:
            throw LexicalFault(message: "This number does not fit 64 bits.", range: range)
        }
    }

    // MARK: Operators and arguments

    private mutating func comparison() -> Token.Kind? {
        let operators: [(String, ComparisonOperator)] = [
            ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<=", .lessOrEqual), ("=<", .lessOrEqual),
            (">=", .greaterOrEqual), ("=>", .greaterOrEqual), ("<", .less), (">", .greater), ("=", .equal),
        ]
        for (text, comparison) in operators where take(text) { return .comparison(comparison) }
        return nil
    }

    private mutating func natural(after prefix: String) -> Int? {
        let start = position + prefix.utf8.count
        var end = start
        while end < bytes.count, (0x30...0x39).contains(bytes[end]) { end += 1 }
        guard end > start, bytes[position..<start].elementsEqual(prefix.utf8),
            end == bytes.count || !Self.startsName(bytes[end]),
            let number = Int(String(decoding: bytes[start..<end], as: UTF8.self))
        else { return nil }
        position = end
        return number
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ text: String) -> Bool {
        let end = position + text.utf8.count
        guard end <= bytes.count, bytes[position..<end].elementsEqual(text.utf8) else { return false }
        position = end
        return true
    }
}
