import ObjectModel

extension QueryParser {
    mutating func disjunction() throws(QueryError) -> ParsedPredicate {
        var parts = [try conjunction()]
        while current.kind == .symbol("|") || current.keyword == .or {
            advance()
            parts.append(try conjunction())
        }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws(QueryError) -> ParsedPredicate {
        var parts = [try negation()]
        while current.kind == .symbol("&") || current.keyword == .and {
            advance()
            parts.append(try negation())
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws(QueryError) -> ParsedPredicate {
        guard current.kind == .symbol("!") || current.keyword == .not else { return try primary() }
        try descend()
        advance()
        let inner = try negation()
        ascend()
        return .not(inner)
    }

    private mutating func primary() throws(QueryError) -> ParsedPredicate {
        if current.keyword == .truePredicate || current.keyword == .falsePredicate {
            defer { advance() }
            return .constant(current.keyword == .truePredicate)
        }
        guard current.kind == .punctuation("("), !parenthesisHoldsOperand else { return .comparison(try comparison()) }
        try descend()
        advance()
        let inner = try disjunction()
        try expect(")", "AND, OR or a closing parenthesis", ["AND", "OR"])
        ascend()
        return inner
    }

    /// Whether the parenthesis at the current token belongs to one side of a comparison, as in `(age) == 3`: only
    /// then an operator can follow where it closes.
    private var parenthesisHoldsOperand: Bool {
        guard let after = tokenAfterParenthesis else { return false }
        return parsedOperator(after) != nil || arithmeticOperation(after) != nil
    }

    private mutating func comparison() throws(QueryError) -> ParsedComparison {
        let leftStart = current.range
        let left = try operand()
        let operatorToken = current
        guard let name = parsedOperator(operatorToken) else { throw unexpectedInsteadOfOperator() }
        if name == .geoWithin { try checkLeftOfGeoWithin(left, leftStart) }
        advance()
        let modifier = try modifier(name)
        let right = try rightOperand(name)
        return ParsedComparison(
            left: left, operator: name, right: right, ignoresCase: modifier.ignoresCase,
            ignoresDiacritics: modifier.ignoresDiacritics, operatorRange: Unequal(operatorToken.range))
    }

    private mutating func rightOperand(_ name: ParsedOperator) throws(QueryError) -> ParsedOperand {
        switch name {
        case .geoWithin: return try shapeOperand()
        case .isIn, .between:
            if let mistaken = mistakenList() { throw mistaken }
            return try operand()
        case .comparison, .text: return try operand()
        }
    }

    private mutating func modifier(
        _ name: ParsedOperator
    ) throws(QueryError) -> (ignoresCase: Bool, ignoresDiacritics: Bool) {
        guard case .modifier(let ignoresCase, let ignoresDiacritics) = current.kind else { return (false, false) }
        switch name {
        case .comparison(.less), .comparison(.lessOrEqual), .comparison(.greater), .comparison(.greaterOrEqual):
            throw source.error(
                .syntax,
                "Lexicographical comparisons must be case-sensitive: [c] and [d] go with ==, !=, IN and the string operators.",
                current.range)
        case .between, .text, .geoWithin:
            throw source.error(
                .syntax, "\(name.name) takes no [c] or [d]: they go with ==, !=, IN and the string operators.",
                current.range)
        case .comparison, .isIn:
            advance()
            return (ignoresCase, ignoresDiacritics)
        }
    }

    func parsedOperator(_ token: Token) -> ParsedOperator? {
        if case .comparison(let comparison) = token.kind { return .comparison(comparison) }
        switch token.keyword {
        case .beginsWith: return .comparison(.beginsWith)
        case .endsWith: return .comparison(.endsWith)
        case .contains: return .comparison(.contains)
        case .like: return .comparison(.like)
        case .in: return .isIn
        case .between: return .between
        case .text: return .text
        case .geoWithin: return .geoWithin
        default: return nil
        }
    }
}
