import ObjectModel

/// Reads the text form of queries, after query-language.md §1, §2 and §9, in Realm's own dialect; `%@` and `%K`
/// are taken as well.
///
/// What the grammar has and this version does not execute (arithmetic, SUBQUERY, subscripts, collection
/// operators, geography, full text) is refused with `QueryError.Code.unsupported`. Cost: linear in the text.
package struct QueryParser {
    /// How deeply parentheses and NOT may nest.
    package static let depthLimit = 200
    /// How many names a key path may have: each one is a step for every object that the query looks at.
    package static let pathLimit = 64
    /// The longest text, in UTF-8 bytes.
    package static let byteLimit = 1 << 20

    let source: SourceText
    let tokens: [Token]
    var index = 0
    private var depth = 0
    /// For each opening parenthesis among the tokens, where its closing one is.
    private let closings: [Int: Int]
    /// The number that the next `%@` or `%K` gets.
    private var nextArgument = 0

    /// A predicate, optionally followed by SORT, DISTINCT and LIMIT.
    package static func parse(_ text: String) throws(QueryError) -> ParsedQuery {
        var parser = try QueryParser(text)
        let predicate = try parser.disjunction()
        let steps = try parser.steps()
        guard parser.current.kind == .end else {
            throw parser.unexpected(
                "AND, OR, SORT, DISTINCT, LIMIT or the end of the query", ["AND", "OR", "SORT", "DISTINCT", "LIMIT"])
        }
        return ParsedQuery(predicate: predicate, steps: steps, source: parser.source)
    }

    /// A key path alone, as in `owner.name`.
    static func parsePath(_ text: String) throws(QueryError) -> (ParsedPath, SourceText) {
        var parser = try QueryParser(text)
        let path = try parser.path()
        guard parser.current.kind == .end else { throw parser.unexpected("the end of the key path") }
        return (path, parser.source)
    }

    private init(_ text: String) throws(QueryError) {
        guard text.utf8.count <= Self.byteLimit else {
            throw QueryError(
                .tooLong, "The query is longer than \(Self.byteLimit) bytes. Pass long lists as arguments.", position: 0
            )
        }
        source = SourceText(text)
        tokens = try Lexer.tokens(text)
        var open: [Int] = []
        var closings: [Int: Int] = [:]
        for (index, token) in tokens.enumerated() {
            if token.kind == .punctuation("(") { open.append(index) }
            if token.kind == .punctuation(")"), let start = open.popLast() { closings[start] = index }
        }
        self.closings = closings
    }

    // MARK: Predicates

    private mutating func disjunction() throws(QueryError) -> ParsedPredicate {
        var parts = [try conjunction()]
        while current.kind == .symbol("|") || isWord(current, "or") {
            advance()
            parts.append(try conjunction())
        }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws(QueryError) -> ParsedPredicate {
        var parts = [try negation()]
        while current.kind == .symbol("&") || isWord(current, "and") {
            advance()
            parts.append(try negation())
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws(QueryError) -> ParsedPredicate {
        guard current.kind == .symbol("!") || isOneCase(current, "not") else { return try primary() }
        try descend()
        advance()
        let inner = try negation()
        depth -= 1
        return .not(inner)
    }

    private mutating func primary() throws(QueryError) -> ParsedPredicate {
        if isWord(current, "truepredicate") || isWord(current, "falsepredicate") {
            defer { advance() }
            return .constant(isWord(current, "truepredicate"))
        }
        guard current.kind == .punctuation("("), !parenthesisHoldsOperand else { return .comparison(try comparison()) }
        try descend()
        advance()
        let inner = try disjunction()
        try expect(")", "AND, OR or a closing parenthesis")
        depth -= 1
        return inner
    }

    /// Whether the parenthesis at the current token closes before an operator, as in `(age) == 3`: then it
    /// belongs to one side of a comparison.
    private var parenthesisHoldsOperand: Bool {
        guard let closing = closings[index], closing + 1 < tokens.count else { return false }
        let after = tokens[closing + 1]
        if case .comparison = after.kind { return true }
        if case .symbol(let sign) = after.kind { return "+-*/".contains(sign) }
        return textOperator(after) != nil || isOneCase(after, "in") || isWord(after, "between")
    }

    private mutating func comparison() throws(QueryError) -> ParsedComparison {
        let left = try operand()
        let operatorToken = current
        let comparison: ParsedOperator
        if case .comparison(let simple) = operatorToken.kind {
            comparison = .comparison(simple)
        } else if let text = textOperator(operatorToken) {
            comparison = .comparison(text)
        } else if isOneCase(operatorToken, "in") {
            comparison = .isIn
        } else if isWord(operatorToken, "between") {
            comparison = .between
        } else {
            try refuseUnsupportedOperator()
            throw unexpected(
                "a comparison operator such as ==, <, IN, BETWEEN or CONTAINS",
                ComparisonOperator.allCases.map(\.rawValue) + ["IN", "BETWEEN"])
        }
        advance()
        let ignoresCase = try caseModifier(comparison)
        let right = try operand()
        return ParsedComparison(
            left: left, operator: comparison, right: right, ignoresCase: ignoresCase,
            operatorRange: Unequal(operatorToken.range))
    }

    private mutating func caseModifier(_ comparison: ParsedOperator) throws(QueryError) -> Bool {
        if current.kind == .ignoringDiacritics {
            throw source.error(
                .unsupported, "[d] and [cd] are not part of the query language; [c] ignores case.", current.range,
                hint: "[c]")
        }
        guard current.kind == .ignoringCase else { return false }
        switch comparison {
        case .comparison(.less), .comparison(.lessOrEqual), .comparison(.greater), .comparison(.greaterOrEqual),
            .between:
            throw source.error(
                .syntax, "\(comparison.name) cannot ignore case: [c] goes with ==, !=, IN and the string operators.",
                current.range)
        default:
            advance()
            return true
        }
    }

    private func textOperator(_ token: Token) -> ComparisonOperator? {
        guard case .identifier(let word) = token.kind else { return nil }
        switch word.lowercased() {
        case "beginswith": return .beginsWith
        case "endswith": return .endsWith
        case "contains": return .contains
        case "like": return .like
        default: return nil
        }
    }

    private func refuseUnsupportedOperator() throws(QueryError) {
        if case .symbol(let sign) = current.kind, "+-*/".contains(sign) { throw unsupported("Arithmetic") }
        if isWord(current, "text") { throw unsupported("Full-text search") }
        if isWord(current, "geowithin") { throw unsupported("GEOWITHIN") }
    }

    // MARK: Steps

    private mutating func steps() throws(QueryError) -> [ParsedStep] {
        var steps: [ParsedStep] = []
        while true {
            if isWord(current, "sort") {
                advance()
                steps.append(.sort(try listInParentheses { parser throws(QueryError) in try parser.sortKey() }))
            } else if isWord(current, "distinct") {
                advance()
                steps.append(.distinct(try listInParentheses { parser throws(QueryError) in try parser.path() }))
            } else if isWord(current, "limit") {
                advance()
                try expect("(", "an opening parenthesis")
                // Neither a sign nor hexadecimal: `-0` and `0x10` are numbers, but not natural ones.
                guard case .constant(.int(let count)) = current.kind,
                    source.slice(current.range).utf8.allSatisfy({ (0x30...0x39).contains($0) })
                else { throw unexpected("a natural number") }
                advance()
                try expect(")", "a closing parenthesis")
                steps.append(.limit(Int(count)))
            } else {
                return steps
            }
        }
    }

    private mutating func listInParentheses<Element>(
        _ element: (inout QueryParser) throws(QueryError) -> Element
    ) throws(QueryError) -> [Element] {
        try expect("(", "an opening parenthesis")
        var elements = [try element(&self)]
        while current.kind == .punctuation(",") {
            advance()
            elements.append(try element(&self))
        }
        try expect(")", "a comma or a closing parenthesis")
        return elements
    }

    private mutating func sortKey() throws(QueryError) -> ParsedSortKey {
        let path = try path()
        let isAscending = isWord(current, "asc") || isWord(current, "ascending")
        guard isAscending || isWord(current, "desc") || isWord(current, "descending") else {
            throw unexpected("ASC or DESC", ["ASC", "DESC"])
        }
        advance()
        return ParsedSortKey(path, ascending: isAscending)
    }

    // MARK: Tokens

    var current: Token { tokens[min(index, tokens.count - 1)] }

    /// The token after the current one.
    var following: Token { tokens[min(index + 1, tokens.count - 1)] }

    mutating func advance() { index += 1 }

    mutating func expect(_ character: Character, _ expected: String) throws(QueryError) {
        guard current.kind == .punctuation(character) else { throw unexpected(expected, [String(character)]) }
        advance()
    }

    mutating func takeArgumentNumber() -> Int {
        defer { nextArgument += 1 }
        return nextArgument
    }

    mutating func descend() throws(QueryError) {
        depth += 1
        guard depth <= Self.depthLimit else {
            throw source.error(
                .tooDeep,
                "The query nests deeper than \(Self.depthLimit) levels. Flatten it: AND and OR take any number of parts.",
                current.range)
        }
    }

    mutating func ascend() { depth -= 1 }

    /// Whether the token is the keyword, in any case.
    func isWord(_ token: Token, _ keyword: String) -> Bool {
        guard case .identifier(let word) = token.kind else { return false }
        return word.lowercased() == keyword
    }

    /// Whether the token is the keyword all in lower or all in upper case.
    func isOneCase(_ token: Token, _ keyword: String) -> Bool {
        guard case .identifier(let word) = token.kind else { return false }
        return word == keyword || word == keyword.uppercased()
    }

    /// A syntax error at the current token; `words` are what could stand there, where they can be listed.
    func unexpected(_ expected: String, _ words: [String] = []) -> QueryError {
        if current.kind == .end {
            return source.error(
                .syntax, "The query ends where \(expected) is expected.", current.range, expected: words)
        }
        return source.error(
            .syntax, "Expected \(expected), found '\(source.slice(current.range))'.", current.range,
            expected: words)
    }

    func unsupported(_ what: String) -> QueryError {
        source.error(.unsupported, "\(what) is not supported by this version.", current.range)
    }
}
