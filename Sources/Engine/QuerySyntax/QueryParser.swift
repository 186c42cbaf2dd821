import ObjectModel

/// Parses the text of queries, in both dialects, into a tree of unresolved names.
///
/// Cost: linear in the text. It recurses only as deep as the text nests, at most `depthLimit` levels, and returns trees
/// that are no deeper.
package struct QueryParser {
    /// The maximum nesting of parentheses, NOT, subqueries and arithmetic together. A chain such as `a + 1 + 1` is a
    /// level per sign.
    package static let depthLimit = 200
    /// The maximum number of names in a key path: each is a step for every object that the query examines.
    package static let pathLimit = 64
    /// The maximum number of indexes in a key path, in addition.
    package static let indexLimit = 200
    /// The longest text, in UTF-8 bytes.
    package static let byteLimit = 1 << 20

    let source: SourceText
    let tokens: [Token]
    let dialect: QueryDialect
    /// In a key path on its own, every word is a name.
    let isPathAlone: Bool
    /// In a condition on groups, paths are those of `groupTerm`.
    let isOfGroups: Bool
    /// The number of the current token.
    var index = 0
    /// Whether the parser is in the left side of a comparison, and not in parentheses there.
    var operatorMayFollow = false
    private var depth = 0
    /// The highest level that a part of the tree has reached since the last reset.
    private var deepest = 0
    /// The number of the closing parenthesis by that of the opening one.
    let closings: [Int: Int]
    /// The number that the next `%@` or `%K` gets.
    private var nextArgument = 0

    /// Parses a predicate, optionally followed by SORT, DISTINCT and LIMIT. `%@` and `%K` are valid in both dialects,
    /// with a numbering apart from `$0`; the other spellings of formats only in theirs. Throws `syntax`, `tooDeep` and
    /// `tooLong`.
    package static func parse(_ text: String, dialect: QueryDialect = .rql) throws(QueryError) -> ParsedQuery {
        var parser = try QueryParser(text, dialect)
        let predicate = try parser.disjunction()
        let steps = try parser.steps()
        guard parser.current.kind == .end else { throw parser.unexpectedAfterPredicate(isBeforeSteps: steps.isEmpty) }
        return ParsedQuery(predicate: predicate, steps: steps, source: parser.source)
    }

    /// Parses a key path on its own, as in `owner.name`. Keywords are names in it.
    package static func parsePath(
        _ text: String, dialect: QueryDialect = .rql
    ) throws(QueryError) -> (ParsedPath, SourceText) {
        var parser = try QueryParser(text, dialect, isPathAlone: true)
        let path = try parser.path()
        guard parser.current.kind == .end else { throw parser.unexpected("the end of the key path") }
        return (path, parser.source)
    }

    init(
        _ text: String, _ dialect: QueryDialect, isPathAlone: Bool = false, isOfGroups: Bool = false
    ) throws(QueryError) {
        guard text.utf8.count <= Self.byteLimit else {
            throw QueryError(
                .tooLong, "The query is longer than \(Self.byteLimit) bytes. Pass long lists as arguments.", position: 0
            )
        }
        source = SourceText(text)
        self.dialect = dialect
        self.isPathAlone = isPathAlone
        self.isOfGroups = isOfGroups
        tokens = try Lexer.tokens(text, dialect)
        var open: [Int] = []
        var closings: [Int: Int] = [:]
        for (index, token) in tokens.enumerated() {
            if token.kind == .punctuation("(") { open.append(index) }
            if token.kind == .punctuation(")"), let start = open.popLast() { closings[start] = index }
        }
        self.closings = closings
    }

    // MARK: Tokens

    var current: Token { tokens[min(index, tokens.count - 1)] }

    /// The token after the current one.
    var following: Token { tokens[min(index + 1, tokens.count - 1)] }

    /// The token before the current one, which is not the first.
    var previous: Token { tokens[max(0, min(index, tokens.count) - 1)] }

    /// The token after the parenthesis that closes the one at the current token, if it is closed.
    var tokenAfterParenthesis: Token? {
        guard let closing = closings[index] else { return nil }
        return tokens[min(closing + 1, tokens.count - 1)]
    }

    mutating func advance() { index += 1 }

    // The recursive functions use these: a local copy of a token would be on the stack once per level.

    func at(_ sign: Character) -> Bool { current.kind == .punctuation(sign) }

    func at(_ keyword: Keyword) -> Bool { current.keyword == keyword }

    /// Consumes the sign if it is the current token.
    mutating func consume(_ character: Character) -> Bool {
        guard at(character) else { return false }
        advance()
        return true
    }

    /// Consumes the word or its sign if it is the current token.
    mutating func consume(_ keyword: Keyword, or symbol: Character) -> Bool {
        guard at(keyword) || current.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ character: Character, _ expected: String, _ words: [String] = []) throws(QueryError) {
        guard consume(character) else { throw unexpected(expected, words + [String(character)]) }
    }

    /// Whether the word at the current token begins a call, as in `obj(`.
    func isCall(_ keyword: Keyword) -> Bool {
        current.keyword == keyword && following.kind == .punctuation("(")
    }

    mutating func takeArgumentNumber() -> Int {
        defer { nextArgument += 1 }
        return nextArgument
    }

    // MARK: Depth

    /// Enters one more level; throws when there are too many.
    mutating func descend() throws(QueryError) {
        depth += 1
        try check(height: 0)
    }

    mutating func ascend() { depth -= 1 }

    /// Throws when a tree of that height exceeds the limit at this level.
    mutating func check(height: Int) throws(QueryError) {
        guard depth + height <= Self.depthLimit else { throw tooDeep }
        deepest = max(deepest, depth + height)
    }

    private var tooDeep: QueryError {
        source.error(
            .tooDeep,
            "The query nests deeper than \(Self.depthLimit) levels. Flatten it: AND and OR accept any number of parts.",
            current.range)
    }

    /// Starts to measure a part of the tree; pass the result to `endMeasuring`.
    mutating func beginMeasuring() -> Int {
        defer { deepest = depth }
        return deepest
    }

    /// The number of levels of the part that was parsed since.
    mutating func endMeasuring(_ outer: Int) -> Int {
        defer { deepest = max(outer, deepest) }
        return deepest - depth
    }
}

extension QueryParser {
    /// An operand without levels of its own.
    mutating func simpleOperand() throws(QueryError) -> ParsedOperand {
        let start = current.range
        let quantifier = quantifier()
        if quantifier != nil { advance() }
        var elementRanges: [SourceRange] = []
        let kind = try operandKind(&elementRanges)
        let range = start.joined(previous.range)
        if quantifier != nil, !takesQuantifier(kind) { throw misplacedQuantifier(range) }
        return ParsedOperand(
            kind: kind, quantifier: quantifier, range: Uncompared(range), elementRanges: Uncompared(elementRanges))
    }

    /// `elementRanges` gets the range of each element, if it is a list.
    private mutating func operandKind(_ elementRanges: inout [SourceRange]) throws(QueryError) -> ParsedOperand.Kind {
        if current.kind == .punctuation("{") { return .list(try list(&elementRanges)) }
        if let constant = try constant() { return .constant(constant) }
        if isCall(.subquery) { throw misplacedQuantifier(previous.range.joined(current.range)) }
        if isShape {
            throw source.error(
                .syntax, "A shape is only allowed on the right of GEOWITHIN.", current.range, hint: "GEOWITHIN")
        }
        return .path(try isOfGroups ? groupTerm() : path())
    }

    private mutating func list(_ ranges: inout [SourceRange]) throws(QueryError) -> [ParsedConstant] {
        advance()
        var elements: [ParsedConstant] = []
        if consume("}") { return elements }
        repeat {
            let start = current.range
            guard let constant = try constant() else { throw unexpected("a constant or an argument") }
            elements.append(constant)
            ranges.append(start.joined(previous.range))
        } while consume(",")
        try expect("}", "a comma or a closing brace", [","])
        return elements
    }
}

extension QueryParser {
    /// SORT, DISTINCT and LIMIT, any number of them, in their order.
    mutating func steps() throws(QueryError) -> [ParsedStep] {
        var steps: [ParsedStep] = []
        while true {
            switch current.keyword {
            case .sort:
                advance()
                steps.append(.sort(try inParentheses { parser throws(QueryError) in try parser.sortKey() }))
            case .distinct:
                advance()
                steps.append(.distinct(try inParentheses { parser throws(QueryError) in try parser.path() }))
            case .limit:
                advance()
                steps.append(.limit(try limit()))
            default: return steps
            }
        }
    }

    private mutating func limit() throws(QueryError) -> Int {
        try expect("(", "an opening parenthesis")
        guard case .constant(.value(.int(let count))) = current.kind, isNatural(current) else {
            throw unexpected("a natural number")
        }
        advance()
        try expect(")", "a closing parenthesis")
        return Int(count)
    }

    private mutating func inParentheses<Element>(
        _ element: (inout QueryParser) throws(QueryError) -> Element
    ) throws(QueryError) -> [Element] {
        try expect("(", "an opening parenthesis")
        var elements: [Element] = []
        repeat { elements.append(try element(&self)) } while consume(",")
        try expect(")", "a comma or a closing parenthesis", [","])
        return elements
    }

    private mutating func sortKey() throws(QueryError) -> ParsedSortKey {
        let start = current.range
        let path = try path()
        guard current.keyword == .ascending || current.keyword == .descending else {
            throw unexpected(
                "ASC or DESC", ["ASC", "DESC"], hint: source.slice(start.joined(previous.range)) + " ASC")
        }
        defer { advance() }
        return ParsedSortKey(path, ascending: current.keyword == .ascending)
    }
}

extension QueryParser {
    /// `SUBQUERY(path, $variable, predicate).@count`
    mutating func subquery() throws(QueryError) -> ParsedOperand {
        let start = index
        try descend()
        let (path, variable, variableRange) = try subqueryHead()
        let predicate = try disjunction()
        ascend()
        try subqueryTail()
        let subquery = ParsedSubquery(
            path: path, variable: variable, predicate: predicate, variableRange: Uncompared(variableRange))
        return ParsedOperand(
            kind: .subquery(subquery), quantifier: nil,
            range: Uncompared(tokens[start].range.joined(previous.range)), elementRanges: Uncompared([]))
    }

    /// The part up to the predicate.
    private mutating func subqueryHead() throws(QueryError) -> (ParsedPath, variable: String, SourceRange) {
        advance()
        advance()
        let path = try path()
        try expect(",", "a comma")
        let range = current.range
        let variable = source.slice(range)
        switch current.kind {
        case .word(let name, nil) where name.utf8.first == 0x24 && name.utf8.count > 1 && name == variable: break
        case .word, .argument, .keyPathArgument:
            throw source.error(
                .syntax,
                "The subquery variable '\(shown)' is invalid. It starts with '$' and is not empty nor a number, as in '$x'.",
                range, hint: "$x")
        default: throw unexpected("the variable of the subquery, such as $x", ["$x"])
        }
        advance()
        try expect(",", "a comma")
        return (path, variable, range)
    }

    /// The part from the closing parenthesis on.
    private mutating func subqueryTail() throws(QueryError) {
        try expect(")", "AND, OR or the closing parenthesis of the subquery", ["AND", "OR"])
        try expect(".", "'.@count' or '.@size' after the subquery")
        guard case .atName(let operation) = current.kind, operation == "count" || operation == "size" else {
            throw unexpected("@count or @size after the subquery", ["@count", "@size"])
        }
        advance()
    }
}
