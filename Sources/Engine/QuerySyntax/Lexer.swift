import ObjectModel

/// Splits a query text into tokens; at each position it takes the longest one. One pass, linear.
struct Lexer {
    let bytes: [UInt8]
    let dialect: QueryDialect
    var position = 0

    /// The tokens of the text, the last of which is `end`. Throws `syntax` with its position in Unicode scalars.
    static func tokens(_ text: String, _ dialect: QueryDialect) throws(QueryError) -> [Token] {
        var lexer = Lexer(bytes: Array(text.utf8), dialect: dialect)
        var tokens: [Token] = []
        // Most tokens and the space after them are longer than that; one allocation is then enough.
        tokens.reserveCapacity(lexer.bytes.count / 4 + 1)
        while true {
            do throws(LexicalError) {
                let token = try lexer.next()
                tokens.append(token)
                if token.kind == .end { return tokens }
            } catch {
                throw SourceText(text).error(
                    .syntax, error.message, error.range, hint: error.hint, expected: error.expected)
            }
        }
    }

    struct LexicalError: Error {
        var message: String
        var range: SourceRange
        var hint: String?
        var expected: [String] = []
    }

    private mutating func next() throws(LexicalError) -> Token {
        while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
        let start = position
        guard let byte = peek() else { return Token(kind: .end, range: SourceRange(start: start, end: start)) }
        let kind = try kind(startingWith: byte)
        return Token(kind: kind, range: SourceRange(start: start, end: position))
    }

    private mutating func kind(startingWith byte: UInt8) throws(LexicalError) -> Token.Kind {
        switch Unicode.Scalar(byte) {
        case "<", ">", "=", "!":
            if let comparison = comparison() { return .comparison(comparison) }
            position += 1
            return .symbol("!")
        case "'", "\"": return .string(try quoted())
        case "(", ")", "{", "}", ",", "]":
            position += 1
            return .punctuation(Character(Unicode.Scalar(byte)))
        case "[":
            if let modifier = modifier() { return modifier }
            position += 1
            return .punctuation("[")
        case "0"..."9", "+", "-", ".":
            if let date = try date() { return .constant(.value(.date(date))) }
            if let number = try number() { return .constant(number) }
            position += 1
            return byte == 0x2E ? .punctuation(".") : .symbol(Character(Unicode.Scalar(byte)))
        case "*", "/":
            position += 1
            return .symbol(Character(Unicode.Scalar(byte)))
        case "&":
            guard consume("&&") else { throw stray(hint: "&&") }
            return .symbol("&")
        case "|":
            guard consume("||") else { throw stray(hint: "||") }
            return .symbol("|")
        case "%": return try placeholder()
        case "@":
            let start = position
            position += 1
            let name = try name()
            guard !name.isEmpty else {
                throw LexicalError(
                    message: "After '@' the name of an operation is expected.",
                    range: SourceRange(start: start, end: position),
                    expected: KeyPathOperator.all.map { "@" + $0 })
            }
            return .atName(name)
        case "$": return try argument()
        case "#" where dialect == .format:
            position += 1
            let name = try name()
            guard !name.isEmpty else {
                position -= 1
                throw stray(hint: nil)
            }
            return .escapedWord(name)
        default:
            guard Self.startsName(byte) || byte == 0x5C else { throw stray(hint: nil) }
            return try word()
        }
    }

    /// The error for a character that begins no token.
    private func stray(hint: String?) -> LexicalError {
        var end = position + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        let shown = String(decoding: bytes[position..<min(end, bytes.count)], as: UTF8.self)
        let advice = hint.map { " Write \($0)." } ?? ""
        return LexicalError(
            message: "'\(shown)' is not allowed here.\(advice)",
            range: SourceRange(start: position, end: min(end, bytes.count)), hint: hint)
    }

    // MARK: Operators and placeholders

    private mutating func comparison() -> ComparisonOperator? {
        for (text, comparison) in Self.comparisons where consume(text) { return comparison }
        return nil
    }

    /// The longer ones first.
    private static let comparisons: [(String, ComparisonOperator)] = [
        ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<=", .lessOrEqual), ("=<", .lessOrEqual),
        (">=", .greaterOrEqual), ("=>", .greaterOrEqual), ("<", .less), (">", .greater), ("=", .equal),
    ]

    private mutating func modifier() -> Token.Kind? {
        if consume("[c]") { return .modifier(ignoresCase: true, ignoresDiacritics: false) }
        if consume("[d]") { return .modifier(ignoresCase: false, ignoresDiacritics: true) }
        if consume("[cd]") || consume("[dc]") { return .modifier(ignoresCase: true, ignoresDiacritics: true) }
        return nil
    }

    private mutating func placeholder() throws(LexicalError) -> Token.Kind {
        if consume("%@") { return .nextArgument }
        if consume("%K") { return .nextKeyPath }
        if dialect == .format {
            for form in ["%d", "%i", "%u", "%ld", "%lu", "%lld", "%llu", "%f"] where consume(form) {
                return .nextArgument
            }
            throw LexicalError(
                message: "A percent sign begins %@, %K, %d, %i, %u, %ld, %lu, %lld, %llu or %f.", range: rangeHere(),
                expected: ["%@", "%K", "%d", "%f"])
        }
        throw LexicalError(
            message: "Arguments are written $0, $1, ….", range: rangeHere(), hint: "$0",
            expected: ["$0", "%@", "%K"])
    }

    /// `$0`, `$K0`, or a name such as `$x` and `$0-1`.
    private mutating func argument() throws(LexicalError) -> Token.Kind {
        let start = position
        let word = try word()
        let raw = bytes[start..<position].dropFirst()
        let isKeyPath = raw.first == 0x4B
        let digits = isKeyPath ? raw.dropFirst() : raw
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return word }
        guard let number = Int(String(decoding: digits, as: UTF8.self)) else {
            throw LexicalError(
                message: "No query has that many arguments.", range: SourceRange(start: start, end: position))
        }
        return isKeyPath ? .keyPathArgument(number) : .argument(number)
    }

    // MARK: Bytes

    func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    func isDigit(_ index: Int) -> Bool { index < bytes.count && (0x30...0x39).contains(bytes[index]) }

    mutating func consume(_ text: String) -> Bool {
        let end = position + text.utf8.count
        guard end <= bytes.count, bytes[position..<end].elementsEqual(text.utf8) else { return false }
        position = end
        return true
    }

    /// The range of one byte, or an empty one at the end.
    func rangeHere() -> SourceRange { SourceRange(start: position, end: min(position + 1, bytes.count)) }
}
